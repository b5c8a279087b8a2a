#include "vrt/image/preprocess_params.h"

#include <cmath>

#include "vrt/image/yuv_to_rgb.h"

namespace vrt::detail {
namespace {

// Below so many pixels a launch has fewer warps than an H200 has room for.
constexpr std::size_t kSmallOutput = std::size_t{4} << 20U;
constexpr std::int32_t kSmallTileRows = 4;
constexpr std::int32_t kTileRows = 16;

// Where the kernels find the channels of a format; fields as in Params.
struct Layout {
  bool is_yuv = false;
  std::int32_t pixel_stride = 0;
  std::array<std::int32_t, 3> channel_offset{};
  std::int32_t chroma_stride = 0;
  std::int32_t chroma_row_shift = 0;
};

Layout layout_of(PixelFormat format) {
  switch (format) {
    case PixelFormat::kRgb8: return {false, 3, {0, 1, 2}, 0, 0};
    case PixelFormat::kBgr8: return {false, 3, {2, 1, 0}, 0, 0};
    case PixelFormat::kRgba8: return {false, 4, {0, 1, 2}, 0, 0};
    case PixelFormat::kGray8: return {false, 1, {0, 0, 0}, 0, 0};
    case PixelFormat::kNv12: return {true, 1, {0, 0, 1}, 2, 1};
    case PixelFormat::kI420: return {true, 1, {0, 0, 0}, 1, 1};
    case PixelFormat::kYuyv: return {true, 2, {0, 1, 3}, 4, 0};
  }
  return {};
}

void set_source(PreprocessParams& p, const ImageBatch& batch) {
  const ImageView& image = batch.first;
  const Layout layout = layout_of(image.format);
  p.width = image.size.width;
  p.height = image.size.height;
  p.is_yuv = layout.is_yuv ? 1 : 0;
  p.pixel_stride = layout.pixel_stride;
  p.chroma_stride = layout.chroma_stride;
  p.chroma_row_shift = layout.chroma_row_shift;
  for (std::size_t plane = 0; plane < 3; ++plane) {
    p.channel_offset[plane] = layout.channel_offset[plane];
    const std::size_t from = plane_of(image.format, plane);
    p.pitch[plane] = static_cast<std::int64_t>(image.planes[from].pitch_bytes);
    p.picture_stride[plane] = static_cast<std::int64_t>(batch.stride_bytes[from]);
  }
}

std::int32_t fixed(double value) { return static_cast<std::int32_t>(std::lround(value * (1 << 20))); }

void set_color(PreprocessParams& p, ColorSpace color) {
  const YuvToRgb exact = yuv_to_rgb(color);
  p.luma_offset = exact.luma_offset;
  p.luma_gain = fixed(exact.luma);
  p.red_cr = fixed(exact.red_cr);
  p.green_cb = fixed(exact.green_cb);
  p.green_cr = fixed(exact.green_cr);
  p.blue_cb = fixed(exact.blue_cb);
}

// As 32.32 fixed point: source pixels for each target pixel, and the centre of the first one.
void set_axis(std::int64_t& start, std::int64_t& step, std::int32_t used_begin, std::int32_t used,
              std::int32_t filled) {
  constexpr std::int64_t kOne = std::int64_t{1} << 32;
  step = used * kOne / filled;
  start = used_begin * kOne + step / 2 - kOne / 2;
}

void set_mapping(PreprocessParams& p, const ResizeMapping& mapping) {
  set_axis(p.start_x, p.step_x, mapping.used.x, mapping.used.width, mapping.filled.width);
  set_axis(p.start_y, p.step_y, mapping.used.y, mapping.used.height, mapping.filled.height);
  p.target_width = mapping.target.width;
  p.target_height = mapping.target.height;
  p.filled_x = mapping.filled.x;
  p.filled_y = mapping.filled.y;
  p.filled_width = mapping.filled.width;
  p.filled_height = mapping.filled.height;
}

void set_output(PreprocessParams& p, const PreprocessOptions& options) {
  p.is_interleaved = options.layout == TensorLayout::kInterleaved ? 1 : 0;
  for (std::int32_t channel = 0; channel < 3; ++channel) {
    const auto index = static_cast<std::size_t>(channel);
    p.output_channel[index] = options.order == ChannelOrder::kRgb ? channel : 2 - channel;
    p.multiply[index] = options.scale / options.standard_deviation[index];
    p.add[index] = -options.mean[index] / options.standard_deviation[index];
    p.pad[index] = options.pad_value * p.multiply[index] + p.add[index];
  }
}

}  // namespace

std::size_t plane_of(PixelFormat format, std::size_t channel) {
  switch (format) {
    case PixelFormat::kNv12: return channel == 0 ? 0 : 1;
    case PixelFormat::kI420: return channel;
    default: return 0;
  }
}

namespace {

struct Tile {
  std::int32_t columns, rows;
};

// What a warp makes: much where there is enough for all, since neighbouring tiles read the rows between them twice.
Tile tile_of(Size target, std::size_t layers) {
  using namespace kernels::preprocess;
  const auto pixels = static_cast<std::size_t>(target.width) * static_cast<std::size_t>(target.height) * layers;
  if (pixels < kSmallOutput) return {kLanes, kSmallTileRows};
  return {kTileColumns, kTileRows};
}

}  // namespace

LaunchShape preprocess_shape(Interpolation interpolation, Size target, std::size_t layers) {
  using namespace kernels::preprocess;
  const auto blocks = [](std::int32_t size, std::int32_t block) {
    return static_cast<std::uint32_t>((size + block - 1) / block);
  };
  const auto depth = static_cast<std::uint32_t>(layers);
  if (interpolation == Interpolation::kBilinearAntialiased) {
    const Tile tile = tile_of(target, layers);
    return {
        {blocks(target.width, tile.columns), blocks(target.height, kWarps * tile.rows), depth}, {kLanes, kWarps, 1}, 0};
  }
  return {{blocks(target.width, kBilinearThreads * kBilinearColumns), blocks(target.height, kBilinearRows), depth},
          {kBilinearThreads, 1, 1},
          0};
}

PreprocessParams preprocess_params(const ImageBatch& batch, const PreprocessOptions& options,
                                   const ResizeMapping& mapping, std::size_t layers) {
  PreprocessParams p{};
  const Tile tile = tile_of(options.target, layers);
  p.tile_columns = tile.columns;
  p.tile_rows = tile.rows;
  set_source(p, batch);
  set_color(p, batch.first.color);
  set_mapping(p, mapping);
  set_output(p, options);
  return p;
}

}  // namespace vrt::detail
