#include "vrt/pipeline/depth_summary.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "vrt/base/fail.h"

namespace vrt {
namespace {

constexpr std::uint32_t kSign = 0x80000000U;

/// Bits whose unsigned order is that of the floats. Not for NaN.
std::uint32_t ordered_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

float from_ordered_bits(std::uint32_t ordered) {
  return std::bit_cast<float>((ordered & kSign) != 0 ? ordered & ~kSign : ~ordered);
}

/// How many values there are of each half of 16 bits.
using Histogram = std::vector<std::uint32_t>;
constexpr std::size_t kBins = std::size_t{1} << 16;

/// The bin that holds the value of this rank; the rank becomes that within the bin.
std::uint32_t bin_of_rank(const Histogram& histogram, std::size_t& rank) {
  std::uint32_t bin = 0;
  for (; rank >= histogram[bin]; ++bin) rank -= histogram[bin];
  return bin;
}

/// A map's values; those above `above` that are finite are known.
struct Values {
  std::span<const float> all;
  float above;

  template <typename Use>
  void for_each_known(const Use& use) const {
    for (const float value : all)
      if (value > above && value <= std::numeric_limits<float>::max()) use(value);
  }
};

float value_of_rank(const Values& values, const Histogram& upper_halves, std::size_t rank) {
  const std::uint32_t upper = bin_of_rank(upper_halves, rank);
  Histogram lower_halves(kBins, 0);
  values.for_each_known([&](float value) {
    if (ordered_bits(value) >> 16 == upper) ++lower_halves[ordered_bits(value) & 0xFFFF];
  });
  return from_ordered_bits(upper << 16 | bin_of_rank(lower_halves, rank));
}

DepthSummary summarize_values(const Values& values, Size size) {
  require(values.all.size() == static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height),
          "a depth map of {}x{} has {} values", size.width, size.height, values.all.size());
  Histogram upper_halves(kBins, 0);
  std::size_t count = 0;
  float least = std::numeric_limits<float>::max();
  float greatest = std::numeric_limits<float>::lowest();
  values.for_each_known([&](float value) {
    ++upper_halves[ordered_bits(value) >> 16];
    ++count;
    least = std::min(least, value);
    greatest = std::max(greatest, value);
  });
  if (count == 0) return {};
  const float known = static_cast<float>(count) / static_cast<float>(values.all.size());
  return {known, least, value_of_rank(values, upper_halves, (count - 1) / 2), greatest};
}

}  // namespace

DepthSummary summarize(const DepthMapView& map) { return summarize_values({map.metres, 0}, map.size); }

DepthSummary summarize(const RelativeDepthMapView& map) {
  return summarize_values({map.nearness, -std::numeric_limits<float>::infinity()}, map.size);
}

}  // namespace vrt
