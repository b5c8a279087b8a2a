// Internal (not installed): the frames of a benchmark: those of a source, over and over, or made ones that lie on the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vrt/base/export.h"
#include "vrt/device/memory.h"
#include "vrt/device/stream.h"
#include "vrt/image/image.h"
#include "vrt/media/source.h"

namespace vrt {

/// Frames that need no file and no decoder: gradients with noise, the same in every run.
struct SyntheticFrames {
  Size size;
  PixelFormat format = PixelFormat::kI420;

  /// Reads "1920x1080" or "1920x1080:nv12" (i420, nv12 or rgb8). Throws kInvalidArgument naming what is accepted.
  [[nodiscard]] VRT_API static SyntheticFrames parse(std::string_view text);
};

/// Delivers frames one at a time.
class BenchmarkFrames {
 public:
  virtual ~BenchmarkFrames() = default;

  /// BLOCKS until the next frame is there; false at the end. Whatever has to be copied to the device is enqueued on `stream`.
  virtual bool next(const Stream& stream) = 0;
  /// Begins again at the first frame.
  virtual void restart() = 0;
  /// The frame that `next` delivered, in the stream's device memory; valid until the call of `next` after its work is done.
  [[nodiscard]] virtual const ImageView& image() const = 0;
  /// Size and format of the first frame; all others have the size.
  [[nodiscard]] virtual const ImageView& first() const = 0;
};

/// The frames of a video, a picture or a folder. A frame of another size than the first ends it with kUnsupported: a benchmark is
/// of one size.
class SourceBenchmarkFrames final : public BenchmarkFrames {
 public:
  /// Opens the source, and delivers its first frame to learn the format.
  SourceBenchmarkFrames(std::string location, const Stream& stream);

  bool next(const Stream& stream) override;
  void restart() override;
  [[nodiscard]] const ImageView& image() const override { return frame_->image(); }
  [[nodiscard]] const ImageView& first() const override { return first_; }

 private:
  std::string location_;
  Device device_;
  std::optional<Source> source_;
  std::optional<Frame> frame_;
  ImageView first_;  ///< For its size and format: the pixels are gone.
};

/// A ring of made frames, uploaded once and resident: delivering one costs nothing, and its address is one of a few.
class SyntheticBenchmarkFrames final : public BenchmarkFrames {
 public:
  static constexpr std::size_t kRing = 8;

  /// BLOCKS while the frames are made and uploaded.
  SyntheticBenchmarkFrames(const SyntheticFrames& frames, const Stream& stream);

  bool next(const Stream& stream) override;
  void restart() override { current_ = kRing - 1; }
  [[nodiscard]] const ImageView& image() const override { return views_[current_]; }
  [[nodiscard]] const ImageView& first() const override { return views_.front(); }

  /// Every image that `next` can deliver, in its order.
  [[nodiscard]] const std::vector<ImageView>& ring() const noexcept { return views_; }
  /// The place in the ring of the frame that was delivered last.
  [[nodiscard]] std::size_t position() const noexcept { return current_; }

 private:
  std::vector<DeviceBuffer<std::uint8_t>> pixels_;
  std::vector<ImageView> views_;
  std::size_t current_ = kRing - 1;
};

}  // namespace vrt
