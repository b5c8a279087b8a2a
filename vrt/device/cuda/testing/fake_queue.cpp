#include "vrt/device/cuda/testing/fake_queue.h"

#include <utility>

namespace vrt::cuda::testing {

void FakeMarker::reach() {
  const std::lock_guard lock(mutex_);
  time_ = Clock::now();
  reached_ = true;
  changed_.notify_all();
}

void FakeMarker::wait() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return reached_; });
}

bool FakeMarker::is_reached() const {
  const std::lock_guard lock(mutex_);
  return reached_;
}

FakeMarker::Clock::time_point FakeMarker::time() const {
  const std::lock_guard lock(mutex_);
  return time_;
}

FakeQueue::FakeQueue(Mode mode) : mode_(mode) {
  if (mode_ == Mode::kLater) worker_ = std::thread([this] { work(); });
}

FakeQueue::~FakeQueue() {
  if (mode_ == Mode::kAtOnce) return;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  worker_.join();
}

void FakeQueue::add(std::function<void()> operation) {
  if (mode_ == Mode::kAtOnce) {
    const std::lock_guard lock(running_);
    return operation();
  }
  {
    const std::lock_guard lock(mutex_);
    operations_.push_back(std::move(operation));
    ++added_;
  }
  changed_.notify_all();
}

void FakeQueue::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&, last = added_] { return done_ >= last; });
}

bool FakeQueue::is_idle() {
  const std::lock_guard lock(mutex_);
  return done_ == added_;
}

void FakeQueue::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ends_ || !operations_.empty(); });
    if (operations_.empty()) return;
    const std::function<void()> operation = std::move(operations_.front());
    operations_.pop_front();
    lock.unlock();
    operation();
    lock.lock();
    ++done_;
    changed_.notify_all();
  }
}

}  // namespace vrt::cuda::testing
