// Internal (not installed): the best of a network's scores, in order, on the device, however many pass.
//
//   vrt::CandidateSelection selection(stream, {.items = 8400, .classes = 80, .limit = 8400});
//   selection.submit(scores, layout, counts);                  // ranked keys are in selection.ranked()
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vrt/device/kernel.h"
#include "vrt/device/memory.h"
#include "vrt/device/stream.h"
#include "vrt/models/common/merge_candidates_types.h"
#include "vrt/models/common/select_candidates_types.h"

namespace vrt {

/// How much a selection has to do.
struct SelectionExtent {
  std::int32_t items = 0;
  std::int32_t classes =
      1;  ///< Of each item; only the best one counts. For all pairs: every pair is an item of one class.
  std::int32_t limit = 0;  ///< How many are ranked at most.
};

/// The launch of a round of merging: its threads for every key that the round can have.
[[nodiscard]] LaunchShape merge_shape(const kernels::merge_candidates::MergeRound& round);

/// Ranks items by their raw score. A key's upper half orders like the score (an integer made of its bits), its lower half is
/// the complement of the item's index. Keys are distinct, hence the order is the same on every device and in every run:
/// best score first, the lower index first among equals; of an item's equal classes the lowest. Nothing depends on the
/// order of atomics. Scratch for one stream.
class CandidateSelection {
 public:
  static constexpr std::int32_t kMaxTiles = 4096;
  /// Positions in `counts`.
  static constexpr std::size_t kCandidates = kernels::merge_candidates::kCandidateCount;  ///< How many items passed.
  static constexpr std::size_t kRanked = kernels::merge_candidates::kRankedCount;         ///< How many are ranked.

  /// Allocates. Throws kInvalidArgument unless all numbers are positive and the items fit into kMaxTiles tiles.
  CandidateSelection(const Stream& stream, const SelectionExtent& extent);

  /// Enqueues. `scores` are where `layout` says; `counts` has two elements.
  void submit(DeviceSpan<const float> scores, const kernels::select_candidates::ScoreLayout& layout,
              DeviceSpan<std::int32_t> counts);

  /// The keys of the best items, best first; counts[kRanked] are valid.
  [[nodiscard]] DeviceSpan<const std::uint64_t> ranked() const noexcept { return ranked_.span(); }
  /// The best class of each item that passed, by item; empty where items have one class.
  [[nodiscard]] DeviceSpan<const std::int32_t> classes() const noexcept { return classes_.span(); }

 private:
  using Select = void(DeviceSpan<const float>, kernels::select_candidates::ScoreLayout, DeviceSpan<std::uint64_t>,
                      DeviceSpan<std::int32_t>, DeviceSpan<std::int32_t>);
  using Merge = void(DeviceSpan<const std::uint64_t>, DeviceSpan<const std::int32_t>,
                     kernels::merge_candidates::MergeRound, DeviceSpan<std::uint64_t>, DeviceSpan<std::int32_t>);

  using Rank = void(DeviceSpan<const std::uint64_t>, DeviceSpan<const std::int32_t>, std::int32_t, std::int32_t,
                    std::int32_t, DeviceSpan<std::uint64_t>, DeviceSpan<std::int32_t>);

  /// Sorted runs of keys, and how many each has: those of the tiles, or of a round of merging that is not the last one.
  struct Runs {
    DeviceBuffer<std::uint64_t> keys;
    DeviceBuffer<std::int32_t> counts;
  };

  void add_runs(std::size_t count, std::size_t size);
  void merge(DeviceSpan<std::int32_t> counts);

  Stream stream_;
  SelectionExtent extent_;
  LaunchShape select_shape_;
  std::vector<kernels::merge_candidates::MergeRound> rounds_;  ///< None where a single block ranks all tiles.
  std::vector<Runs> runs_;  ///< The tiles, and behind each round but the last one, which writes to `ranked_`, its runs.
  DeviceBuffer<std::uint64_t> ranked_;
  DeviceBuffer<std::int32_t> classes_;
  Kernel<Select> select_;
  Kernel<Rank> rank_;
  Kernel<Merge> merge_;
};

}  // namespace vrt
