#include "vrt/base/file_trust.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vrt/base/testing/scoped.h"

namespace vrt::detail {
namespace {

TEST(FileTrustTest, AFileThatOnlyWeMayWriteIsTrusted) {
  const testing::ScopedFolder folder;
  const auto file = folder.write("mine", "text");
  ASSERT_EQ(chmod(file.c_str(), 0644), 0);
  EXPECT_EQ(find_distrust(file), "");
  EXPECT_TRUE(is_ours(file));
  EXPECT_EQ(find_distrust(folder.path()), "");
}

TEST(FileTrustTest, OneThatOthersMayWriteIsNot) {
  const testing::ScopedFolder folder;
  const auto file = folder.write("shared", "text");
  for (const mode_t mode : {0664U, 0646U}) {
    ASSERT_EQ(chmod(file.c_str(), mode), 0);
    EXPECT_EQ(find_distrust(file), "can be written by other users");
    EXPECT_TRUE(is_ours(file));
  }
}

TEST(FileTrustTest, OneOfAnotherUserIsNotAndNeitherIsWhatALinkLeadsTo) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may give a file away";
  const testing::ScopedFolder folder;
  const auto file = folder.write("foreign", "text");
  std::filesystem::create_symlink(file, folder.path() / "link");
  // Root's own files are everybody's, and root is who asks here: another user's are not.
  ASSERT_EQ(chown(file.c_str(), 65534, 65534), 0);
  for (const auto& path : {file, folder.path() / "link"}) {
    EXPECT_EQ(find_distrust(path), "belongs to another user");
    EXPECT_FALSE(is_ours(path));
  }
}

TEST(FileTrustTest, WhatIsNotThereIsNotTrusted) {
  EXPECT_NE(find_distrust("/nowhere/at/all"), "");
  EXPECT_FALSE(is_ours("/nowhere/at/all"));
}

}  // namespace
}  // namespace vrt::detail
