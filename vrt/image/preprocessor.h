// From a picture to a network's input in one kernel: colour conversion, resize, normalisation, layout.
//
// Each pixel of the source is first decoded to 8-bit R, G, B, as a video decoder would; a pixel of a YUV picture takes the
// chroma sample of its block (no interpolation of chroma, as OpenCV's cvtColor). Then pixels are blended in float, without
// another rounding. The result has the same bits on every device and for every number of threads.
//
//   vrt::Preprocessor preprocess(stream, {.target = {640, 480}, .mode = vrt::ResizeMode::kLetterbox});
//   vrt::ResizeMapping mapping = preprocess.submit(frame.image(), session.input(0).as<float>());  // enqueued
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "vrt/base/export.h"
#include "vrt/device/graph.h"
#include "vrt/device/memory.h"
#include "vrt/device/stream.h"
#include "vrt/image/image.h"
#include "vrt/image/resize.h"

namespace vrt {

/// The channels of the output, first to last.
enum class ChannelOrder : std::int32_t { kRgb, kBgr };
/// The axes of the output, slowest first.
enum class TensorLayout : std::int32_t {
  kPlanar,       ///< [channel][row][column]
  kInterleaved,  ///< [row][column][channel]
};
/// How source pixels are blended; take the one that the network was trained with.
enum class Interpolation : std::int32_t {
  kBilinear,             ///< Two taps an axis at any scale, as OpenCV's INTER_LINEAR.
  kBilinearAntialiased,  ///< A triangle as wide as the scale when shrinking, as Pillow and torchvision.
};

/// out = (value * scale - mean) / standard_deviation for values 0..255, per channel in the order R, G, B.
struct PreprocessOptions {
  Size target;
  ResizeMode mode = ResizeMode::kStretch;
  PadPosition pad_position = PadPosition::kCenter;
  Interpolation interpolation = Interpolation::kBilinear;
  ChannelOrder order = ChannelOrder::kRgb;
  TensorLayout layout = TensorLayout::kPlanar;
  float pad_value = 0;  ///< 0..255, normalised like a pixel.
  float scale = 1.0F / 255.0F;
  std::array<float, 3> mean{0, 0, 0};
  std::array<float, 3> standard_deviation{1, 1, 1};
};

/// A rectangle of a source picture in pixels (corner coordinates); may lie partly outside, where border pixels are repeated.
/// What lies further outside than the picture is large counts as there; x2 < x1 and y2 < y1 count as x1 and y1.
struct CropBox {
  float x1 = 0;
  float y1 = 0;
  float x2 = 0;
  float y2 = 0;
};

/// Holds the kernels for one stream; needs no scratch memory. Submitting is one launch: it never allocates device memory and
/// never waits. Used from one thread at a time.
class VRT_API Preprocessor {
 public:
  /// May block (loads the kernels). Throws kInvalidArgument for an empty target, a standard deviation of 0, a pad value
  /// that is no pixel's, or a number that is not finite.
  Preprocessor(const Stream& stream, const PreprocessOptions& options);
  ~Preprocessor();
  Preprocessor(Preprocessor&&) noexcept;
  Preprocessor& operator=(Preprocessor&&) noexcept;

  /// Enqueues one picture. `output` holds 3 * target.height * target.width floats. `image` stays alive and unchanged until
  /// done. Throws kInvalidArgument for an image of another device, an invalid view or an output of the wrong size.
  ResizeMapping submit(const ImageView& image, DeviceSpan<float> output);

  /// Gives the launch of a captured `submit`, `node` in `graph`, another picture for the graph's next launches. Otherwise as
  /// `submit`. The mapping is that of the new picture: what the graph does with it besides is the caller's to know.
  ResizeMapping update(Graph& graph, GraphNode node, const ImageView& image, DeviceSpan<float> output);

  /// Enqueues up to 65535 pictures in one launch: picture i goes to output[i]. `output` holds count * 3 * target.height *
  /// target.width floats. Otherwise as `submit`.
  ResizeMapping submit_batch(const ImageBatch& batch, DeviceSpan<float> output);

  /// Enqueues a batch of crops of one picture, each stretched to the target (the options' mode does not matter): crop i goes
  /// to output[i]. `boxes`, at most 65535, are in device memory; `count` (device memory, one element) says how many are valid,
  /// the rest of `output` is left as it is. `output` holds boxes.size() * 3 * height * width floats. With antialiasing, taps
  /// may reach beyond the box into the picture. Throws as `submit` does.
  void submit_crops(const ImageView& image, DeviceSpan<const CropBox> boxes, DeviceSpan<const std::int32_t> count,
                    DeviceSpan<float> output);

  /// `update` for a captured `submit_crops` of that many boxes, at least one.
  void update_crops(Graph& graph, GraphNode node, const ImageView& image, DeviceSpan<const CropBox> boxes,
                    DeviceSpan<const std::int32_t> count, DeviceSpan<float> output);

  [[nodiscard]] const PreprocessOptions& options() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vrt
