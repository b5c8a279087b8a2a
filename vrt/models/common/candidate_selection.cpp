#include "vrt/models/common/candidate_selection.h"

#include <algorithm>

#include "vrt/base/fail.h"
#include "vrt/models/common/merge_candidates_cu.h"
#include "vrt/models/common/select_candidates_cu.h"

namespace vrt {
namespace {

using kernels::merge_candidates::MergeRound;

// Small tiles spread the reading of many classes over the device; with one class there is little to read, and large tiles
// leave less to merge.
constexpr std::uint32_t kTileOfManyClasses = 128;
constexpr std::uint32_t kClassSlices = 8;
constexpr std::uint32_t kTileOfOneClass = 256;
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

// Filled: items that do not pass have no class, and whoever reads them all should see the same in every run.
DeviceBuffer<std::int32_t> classes_for(const Stream& stream, const SelectionExtent& extent) {
  if (extent.classes == 1) return {};
  return DeviceBuffer<std::int32_t>::zeros(stream, static_cast<std::size_t>(extent.items));
}

// A GPU merges a few runs at a time, each key searching all of them at once, or all runs where those are not many more; the CPU's heap
// takes any number.
constexpr std::int32_t kWaysOnGpu = 16;
constexpr std::int32_t kMostWaysOnGpu = 128;
constexpr std::uint32_t kMergeThreads = 256;
constexpr std::uint32_t kRankThreads = 1024;

// None where few of not too many are wanted: one block finds them sooner than rounds of merging.
std::vector<MergeRound> rounds_for(Device device, std::int32_t tiles, std::int32_t tile_size, std::int32_t limit) {
  std::vector<MergeRound> rounds;
  if (limit <= kernels::select_candidates::kMaxRankKeys && tiles <= kernels::select_candidates::kMaxRankTiles)
    return rounds;
  std::int32_t runs = tiles;
  std::int32_t run_size = tile_size;
  do {
    const std::int32_t ways = device.is_cpu() || runs <= kMostWaysOnGpu ? runs : kWaysOnGpu;
    rounds.push_back({runs, run_size, ways, limit});
    runs = (runs + ways - 1) / ways;
    run_size *= ways;
  } while (runs > 1);
  return rounds;
}

}  // namespace

LaunchShape merge_shape(const MergeRound& round) {
  const auto keys = static_cast<std::uint32_t>(std::min(round.run_size, round.limit));
  const std::uint32_t threads = keys * std::uint32_t{kernels::merge_candidates::kMergeLanes};
  return {{(threads + kMergeThreads - 1) / kMergeThreads, static_cast<std::uint32_t>(round.runs), 1},
          {kMergeThreads, 1, 1},
          0};
}

CandidateSelection::CandidateSelection(const Stream& stream, const SelectionExtent& extent)
    : stream_(stream),
      extent_(extent),
      select_shape_(shape_for(extent)),
      rounds_(rounds_for(stream.device(), static_cast<std::int32_t>(select_shape_.grid.x),
                         static_cast<std::int32_t>(select_shape_.block.x), std::min(extent.limit, extent.items))),
      ranked_(DeviceBuffer<std::uint64_t>::uninitialized(
          stream, static_cast<std::size_t>(std::min(extent.limit, extent.items)))),
      classes_(classes_for(stream, extent)),
      select_(KernelModule::load(stream.device(), kernels::select_candidates_cu).get<Select>("select_candidates")),
      rank_(KernelModule::load(stream.device(), kernels::select_candidates_cu).get<Rank>("rank_tiles")),
      merge_(KernelModule::load(stream.device(), kernels::merge_candidates_cu).get<Merge>("merge_candidates")) {
  add_runs(select_shape_.grid.x, select_shape_.block.x);
  for (std::size_t i = 1; i < rounds_.size(); ++i) {
    add_runs(static_cast<std::size_t>(rounds_[i].runs), static_cast<std::size_t>(rounds_[i].run_size));
  }
}

void CandidateSelection::add_runs(std::size_t count, std::size_t size) {
  runs_.push_back({DeviceBuffer<std::uint64_t>::uninitialized(stream_, count * size),
                   DeviceBuffer<std::int32_t>::uninitialized(stream_, 2 * count)});
}

void CandidateSelection::submit(DeviceSpan<const float> scores, const kernels::select_candidates::ScoreLayout& layout,
                                DeviceSpan<std::int32_t> counts) {
  require(layout.items == extent_.items && layout.classes == extent_.classes,
          "the selection is for {} items of {} classes, not {} of {}", extent_.items, extent_.classes, layout.items,
          layout.classes);
  Runs& tiles = runs_.front();
  select_.launch(stream_, select_shape_, scores, layout, tiles.keys.span(), tiles.counts.span(), classes_.span());
  if (!rounds_.empty()) return merge(counts);
  rank_.launch(stream_, grid_per_item(1, kRankThreads), tiles.keys.span(), tiles.counts.span(),
               static_cast<std::int32_t>(select_shape_.block.x), static_cast<std::int32_t>(select_shape_.grid.x),
               static_cast<std::int32_t>(ranked_.size()), ranked_.span(), counts);
}

void CandidateSelection::merge(DeviceSpan<std::int32_t> counts) {
  for (std::size_t i = 0; i < rounds_.size(); ++i) {
    const bool is_last = i + 1 == rounds_.size();
    merge_.launch(stream_, merge_shape(rounds_[i]), runs_[i].keys.span(), runs_[i].counts.span(), rounds_[i],
                  is_last ? ranked_.span() : runs_[i + 1].keys.span(), is_last ? counts : runs_[i + 1].counts.span());
  }
}

}  // namespace vrt
