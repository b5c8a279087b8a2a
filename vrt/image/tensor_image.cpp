#include "vrt/image/tensor_image.h"

#include <limits>

#include "vrt/base/fail.h"
#include "vrt/base/format_shape.h"

namespace vrt {
namespace {

std::int64_t channels_of(PixelFormat format) {
  switch (format) {
    case PixelFormat::kRgb8:
    case PixelFormat::kBgr8: return 3;
    case PixelFormat::kRgba8: return 4;
    case PixelFormat::kGray8: return 1;
    case PixelFormat::kNv12:
    case PixelFormat::kI420:
    case PixelFormat::kYuyv: break;
  }
  fail(ErrorCode::kInvalidArgument, "a tensor was to be a picture in {}; take rgb8, bgr8, rgba8 or gray8",
       to_string(format));
}

void require_picture(const DlpackTensor& tensor, PixelFormat format) {
  const std::int64_t channels = channels_of(format);
  const Shape& shape = tensor.shape();
  require(tensor.dtype() == DType::kUInt8, "a tensor of {} was to be a picture; its elements must be uint8",
          to_string(tensor.dtype()));
  const bool has_channels = shape.rank() == 3 && shape[2] == channels;
  require(has_channels || (shape.rank() == 2 && channels == 1),
          "a tensor of shape {} was to be a picture in {}; expected [rows, columns, {}]", shape, to_string(format),
          channels);
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  require(shape[0] > 0 && shape[1] > 0 && shape[0] <= kMost && shape[1] <= kMost / channels,
          "a tensor of shape {} was to be a picture; it is empty or too large", shape);
}

}  // namespace

ImageView image_of(const DlpackTensor& tensor, PixelFormat format) {
  require_picture(tensor, format);
  const std::int64_t channels = channels_of(format);
  const auto strides = tensor.strides();
  const std::int64_t row = tensor.shape()[1] * channels;
  const bool pixels_follow = strides[1] == channels || tensor.shape()[1] == 1;
  const bool channels_follow = channels == 1 || strides[2] == 1;
  const std::int64_t pitch = tensor.shape()[0] == 1 ? row : strides[0];
  if (!pixels_follow || !channels_follow || pitch < row) {
    fail(ErrorCode::kUnsupported,
         "a tensor of shape {} with the strides [{}] was to be a picture; pixels must follow each other: make it "
         "contiguous first",
         to_string(tensor.shape()), fmt::join(strides, ", "));
  }
  const auto* const data = static_cast<const std::uint8_t*>(tensor.data());
  const Size size{static_cast<std::int32_t>(tensor.shape()[1]), static_cast<std::int32_t>(tensor.shape()[0])};
  ImageView view = ImageView::packed(tensor.device(), data, size, format);
  view.planes[0].pitch_bytes = static_cast<std::size_t>(pitch);
  return view;
}

}  // namespace vrt
