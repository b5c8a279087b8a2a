#include "vrt/pipeline/stage_times.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "vrt/pipeline/distribution.h"

namespace vrt {
namespace {

constexpr double kNanosecondsPerMillisecond = 1e6;

constexpr std::array<std::string_view, StageTimes::kStageCount> kNames = {"source", "submit", "wait",
                                                                          "draw",   "encode", "json"};

}  // namespace

std::size_t DurationHistogram::bucket_of(std::uint64_t nanoseconds) noexcept {
  // Below 2^kStepBits every value has its own bucket; above, the leading bits choose the octave and the step within it.
  const int width = static_cast<int>(std::bit_width(nanoseconds));
  const int shift = std::max(0, width - kStepBits - 1);
  return (static_cast<std::size_t>(shift) << kStepBits) + static_cast<std::size_t>(nanoseconds >> shift);
}

double DurationHistogram::middle_of(std::size_t bucket) noexcept {
  const std::size_t shift = bucket < (2U << kStepBits) ? 0 : (bucket >> kStepBits) - 1;
  const double low = std::ldexp(static_cast<double>(bucket - (shift << kStepBits)), static_cast<int>(shift));
  return low + std::ldexp(0.5, static_cast<int>(shift)) - 0.5;
}

void DurationHistogram::add(std::chrono::nanoseconds duration) noexcept {
  const auto nanoseconds = static_cast<std::uint64_t>(std::max<std::int64_t>(0, duration.count()));
  ++buckets_[bucket_of(nanoseconds)];
  ++count_;
  sum_ += nanoseconds;
  maximum_ = std::max(maximum_, nanoseconds);
}

double DurationHistogram::mean() const noexcept {
  return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_) / kNanosecondsPerMillisecond;
}

double DurationHistogram::maximum() const noexcept {
  return static_cast<double>(maximum_) / kNanosecondsPerMillisecond;
}

double DurationHistogram::percentile(double share) const noexcept {
  const std::uint64_t wanted = nearest_rank(share, count_);
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < kBuckets && count_ > 0; ++bucket) {
    seen += buckets_[bucket];
    if (seen >= wanted) return std::min(maximum(), middle_of(bucket) / kNanosecondsPerMillisecond);
  }
  return 0;
}

std::vector<StageSummary> StageTimes::summary() const {
  std::vector<StageSummary> rows;
  for (std::size_t i = 0; i < kStageCount; ++i) {
    const DurationHistogram& times = stages_[i];
    if (times.count() == 0) continue;
    rows.push_back(
        {kNames[i], times.count(), times.mean(), times.percentile(0.5), times.percentile(0.95), times.maximum()});
  }
  return rows;
}

}  // namespace vrt
