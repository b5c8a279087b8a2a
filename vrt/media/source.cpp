#include "vrt/media/source.h"

#include <atomic>
#include <thread>
#include <utility>

#include "vrt/base/fail.h"
#include "vrt/device/format_device.h"
#include "vrt/media/frame_pixels.h"
#include "vrt/media/frame_reader.h"
#include "vrt/media/slot_ring.h"

namespace vrt {
namespace detail {

/// Shared by a source and its frames, which may outlive it. `thread`, `reader` and `writer` end with the source.
struct SourceState {
  SourceState(Device on, std::int32_t slot_count) : device(on), ring(on, slot_count) {}

  Device device;
  SourceInfo info;
  std::atomic<bool> cancelled = false;
  std::optional<FrameReader> reader;
  PixelWriter writer;
  SlotRing ring;
  std::thread thread;
};

namespace {

Size size_of(const DecodedFrame& frame) {
  return upright_size({frame.pixels->width, frame.pixels->height}, frame.orientation);
}

// Writes a frame to the slot's host memory, which grows with the first frame of a larger size.
void fill(SourceState& state, const DecodedFrame& frame, FrameSlot& slot) {
  const Size size = size_of(frame);
  const Delivery delivery = delivery_of(*frame.pixels, frame.hints);
  const std::size_t bytes = packed_bytes(size, delivery.format);
  if (slot.host.size() < bytes) slot.host = PinnedBuffer<std::uint8_t>(state.device, bytes);
  state.writer.write(*frame.pixels, delivery, frame.orientation, slot.host.data());
  slot.host_image = ImageView::packed(Device::cpu(), slot.host.data(), size, delivery.format, delivery.color);
  slot.time = frame.time;
  slot.source = frame.source;
}

// The decoding thread.
void decode_all(SourceState& state, std::optional<DecodedFrame> frame) noexcept try {
  for (std::int64_t index = 0; frame; ++index) {
    FrameSlot* slot = state.ring.acquire();
    if (slot == nullptr) return;
    slot->index = index;
    fill(state, *frame, *slot);
    state.ring.publish(slot);
    frame.reset();
    frame = state.reader->read();
  }
  state.ring.finish(nullptr);
} catch (...) {
  state.ring.finish(std::current_exception());
}

void shut_down(const std::shared_ptr<SourceState>& state) {
  if (!state) return;
  state->cancelled = true;
  state->ring.stop();
  if (state->thread.joinable()) state->thread.join();
  state->reader.reset();
  state->writer = {};
}

// Makes the slot's pixels readable by the stream's device, behind what the stream does already.
void deliver(FrameSlot& slot, const Stream& stream) {
  const ImageView& host = slot.host_image;
  const auto view = slot.host.device_view();
  if (view) {
    slot.image = ImageView::packed(stream.device(), view->data(), host.size, host.format, host.color);
    return;
  }
  const std::size_t bytes = packed_bytes(host.size, host.format);
  if (slot.device.size() < bytes) slot.device = DeviceBuffer<std::uint8_t>::uninitialized(stream, slot.host.size());
  upload(stream, slot.host.span().subspan(0, bytes), slot.device.span().subspan(0, bytes));
  slot.image = ImageView::packed(stream.device(), slot.device.span().data(), host.size, host.format, host.color);
}

}  // namespace
}  // namespace detail

Frame::Frame(std::shared_ptr<detail::SourceState> state, detail::FrameSlot* slot) noexcept
    : state_(std::move(state)), slot_(slot) {}

Frame::~Frame() {
  if (state_) state_->ring.give_back(slot_);
}

Frame::Frame(Frame&& other) noexcept : state_(std::move(other.state_)), slot_(std::exchange(other.slot_, nullptr)) {}

Frame& Frame::operator=(Frame&& other) noexcept {
  Frame taken(std::move(other));
  std::swap(state_, taken.state_);
  std::swap(slot_, taken.slot_);
  return *this;
}

const ImageView& Frame::image() const noexcept { return slot_->image; }
const ImageView& Frame::host_image() const noexcept { return slot_->host_image; }
std::int64_t Frame::index() const noexcept { return slot_->index; }
double Frame::time() const noexcept { return slot_->time; }
const std::string& Frame::source() const noexcept { return slot_->source; }

Source::Source(const std::string& location, Device device, const SourceOptions& options) {
  require(options.frames_in_flight >= 1, "frames_in_flight is {}; at least 1 is needed", options.frames_in_flight);
  state_ = std::make_shared<detail::SourceState>(device, options.frames_in_flight + 2);
  state_->reader.emplace(location, state_->cancelled);
  state_->info = state_->reader->info();
  std::optional<detail::DecodedFrame> first = state_->reader->read();
  state_->info.size = detail::size_of(*first);
  state_->thread = std::thread(
      [state = state_.get(), frame = std::move(first)]() mutable { detail::decode_all(*state, std::move(frame)); });
}

Source::~Source() { detail::shut_down(state_); }

Source::Source(Source&&) noexcept = default;

Source& Source::operator=(Source&& other) noexcept {
  Source taken(std::move(other));
  std::swap(state_, taken.state_);
  return *this;
}

const SourceInfo& Source::info() const noexcept { return state_->info; }

std::optional<Frame> Source::next(const Stream& stream) {
  require(stream.device() == state_->device, "the source was opened for {}, the stream is on {}", state_->device,
          stream.device());
  detail::FrameSlot* slot = state_->ring.take();
  if (slot == nullptr) return std::nullopt;
  slot->stream = stream;
  Frame frame(state_, slot);
  detail::deliver(*slot, stream);
  return frame;
}

}  // namespace vrt
