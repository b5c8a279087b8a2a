// Internal: Host functions in a CUDA stream: storage that is recycled, and failures that reach the next wait.
//
// As on the CPU (cpu/work_queue.h), failures divide a stream's time into epochs: within one, every host task behind the first that
// failed is skipped, and the next begins when a wait has thrown that failure. Only host tasks are numbered; kernels and copies between
// them run, for a GPU's queue cannot be told to leave them out.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "vrt/device/cuda/driver_api.h"
#include "vrt/device/failure.h"
#include "vrt/device/stream.h"

namespace vrt::cuda {

/// The host tasks of a stream between two failures.
class HostTaskEpoch {
 public:
  /// In the driver's thread: runs the task unless one before it has failed. Never throws into the driver.
  void run(const detail::HostTask& task, std::uint64_t sequence) noexcept;
  /// True if the failed task is at or before `sequence`. Final once that one has had its turn.
  [[nodiscard]] bool failed_before(std::uint64_t sequence) const noexcept;
  [[nodiscard]] std::uint64_t last_skipped() const noexcept { return last_skipped_.load(std::memory_order_acquire); }
  /// What failed. Only if something has.
  [[nodiscard]] const detail::Failure& failure() const noexcept { return failure_; }

 private:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
  std::atomic<std::uint64_t> failed_{kNever};
  std::atomic<std::uint64_t> last_skipped_{0};
  detail::Failure failure_;
};

/// A place among the host tasks of a stream.
struct HostTaskTicket {
  std::shared_ptr<HostTaskEpoch> epoch;
  std::uint64_t sequence = 0;
};

/// Which host tasks of a stream have failed. Shared by the stream and the events recorded on it.
class HostTaskFailures {
 public:
  /// For a task, or for a graph with tasks, that is about to be enqueued.
  [[nodiscard]] HostTaskTicket issue();
  /// The place behind all that were issued.
  [[nodiscard]] HostTaskTicket last() const;
  /// When the work up to `point` is over: throws what failed before it in its epoch; kSkipped if a wait has thrown that already.
  void throw_up_to(const HostTaskTicket& point);
  /// As `throw_up_to`, of a wait for the whole stream: also kSkipped if tasks were skipped that no wait has told of.
  void throw_all(const HostTaskTicket& point);

 private:
  [[nodiscard]] Error report(const std::shared_ptr<HostTaskEpoch>& epoch, std::uint64_t sequence);

  mutable std::mutex mutex_;
  std::shared_ptr<HostTaskEpoch> epoch_ = std::make_shared<HostTaskEpoch>();
  std::shared_ptr<HostTaskEpoch> reported_epoch_;  // The last one whose failure was thrown.
  std::uint64_t issued_ = 0;
  std::uint64_t reported_ = 0;  // Skips up to here are known to the caller.
};

/// The launches of a graph that are not over yet, oldest first, for its host tasks: a graph runs once at a time, in order.
class GraphRuns {
 public:
  /// Before a launch. Allocates only while more are under way than ever were.
  void add(HostTaskTicket ticket);
  /// The driver refused the launch that was added last.
  void take_back() noexcept;
  /// The one that is running.
  [[nodiscard]] HostTaskTicket current() const;
  /// Behind the last host task of a run.
  void end() noexcept;

 private:
  mutable std::mutex mutex_;
  std::vector<HostTaskTicket> ring_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

class HostTaskPool;

/// One enqueued host task. Given to the driver as the callback's argument.
struct HostTaskNode {
  detail::HostTask task;
  HostTaskTicket ticket;         // Unless a graph owns it: then each of `runs` has one.
  HostTaskPool* pool = nullptr;  // Where it goes back to after the run; nullptr if a graph owns it.
  GraphRuns* runs = nullptr;     // Of the graph that owns it.
  bool ends_run = false;         // The last of its graph.
};

/// The callback.
void run_host_task(void* node) noexcept;

/// Recycles nodes, so that enqueueing allocates nothing after the first frames. Never destroyed before its last node is back:
/// one per device, kept for the life of the process.
class HostTaskPool {
 public:
  /// A node of this pool, ready to be enqueued.
  [[nodiscard]] HostTaskNode* take(const detail::HostTask& task, HostTaskTicket ticket);
  void give_back(HostTaskNode* node) noexcept;

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<HostTaskNode>> all_;
  std::vector<HostTaskNode*> free_;  // Reserved for all of them, so that giving back allocates nothing.
};

}  // namespace vrt::cuda
