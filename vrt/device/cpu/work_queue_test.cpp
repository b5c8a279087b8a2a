#include "vrt/device/cpu/work_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

#include "vrt/base/testing/error_of.h"
#include "vrt/device/cpu/graph_plan.h"

namespace vrt::cpu {
namespace {

/// A queue of either mode with its worker, in every build: TSan so sees the queued one, too.
class WorkQueueTest : public ::testing::TestWithParam<WorkQueue::Mode> {
 protected:
  WorkQueueTest() : worker_([queue = queue_] { queue->run(); }) {}
  ~WorkQueueTest() override {
    queue_->stop();
    worker_.join();
  }

  template <typename Function>
  std::uint64_t submit(const Function& function) {
    detail::HostTask task;
    task.name = "task";
    new (task.storage) Function(function);
    task.run = [](const void* storage) { (*static_cast<const Function*>(storage))(); };
    return queue_->submit(task);
  }

  Ref<WorkQueue> queue_ = make_ref<WorkQueue>(GetParam());
  std::thread worker_;
};

TEST_P(WorkQueueTest, NumbersOperationsFromOne) {
  EXPECT_EQ(submit([] {}), 1U);
  EXPECT_EQ(submit([] {}), 2U);
}

TEST_P(WorkQueueTest, RecyclesItsNodesOverManyRounds) {
  // So many that a worker which is not woken once in a while shows, by a test that does not end.
  constexpr int kRounds = 400;
  int count = 0;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < 1 + round * 7 % 300; ++i) submit([&count] { ++count; });
    queue_->synchronize();
  }
  int expected = 0;
  for (int round = 0; round < kRounds; ++round) expected += 1 + round * 7 % 300;
  EXPECT_EQ(count, expected);
}

TEST_P(WorkQueueTest, ManyThreadsSubmitAndWait) {
  constexpr int kThreads = 4;
  constexpr int kEach = 500;
  int total = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kEach; ++i) {
        submit([&total] { ++total; });
        Point point;
        queue_->mark(point);
        if (i % 10 == 0) WorkQueue::wait(point);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  queue_->synchronize();
  EXPECT_EQ(total, kThreads * kEach);
}

TEST_P(WorkQueueTest, WaitersOfDifferentPointsAllWake) {
  constexpr int kRounds = 200;
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t first = submit([] {});
    const std::uint64_t middle = submit([] { std::this_thread::yield(); });
    std::thread waiter([&] { queue_->wait_completed(middle); });
    std::thread early([&] { queue_->wait_completed(first); });
    const std::uint64_t last = submit([] {});
    queue_->wait_completed(last);
    waiter.join();
    early.join();
  }
}

TEST_P(WorkQueueTest, AFailureSkipsUntilItIsThrown) {
  int runs = 0;
  for (int i = 0; i < 300; ++i) {
    submit([] { throw 1; });
    submit([&runs] { ++runs; });
    EXPECT_EQ(test::error_of([&] { queue_->synchronize(); }).code(), ErrorCode::kBackend);
    submit([&runs] { ++runs; });
  }
  queue_->synchronize();
  EXPECT_EQ(runs, 300);
}

TEST_P(WorkQueueTest, FailuresOfManyThreadsAreAllThrown) {
  std::vector<std::thread> threads;
  std::atomic<int> thrown = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        submit([] { throw 1; });
        try {
          queue_->synchronize();
        } catch (const Error&) {
          ++thrown;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(thrown, 0);
  EXPECT_NO_THROW(queue_->synchronize());
}

TEST_P(WorkQueueTest, FreesInOrder) {
  for (int i = 0; i < 500; ++i) {
    auto* const data = static_cast<int*>(std::malloc(sizeof(int)));
    submit([data] { *data = 1; });
    queue_->free_in_order(data);
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, WorkQueueTest, ::testing::Values(WorkQueue::Mode::kQueued, WorkQueue::Mode::kEager),
                         [](const auto& mode) { return mode.param == WorkQueue::Mode::kQueued ? "Queued" : "Eager"; });

}  // namespace
}  // namespace vrt::cpu
