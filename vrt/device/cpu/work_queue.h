// Internal: the queue of a CPU stream. Submitting threads append, one worker runs, any thread waits.
//
// Operations are numbered 1, 2, 3 … in submission order. The two sides meet only in two counters: `posted_`, written by
// submitters, and `completed_`, written by the worker; no lock is shared between them. Hence the eager mode: where the
// submitter waits for `completed_` by relaxed loads, nothing orders it behind the operation until a real wait does.
//
// Failures divide time into epochs. An operation belongs to the epoch in which it was submitted. Within an epoch everything
// behind the first failure is skipped; a new epoch begins when a wait has thrown that failure.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "vrt/device/cpu/operation.h"
#include "vrt/device/cpu/ref.h"
#include "vrt/device/failure.h"

namespace vrt::cpu {

/// The time between two failures.
class Epoch : public RefCounted {
 public:
  /// By the worker, at most once.
  void fail(std::uint64_t sequence, detail::Failure failure);
  /// By the worker: an operation behind the failed one was not run.
  void skip(std::uint64_t sequence) noexcept { last_skipped_.store(sequence, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t last_skipped() const noexcept { return last_skipped_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool has_failed() const noexcept { return failed_before(kNever); }
  /// True if the failed operation is at or before `sequence`. Final once that sequence is completed.
  [[nodiscard]] bool failed_before(std::uint64_t sequence) const noexcept {
    const std::uint64_t failed = failed_.load(std::memory_order_acquire);
    return failed != kNever && failed <= sequence;
  }
  /// What failed. Only if something has.
  [[nodiscard]] const detail::Failure& failure() const noexcept { return failure_; }

 private:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
  std::atomic<std::uint64_t> failed_{kNever};
  std::atomic<std::uint64_t> last_skipped_{0};
  detail::Failure failure_;
};

class WorkQueue : public RefCounted {
 public:
  /// kEager: `submit` returns when the operation has run, yet without being ordered behind it.
  enum class Mode { kQueued, kEager };

  explicit WorkQueue(Mode mode);
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  /// Appends. Allocates only while the queue grows longer than it ever was. Throws kInvalidArgument when called by the
  /// queue's own worker, that is by a host task.
  /// Returns its number.
  std::uint64_t submit(Operation operation);
  /// Appends a Free; also for the worker itself. Never throws.
  void free_in_order(void* data) noexcept;
  /// Makes `point` the one behind all that was submitted.
  void mark(Point& point);

  /// BLOCKS. The contract of Stream::synchronize.
  void synchronize();
  /// BLOCKS until the point is reached. Throws the failure of what came before it in its epoch; kSkipped if that was thrown
  /// by a wait already.
  static void wait(const Point& point);
  /// BLOCKS until the operation has run or was skipped; what it wrote is then visible.
  void wait_completed(std::uint64_t sequence) const;
  /// Orders nothing.
  [[nodiscard]] bool is_completed(std::uint64_t sequence) const noexcept {
    return completed_.load(std::memory_order_relaxed) >= sequence;
  }
  [[nodiscard]] bool is_idle() const noexcept { return is_completed(posted_.load(std::memory_order_relaxed)); }
  /// True in the worker of this queue.
  [[nodiscard]] bool is_own_worker() const noexcept;
  /// True in the worker of any queue.
  [[nodiscard]] static bool is_any_worker() noexcept;

  /// The worker: returns after `stop` and all that was submitted before it.
  void run();
  /// Nothing may be submitted afterwards.
  void stop() noexcept;

 private:
  struct Node {
    Operation operation;
    Epoch* epoch = nullptr;  // No Ref: the worker letting go of it would order submitters behind the worker.
    std::uint64_t sequence = 0;
    Node* next = nullptr;
  };
  struct EndedEpoch {
    Ref<Epoch> epoch;
    std::uint64_t last_sequence;
  };
  struct Waiter {
    std::uint64_t sequence;
    Waiter* next;
  };
  static constexpr std::size_t kNodesPerChunk = 128;
  static constexpr std::uint64_t kNobody = std::numeric_limits<std::uint64_t>::max();

  [[nodiscard]] Node* take_node();
  std::uint64_t append(Node* node);
  void wait_eagerly(std::uint64_t sequence) const noexcept;
  [[nodiscard]] bool takes_over_waking(std::uint64_t sequence) noexcept;
  void await_posted(std::uint64_t sequence) noexcept;
  void execute(Node& node) noexcept;
  void complete(std::uint64_t sequence) noexcept;
  void refuse_own_worker() const;
  void enlist(Waiter& waiter) const;
  void strike_off(const Waiter& waiter) const;
  void update_first_awaited() const noexcept;
  [[nodiscard]] Error report(const Ref<Epoch>& epoch, std::uint64_t sequence);

  const Mode mode_;
  std::atomic<std::uint64_t> posted_{0};
  std::atomic<std::uint64_t> completed_{0};
  std::atomic<std::uint64_t> awaited_by_worker_{0};  // The operation that it sleeps for; 0 while it is awake.

  // Of the submitting threads. The worker takes this lock only to free what a dying graph owned, and never in eager mode.
  std::mutex submit_mutex_;
  std::vector<std::unique_ptr<Node[]>> chunks_;
  std::size_t unused_nodes_ = 0;  // In the last chunk.
  Node* oldest_ = nullptr;        // In submission order, linked by `next`, up to newest_.
  Node* newest_ = nullptr;
  Node* first_ = nullptr;  // Where the worker begins: stands before operation 1.
  Node stop_node_;
  Ref<Epoch> epoch_;
  std::vector<EndedEpoch> ended_epochs_;  // Whose operations may still be queued.
  Ref<Epoch> reported_epoch_;             // The last one whose failure was thrown.
  std::uint64_t reported_ = 0;            // Skips up to here are known to the caller.
  std::uint64_t synchronized_ = 0;        // The last operation that a submitter may count as ordered before itself.

  // Of the waiting threads.
  mutable std::mutex waiters_mutex_;
  mutable Waiter* waiters_ = nullptr;
  mutable std::atomic<std::uint64_t> first_awaited_{kNobody};
};

}  // namespace vrt::cpu
