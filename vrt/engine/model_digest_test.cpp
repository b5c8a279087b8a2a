#include "vrt/engine/model_digest.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vrt/base/sha256.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/base/testing/scoped.h"

namespace vrt::detail {
namespace {

namespace fs = std::filesystem;

class ModelDigestTest : public ::testing::Test {
 protected:
  /// Written as if it had lain there for long: a fresh file is not remembered.
  fs::path write(const std::string& name, const std::string& content) const {
    const fs::path path = folder_.write(name, content);
    set_time(path, 1000);
    return path;
  }
  static void set_time(const fs::path& path, std::int64_t seconds) {
    const timespec times[2] = {{seconds, 0}, {seconds, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }
  std::vector<DigestedFile> digest(const fs::path& model) {
    hashed_ = 0;
    return digest_model(model, folder_.path() / "memo", [this](std::uint64_t, std::uint64_t) { return ++hashed_ > 0; });
  }
  /// A change of a file's times is seen by the inode's time of change, which nobody can set: it has to pass.
  static void wait_until_settled() { usleep(2'100'000); }

  testing::ScopedFolder folder_;
  int hashed_ = 0;
};

TEST_F(ModelDigestTest, IsTheFilesOwnDigest) {
  const auto model = write("a.model", "content");
  const auto files = digest(model);
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].sha256, sha256_of_file(model));
  EXPECT_EQ(files[0].path, model);
  EXPECT_EQ(files[0].identity.bytes, 7U);
}

TEST_F(ModelDigestTest, ASecondStartDoesNotReadTheFileAndAChangedOneOfTheSameSizeIsNoticed) {
  const auto model = write("a.model", "content");
  wait_until_settled();
  const std::string first = digest(model)[0].sha256;
  EXPECT_EQ(hashed_, 1);
  EXPECT_EQ(digest(model)[0].sha256, first);
  EXPECT_EQ(hashed_, 0);
  std::ofstream(model) << "c0ntent";
  set_time(model, 1000);  // As tar and rsync may: the same size and the same time as before.
  EXPECT_NE(digest(model)[0].sha256, first);
  EXPECT_EQ(hashed_, 1);
}

TEST_F(ModelDigestTest, AFreshFileIsReadAgain) {
  const auto model = folder_.write("a.model", "content");
  const std::string first = digest(model)[0].sha256;
  folder_.write("a.model", "c0ntent");  // Perhaps within one tick of the file system's clock.
  EXPECT_NE(digest(model)[0].sha256, first);
}

TEST_F(ModelDigestTest, FilesBesideTheModelAreDigestedInOrder) {
  const auto model = write("net.xml", "<net/>");
  EXPECT_EQ(digest(model).size(), 1U);
  const auto weights = write("net.bin", "weights");
  const auto files = digest(model);
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[1].path, weights);
  EXPECT_EQ(files[1].sha256, sha256_of_file(weights));
}

TEST_F(ModelDigestTest, AMemoOfOthersOrADamagedOneIsNotBelieved) {
  const auto model = write("a.model", "content");
  wait_until_settled();
  const std::string right = digest(model)[0].sha256;
  const fs::path memo = fs::directory_iterator(folder_.path() / "memo")->path();
  struct stat status {};
  ASSERT_EQ(stat(memo.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  std::string text = std::string(std::istreambuf_iterator<char>(*std::make_unique<std::ifstream>(memo)), {});
  const std::string wrong = std::string(64, '0');
  text.replace(text.find(right), 64, wrong);
  std::ofstream(memo) << text;
  EXPECT_EQ(digest(model)[0].sha256, wrong) << "this test does not write what is read";
  ASSERT_EQ(chmod(memo.c_str(), 0666), 0);
  EXPECT_EQ(digest(model)[0].sha256, right);
  for (const std::size_t length : {std::size_t{0}, text.size() / 2, text.size() - 2}) {
    std::ofstream(memo) << text.substr(0, length);
    EXPECT_EQ(digest(model)[0].sha256, right) << length;
  }
}

TEST_F(ModelDigestTest, HashingCanBeStopped) {
  const auto model = write("a.model", "content");
  const Error error =
      test::error_of([&] { static_cast<void>(digest_model(model, {}, [](auto, auto) { return false; })); });
  EXPECT_EQ(error.code(), ErrorCode::kCancelled);
}

TEST_F(ModelDigestTest, WhatIsNotThereIsNamed) {
  const Error error = test::error_of([&] { static_cast<void>(digest(folder_.path() / "absent")); });
  EXPECT_EQ(error.code(), ErrorCode::kNotFound);
  EXPECT_THAT(error.what(), ::testing::HasSubstr("absent"));
}

TEST_F(ModelDigestTest, TellsWhetherFilesAreStillTheSame) {
  const auto model = write("a.model", "content");
  const auto files = digest(model);
  EXPECT_TRUE(are_unchanged(files));
  std::ofstream(model) << "c0ntent";
  EXPECT_FALSE(are_unchanged(files));
  fs::remove(model);
  EXPECT_FALSE(are_unchanged(files));
}

}  // namespace
}  // namespace vrt::detail
