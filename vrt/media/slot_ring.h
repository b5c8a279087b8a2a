// Internal (not installed): the slots that travel between the decoding thread and the caller's frames.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "vrt/device/event.h"
#include "vrt/device/memory.h"
#include "vrt/image/image.h"

namespace vrt::detail {

/// A frame's memory. Belongs to the decoding thread while it is filled, then to the caller.
struct FrameSlot {
  explicit FrameSlot(Device on) : past(on) {}

  PinnedBuffer<std::uint8_t> host;
  DeviceBuffer<std::uint8_t> device;  ///< Empty where the device reads `host` itself.
  ImageView host_image;
  ImageView image;
  std::int64_t index = 0;
  double time = 0;
  std::string source;
  std::optional<Stream> stream;  ///< The one that it was last delivered on.
  Event past;                    ///< Recorded when the frame is given back: nothing reads the slot beyond it.

 private:
  friend class SlotRing;
  enum class Owner { kNobody, kDecoder, kQueue, kCaller };
  Owner owner_ = Owner::kNobody;
};

/// A bounded set of slots. The decoder acquires, fills and publishes them in order; the caller takes and gives them back.
class SlotRing {
 public:
  SlotRing(Device device, std::int32_t slot_count);
  /// Waits until the device is past every slot.
  ~SlotRing();
  SlotRing(const SlotRing&) = delete;
  SlotRing& operator=(const SlotRing&) = delete;

  // The decoder's side.
  /// BLOCKS until a slot is free and the device is past it; nullptr once stopped.
  [[nodiscard]] FrameSlot* acquire();
  void publish(FrameSlot* slot);
  /// No further frame comes; `failure` (may be null) is thrown to the caller behind the published ones.
  void finish(std::exception_ptr failure);

  // The caller's side.
  /// BLOCKS until a frame is published; nullptr behind the last. Throws the decoder's failure, each time.
  [[nodiscard]] FrameSlot* take();
  /// Records the slot's event on its stream.
  void give_back(FrameSlot* slot) noexcept;
  /// Lets `acquire` return at once from now on.
  void stop();

 private:
  [[nodiscard]] FrameSlot* find(FrameSlot::Owner owner);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<FrameSlot> slots_;
  std::exception_ptr failure_;
  bool is_finished_ = false;
  bool is_stopped_ = false;
};

}  // namespace vrt::detail
