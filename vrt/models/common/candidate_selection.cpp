#include "vrt/models/common/candidate_selection.h"

#include <algorithm>

#include "vrt/base/fail.h"
#include "vrt/models/common/merge_candidates_cu.h"
#include "vrt/models/common/select_candidates_cu.h"

namespace vrt {
namespace {

// Small tiles spread the reading of many classes over the device; with one class there is little to read, and large tiles
// leave less to merge.
constexpr std::uint32_t kTileOfManyClasses = 256;
constexpr std::uint32_t kClassSlices = 4;
constexpr std::uint32_t kTileOfOneClass = 512;
static_assert(kTileOfOneClass <= kernels::select_candidates::kMaxSelectTile &&
              kTileOfManyClasses * kClassSlices <= kernels::select_candidates::kMaxSelectThreads);

// One block a tile.
LaunchShape shape_for(const SelectionExtent& extent) {
  require(extent.items > 0 && extent.classes > 0 && extent.limit > 0,
          "a selection needs items, classes and a limit, not {}, {} and {}", extent.items, extent.classes,
          extent.limit);
  const std::uint32_t tile = extent.classes > 1 ? kTileOfManyClasses : kTileOfOneClass;
  const std::uint32_t tiles = (static_cast<std::uint32_t>(extent.items) + tile - 1) / tile;
  require(tiles <= std::uint32_t{CandidateSelection::kMaxTiles},
          "a selection takes at most {} items of {} classes, not {}",
          tile * std::uint32_t{CandidateSelection::kMaxTiles}, extent.classes, extent.items);
  return {{tiles, 1, 1}, {tile, extent.classes > 1 ? kClassSlices : 1, 1}, 0};
}

DeviceBuffer<std::int32_t> classes_for(const Stream& stream, const SelectionExtent& extent) {
  if (extent.classes == 1) return {};
  return DeviceBuffer<std::int32_t>::uninitialized(stream, static_cast<std::size_t>(extent.items));
}

}  // namespace

CandidateSelection::CandidateSelection(const Stream& stream, const SelectionExtent& extent)
    : stream_(stream),
      extent_(extent),
      select_shape_(shape_for(extent)),
      tiles_(DeviceBuffer<std::uint64_t>::uninitialized(stream,
                                                        std::size_t{select_shape_.grid.x} * select_shape_.block.x)),
      tile_counts_(DeviceBuffer<std::int32_t>::uninitialized(stream, select_shape_.grid.x)),
      ranked_(DeviceBuffer<std::uint64_t>::uninitialized(
          stream, static_cast<std::size_t>(std::min(extent.limit, extent.items)))),
      classes_(classes_for(stream, extent)),
      select_(KernelModule::load(stream.device(), kernels::select_candidates_cu).get<Select>("select_candidates")),
      merge_(KernelModule::load(stream.device(), kernels::merge_candidates_cu).get<Merge>("merge_candidates")) {}

void CandidateSelection::submit(DeviceSpan<const float> scores, const kernels::select_candidates::ScoreLayout& layout,
                                DeviceSpan<std::int32_t> counts) {
  require(layout.items == extent_.items && layout.classes == extent_.classes,
          "the selection is for {} items of {} classes, not {} of {}", extent_.items, extent_.classes, layout.items,
          layout.classes);
  const std::uint32_t tiles = select_shape_.grid.x;
  const std::uint32_t tile = select_shape_.block.x;
  select_.launch(stream_, select_shape_, scores, layout, tiles_.span(), tile_counts_.span(), classes_.span());
  merge_.launch(stream_, grid_per_item(tiles, tile), tiles_.span(), tile_counts_.span(),
                static_cast<std::int32_t>(tile), static_cast<std::int32_t>(tiles),
                static_cast<std::int32_t>(ranked_.size()), ranked_.span(), counts);
}

}  // namespace vrt
