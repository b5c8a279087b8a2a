#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <random>

#include "vrt/base/fail.h"
#include "vrt/device/emulator/block_state.h"
#include "vrt/device/emulator/emulate.h"
#include "vrt/device/emulator/lane_pool.h"

// The linker makes these around the section that __shared__ variables are put in; absent if no kernel has any.
extern "C" {
extern std::byte __start_vrt_shared[] __attribute__((weak, visibility("hidden")));  // NOLINT
extern std::byte __stop_vrt_shared[] __attribute__((weak, visibility("hidden")));   // NOLINT
}

namespace vrt::detail {
namespace {
using emulator::BlockState;
using std::chrono::system_clock;

constexpr unsigned kMaximumLanes = 1024;
constexpr std::chrono::milliseconds kWatchInterval{50};
constexpr std::chrono::seconds kStopGrace{2};

const EmulatedKernel& find(const EmulatedSource& source, std::string_view name) {
  std::string names;
  for (const EmulatedKernel& kernel : source.kernels) {
    if (kernel.name == name) return kernel;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", kernel.name);
  }
  fail(ErrorCode::kNotFound, "{} has no kernel \"{}\"; it has {}", source.file, name, names);
}

void check_shape(const char* name, const LaunchShape& shape) {
  const std::uint64_t lanes = std::uint64_t{shape.block.x} * shape.block.y * shape.block.z;
  require(lanes >= 1 && lanes <= kMaximumLanes, "{}: a block has 1 to {} threads, not {}×{}×{}", name, kMaximumLanes,
          shape.block.x, shape.block.y, shape.block.z);
  require(shape.block_count() >= 1, "{}: the grid has no blocks: {}×{}×{}", name, shape.grid.x, shape.grid.y,
          shape.grid.z);
}

bool overlap(const EmulatedArgument& a, const EmulatedArgument& b) {
  const auto* a_begin = static_cast<const std::byte*>(a.memory);
  const auto* b_begin = static_cast<const std::byte*>(b.memory);
  return a_begin < b_begin + b.memory_bytes && b_begin < a_begin + a.memory_bytes;
}

// Kernels read through __ldg and __restrict__ pointers: what they write must not overlap anything else.
void check_aliasing(const char* name, std::span<const EmulatedArgument> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].is_written) continue;
    for (std::size_t j = 0; j < arguments.size(); ++j) {
      require(i == j || !overlap(arguments[i], arguments[j]), "{}: argument {}, which is written, overlaps argument {}",
              name, i, j);
    }
  }
}

std::vector<std::uint64_t> shuffled_blocks(std::uint64_t count, std::uint64_t seed) {
  std::vector<std::uint64_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(seed);
  for (std::uint64_t i = count; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  return order;
}

Dim3 index_of(std::uint64_t block, const Dim3& grid) {
  const std::uint64_t row = block / grid.x;
  return {static_cast<std::uint32_t>(block % grid.x), static_cast<std::uint32_t>(row % grid.y),
          static_cast<std::uint32_t>(row / grid.y)};
}

void poison_static_shared() {
  if (__start_vrt_shared == nullptr) return;
  poison({__start_vrt_shared, static_cast<std::size_t>(__stop_vrt_shared - __start_vrt_shared)});
}

void run_lane(BlockState& block, const EmulatedKernel& kernel, const void* const* arguments, unsigned lane) {
  emulator::current_lane() = {&block, lane};
  try {
    kernel.run_lane(arguments);
    block.lane_returned(lane);
  } catch (const emulator::LaneStopped&) {
  } catch (...) {
    block.fail(std::current_exception());
  }
}

[[noreturn]] void give_up(const BlockState& block) {
  // Its lanes still run and use memory that the caller would free.
  const std::string text =
      fmt::format("vrt emulator: {} does not return and waits for nobody: {}\n", block.title(), block.describe_lanes());
  std::fputs(text.c_str(), stderr);
  std::abort();
}

void stop(BlockState& block, emulator::LanePool& pool, const char* why) {
  const Error error(ErrorCode::kInternal, fmt::format("{}: {}: {}", block.title(), why, block.describe_lanes()));
  block.fail(std::make_exception_ptr(error));
  if (!pool.wait_until(system_clock::now() + kStopGrace)) give_up(block);
}

// Returns when all lanes have ended, having stopped a block that makes no progress.
void watch(BlockState& block, emulator::LanePool& pool, std::chrono::milliseconds stall_after) {
  std::uint64_t last_progress = block.progress();
  auto last_change = system_clock::now();
  bool waited = false;
  while (!pool.wait_until(system_clock::now() + kWatchInterval)) {
    const bool waits = block.all_wait();
    const std::uint64_t progress = block.progress();
    if (progress != last_progress) last_change = system_clock::now();
    if (waits && waited && progress == last_progress && !block.is_stopped()) {
      stop(block, pool, "lanes wait for each other");
      return;
    }
    if (system_clock::now() - last_change > stall_after) {
      stop(block, pool, "nothing happens any more");
      return;
    }
    waited = waits;
    last_progress = progress;
  }
}

emulator::LanePool& lane_pool() {
  static emulator::LanePool pool;
  return pool;
}

struct Launch {
  const EmulatedSource* source;
  const EmulatedKernel* kernel;
  LaunchShape shape;
  EmulationOptions options;
  std::vector<const void*> arguments;
};

void run_block(const Launch& launch, std::uint64_t index, GuardedMemory& dynamic_shared) {
  poison_static_shared();
  dynamic_shared.poison();
  BlockState block(launch.shape, index_of(index, launch.shape.grid),
                   fmt::format("{}, kernel {}", launch.source->file, launch.kernel->name), dynamic_shared.data());
  lane_pool().start(block.lane_count(),
                    [&](unsigned lane) { run_lane(block, *launch.kernel, launch.arguments.data(), lane); });
  watch(block, lane_pool(), launch.options.stall_after);
  if (const std::exception_ptr failure = block.failure()) std::rethrow_exception(failure);
  const std::string damage = GuardedMemory::describe_any_damage();
  if (!damage.empty()) fail(ErrorCode::kInternal, "{}: {}", block.title(), damage);
}
}  // namespace

void emulate(const EmulatedSource& source, const char* name, const KernelSignature& signature, const LaunchShape& shape,
             const EmulationOptions& options, std::span<const EmulatedArgument> arguments) {
  const EmulatedKernel& kernel = find(source, name);
  require(*kernel.signature().function == *signature.function,
          "{}: kernel {} has other parameters than the signature it was called with", source.file, name);
  check_shape(name, shape);
  check_aliasing(name, arguments);
  Launch launch{&source, &kernel, shape, options, {}};
  for (const EmulatedArgument& argument : arguments) launch.arguments.push_back(argument.value);
  static std::mutex one_at_a_time;  // Static shared memory exists once.
  const std::lock_guard lock(one_at_a_time);
  GuardedMemory dynamic_shared(shape.shared_bytes);
  for (const std::uint64_t block : shuffled_blocks(shape.block_count(), options.seed)) {
    run_block(launch, block, dynamic_shared);
  }
}

}  // namespace vrt::detail
