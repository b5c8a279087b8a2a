// Internal (not installed): the strongest of many candidates, in order, on the device.
//
//   vrt::CandidateRanking ranking(stream, cells);
//   collect.launch(stream, vrt::grid_1d(cells), heatmap, cells, threshold, ranking.keys(), count);   // count was 0
//   ranking.submit(count, ranked_count);
//   decode.launch(stream, vrt::grid_1d(ranking.ranked().size()), ranking.ranked(), ranked_count, …);
#pragma once

#include <cstdint>

#include "vrt/device/kernel.h"
#include "vrt/device/memory.h"
#include "vrt/device/stream.h"

namespace vrt {

/// Sorts 64-bit keys and keeps the greatest. A model's own kernel writes one key for each candidate, in any order: the
/// upper half orders the scores, the lower half is the complement of the candidate's index. Keys are distinct, hence
/// the order is the same on every device and in every run: best score first, the lower index first among equals.
/// Scratch for one stream.
class CandidateRanking {
 public:
  static constexpr std::int32_t kMaxRanked = 1024;

  /// `capacity` is the greatest number of keys. Allocates. Throws kInvalidArgument unless it is positive.
  CandidateRanking(const Stream& stream, std::int32_t capacity);

  /// Where the model's kernel writes, `capacity` keys.
  [[nodiscard]] DeviceSpan<std::uint64_t> keys() noexcept { return keys_.span(); }
  /// The greatest keys in descending order, kMaxRanked of them at most.
  [[nodiscard]] DeviceSpan<const std::uint64_t> ranked() const noexcept { return ranked_.span(); }

  /// Enqueues. `key_count` says how many keys there are; `ranked_count` receives how many are ranked. One element each.
  void submit(DeviceSpan<const std::int32_t> key_count, DeviceSpan<std::int32_t> ranked_count);

 private:
  using Rank = void(DeviceSpan<const std::uint64_t>, DeviceSpan<const std::int32_t>, std::int32_t, std::int32_t,
                    DeviceSpan<std::uint64_t>, DeviceSpan<std::int32_t>);

  Stream stream_;
  DeviceBuffer<std::uint64_t> keys_;
  DeviceBuffer<std::uint64_t> ranked_;
  Kernel<Rank> rank_;
};

}  // namespace vrt
