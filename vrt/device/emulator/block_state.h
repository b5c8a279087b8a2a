// Internal to the emulator: one running block, its barriers and what each lane is doing. Made fresh for each block.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "vrt/device/host_kernel.h"

namespace vrt::emulator {

constexpr unsigned kWarpSize = 32;

/// Ends a lane whose block is stopped. Not an error by itself.
struct LaneStopped {};

/// Where lanes meet: the operation's name and its line in the .cu.
struct Site {
  const char* operation = "";
  int line = 0;
  friend bool operator==(const Site& a, const Site& b) { return a.operation == b.operation && a.line == b.line; }
};

struct WarpValues {
  std::uint32_t participants = 0;
  std::array<std::array<std::byte, 16>, kWarpSize> values{};
};

/// What a lane does, as the watching thread reads it; relaxed, so that it orders nothing.
struct LaneState {
  std::atomic<const char*> operation{nullptr};  // nullptr while it runs; kReturned at its end.
  std::atomic<int> line{0};
};

class BlockState {
 public:
  BlockState(const LaunchShape& shape, Dim3 block_index, std::string kernel, std::byte* dynamic_shared);

  // Called by lanes.
  void block_barrier(unsigned lane, Site site);
  /// A barrier that tells all lanes how many of them vote yes.
  [[nodiscard]] int block_count(unsigned lane, bool vote, Site site);
  /// Meets the live lanes of the warp; what they wrote before can be read by all afterwards.
  void warp_barrier(unsigned lane, std::uint32_t mask, Site site);
  /// Meets the live lanes of the warp; all bring a value and see everybody's. Orders no other memory, and ThreadSanitizer is
  /// told so.
  [[nodiscard]] WarpValues warp_exchange(unsigned lane, std::uint32_t mask, const void* value, std::size_t bytes,
                                         Site site);
  void lane_returned(unsigned lane);
  /// The first failure is kept; every waiting lane is stopped.
  void fail(std::exception_ptr failure);
  /// Fails with a message that names kernel, block and lane, and leaves the lane.
  [[noreturn]] void lane_error(unsigned lane, const std::string& what);

  // Called by the watching thread.
  [[nodiscard]] std::uint64_t progress() const noexcept { return progress_.load(std::memory_order_relaxed); }
  /// True if every lane that has not returned is waiting for another. Exact only if `progress` is the same afterwards.
  [[nodiscard]] bool all_wait() const;
  [[nodiscard]] bool is_stopped() const noexcept { return stopped_.load(std::memory_order_relaxed); }
  /// "lanes 0-15: wait at __syncthreads, line 12; lanes 16-31: returned"
  [[nodiscard]] std::string describe_lanes() const;
  [[nodiscard]] std::string title() const;
  [[nodiscard]] std::exception_ptr failure();

  [[nodiscard]] const LaunchShape& shape() const noexcept { return shape_; }
  [[nodiscard]] Dim3 block_index() const noexcept { return block_index_; }
  [[nodiscard]] std::byte* dynamic_shared() const noexcept { return dynamic_shared_; }
  [[nodiscard]] unsigned lane_count() const noexcept { return lane_count_; }

 private:
  /// Lanes that wait until all live ones are there. Each has a mutex of its own, so that waiting at one orders nothing for
  /// lanes that wait at another.
  struct Meeting {
    std::mutex mutex;                // Guards all but `phase`, which changes under it.
    std::atomic<unsigned> phase{0};  // Waited for without the mutex: a woken crowd does not queue for it.
    unsigned first_lane = 0;
    unsigned lane_count = 0;
    unsigned live = 0;
    unsigned arrived = 0;
    Site site;
  };
  struct Warp {
    Meeting meeting;
    std::uint32_t live_mask = 0;
    std::uint32_t mask = 0;  // Of the lanes that are there.
    // By phase parity: a lane may bring its next value while others still read.
    std::array<WarpValues, 2> values;
  };

  void meet(Meeting& meeting, std::unique_lock<std::mutex>& lock, unsigned lane, Site site);
  void open(Meeting& meeting);
  static void advance(Meeting& meeting);
  void leave(Meeting& meeting);
  [[nodiscard]] WarpValues meet_warp(unsigned lane, std::uint32_t mask, const void* value, std::size_t bytes,
                                     Site site);
  void check_mask(const Warp& warp, unsigned lane, std::uint32_t mask, Site site);
  void wake_all();
  [[nodiscard]] std::string describe_lane(unsigned lane) const;

  LaunchShape shape_;
  Dim3 block_index_;
  std::string kernel_;
  std::byte* dynamic_shared_;
  unsigned lane_count_;

  Meeting all_;
  std::array<int, 2> votes_{};  // By phase parity, as the values of a warp.
  std::vector<std::unique_ptr<Warp>> warps_;
  std::vector<LaneState> lanes_;
  std::atomic<std::uint64_t> progress_{0};
  std::atomic<bool> stopped_{false};
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
};

/// The calling thread's block and lane while it runs a kernel.
struct CurrentLane {
  BlockState* block = nullptr;
  unsigned lane = 0;
};
[[nodiscard]] CurrentLane& current_lane() noexcept;

}  // namespace vrt::emulator
