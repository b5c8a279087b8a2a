// Internal (not installed): a queue between two threads, of fixed capacity.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace vrt {

/// First in, first out. Allocates only when it is made. Any number of threads on both sides.
template <typename T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity) : items_(capacity) {}

  /// BLOCKS while the queue is full. False, and `item` is dropped, once it is closed.
  bool push(T item) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || count_ < items_.size(); });
    if (closed_) return false;
    items_[(first_ + count_++) % items_.size()] = std::move(item);
    changed_.notify_all();
    return true;
  }

  /// BLOCKS while the queue is empty and open. Nothing once it is closed and empty.
  std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || count_ > 0; });
    if (count_ == 0) return std::nullopt;
    T item = std::move(items_[first_]);
    first_ = (first_ + 1) % items_.size();
    --count_;
    changed_.notify_all();
    return item;
  }

  /// No more items are taken; what is inside can still be popped.
  void close() {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

  [[nodiscard]] std::size_t size() const {
    const std::scoped_lock lock(mutex_);
    return count_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<T> items_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  bool closed_ = false;
};

}  // namespace vrt
