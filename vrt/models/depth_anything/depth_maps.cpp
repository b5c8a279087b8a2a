#include "vrt/models/depth_anything/depth_maps.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "vrt/base/fail.h"
#include "vrt/device/format_device.h"
#include "vrt/models/common/load_kernel.h"
#include "vrt/models/depth_anything/depth_colors_cu.h"
#include "vrt/models/depth_anything/depth_range_cu.h"
#include "vrt/models/depth_anything/depth_resample_cu.h"

namespace vrt {
namespace {

constexpr std::int64_t kMostPixels = std::int64_t{1} << 29;  // Bytes of a picture are counted in 32 bits.

Size checked_size(Size size, Size grid) {
  if (size == Size{}) return grid;
  require(size.width > 0 && size.height > 0 && std::int64_t{size.width} * size.height <= kMostPixels,
          "a depth map of {}x{}: expected positive sides and at most 2^29 pixels", size.width, size.height);
  // Where a pixel lies between cells is worked out in 32 bits.
  const auto fits = [](std::int64_t pixels, std::int64_t cells) {
    return (2 * pixels + 1) * cells <= std::numeric_limits<std::int32_t>::max();
  };
  require(fits(size.width, grid.width) && fits(size.height, grid.height),
          "a depth map of {}x{} from one of {}x{} is too large", size.width, size.height, grid.width, grid.height);
  return size;
}

std::size_t pixels_of(Size size) {
  return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
}

// Known values are greater.
float bound_of(DepthKind kind) { return kind == DepthKind::kMetric ? 0.0F : -std::numeric_limits<float>::infinity(); }

float unknown_of(DepthKind kind) { return kind == DepthKind::kMetric ? 0.0F : std::numeric_limits<float>::quiet_NaN(); }

}  // namespace

DepthBuffers::DepthBuffers(const Stream& stream, Size grid, const DepthResultOptions& options)
    : device_(stream.device()), size_(checked_size(options.size, grid)) {
  const ReadBack wanted = options.read_back ? ReadBack::kWanted : ReadBack::kNone;
  map_ = ResultBuffer<float>(stream, pixels_of(size_), wanted);
  if (!options.colors) return;
  range_ = DeviceBuffer<std::uint32_t>::zeros(stream, 2);
  picture_ = ResultBuffer<std::uint8_t>(stream, 3 * pixels_of(size_), wanted);
}

void DepthBuffers::enqueue_read_back(const Stream& stream) {
  map_.enqueue_read_back(stream);
  picture_.enqueue_read_back(stream);
}

std::span<const float> DepthBuffers::host_map() const {
  require(map_.is_read_back(), "this depth map stays on {}: allocate the result with read_back to see it on the host",
          device_);
  return map_.host();
}

ImageView DepthBuffers::picture() const {
  require(has_colors(), "this result has no picture: allocate it with colors");
  return ImageView::packed(device_, picture_.span().data(), size_, PixelFormat::kRgb8);
}

std::span<const std::uint8_t> DepthBuffers::host_picture() const {
  require(picture_.is_read_back(), "this result has no picture on the host: allocate it with colors and read_back");
  return picture_.host();
}

DepthMapper::DepthMapper(const Stream& stream, DepthKind kind)
    : stream_(stream),
      kind_(kind),
      resample_(load_kernel<Resample>(stream, kernels::depth_resample_cu, "depth_resample")),
      find_range_(load_kernel<Range>(stream, kernels::depth_range_cu, "depth_range")),
      paint_(load_kernel<Colors>(stream, kernels::depth_colors_cu, "depth_colors")) {}

void DepthMapper::submit(const DepthGrid& grid, DepthBuffers& result) {
  const Size size = result.size();
  const Params params{.grid_width = grid.size.width,
                      .grid_height = grid.size.height,
                      .width = size.width,
                      .height = size.height,
                      .above = bound_of(kind_),
                      .unknown = unknown_of(kind_)};
  resample_.launch(stream_, grid_2d(static_cast<std::uint32_t>(size.width), static_cast<std::uint32_t>(size.height)),
                   grid.values, result.map(), params);
  if (result.has_colors()) paint(result);
}

void DepthMapper::paint(DepthBuffers& result) {
  constexpr std::uint32_t kMostBlocks = 256;
  const auto count = static_cast<std::int32_t>(result.map().size());
  LaunchShape shape = grid_1d(result.map().size());
  shape.grid.x = std::min(shape.grid.x, kMostBlocks);
  fill_bytes(stream_, result.range(), 0);
  find_range_.launch(stream_, shape, result.map(), count, bound_of(kind_), result.range());
  paint_.launch(stream_, grid_1d(result.map().size()), result.map(), count, bound_of(kind_), result.range(),
                std::int32_t{kind_ == DepthKind::kMetric}, result.colors());
}

}  // namespace vrt
