#include "vrt/device/block_pool.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <system_error>

#include "vrt/base/fail.h"

namespace vrt {

namespace {
// Waking a sleeping thread takes 5 to 50 µs: a launch that ends earlier is faster alone.
constexpr std::chrono::microseconds kAloneTime{15};
constexpr int kMaximumThreads = 1024;
// More chunks than threads, so that a slow chunk does not leave the others waiting.
constexpr std::uint64_t kChunksPerThread = 8;
}  // namespace

struct BlockPool::Job {
  std::uint64_t block_count = 0;
  std::uint64_t chunk = 1;
  RunRange run_range = nullptr;
  void* context = nullptr;
  std::atomic<std::uint64_t> next{0};  // The first block that nobody has taken.

  // Guarded by the pool's mutex.
  int helpers = 0;
  std::exception_ptr failure;
  std::condition_variable helpers_left;

  [[nodiscard]] bool is_open() const noexcept { return next.load(std::memory_order_relaxed) < block_count; }

  void take_chunks() {
    for (;;) {
      const std::uint64_t first = next.fetch_add(chunk, std::memory_order_relaxed);
      if (first >= block_count) return;
      run_range(context, first, std::min(chunk, block_count - first));
    }
  }

  /// Works until nothing is left; returns the failure of this thread's ranges, after which nobody takes more.
  [[nodiscard]] std::exception_ptr help() noexcept {
    try {
      take_chunks();
      return nullptr;
    } catch (...) {
      next.store(block_count, std::memory_order_relaxed);
      return std::current_exception();
    }
  }
};

BlockPool& BlockPool::shared() {
  // Leaked on purpose: streams may still run when static objects are destroyed.
  static auto* const pool = new BlockPool(thread_count_from(std::getenv("VRT_THREADS")));
  return *pool;
}

int thread_count_from(const char* environment_value) {
  if (environment_value == nullptr) {
    return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMaximumThreads);
  }
  const std::string_view text(environment_value);
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  require(error == std::errc() && end == text.data() + text.size() && count >= 1 && count <= kMaximumThreads,
          "VRT_THREADS: expected a number of threads from 1 to {}, found \"{}\"; correct it or unset it",
          kMaximumThreads, text);
  return count;
}

BlockPool::BlockPool(int thread_count) {
  jobs_.reserve(16);  // As many callers at once without an allocation.
  workers_.reserve(static_cast<std::size_t>(thread_count - 1));
  try {
    for (int i = 1; i < thread_count; ++i) workers_.emplace_back([this] { work_loop(); });
  } catch (const std::system_error& refused) {
    stop_workers();
    throw Error(ErrorCode::kUnavailable,
                fmt::format("could not start thread {} of {}; set VRT_THREADS to a smaller number", workers_.size() + 2,
                            thread_count),
                refused.what());
  }
}

BlockPool::~BlockPool() { stop_workers(); }

void BlockPool::stop_workers() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void BlockPool::run(std::uint64_t block_count, RunRange run_range, void* context) {
  if (workers_.empty()) {
    if (block_count > 0) run_range(context, 0, block_count);
    return;
  }
  const auto start = std::chrono::steady_clock::now();
  std::uint64_t done = 0;
  for (std::uint64_t chunk = 1; done < block_count; chunk *= 2) {
    const std::uint64_t count = std::min(chunk, block_count - done);
    run_range(context, done, count);
    done += count;
    if (block_count - done > 1 && std::chrono::steady_clock::now() - start > kAloneTime) break;
  }
  if (done == block_count) return;
  Job job;
  job.block_count = block_count;
  job.chunk = std::max<std::uint64_t>(1, (block_count - done) / (kChunksPerThread * (workers_.size() + 1)));
  job.run_range = run_range;
  job.context = context;
  job.next = done;
  share(job);
}

void BlockPool::share(Job& job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(&job);
  }
  work_.notify_all();
  std::exception_ptr failure = job.help();
  std::unique_lock lock(mutex_);
  std::erase(jobs_, &job);
  job.helpers_left.wait(lock, [&] { return job.helpers == 0; });
  if (job.failure) failure = job.failure;
  lock.unlock();
  if (failure) std::rethrow_exception(failure);
}

BlockPool::Job* BlockPool::next_open_job() {
  const auto found = std::find_if(jobs_.begin(), jobs_.end(), [](const Job* job) { return job->is_open(); });
  return found == jobs_.end() ? nullptr : *found;
}

void BlockPool::work_loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    Job* job = nullptr;
    work_.wait(lock, [&] { return stopping_ || (job = next_open_job()) != nullptr; });
    if (job == nullptr) return;
    ++job->helpers;
    lock.unlock();
    const std::exception_ptr failure = job->help();
    lock.lock();
    if (failure && !job->failure) job->failure = failure;
    if (--job->helpers == 0) job->helpers_left.notify_all();
  }
}

}  // namespace vrt
