#include "vrt/base/read_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/base/testing/scoped.h"

namespace vrt::detail {
namespace {

using ::testing::HasSubstr;

TEST(ReadFileTest, EveryByteIsReadInOrder) {
  const vrt::testing::ScopedFolder folder;
  std::string written("with a \0 zero\r\n", 15);
  for (int i = 0; i < 100'000; ++i) written += std::to_string(i);  // More than one part.
  EXPECT_EQ(read_file(folder.write("file", written)), written);
}

TEST(ReadFileTest, AnEmptyFileIsNotAMissingOne) {
  const vrt::testing::ScopedFolder folder;
  const std::filesystem::path empty = folder.write("empty", "");
  EXPECT_EQ(read_file(empty), "");
  EXPECT_EQ(read_file(folder.path() / "none"), std::nullopt);
  EXPECT_EQ(read_file(empty / "below"), std::nullopt);
}

TEST(ReadFileTest, AFolderIsAnErrorThatNamesIt) {
  const vrt::testing::ScopedFolder folder;
  const Error error = test::error_of([&] { (void)read_file(folder.path()); });
  EXPECT_EQ(error.code(), ErrorCode::kIo);
  EXPECT_THAT(error.what(), HasSubstr(folder.path().string() + ": Is a directory"));
}

}  // namespace
}  // namespace vrt::detail
