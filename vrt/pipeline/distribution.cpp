#include "vrt/pipeline/distribution.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "vrt/base/fail.h"

namespace vrt {

std::uint64_t nearest_rank(double share, std::uint64_t count) noexcept {
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count))));
}

Distribution distribution_of(std::vector<double> samples) {
  require(!samples.empty(), "there is no distribution of no samples; measure first");
  std::sort(samples.begin(), samples.end());
  const auto at = [&](double share) { return samples[nearest_rank(share, samples.size()) - 1]; };
  const double sum = std::accumulate(samples.begin(), samples.end(), 0.0);
  return {.count = samples.size(),
          .mean = sum / static_cast<double>(samples.size()),
          .p50 = at(0.5),
          .p95 = at(0.95),
          .p99 = at(0.99),
          .maximum = samples.back()};
}

}  // namespace vrt
