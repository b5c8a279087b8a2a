#include "vrt/pipeline/bounded_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

namespace vrt {
namespace {

TEST(BoundedQueueTest, KeepsTheOrderBetweenTwoThreads) {
  BoundedQueue<int> queue(3);
  std::thread producer([&] {
    for (int i = 0; i < 10000; ++i) ASSERT_TRUE(queue.push(i));
    queue.close();
  });
  int expected = 0;
  while (const auto item = queue.pop()) EXPECT_EQ(*item, expected++);
  producer.join();
  EXPECT_EQ(expected, 10000);
}

TEST(BoundedQueueTest, NeverHoldsMoreThanItsCapacity) {
  BoundedQueue<int> queue(2);
  std::atomic<int> pushed = 0;
  std::thread producer([&] {
    for (int i = 0; i < 5; ++i) {
      ASSERT_TRUE(queue.push(i));
      ++pushed;
    }
  });
  while (pushed < 2) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(pushed, 2) << "the third push has to wait for room";
  for (int i = 0; i < 5; ++i) EXPECT_EQ(queue.pop(), i);
  producer.join();
}

TEST(BoundedQueueTest, ClosingDeliversWhatIsInsideAndRefusesTheRest) {
  BoundedQueue<std::unique_ptr<int>> queue(4);
  ASSERT_TRUE(queue.push(std::make_unique<int>(7)));
  queue.close();
  EXPECT_FALSE(queue.push(std::make_unique<int>(8)));
  const auto first = queue.pop();
  ASSERT_TRUE(first);
  EXPECT_EQ(**first, 7);
  EXPECT_FALSE(queue.pop());
}

TEST(BoundedQueueTest, ClosingWakesWhoIsWaiting) {
  BoundedQueue<int> empty(1);
  BoundedQueue<int> full(1);
  ASSERT_TRUE(full.push(1));
  std::thread popper([&] { EXPECT_FALSE(empty.pop()); });
  std::thread pusher([&] { EXPECT_FALSE(full.push(2)); });
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  empty.close();
  full.close();
  popper.join();
  pusher.join();
}

}  // namespace
}  // namespace vrt
