// Internal: Threads that compile kernels behind the caller's back.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace vrt::cuda {

/// A few threads, started when there is work and kept for the next.
///
/// The compiler must not be at work while the process tears its library down, and no function that is registered with
/// atexit() can see to that: the compiler registers destructors of its own while it works, and these run first. What runs
/// before all of them is the end of the exiting thread's own thread_local objects. So each thread that has added a task
/// waits at its end for the running ones; in the main thread, whose end is that of the process, tasks that have not begun are
/// called with kCancel, so that the end is late by one compilation at most.
class Background {
 public:
  /// What a task is called for.
  enum class Turn { kRun, kCancel };
  /// Must not throw.
  using Task = std::function<void(Turn)>;

  /// Never destroyed.
  [[nodiscard]] static Background& shared();

  /// Queues a task. After the end of the process has begun, or where the system gives no thread, runs it in the calling one.
  void add(Task task);

 private:
  class ThreadEnd;

  Background();
  [[nodiscard]] bool queue(Task& task);
  [[nodiscard]] bool start_thread();
  void work();
  [[nodiscard]] Task next();
  void wait_until_idle();
  void finish();

  std::mutex mutex_;
  std::condition_variable added_;
  std::condition_variable idle_changed_;
  std::deque<Task> tasks_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;  // Threads that wait for a task.
  bool ending_ = false;
  const pid_t owner_;  // Threads do not survive fork(): a child has none to wait for.
};

}  // namespace vrt::cuda
