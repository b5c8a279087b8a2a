#include "vrt/base/file_lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/base/testing/scoped.h"

namespace vrt::detail {
namespace {

TEST(FileLockTest, OneHolderAtATimeAndTheFileGoesWithIt) {
  const testing::ScopedFolder folder;
  const auto path = folder.path() / "lock";
  {
    auto first = FileLock::try_lock(path);
    ASSERT_TRUE(first.has_value());
    EXPECT_FALSE(FileLock::try_lock(path).has_value());
    const FileLock moved = std::move(*first);
    EXPECT_FALSE(FileLock::try_lock(path).has_value());
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(FileLock::try_lock(path).has_value());
}

TEST(FileLockTest, AFileThatAKilledProcessLeftLocksNothing) {
  const testing::ScopedFolder folder;
  const auto path = folder.path() / "lock";
  const pid_t child = fork();
  if (child == 0) {
    const auto lock = FileLock::try_lock(path);
    _exit(lock.has_value() ? 0 : 1);  // As a kill would: without the destructor.
  }
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  ASSERT_TRUE(std::filesystem::exists(path));
  EXPECT_TRUE(FileLock::try_lock(path).has_value());
}

TEST(FileLockTest, NoTwoThreadsHoldItThoughItsFileComesAndGoes) {
  const testing::ScopedFolder folder;
  std::atomic<int> holders{0};
  std::atomic<int> together{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 500; ++k) {
        const auto lock = FileLock::try_lock(folder.path() / "lock");
        if (!lock) continue;
        if (++holders > 1) ++together;
        --holders;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(together, 0);
}

TEST(FileLockTest, APlaceThatCannotBeWrittenIsNamed) {
  const Error error = test::error_of([] { static_cast<void>(FileLock::try_lock("/nowhere/lock")); });
  EXPECT_EQ(error.code(), ErrorCode::kIo);
  EXPECT_NE(std::string(error.what()).find("/nowhere/lock"), std::string::npos);
}

}  // namespace
}  // namespace vrt::detail
