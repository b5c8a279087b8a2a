// Internal: Host functions in a CUDA stream: storage that is recycled, and failures that reach the next wait.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "vrt/device/cuda/driver_api.h"
#include "vrt/device/stream.h"

namespace vrt::cuda {

/// The first failure of a stream's host tasks since the last wait. Shared by the stream and the events recorded on it.
class HostTaskFailure {
 public:
  void set(std::exception_ptr failure, const char* task) noexcept;
  [[nodiscard]] bool is_set() const noexcept { return set_.load(std::memory_order_acquire); }
  /// Forgets the failure and throws it, naming the task; does nothing if there is none.
  void rethrow();

 private:
  std::mutex mutex_;
  std::atomic<bool> set_{false};
  std::exception_ptr failure_;
  const char* task_ = "";
};

class HostTaskPool;

/// One enqueued host task. Given to the driver as the callback's argument.
struct HostTaskNode {
  detail::HostTask task;
  std::shared_ptr<HostTaskFailure> failure;
  HostTaskPool* pool = nullptr;  // Where it goes back to after the run; nullptr if a graph owns it.
};

/// The callback. Runs the task, unless an earlier one failed, and never throws into the driver.
void run_host_task(void* node) noexcept;

/// Recycles nodes, so that enqueueing allocates nothing after the first frames. Never destroyed before its last node is back:
/// one per device, kept for the life of the process.
class HostTaskPool {
 public:
  /// A node of this pool, ready to be enqueued.
  [[nodiscard]] HostTaskNode* take(const detail::HostTask& task, std::shared_ptr<HostTaskFailure> failure);
  void give_back(HostTaskNode* node) noexcept;

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<HostTaskNode>> all_;
  std::vector<HostTaskNode*> free_;  // Reserved for all of them, so that giving back allocates nothing.
};

}  // namespace vrt::cuda
