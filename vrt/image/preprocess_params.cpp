#include "vrt/image/preprocess_params.h"

#include <cmath>

#include "vrt/image/yuv_to_rgb.h"

namespace vrt::detail {
namespace {

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
  const std::int32_t black = (1 << 19) - p.luma_offset * p.luma_gain;
  p.red_add = black - 128 * p.red_cr;
  p.green_add = black - 128 * (p.green_cb + p.green_cr);
  p.blue_add = black - 128 * p.blue_cb;
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
  p.row_floats = options.target.width * (p.is_interleaved != 0 ? 3 : 1);
  const std::int64_t plane = std::int64_t{options.target.width} * options.target.height;
  for (std::int32_t channel = 0; channel < 3; ++channel) {
    const auto index = static_cast<std::size_t>(channel);
    p.output_channel[index] = options.order == ChannelOrder::kRgb ? channel : 2 - channel;
    p.channel_begin[index] = p.output_channel[index] * (p.is_interleaved != 0 ? 1 : plane);
    p.multiply[index] = options.scale / options.standard_deviation[index];
    p.add[index] = -options.mean[index] / options.standard_deviation[index];
    p.pad[index] = options.pad_value * p.multiply[index] + p.add[index];
  }
}

// More rows share more work, fewer make enough threads of little output to fill a GPU: on an H200, which has room for 118 272 threads
// of these, two rows were the fastest for one picture of 640x640, four for eight and more.
std::int32_t strip_rows(Size target, std::size_t layers) {
  constexpr std::int32_t kFewRows = 2;
  constexpr std::int32_t kManyRows = 4;
  constexpr double kEnoughThreads = 300'000;
  const double outputs = static_cast<double>(target.width) * target.height * static_cast<double>(layers);
  return outputs / (kernels::preprocess::kStripColumns * kManyRows) < kEnoughThreads ? kFewRows : kManyRows;
}

std::uint32_t blocks(std::int32_t size, std::int32_t block) {
  return static_cast<std::uint32_t>((size + block - 1) / block);
}

// Rows of a warp's tile in an antialiased launch. Neighbouring tiles both read the source rows between them, so tiles are high, as
// long as there are enough for all warps that a large GPU, an H200, runs at once.
std::int32_t tile_rows(Size target, std::size_t layers) {
  using namespace kernels::preprocess;
  constexpr std::size_t kWarpsAtOnce = 132 * kBlocks * kWarps;
  constexpr std::int32_t kFewest = 4;
  std::int32_t rows = kMostTileRows;
  while (rows > kFewest &&
         std::size_t{blocks(target.width, kTileColumns)} * blocks(target.height, rows) * layers < kWarpsAtOnce) {
    rows /= 2;
  }
  return rows;
}

}  // namespace

std::size_t plane_of(PixelFormat format, std::size_t channel) {
  switch (format) {
    case PixelFormat::kNv12: return channel == 0 ? 0 : 1;
    case PixelFormat::kI420: return channel;
    default: return 0;
  }
}

const char* to_string(PreprocessKernel kernel) {
  switch (kernel) {
    case PreprocessKernel::kBilinear: return "bilinear";
    case PreprocessKernel::kBilinearNv12: return "bilinear_nv12";
    case PreprocessKernel::kAntialiased: return "antialiased";
    case PreprocessKernel::kAntialiasedYuv: return "antialiased_yuv";
  }
  return "";
}

PreprocessKernel preprocess_kernel(Interpolation interpolation, const ImageBatch& batch) {
  const ImageView& image = batch.first;
  if (interpolation == Interpolation::kBilinearAntialiased)
    return layout_of(image.format).is_yuv ? PreprocessKernel::kAntialiasedYuv : PreprocessKernel::kAntialiased;
  if (image.format != PixelFormat::kNv12 || image.size.width < 2) return PreprocessKernel::kBilinear;
  const auto address = reinterpret_cast<std::uintptr_t>(image.planes[1].data);
  const bool is_even = (address | image.planes[1].pitch_bytes | batch.stride_bytes[1]) % 2 == 0;
  return is_even ? PreprocessKernel::kBilinearNv12 : PreprocessKernel::kBilinear;
}

LaunchShape preprocess_shape(PreprocessKernel kernel, Size target, std::size_t layers) {
  using namespace kernels::preprocess;
  const auto depth = static_cast<std::uint32_t>(layers);
  if (kernel == PreprocessKernel::kAntialiased || kernel == PreprocessKernel::kAntialiasedYuv) {
    return {{blocks(target.width, kTileColumns), blocks(target.height, kWarps * tile_rows(target, layers)), depth},
            {kLanes, kWarps, 1},
            0};
  }
  if (kernel == PreprocessKernel::kBilinearNv12) {
    const std::int32_t rows = strip_rows(target, layers);
    return {{blocks(target.width, kStripThreads * kStripColumns), blocks(target.height, rows), depth},
            {kStripThreads, 1, 1},
            0};
  }
  return {{blocks(target.width, kBilinearThreads * kBilinearColumns), blocks(target.height, kBilinearRows), depth},
          {kBilinearThreads, 1, 1},
          0};
}

PreprocessParams preprocess_params(const ImageBatch& batch, const PreprocessOptions& options,
                                   const ResizeMapping& mapping, std::size_t layers) {
  PreprocessParams p{};
  set_source(p, batch);
  set_color(p, batch.first.color);
  set_mapping(p, mapping);
  set_output(p, options);
  p.strip_rows = strip_rows(options.target, layers);
  p.tile_rows = tile_rows(options.target, layers);
  return p;
}

}  // namespace vrt::detail
