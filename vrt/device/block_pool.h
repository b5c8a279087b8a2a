// Internal (not installed): the threads that share the blocks of a launch on the CPU.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "vrt/base/export.h"

namespace vrt {

/// Plain threads that sleep when there is nothing to do. The calling thread always takes part, so that calls from several
/// threads at once, and calls from inside a call, all make progress. Launches too short to be worth a wake-up stay in the
/// caller.
class VRT_API BlockPool {
 public:
  using RunRange = void (*)(void* context, std::uint64_t first, std::uint64_t count);

  /// The process's pool, made by the first call and never destroyed. As many threads as the environment variable VRT_THREADS
  /// says, else as there are processors for this process. Throws kInvalidArgument for a VRT_THREADS that is no number
  /// from 1 to 1024.
  [[nodiscard]] static BlockPool& shared();

  /// `thread_count` threads, the caller of `run` included. Throws kUnavailable if the system refuses one.
  explicit BlockPool(int thread_count);
  /// No call may be running.
  ~BlockPool();
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  /// BLOCKS: calls `run_range` for disjoint ranges that cover [0, block_count), from several threads, and returns when all are
  /// done. The first exception of a range is thrown; ranges not begun by then are dropped.
  void run(std::uint64_t block_count, RunRange run_range, void* context);

  [[nodiscard]] int thread_count() const noexcept { return static_cast<int>(workers_.size()) + 1; }

 private:
  struct Job;

  void stop_workers();
  void work_loop();
  void share(Job& job);
  [[nodiscard]] Job* next_open_job();

  std::mutex mutex_;
  std::condition_variable work_;
  std::vector<Job*> jobs_;  // Those that workers may join; guarded by mutex_, as is stopping_.
  bool stopping_ = false;
  std::vector<std::thread> workers_;
};

/// The value of VRT_THREADS (nullptr if it is not set) as a number of threads; contract of BlockPool::shared.
[[nodiscard]] VRT_API int thread_count_from(const char* environment_value);

}  // namespace vrt
