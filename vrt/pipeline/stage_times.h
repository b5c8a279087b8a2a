// How long the stages of a run take: mean, median, 95th percentile and maximum of each, without an allocation a frame.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "vrt/base/export.h"

namespace vrt {

/// Durations sorted into buckets of a 64th of an octave: percentiles are exact to 1.6 %, mean and maximum are exact. One thread.
class VRT_API DurationHistogram {
 public:
  void add(std::chrono::nanoseconds duration) noexcept;

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// Milliseconds; 0 while nothing was added.
  [[nodiscard]] double mean() const noexcept;
  [[nodiscard]] double maximum() const noexcept;
  /// Milliseconds that a share (0 to 1) of the durations does not exceed (nearest_rank); 0 while nothing was added.
  [[nodiscard]] double percentile(double share) const noexcept;

 private:
  static constexpr int kStepBits = 6;
  static constexpr std::size_t kBuckets = (64 - kStepBits + 1) << kStepBits;

  [[nodiscard]] static std::size_t bucket_of(std::uint64_t nanoseconds) noexcept;
  /// The middle of a bucket, in nanoseconds.
  [[nodiscard]] static double middle_of(std::size_t bucket) noexcept;

  std::array<std::uint64_t, kBuckets> buckets_{};
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
  std::uint64_t maximum_ = 0;
};

/// The stages of a run, in the order in which a frame meets them. Each is timed by one thread.
enum class Stage : std::size_t {
  kSource,  ///< Waiting for the source to decode the next frame.
  kSubmit,  ///< Enqueueing preprocessing, network and decoding.
  kWait,    ///< Waiting for a frame's results: what the device needs beyond the work done meanwhile.
  kDraw,    ///< Colour conversion and drawing.
  kEncode,  ///< Writing the picture or video.
  kJson,    ///< Writing the line.
};

/// One row of the table of times. Milliseconds.
struct StageSummary {
  std::string_view name;
  std::uint64_t count = 0;
  double mean = 0;
  double median = 0;
  double p95 = 0;
  double maximum = 0;
};

/// A histogram for each stage.
class VRT_API StageTimes {
 public:
  static constexpr std::size_t kStageCount = 6;

  /// Runs `work` and adds the time it took; what it throws passes through, untimed.
  template <typename Work>
  decltype(auto) time(Stage stage, const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      add(stage, std::chrono::steady_clock::now() - start);
    } else {
      decltype(auto) result = work();
      add(stage, std::chrono::steady_clock::now() - start);
      return result;
    }
  }
  void add(Stage stage, std::chrono::nanoseconds duration) noexcept { stages_[std::size_t(stage)].add(duration); }

  /// The stages that were timed at least once, in order.
  [[nodiscard]] std::vector<StageSummary> summary() const;

 private:
  std::array<DurationHistogram, kStageCount> stages_;
};

}  // namespace vrt
