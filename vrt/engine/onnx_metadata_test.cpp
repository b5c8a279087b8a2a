#include "vrt/engine/onnx_metadata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <string>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/base/testing/scoped.h"

namespace vrt {
namespace {

using ::testing::HasSubstr;
using Metadata = std::map<std::string, std::string>;

// A field of protobuf's wire format that holds bytes, fewer than 128.
std::string field(int number, const std::string& bytes) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}

std::string entry(const std::string& key, const std::string& value) {
  return field(14, field(1, key) + field(2, value));
}

class OnnxMetadataTest : public ::testing::Test {
 protected:
  [[nodiscard]] Metadata read(const std::string& bytes) const {
    return read_onnx_metadata(folder_.write("some.onnx", bytes));
  }
  [[nodiscard]] std::string refusal(const std::string& bytes) const {
    const Error error = test::error_of([&] { (void)read(bytes); });
    EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
    return error.what();
  }

  testing::ScopedFolder folder_;
};

TEST_F(OnnxMetadataTest, FindsEntriesAmongOtherFields) {
  const std::string version{8, 9};                                // ir_version = 9
  const std::string fixed{8 << 3 | 5, 1, 2, 3, 4};                // Four bytes.
  const std::string fixed64{9 << 3 | 1, 1, 2, 3, 4, 5, 6, 7, 8};  // Eight bytes.
  const Metadata found = read(version + entry("task", "detect") + field(7, "a graph") + fixed + fixed64 +
                              entry("names", "{0: 'person'}") + entry("empty", ""));
  EXPECT_EQ(found, (Metadata{{"task", "detect"}, {"names", "{0: 'person'}"}, {"empty", ""}}));
}

TEST_F(OnnxMetadataTest, AFileWithoutEntriesHasNone) {
  EXPECT_TRUE(read("").empty());
  EXPECT_TRUE(read(field(7, "a graph")).empty());
  EXPECT_TRUE(read_onnx_metadata(folder_.path() / "absent.xml").empty());
}

TEST_F(OnnxMetadataTest, FoldersAndPipesAreRefusedAndNotWaitedFor) {
  std::filesystem::create_directory(folder_.path() / "folder.onnx");
  ASSERT_EQ(mkfifo((folder_.path() / "pipe.onnx").c_str(), 0600), 0);
  for (const char* name : {"folder.onnx", "pipe.onnx"}) {
    const Error error = test::error_of([&] { (void)read_onnx_metadata(folder_.path() / name); });
    EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
    EXPECT_THAT(error.what(), ::testing::AllOf(HasSubstr(name), HasSubstr("not a file")));
  }
}

TEST_F(OnnxMetadataTest, FilesThatAreNoneAreRefused) {
  EXPECT_THAT(refusal(field(7, "a graph").substr(0, 5)), HasSubstr("beyond the end"));
  EXPECT_THAT(refusal(std::string(12, '\xFF')), HasSubstr("64 bits"));
  EXPECT_THAT(refusal(std::string{'\xF2'}), HasSubstr("within a number"));
  EXPECT_THAT(refusal(std::string{7 << 3 | 6, 1}), HasSubstr("wire type 6"));
  EXPECT_THAT(refusal(std::string(1000, '\0')), HasSubstr("number 0"));
  EXPECT_THAT(refusal(field(14, std::string{1 << 3 | 2, 50, 'x'})), HasSubstr("beyond the end"));
  EXPECT_THROW((void)read_onnx_metadata(folder_.path() / "absent.onnx"), Error);
}

}  // namespace
}  // namespace vrt
