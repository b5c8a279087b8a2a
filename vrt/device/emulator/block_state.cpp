#include "vrt/device/emulator/block_state.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "vrt/base/fail.h"

#if defined(__SANITIZE_THREAD__)
extern "C" {
void AnnotateIgnoreSyncBegin(const char* file, int line);
void AnnotateIgnoreSyncEnd(const char* file, int line);
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);
}
#endif

namespace vrt::emulator {

namespace {
constexpr const char* kReturned = "returned";

/// While it lives, what this thread locks and waits for orders nothing in ThreadSanitizer's eyes.
class Unordered {
 public:
#if defined(__SANITIZE_THREAD__)
  Unordered() {
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    AnnotateIgnoreSyncBegin(__FILE__, __LINE__);
  }
  ~Unordered() {
    AnnotateIgnoreSyncEnd(__FILE__, __LINE__);
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  }
#else
  Unordered() {}   // NOLINT(modernize-use-equals-default): else it is an unused variable.
  ~Unordered() {}  // NOLINT(modernize-use-equals-default)
#endif
  Unordered(const Unordered&) = delete;
  Unordered& operator=(const Unordered&) = delete;
};
}  // namespace

CurrentLane& current_lane() noexcept {
  thread_local CurrentLane lane;
  return lane;
}

BlockState::BlockState(const LaunchShape& shape, Dim3 block_index, std::string kernel, std::byte* dynamic_shared)
    : shape_(shape),
      block_index_(block_index),
      kernel_(std::move(kernel)),
      dynamic_shared_(dynamic_shared),
      lane_count_(shape.block.x * shape.block.y * shape.block.z),
      lanes_(lane_count_) {
  all_.live = all_.lane_count = lane_count_;
  for (unsigned first = 0; first < lane_count_; first += kWarpSize) {
    const unsigned live = std::min(kWarpSize, lane_count_ - first);
    auto warp = std::make_unique<Warp>();
    warp->meeting.first_lane = first;
    warp->meeting.live = warp->meeting.lane_count = live;
    warp->live_mask = ~0U >> (kWarpSize - live);
    warps_.push_back(std::move(warp));
  }
}

void BlockState::block_barrier(unsigned lane, Site site) {
  std::unique_lock lock(all_.mutex);
  meet(all_, lock, lane, site);
}

int BlockState::block_count(unsigned lane, bool vote, Site site) {
  std::unique_lock lock(all_.mutex);
  int& votes = votes_[all_.phase.load(std::memory_order_relaxed) % 2];
  if (all_.arrived == 0) votes = 0;
  votes += vote ? 1 : 0;
  meet(all_, lock, lane, site);
  return votes;
}

void BlockState::warp_barrier(unsigned lane, std::uint32_t mask, Site site) {
  static_cast<void>(meet_warp(lane, mask, &mask, sizeof(mask), site));
}

WarpValues BlockState::warp_exchange(unsigned lane, std::uint32_t mask, const void* value, std::size_t bytes,
                                     Site site) {
  const Unordered unordered;
  return meet_warp(lane, mask, value, bytes, site);
}

WarpValues BlockState::meet_warp(unsigned lane, std::uint32_t mask, const void* value, std::size_t bytes, Site site) {
  Warp& warp = *warps_[lane / kWarpSize];
  const unsigned place = lane % kWarpSize;
  std::unique_lock lock(warp.meeting.mutex);
  check_mask(warp, lane, mask, site);
  WarpValues& slot = warp.values[warp.meeting.phase.load(std::memory_order_relaxed) % 2];
  if (warp.meeting.arrived == 0) slot.participants = 0;
  warp.mask = mask;
  slot.participants |= 1U << place;
  std::memcpy(slot.values[place].data(), value, bytes);
  meet(warp.meeting, lock, lane, site);
  return slot;
}

void BlockState::check_mask(const Warp& warp, unsigned lane, std::uint32_t mask, Site site) {
  const unsigned place = lane % kWarpSize;
  if ((mask >> place & 1U) == 0) {
    lane_error(lane, fmt::format("calls {} at line {} with mask {:#010x}, which does not name the lane itself",
                                 site.operation, site.line, mask));
  }
  if ((warp.live_mask & ~mask) != 0) {
    lane_error(lane,
               fmt::format("calls {} at line {} with mask {:#010x}, but lanes {:#010x} of the warp are live; every "
                           "live lane must be named and take part",
                           site.operation, site.line, mask, warp.live_mask));
  }
  if (warp.meeting.arrived != 0 && warp.mask != mask) {
    lane_error(lane, fmt::format("calls {} at line {} with mask {:#010x}, but other lanes of the warp with {:#010x}",
                                 site.operation, site.line, mask, warp.mask));
  }
}

void BlockState::meet(Meeting& meeting, std::unique_lock<std::mutex>& lock, unsigned lane, Site site) {
  if (is_stopped()) throw LaneStopped();
  if (meeting.arrived != 0 && !(meeting.site == site)) {
    lane_error(lane,
               fmt::format("reached {} at line {} while other lanes wait at {}, line {}: not all live lanes take the "
                           "same way",
                           site.operation, site.line, meeting.site.operation, meeting.site.line));
  }
  meeting.site = site;
  if (++meeting.arrived == meeting.live) {
    open(meeting);
    return;
  }
  LaneState& state = lanes_[lane];
  state.line.store(site.line, std::memory_order_relaxed);
  state.operation.store(site.operation, std::memory_order_relaxed);
  const unsigned phase = meeting.phase.load(std::memory_order_relaxed);
  lock.unlock();
  meeting.phase.wait(phase, std::memory_order_acquire);
  if (is_stopped()) throw LaneStopped();
}

void BlockState::open(Meeting& meeting) {
  meeting.arrived = 0;
  // Here, not by each lane when it wakes up: until then it would look as if it waited.
  for (unsigned lane = meeting.first_lane; lane < meeting.first_lane + meeting.lane_count; ++lane) {
    std::atomic<const char*>& operation = lanes_[lane].operation;
    if (operation.load(std::memory_order_relaxed) != kReturned) operation.store(nullptr, std::memory_order_relaxed);
  }
  progress_.fetch_add(1, std::memory_order_relaxed);
  advance(meeting);
}

void BlockState::advance(Meeting& meeting) {
  meeting.phase.fetch_add(1, std::memory_order_release);
  meeting.phase.notify_all();
}

void BlockState::leave(Meeting& meeting) {
  --meeting.live;
  if (meeting.arrived != 0 && meeting.arrived == meeting.live) open(meeting);
}

void BlockState::lane_returned(unsigned lane) {
  Warp& warp = *warps_[lane / kWarpSize];
  {
    const std::lock_guard lock(warp.meeting.mutex);
    warp.live_mask &= ~(1U << (lane % kWarpSize));
    leave(warp.meeting);
  }
  {
    const std::lock_guard lock(all_.mutex);
    leave(all_);
    lanes_[lane].operation.store(kReturned, std::memory_order_relaxed);
  }
  progress_.fetch_add(1, std::memory_order_relaxed);
}

void BlockState::fail(std::exception_ptr failure) {
  {
    const std::lock_guard lock(failure_mutex_);
    if (!failure_) failure_ = std::move(failure);
  }
  stopped_.store(true, std::memory_order_relaxed);
  wake_all();
}

void BlockState::lane_error(unsigned lane, const std::string& what) {
  vrt::fail(ErrorCode::kInternal, "{}: lane {} {}; {}", title(), lane, what, describe_lanes());
}

bool BlockState::all_wait() const {
  bool any_waits = false;
  for (const LaneState& lane : lanes_) {
    const char* operation = lane.operation.load(std::memory_order_relaxed);
    if (operation == nullptr) return false;
    any_waits |= operation != kReturned;
  }
  return any_waits;
}

void BlockState::wake_all() {
  const auto wake = [](Meeting& meeting) {
    const std::lock_guard lock(meeting.mutex);
    advance(meeting);
  };
  wake(all_);
  for (const auto& warp : warps_) wake(warp->meeting);
}

std::exception_ptr BlockState::failure() {
  const std::lock_guard lock(failure_mutex_);
  return failure_;
}

std::string BlockState::title() const {
  return fmt::format("{}, block ({}, {}, {})", kernel_, block_index_.x, block_index_.y, block_index_.z);
}

std::string BlockState::describe_lane(unsigned lane) const {
  const char* operation = lanes_[lane].operation.load(std::memory_order_relaxed);
  if (operation == nullptr) return "run";
  if (operation == kReturned) return "have returned";
  return fmt::format("wait at {}, line {}", operation, lanes_[lane].line.load(std::memory_order_relaxed));
}

std::string BlockState::describe_lanes() const {
  std::string text;
  for (unsigned first = 0; first < lane_count_;) {
    const std::string state = describe_lane(first);
    unsigned last = first;
    while (last + 1 < lane_count_ && describe_lane(last + 1) == state) ++last;
    text += fmt::format("{}lanes {}-{} {}", first == 0 ? "" : ", ", first, last, state);
    first = last + 1;
  }
  return text;
}

}  // namespace vrt::emulator
