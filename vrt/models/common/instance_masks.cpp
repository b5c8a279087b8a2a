#include "vrt/models/common/instance_masks.h"

#include <algorithm>
#include <cmath>

#include "vrt/base/fail.h"
#include "vrt/models/common/upsample_masks_cu.h"

namespace vrt {
namespace {

const MaskOptions& checked(const MaskOptions& options) {
  const Size& size = options.size;
  const bool none = size.width == 0 && size.height == 0;
  require(none || (size.width > 0 && size.height > 0), "masks of {}x{} pixels make no sense", size.width, size.height);
  require(options.most >= 1 && options.most <= 65535, "a result has room for 1 to 65535 masks, not {}", options.most);
  return options;
}

// The cells of a grid axis that the picture covers, and where pixels lie on them.
struct GridAxis {
  std::int32_t first, last;
  float scale, shift;
};

// `filled_begin` and `filled_size` of an input of `input` pixels are picture; masks have `pixels`.
GridAxis axis_of(std::int32_t cells, std::int32_t input, std::int32_t filled_begin, std::int32_t filled_size,
                 std::int32_t pixels) {
  const double cells_per_pixel = double(cells) / input;
  const double begin = filled_begin * cells_per_pixel;
  const double end = (filled_begin + filled_size) * cells_per_pixel;
  const auto first = static_cast<std::int32_t>(std::floor(begin));
  const auto last = static_cast<std::int32_t>(std::ceil(end)) - 1;
  return {std::clamp(first, 0, cells - 1), std::clamp(last, 0, cells - 1), static_cast<float>((end - begin) / pixels),
          static_cast<float>(begin - 0.5)};
}

kernels::upsample_masks::MaskGeometry geometry_of(Size grid, const ResizeMapping& mapping, Size size) {
  const GridAxis x = axis_of(grid.width, mapping.target.width, mapping.filled.x, mapping.filled.width, size.width);
  const GridAxis y = axis_of(grid.height, mapping.target.height, mapping.filled.y, mapping.filled.height, size.height);
  return {.grid_width = grid.width,
          .grid_height = grid.height,
          .first_column = x.first,
          .first_row = y.first,
          .last_column = x.last,
          .last_row = y.last,
          .scale_x = x.scale,
          .scale_y = y.scale,
          .shift_x = x.shift,
          .shift_y = y.shift,
          .width = size.width,
          .height = size.height,
          .words_per_row = static_cast<std::int32_t>(mask_words_per_row(size.width)),
          .crop_x = static_cast<float>(double(size.width) / mapping.source.width),
          .crop_y = static_cast<float>(double(size.height) / mapping.source.height)};
}

// A block a tile of a mask.
LaunchShape shape_for(const InstanceMasks& masks) {
  constexpr auto kRows = static_cast<std::uint32_t>(kernels::upsample_masks::kMaskTileRows);
  constexpr auto kWords = static_cast<std::uint32_t>(kernels::upsample_masks::kMaskTileWords);
  const auto words = static_cast<std::uint32_t>(mask_words_per_row(masks.size().width));
  const auto rows = static_cast<std::uint32_t>(masks.size().height);
  return {{(words + kWords - 1) / kWords, (rows + kRows - 1) / kRows, static_cast<std::uint32_t>(masks.most())},
          {32, kWords, 1},
          0};
}

}  // namespace

InstanceMasks::InstanceMasks(const Stream& stream, const MaskOptions& options) : options_(checked(options)) {
  if (!wanted()) return;
  const std::size_t words = static_cast<std::size_t>(options.most) * mask_words(options.size);
  words_ = ResultBuffer<std::uint32_t>(stream, words, options.read_back ? ReadBack::kWanted : ReadBack::kNone);
}

void InstanceMasks::enqueue_read_back(const Stream& stream) { words_.enqueue_read_back(stream); }

std::size_t InstanceMasks::count_of(std::size_t found) const noexcept {
  return std::min(found, static_cast<std::size_t>(most()));
}

DeviceMaskView InstanceMasks::device_mask(std::size_t index) const {
  require(index < static_cast<std::size_t>(most()), "there is no mask {}: the result has room for {}", index, most());
  const std::size_t words = mask_words(options_.size);
  return {options_.size, words_.span().subspan(index * words, words)};
}

MaskView InstanceMasks::mask(std::size_t index, std::size_t found) const {
  require(index < count_of(found), "there is no mask {}: the frame has {}", index, count_of(found));
  require(words_.is_read_back(), "masks stay on the device unless the result was allocated with masks.read_back");
  const std::size_t words = mask_words(options_.size);
  return {options_.size, words_.host().subspan(index * words, words)};
}

MaskUpsampler::MaskUpsampler(const Stream& stream)
    : stream_(stream),
      upsample_(KernelModule::load(stream.device(), kernels::upsample_masks_cu).get<Upsample>("upsample_masks")) {}

void MaskUpsampler::submit(const MaskLogits& logits, const ResizeMapping& mapping, DeviceSpan<const std::int32_t> count,
                           InstanceMasks& masks) const {
  if (!masks.wanted()) return;
  upsample_.launch(stream_, shape_for(masks), logits.planes, logits.plane_of, count, logits.crop_boxes,
                   geometry_of(logits.grid, mapping, masks.size()), masks.words());
}

}  // namespace vrt
