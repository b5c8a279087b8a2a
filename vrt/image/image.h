// What a picture in memory is: format, colour space, planes, pitches, device. Nothing is guessed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "vrt/base/export.h"
#include "vrt/device/memory.h"

namespace vrt {

/// Width and height in pixels.
struct Size {
  std::int32_t width = 0;
  std::int32_t height = 0;
  friend bool operator==(const Size&, const Size&) = default;
};

/// Layouts of 8-bit pictures. Chroma of NV12 and I420 covers 2×2 pixels, of YUYV 2×1; odd sizes round chroma up.
enum class PixelFormat : std::int32_t {
  kRgb8,   ///< one plane, R G B
  kBgr8,   ///< one plane, B G R
  kRgba8,  ///< one plane, R G B A; alpha is ignored
  kGray8,  ///< one plane, full range, stands for R = G = B
  kNv12,   ///< plane 0 Y, plane 1 interleaved Cb Cr
  kI420,   ///< plane 0 Y, plane 1 Cb, plane 2 Cr
  kYuyv,   ///< one plane, Y0 Cb Y1 Cr
};

/// The standard whose coefficients turn YUV into RGB.
enum class YuvMatrix : std::int32_t { kBt601, kBt709 };
/// Limited: luma 16 to 235, chroma 16 to 240, as video has it. Full: 0 to 255, as JPEG has it.
enum class YuvRange : std::int32_t { kLimited, kFull };

/// How YUV becomes RGB. Ignored for the RGB and grey formats.
struct ColorSpace {
  YuvMatrix matrix = YuvMatrix::kBt709;
  YuvRange range = YuvRange::kLimited;
  friend bool operator==(const ColorSpace&, const ColorSpace&) = default;
};

/// "rgb8", "nv12", … Static storage.
[[nodiscard]] VRT_API std::string_view to_string(PixelFormat format);

/// How many planes a format has (1 to 3).
[[nodiscard]] VRT_API int plane_count(PixelFormat format);
/// Bytes of one row of a plane, without padding.
[[nodiscard]] VRT_API std::size_t row_bytes(PixelFormat format, std::int32_t width, int plane);
/// Rows of a plane.
[[nodiscard]] VRT_API std::int32_t row_count(PixelFormat format, std::int32_t height, int plane);

/// One plane: the first row's address and the distance in bytes from row to row (at least row_bytes).
struct ImagePlane {
  const std::uint8_t* data = nullptr;
  std::size_t pitch_bytes = 0;
};

/// A picture in a device's memory (host memory is the memory of Device::cpu()). Owns nothing.
struct VRT_API ImageView {
  Size size;
  PixelFormat format = PixelFormat::kRgb8;
  ColorSpace color;
  Device device;
  std::array<ImagePlane, 3> planes;

  /// A view of one contiguous block: plane after plane, rows without padding.
  [[nodiscard]] static ImageView packed(Device device, const std::uint8_t* data, Size size, PixelFormat format,
                                        ColorSpace color = {});
  /// Throws kInvalidArgument naming the field that is wrong: empty size, null plane, pitch below row_bytes.
  void validate() const;
};

/// Pictures of one size, format and pitch that lie equally far apart: a tensor [N, H, W, C], or the slots of a ring.
struct VRT_API ImageBatch {
  ImageView first;
  std::int32_t count = 1;
  std::array<std::size_t, 3> stride_bytes{};  ///< From each plane of a picture to that of the next one.

  /// A view of `count` packed pictures (ImageView::packed), one after the other without a gap.
  [[nodiscard]] static ImageBatch packed(Device device, const std::uint8_t* data, std::int32_t count, Size size,
                                         PixelFormat format, ColorSpace color = {});
  /// Throws kInvalidArgument naming the field that is wrong: as ImageView::validate, a count below 1, a stride of 0 between
  /// several pictures.
  void validate() const;
};

/// Bytes of a packed picture: the sum over its planes of rows times row bytes.
[[nodiscard]] VRT_API std::size_t packed_bytes(Size size, PixelFormat format);

}  // namespace vrt
