#include "vrt/device/cpu/work_queue.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "vrt/base/fail.h"
#include "vrt/device/cpu/futex.h"
#include "vrt/device/cpu/graph_plan.h"

namespace vrt::cpu {
namespace {
thread_local const WorkQueue* worked_queue = nullptr;  // By this thread.
}

void Epoch::fail(std::uint64_t sequence, detail::Failure failure) {
  failure_ = std::move(failure);
  failed_.store(sequence, std::memory_order_release);
}

WorkQueue::WorkQueue(Mode mode) : mode_(mode), epoch_(make_ref<Epoch>()) {
  chunks_.push_back(std::make_unique<Node[]>(kNodesPerChunk));
  unused_nodes_ = kNodesPerChunk - 1;
  oldest_ = newest_ = first_ = &chunks_.back()[unused_nodes_];
}

// --- Submitting.

WorkQueue::Node* WorkQueue::take_node() {
  // The worker still follows `next` of the last node that it completed: strictly before that one.
  const std::uint64_t settled = mode_ == Mode::kEager ? synchronized_ : completed_.load(std::memory_order_acquire);
  if (oldest_->sequence < settled) return std::exchange(oldest_, oldest_->next);
  if (unused_nodes_ == 0) {
    chunks_.push_back(std::make_unique<Node[]>(kNodesPerChunk));
    unused_nodes_ = kNodesPerChunk;
  }
  return &chunks_.back()[--unused_nodes_];
}

std::uint64_t WorkQueue::append(Node* node) {
  const std::uint64_t sequence = posted_.load(std::memory_order_relaxed) + 1;
  node->epoch = epoch_.get();
  node->sequence = sequence;
  node->next = nullptr;
  newest_->next = node;
  newest_ = node;
  posted_.store(sequence);
  // Eagerly the flag must not be read: the worker has written it after the operation before.
  if (mode_ == Mode::kEager || takes_over_waking(sequence)) futex_wake(posted_);
  return sequence;
}

// True for one submitter each time the worker sleeps. The number is compared once more when it is taken: a submitter that is held up
// between the two lines must not take that of a later sleep, for whose operation nobody would then wake the worker.
bool WorkQueue::takes_over_waking(std::uint64_t sequence) noexcept {
  std::uint64_t awaited = awaited_by_worker_.load();
  return awaited != 0 && awaited <= sequence && awaited_by_worker_.compare_exchange_strong(awaited, 0);
}

std::uint64_t WorkQueue::submit(Operation operation) {
  if (is_own_worker()) {
    fail(ErrorCode::kInvalidArgument,
         "a host task submitted work ({}) to the stream that runs the task; submit it from outside",
         name_of(operation));
  }
  const std::lock_guard lock(submit_mutex_);
  Node* const node = take_node();
  node->operation = std::move(operation);
  const std::uint64_t sequence = append(node);
  if (mode_ == Mode::kEager) wait_eagerly(sequence);
  return sequence;
}

void WorkQueue::free_in_order(void* data) noexcept {
  if (is_own_worker() && mode_ == Mode::kEager) return std::free(data);  // Everything before has run.
  try {
    const std::lock_guard lock(submit_mutex_);
    Node* const node = take_node();
    node->operation = Free{data};
    const std::uint64_t sequence = append(node);
    if (mode_ == Mode::kEager) wait_eagerly(sequence);
  } catch (const std::bad_alloc&) {
    if (is_own_worker()) return;  // Cannot wait for itself: better a leak than a use after free.
    wait_completed(posted_.load());
    std::free(data);
  }
}

void WorkQueue::mark(Point& point) {
  const std::lock_guard lock(submit_mutex_);
  // What stays the same is not assigned: letting go of a Ref orders memory.
  if (point.queue.get() != this) point.queue = Ref<WorkQueue>(this);
  point.epoch = epoch_;
  point.sequence = posted_.load(std::memory_order_relaxed);
}

void WorkQueue::stop() noexcept {
  const std::lock_guard lock(submit_mutex_);
  stop_node_.operation = Stop{};
  append(&stop_node_);
}

void WorkQueue::wait_eagerly(std::uint64_t sequence) const noexcept {
  std::uint64_t completed = 0;
  while ((completed = completed_.load(std::memory_order_relaxed)) < sequence) futex_wait(completed_, completed);
}

// --- Waiting.

void WorkQueue::enlist(Waiter& waiter) const {
  const std::lock_guard lock(waiters_mutex_);
  waiter.next = std::exchange(waiters_, &waiter);
  update_first_awaited();
}

void WorkQueue::strike_off(const Waiter& waiter) const {
  const std::lock_guard lock(waiters_mutex_);
  Waiter** link = &waiters_;
  while (*link != &waiter) link = &(*link)->next;
  *link = waiter.next;
  update_first_awaited();
}

void WorkQueue::update_first_awaited() const noexcept {
  std::uint64_t first = kNobody;
  for (const Waiter* waiter = waiters_; waiter != nullptr; waiter = waiter->next) {
    first = std::min(first, waiter->sequence);
  }
  first_awaited_.store(first);
}

void WorkQueue::wait_completed(std::uint64_t sequence) const {
  if (completed_.load(std::memory_order_acquire) >= sequence) return;
  Waiter waiter{sequence, nullptr};
  enlist(waiter);
  // Either this thread sees the completion, or the worker, which completes first and looks second, sees this waiter.
  std::uint64_t completed = 0;
  while ((completed = completed_.load()) < sequence) futex_wait(completed_, completed);
  strike_off(waiter);
}

Error WorkQueue::report(const Ref<Epoch>& epoch, std::uint64_t sequence) {
  reported_ = std::max(reported_, sequence);
  if (epoch != epoch_) return detail::skipped_because_of(epoch->failure());
  std::erase_if(ended_epochs_, [&](const EndedEpoch& ended) { return is_completed(ended.last_sequence); });
  ended_epochs_.push_back({epoch_, posted_.load(std::memory_order_relaxed)});
  epoch_ = make_ref<Epoch>();
  reported_epoch_ = epoch;
  const detail::Failure& failure = epoch->failure();
  return {failure.code, failure.message, failure.cause};
}

void WorkQueue::refuse_own_worker() const {
  require(!is_own_worker(), "a host task waited for the stream that runs it, which would never end; wait outside");
}

void WorkQueue::wait(const Point& point) {
  WorkQueue& queue = *point.queue;
  queue.refuse_own_worker();
  queue.wait_completed(point.sequence);
  const std::lock_guard lock(queue.submit_mutex_);
  queue.synchronized_ = std::max(queue.synchronized_, point.sequence);
  if (point.epoch->failed_before(point.sequence)) throw queue.report(point.epoch, point.sequence);
}

void WorkQueue::synchronize() {
  refuse_own_worker();
  Point point;
  mark(point);
  wait(point);
  // An event's wait may have thrown the failure when more was queued behind the event: that was skipped, too.
  const std::lock_guard lock(submit_mutex_);
  if (!reported_epoch_ || reported_epoch_->last_skipped() <= reported_) return;
  throw report(reported_epoch_, point.sequence);
}

// --- The worker.

bool WorkQueue::is_own_worker() const noexcept { return worked_queue == this; }
bool WorkQueue::is_any_worker() noexcept { return worked_queue != nullptr; }

void WorkQueue::run() {
  worked_queue = this;
  Node* node = first_;
  for (std::uint64_t sequence = 1;; ++sequence) {
    await_posted(sequence);
    node = node->next;
    const bool is_last = std::holds_alternative<Stop>(node->operation);
    execute(*node);
    complete(sequence);
    if (is_last) return;
  }
}

void WorkQueue::await_posted(std::uint64_t sequence) noexcept {
  if (posted_.load(std::memory_order_acquire) >= sequence) return;
  for (;;) {
    // Either this thread sees the posting, or the submitter, which posts first and looks second, sees the number.
    awaited_by_worker_.store(sequence);
    const std::uint64_t posted = posted_.load();
    if (posted >= sequence) break;
    futex_wait(posted_, posted);
  }
  awaited_by_worker_.store(0);
}

void WorkQueue::execute(Node& node) noexcept {
  const bool is_free = std::holds_alternative<Free>(node.operation);
  if (node.epoch->has_failed() && !is_free) {
    node.epoch->skip(node.sequence);
  } else {
    try {
      cpu::run(node.operation);
    } catch (...) {
      node.epoch->fail(node.sequence, detail::describe_current_exception(name_of(node.operation)));
    }
  }
  // What the operation owns is let go before it counts as done: who has waited may reuse it.
  node.operation.emplace<std::monostate>();
}

void WorkQueue::complete(std::uint64_t sequence) noexcept {
  completed_.store(sequence);
  if (mode_ == Mode::kEager || sequence >= first_awaited_.load()) futex_wake(completed_);
}

}  // namespace vrt::cpu
