#include "vrt/media/slot_ring.h"

#include <chrono>
#include <thread>

#include "vrt/base/log.h"

namespace vrt::detail {
namespace {

// Between two looks at an event. Waiting for the event itself would take its failure away from the caller, and could not be
// stopped; in a loop that waits for each frame before it lets it go, the first look finds it done.
constexpr std::chrono::microseconds kLookAgain{200};

// True also if the device is lost: then nothing reads the slot any more.
bool is_past(const FrameSlot& slot) noexcept try { return slot.past.is_done(); } catch (...) {
  return true;
}

}  // namespace

SlotRing::SlotRing(Device device, std::int32_t slot_count) {
  slots_.reserve(static_cast<std::size_t>(slot_count));
  for (std::int32_t i = 0; i < slot_count; ++i) slots_.emplace_back(device);
}

SlotRing::~SlotRing() {
  for (const FrameSlot& slot : slots_) {
    while (!is_past(slot)) std::this_thread::sleep_for(kLookAgain);
  }
}

// The slot of that owner which has waited longest.
FrameSlot* SlotRing::find(FrameSlot::Owner owner) {
  FrameSlot* found = nullptr;
  for (FrameSlot& slot : slots_) {
    if (slot.owner_ == owner && (found == nullptr || slot.index < found->index)) found = &slot;
  }
  return found;
}

FrameSlot* SlotRing::acquire() {
  std::unique_lock lock(mutex_);
  FrameSlot* slot = nullptr;
  changed_.wait(lock, [&] { return is_stopped_ || (slot = find(FrameSlot::Owner::kNobody)) != nullptr; });
  while (!is_stopped_ && !is_past(*slot)) changed_.wait_for(lock, kLookAgain);
  if (is_stopped_) return nullptr;
  slot->owner_ = FrameSlot::Owner::kDecoder;
  return slot;
}

void SlotRing::publish(FrameSlot* slot) {
  const std::lock_guard lock(mutex_);
  slot->owner_ = FrameSlot::Owner::kQueue;
  changed_.notify_all();
}

void SlotRing::finish(std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  failure_ = std::move(failure);
  is_finished_ = true;
  changed_.notify_all();
}

FrameSlot* SlotRing::take() {
  std::unique_lock lock(mutex_);
  FrameSlot* slot = nullptr;
  changed_.wait(lock, [&] { return (slot = find(FrameSlot::Owner::kQueue)) != nullptr || is_finished_; });
  if (slot != nullptr)
    slot->owner_ = FrameSlot::Owner::kCaller;
  else if (failure_)
    std::rethrow_exception(failure_);
  return slot;
}

void SlotRing::give_back(FrameSlot* slot) noexcept {
  try {
    slot->past.record(*slot->stream);
  } catch (const std::exception& error) {
    log(LogLevel::kWarning, error.what());
  }
  const std::lock_guard lock(mutex_);
  slot->owner_ = FrameSlot::Owner::kNobody;
  changed_.notify_all();
}

void SlotRing::stop() {
  const std::lock_guard lock(mutex_);
  is_stopped_ = true;
  changed_.notify_all();
}

}  // namespace vrt::detail
