#include "vrt/device/cuda/host_tasks.h"

#include <utility>

#include "vrt/base/fail.h"

namespace vrt::cuda {

void HostTaskFailure::set(std::exception_ptr failure, const char* task) noexcept {
  const std::lock_guard lock(mutex_);
  if (failure_ != nullptr) return;
  failure_ = std::move(failure);
  task_ = task;
  set_.store(true, std::memory_order_release);
}

void HostTaskFailure::rethrow() {
  if (!is_set()) return;
  std::exception_ptr failure;
  const char* task = "";
  {
    const std::lock_guard lock(mutex_);
    failure = std::exchange(failure_, nullptr);
    task = task_;
    set_.store(false, std::memory_order_release);
  }
  if (failure == nullptr) return;
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("host task '{}' failed: {}", task, error.message()),
                std::string(error.cause()));
  } catch (const std::exception& error) {
    throw Error(ErrorCode::kBackend, fmt::format("host task '{}' failed", task), error.what());
  }
}

void run_host_task(void* argument) noexcept {
  auto* node = static_cast<HostTaskNode*>(argument);
  if (!node->failure->is_set()) {
    try {
      node->task.run(node->task.storage);
    } catch (...) {
      node->failure->set(std::current_exception(), node->task.name);
    }
  }
  if (node->pool != nullptr) node->pool->give_back(node);
}

HostTaskNode* HostTaskPool::take(const detail::HostTask& task, std::shared_ptr<HostTaskFailure> failure) {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    all_.push_back(std::make_unique<HostTaskNode>());
    free_.reserve(all_.capacity());
    free_.push_back(all_.back().get());
  }
  HostTaskNode* node = free_.back();
  free_.pop_back();
  *node = {task, std::move(failure), this};
  return node;
}

void HostTaskPool::give_back(HostTaskNode* node) noexcept {
  const std::lock_guard lock(mutex_);
  node->failure.reset();
  free_.push_back(node);
}

}  // namespace vrt::cuda
