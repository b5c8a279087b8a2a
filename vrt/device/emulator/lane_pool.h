// Internal to the emulator: threads that stay, so that a block of hundreds of lanes does not start as many each time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace vrt::emulator {

class LanePool {
 public:
  LanePool() = default;
  ~LanePool();
  LanePool(const LanePool&) = delete;
  LanePool& operator=(const LanePool&) = delete;

  /// Calls `body(lane)` for lanes [0, count), each in its own thread. None begins before all are there, and no two are ordered by
  /// the pool itself, so that ThreadSanitizer sees them as concurrent. Returns at once; `body` must live until they are done
  /// and must not throw. The lanes of an earlier call must have ended.
  void start(unsigned count, std::function<void(unsigned)> body);

  /// True once all lanes have ended; waits at most until `deadline`.
  [[nodiscard]] bool wait_until(std::chrono::system_clock::time_point deadline);

 private:
  void lane_loop(unsigned lane);
  void wait_for_all(std::unique_lock<std::mutex>& lock);
  void end_round(std::uint64_t round);

  // Two mutexes: one orders the lanes' starts, the other their ends. With one, a lane's end would be ordered before another's
  // start, and races between the two would not be reported.
  std::mutex start_mutex_;
  std::condition_variable start_;
  std::uint64_t round_ = 0;
  unsigned wanted_ = 0;
  unsigned present_ = 0;
  bool stopping_ = false;
  std::function<void(unsigned)> body_;

  std::mutex end_mutex_;
  std::condition_variable end_;
  unsigned running_ = 0;
  std::uint64_t ended_round_ = 0;

  std::vector<std::thread> threads_;
};

}  // namespace vrt::emulator
