#include "vrt/device/cuda/background.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace vrt::cuda {

namespace {

bool is_main_thread() { return syscall(SYS_gettid) == getpid(); }  // NOLINT(*-vararg): syscall is one

}  // namespace

// Lives as long as a thread that has added a task.
class Background::ThreadEnd {
 public:
  ThreadEnd() = default;
  ThreadEnd(const ThreadEnd&) = delete;
  ThreadEnd& operator=(const ThreadEnd&) = delete;
  ~ThreadEnd() {
    Background& background = shared();
    if (getpid() != background.owner_) return;
    if (is_main_thread()) {
      background.finish();
    } else {
      background.wait_until_idle();
    }
  }
};

Background::Background() : owner_(getpid()) {}

Background& Background::shared() {
  static Background* const instance = new Background();
  return *instance;
}

void Background::add(Task task) {
  if (!queue(task)) task(Turn::kRun);
}

bool Background::queue(Task& task) {
  const std::lock_guard lock(mutex_);
  if (ending_) return false;
  thread_local const ThreadEnd end;
  static_cast<void>(end);
  if (idle_ <= tasks_.size() && !start_thread()) return false;
  tasks_.push_back(std::move(task));
  added_.notify_one();
  return true;
}

// False if there is no thread at all, now or from before.
bool Background::start_thread() {
  if (threads_.size() >= std::max(1U, std::thread::hardware_concurrency())) return true;
  try {
    threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {  // The system gives no more threads: those that there are do it all.
  }
  return !threads_.empty();
}

// An empty task says that there is none to come.
Background::Task Background::next() {
  std::unique_lock lock(mutex_);
  ++idle_;
  idle_changed_.notify_all();
  added_.wait(lock, [this] { return ending_ || !tasks_.empty(); });
  --idle_;
  if (tasks_.empty()) return {};
  Task task = std::move(tasks_.front());
  tasks_.pop_front();
  if (!ending_) return task;
  return [cancelled = std::move(task)](Turn) { cancelled(Turn::kCancel); };
}

void Background::work() {
  while (const Task task = next()) task(Turn::kRun);
}

void Background::wait_until_idle() {
  std::unique_lock lock(mutex_);
  idle_changed_.wait(lock, [this] { return ending_ || (tasks_.empty() && idle_ == threads_.size()); });
}

void Background::finish() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  added_.notify_all();
  idle_changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

}  // namespace vrt::cuda
