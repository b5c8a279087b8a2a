#include "vrt/device/block_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "vrt/base/error.h"

namespace vrt {
namespace {

/// Passes a callable through the pool's C-style interface.
template <typename Body>
void run(BlockPool& pool, std::uint64_t count, Body body) {
  pool.run(
      count, [](void* context, std::uint64_t first, std::uint64_t n) { (*static_cast<Body*>(context))(first, n); },
      &body);
}

void pause(std::chrono::microseconds time) { std::this_thread::sleep_for(time); }

class BlockPoolTest : public testing::TestWithParam<int> {
 protected:
  BlockPool pool_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Threads, BlockPoolTest, testing::Values(1, 2, 4, 7));

TEST_P(BlockPoolTest, RunsEachBlockOnce) {
  for (const std::uint64_t count : {0U, 1U, 2U, 3U, 17U, 1000U, 100003U}) {
    std::vector<int> runs(count);
    run(pool_, count, [&](std::uint64_t first, std::uint64_t n) {
      for (std::uint64_t i = first; i < first + n; ++i) ++runs[i];
    });
    EXPECT_EQ(runs, std::vector<int>(count, 1));
  }
}

TEST_P(BlockPoolTest, SlowBlocksAreSharedByAllThreads) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  run(pool_, 200, [&](std::uint64_t, std::uint64_t n) {
    pause(std::chrono::microseconds(500 * n));
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(threads.size(), static_cast<std::size_t>(GetParam()));
  EXPECT_TRUE(threads.contains(std::this_thread::get_id()));
}

TEST_P(BlockPoolTest, OneBlockStaysInTheCaller) {
  run(pool_, 1, [caller = std::this_thread::get_id()](std::uint64_t, std::uint64_t) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
  });
}

TEST_P(BlockPoolTest, AnExceptionOfAnyBlockReachesTheCaller) {
  for (const std::uint64_t bad : {0U, 1U, 63U, 199U}) {
    EXPECT_THROW(run(pool_, 200,
                     [&](std::uint64_t first, std::uint64_t n) {
                       pause(std::chrono::microseconds(20));
                       if (first <= bad && bad < first + n) throw std::runtime_error("on purpose");
                     }),
                 std::runtime_error);
  }
  std::atomic<int> blocks{0};
  run(pool_, 50, [&](std::uint64_t, std::uint64_t n) { blocks += static_cast<int>(n); });
  EXPECT_EQ(blocks, 50) << "the pool works after a failure";
}

TEST_P(BlockPoolTest, NestedCallsComplete) {
  std::atomic<int> inner{0};
  run(pool_, 12, [&](std::uint64_t, std::uint64_t n) {
    pause(std::chrono::microseconds(50));
    for (std::uint64_t i = 0; i < n; ++i) {
      run(pool_, 10, [&](std::uint64_t, std::uint64_t m) {
        pause(std::chrono::microseconds(20));
        inner += static_cast<int>(m);
      });
    }
  });
  EXPECT_EQ(inner, 120);
}

TEST_P(BlockPoolTest, CallsFromSeveralThreadsDoNotMix) {
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([this] {
      for (int round = 0; round < 20; ++round) {
        std::vector<int> runs(500);
        run(pool_, runs.size(), [&](std::uint64_t first, std::uint64_t n) {
          for (std::uint64_t i = first; i < first + n; ++i) ++runs[i];
          pause(std::chrono::microseconds(5));
        });
        EXPECT_EQ(runs, std::vector<int>(500, 1));
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
}

TEST(BlockPoolThreadCountTest, ReadsTheEnvironment) {
  EXPECT_EQ(thread_count_from("3"), 3);
  EXPECT_EQ(thread_count_from("1024"), 1024);
  EXPECT_GE(thread_count_from(nullptr), 1);
  for (const char* wrong : {"", "0", "-1", "1025", "2x", " 2", "99999999999", "all"}) {
    EXPECT_THROW(static_cast<void>(thread_count_from(wrong)), Error) << wrong;
  }
}

TEST(BlockPoolThreadCountTest, TheSharedPoolIsOne) { EXPECT_EQ(&BlockPool::shared(), &BlockPool::shared()); }

}  // namespace
}  // namespace vrt
