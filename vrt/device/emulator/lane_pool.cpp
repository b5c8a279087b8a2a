#include "vrt/device/emulator/lane_pool.h"

#include <utility>

namespace vrt::emulator {

LanePool::~LanePool() {
  {
    const std::lock_guard lock(start_mutex_);
    stopping_ = true;
  }
  start_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void LanePool::start(unsigned count, std::function<void(unsigned)> body) {
  while (threads_.size() < count) {
    threads_.emplace_back([this, lane = static_cast<unsigned>(threads_.size())] { lane_loop(lane); });
  }
  {
    const std::lock_guard lock(end_mutex_);
    running_ = count;
  }
  {
    const std::lock_guard lock(start_mutex_);
    ++round_;
    wanted_ = count;
    present_ = 0;
    body_ = std::move(body);
  }
  start_.notify_all();
}

bool LanePool::wait_until(std::chrono::system_clock::time_point deadline) {
  std::unique_lock lock(end_mutex_);
  return end_.wait_until(lock, deadline, [&] { return running_ == 0; });
}

void LanePool::lane_loop(unsigned lane) {
  std::uint64_t last_round = 0;
  std::unique_lock lock(start_mutex_);
  for (;;) {
    start_.wait(lock, [&] { return stopping_ || (round_ != last_round && lane < wanted_); });
    if (stopping_) return;
    last_round = round_;
    wait_for_all(lock);
    lock.unlock();
    body_(lane);
    end_round(last_round);
    lock.lock();
  }
}

// Stays until all lanes have ended: going back to start_mutex_ earlier would order this lane before those still starting.
void LanePool::end_round(std::uint64_t round) {
  std::unique_lock lock(end_mutex_);
  if (--running_ == 0) {
    ended_round_ = round;
    end_.notify_all();
  }
  end_.wait(lock, [&] { return ended_round_ >= round; });
}

void LanePool::wait_for_all(std::unique_lock<std::mutex>& lock) {
  if (++present_ == wanted_) {
    start_.notify_all();
    return;
  }
  start_.wait(lock, [&] { return present_ == wanted_; });
}

}  // namespace vrt::emulator
