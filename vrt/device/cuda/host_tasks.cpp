#include "vrt/device/cuda/host_tasks.h"

#include <algorithm>
#include <utility>

#include "vrt/base/fail.h"

namespace vrt::cuda {

void HostTaskEpoch::run(const detail::HostTask& task, std::uint64_t sequence) noexcept {
  if (failed_before(kNever - 1)) return last_skipped_.store(sequence, std::memory_order_release);
  try {
    task.run(task.storage);
  } catch (...) {
    failure_ = detail::describe_current_exception(fmt::format("host task '{}'", task.name));
    failed_.store(sequence, std::memory_order_release);
  }
}

bool HostTaskEpoch::failed_before(std::uint64_t sequence) const noexcept {
  return failed_.load(std::memory_order_acquire) <= sequence;
}

HostTaskTicket HostTaskFailures::issue() {
  const std::lock_guard lock(mutex_);
  return {epoch_, ++issued_};
}

HostTaskTicket HostTaskFailures::last() const {
  const std::lock_guard lock(mutex_);
  return {epoch_, issued_};
}

Error HostTaskFailures::report(const std::shared_ptr<HostTaskEpoch>& epoch, std::uint64_t sequence) {
  reported_ = std::max(reported_, sequence);
  if (epoch != epoch_) return detail::skipped_because_of(epoch->failure());
  epoch_ = std::make_shared<HostTaskEpoch>();
  reported_epoch_ = epoch;
  const detail::Failure& failure = epoch->failure();
  return {failure.code, failure.message, failure.cause};
}

void HostTaskFailures::throw_up_to(const HostTaskTicket& point) {
  if (!point.epoch->failed_before(point.sequence)) return;
  const std::lock_guard lock(mutex_);
  throw report(point.epoch, point.sequence);
}

void HostTaskFailures::throw_all(const HostTaskTicket& point) {
  throw_up_to(point);
  const std::lock_guard lock(mutex_);
  if (reported_epoch_ == nullptr || reported_epoch_->last_skipped() <= reported_) return;
  throw report(reported_epoch_, point.sequence);
}

void GraphRuns::add(HostTaskTicket ticket) {
  const std::lock_guard lock(mutex_);
  if (count_ == ring_.size()) {
    std::rotate(ring_.begin(), ring_.begin() + static_cast<std::ptrdiff_t>(first_), ring_.end());
    first_ = 0;
    ring_.resize(std::max<std::size_t>(2 * count_, 4));
  }
  ring_[(first_ + count_++) % ring_.size()] = std::move(ticket);
}

void GraphRuns::take_back() noexcept {
  const std::lock_guard lock(mutex_);
  ring_[(first_ + --count_) % ring_.size()] = {};
}

HostTaskTicket GraphRuns::current() const {
  const std::lock_guard lock(mutex_);
  return ring_[first_];
}

void GraphRuns::end() noexcept {
  const std::lock_guard lock(mutex_);
  ring_[first_] = {};
  first_ = (first_ + 1) % ring_.size();
  --count_;
}

void run_host_task(void* argument) noexcept {
  auto* node = static_cast<HostTaskNode*>(argument);
  if (node->runs != nullptr) {
    const HostTaskTicket ticket = node->runs->current();
    ticket.epoch->run(node->task, ticket.sequence);
    if (node->ends_run) node->runs->end();
    return;
  }
  node->ticket.epoch->run(node->task, node->ticket.sequence);
  node->pool->give_back(node);
}

HostTaskNode* HostTaskPool::take(const detail::HostTask& task, HostTaskTicket ticket) {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    all_.push_back(std::make_unique<HostTaskNode>());
    free_.reserve(all_.capacity());
    free_.push_back(all_.back().get());
  }
  HostTaskNode* node = free_.back();
  free_.pop_back();
  node->task = task;
  node->ticket = std::move(ticket);
  node->pool = this;
  return node;
}

void HostTaskPool::give_back(HostTaskNode* node) noexcept {
  const std::lock_guard lock(mutex_);
  node->ticket.epoch.reset();
  free_.push_back(node);
}

}  // namespace vrt::cuda
