// What a set of measured times looks like: mean, percentiles, maximum.
#pragma once

#include <cstdint>
#include <vector>

#include "vrt/base/export.h"

namespace vrt {

/// The position, counted from 1 in ascending order, of the value that a share of `count` values does not exceed: the nearest
/// rank, ceil(share * count), and 1 at least. It names a value that was measured; nothing is interpolated. `share` is in [0, 1].
[[nodiscard]] VRT_API std::uint64_t nearest_rank(double share, std::uint64_t count) noexcept;

/// A summary of samples, in their unit. Percentiles are those of `nearest_rank`.
struct Distribution {
  std::uint64_t count = 0;
  double mean = 0;
  double p50 = 0;
  double p95 = 0;
  double p99 = 0;
  double maximum = 0;
};

/// Throws kInvalidArgument for no samples: there is no honest number for them.
[[nodiscard]] VRT_API Distribution distribution_of(std::vector<double> samples);

}  // namespace vrt
