#include "vrt/base/mapped_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "vrt/base/testing/error_of.h"
#include "vrt/base/testing/scoped.h"

namespace vrt::detail {
namespace {

std::string_view text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

TEST(MappedFileTest, HoldsTheBytesAlsoAfterTheFileWasRemovedOrTheObjectMoved) {
  const testing::ScopedFolder folder;
  const std::string content(100'000, 'x');
  const auto path = folder.write("file", content);
  MappedFile file(path);
  std::filesystem::remove(path);
  EXPECT_EQ(text_of(file), content);
  MappedFile moved = std::move(file);
  EXPECT_EQ(text_of(moved), content);
  MappedFile other(folder.write("other", "short"));
  moved = std::move(other);
  EXPECT_EQ(text_of(moved), "short");
}

TEST(MappedFileTest, AnEmptyFileHasNoBytes) {
  const testing::ScopedFolder folder;
  EXPECT_TRUE(MappedFile(folder.write("empty", "")).bytes().empty());
}

TEST(MappedFileTest, WhatIsNoFileIsRefusedByName) {
  const testing::ScopedFolder folder;
  const auto pipe = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const auto& [path, code] : {std::pair{folder.path() / "absent", ErrorCode::kNotFound},
                                   std::pair{folder.path(), ErrorCode::kIo}, std::pair{pipe, ErrorCode::kIo}}) {
    const Error error = test::error_of([&, file = path] { static_cast<void>(MappedFile(file)); });
    EXPECT_EQ(error.code(), code);
    EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos);
  }
}

}  // namespace
}  // namespace vrt::detail
