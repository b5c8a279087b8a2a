// Internal: For tests: the work of a stream of the fake driver.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace vrt::cuda::testing {

/// A point in a queue. Waited for from any thread.
class FakeMarker {
 public:
  using Clock = std::chrono::steady_clock;

  void reach();
  void wait() const;
  [[nodiscard]] bool is_reached() const;
  /// When it was reached. Only then.
  [[nodiscard]] Clock::time_point time() const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool reached_ = false;
  Clock::time_point time_;
};

/// Runs one operation at a time, in order: when it is added, or later in a thread of its own as a GPU does.
class FakeQueue {
 public:
  enum class Mode { kAtOnce, kLater };
  explicit FakeQueue(Mode mode);
  /// BLOCKS until all is done.
  ~FakeQueue();
  FakeQueue(const FakeQueue&) = delete;
  FakeQueue& operator=(const FakeQueue&) = delete;

  void add(std::function<void()> operation);
  /// BLOCKS until what was added before is done.
  void wait();
  [[nodiscard]] bool is_idle();

 private:
  void work();

  const Mode mode_;
  std::recursive_mutex running_;  // In the mode kAtOnce: an operation may enqueue others.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> operations_;
  std::uint64_t added_ = 0;
  std::uint64_t done_ = 0;
  bool ends_ = false;
  std::thread worker_;
};

}  // namespace vrt::cuda::testing
