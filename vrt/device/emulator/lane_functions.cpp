#include "vrt/device/emulator/lane_functions.h"

#include <atomic>
#include <bit>
#include <span>

#include "vrt/base/fail.h"
#include "vrt/device/emulator/block_state.h"
#include "vrt/device/emulator/guarded_buffer.h"

namespace vrt::emulator {

namespace {
// By shuffle kind; the same addresses for all lanes, as Site compares them.
constexpr const char* kShuffleNames[] = {"__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync"};

kernels::uint3 as_uint3(const Dim3& size) { return {size.x, size.y, size.z}; }

/// The lane within the warp that `lane` reads from; its own where the selected one lies outside its group of `width`.
int source_lane(int lane, Shuffle how, int selector, int width) {
  const int first = lane & ~(width - 1);
  switch (how) {
    case Shuffle::kIndex: return first + (selector & (width - 1));
    case Shuffle::kUp: return lane - selector < first ? lane : lane - selector;
    case Shuffle::kDown: return lane + selector >= first + width ? lane : lane + selector;
    case Shuffle::kXor: return (lane ^ selector) >= first + width ? lane : lane ^ selector;
  }
  return lane;
}
}  // namespace

kernels::uint3 thread_index() {
  const CurrentLane& lane = current_lane();
  const Dim3& size = lane.block->shape().block;
  return {lane.lane % size.x, lane.lane / size.x % size.y, lane.lane / size.x / size.y};
}
kernels::uint3 block_index() { return as_uint3(current_lane().block->block_index()); }
kernels::uint3 block_size() { return as_uint3(current_lane().block->shape().block); }
kernels::uint3 grid_size() { return as_uint3(current_lane().block->shape().grid); }
void* dynamic_shared() { return current_lane().block->dynamic_shared(); }

void block_barrier(int line) {
  const CurrentLane& lane = current_lane();
  lane.block->block_barrier(lane.lane, {"__syncthreads", line});
}

int block_count(bool vote, int line) {
  const CurrentLane& lane = current_lane();
  return lane.block->block_count(lane.lane, vote, {"__syncthreads_count", line});
}

void warp_barrier(std::uint32_t mask, int line) {
  const CurrentLane& lane = current_lane();
  lane.block->warp_barrier(lane.lane, mask, {"__syncwarp", line});
}

void fence() {
  static std::atomic<unsigned> order{0};  // ThreadSanitizer does not know fences, but read-modify-writes.
  order.fetch_add(1, std::memory_order_acq_rel);
}

void require_aligned(const void* address, std::size_t alignment, int line) {
  if (reinterpret_cast<std::uintptr_t>(address) % alignment == 0) return;
  const CurrentLane& lane = current_lane();
  lane.block->lane_error(
      lane.lane, fmt::format("loads from {} at line {}, which is not a multiple of {}", address, line, alignment));
}

std::uint32_t ballot(std::uint32_t mask, bool predicate, const char* operation, int line, std::uint32_t& participants) {
  const CurrentLane& lane = current_lane();
  const WarpValues all = lane.block->warp_exchange(lane.lane, mask, &predicate, sizeof(bool), {operation, line});
  participants = all.participants;
  std::uint32_t bits = 0;
  for (unsigned i = 0; i < kWarpSize; ++i) {
    const bool votes = (all.participants >> i & 1U) != 0 && all.values[i][0] != std::byte{0};
    bits |= static_cast<std::uint32_t>(votes) << i;
  }
  return bits;
}

void shuffle(std::uint32_t mask, void* value, std::size_t bytes, Shuffle how, int selector, int width, int line) {
  const CurrentLane& lane = current_lane();
  if (width < 1 || width > 32 || !std::has_single_bit(static_cast<unsigned>(width))) {
    lane.block->lane_error(
        lane.lane,
        fmt::format("shuffles at line {} with width {}, which must be a power of two up to 32", line, width));
  }
  const WarpValues all =
      lane.block->warp_exchange(lane.lane, mask, value, bytes, {kShuffleNames[static_cast<int>(how)], line});
  const auto source = static_cast<unsigned>(source_lane(static_cast<int>(lane.lane % kWarpSize), how, selector, width));
  if (source < kWarpSize && (all.participants >> source & 1U) != 0) {
    std::memcpy(value, all.values[source].data(), bytes);
  } else {
    poison({static_cast<std::byte*>(value), bytes});
  }
}

}  // namespace vrt::emulator
