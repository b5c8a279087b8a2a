// Which keypoints of two pictures belong together: mutual nearest neighbours of their descriptors.
//
//   vrt::Matcher matcher(stream);
//   auto matches = matcher.allocate_result({.read_back = true});
//   matcher.submit(before.descriptors(), now.descriptors(), matches);    // two XFeatResult, enqueued
//   stream.synchronize();
//   for (const vrt::Match& match : matches.matches()) { before.keypoints()[match.first], now.keypoints()[match.second] … }
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "vrt/base/export.h"
#include "vrt/device/memory.h"
#include "vrt/device/stream.h"

namespace vrt {

/// Descriptors in device memory that somebody else owns: rows of Matcher::kChannels floats without padding, of length 1, aligned to 16
/// bytes. `count` (one element) says how many are valid; more than there is room for count as many as that.
struct DescriptorSet {
  DeviceSpan<const float> values;
  DeviceSpan<const std::int32_t> count;
};

/// What similarities are computed in. Sums are float32 in either case.
enum class MatchPrecision : std::int32_t {
  kFloat32,  ///< The same bits on every device.
  kFloat16,  ///< Descriptors rounded to float16, for tensor cores (GPUs from sm_80 on; correct, but slow, elsewhere). Similarities
             ///< differ by up to 1e-3, and in the last bits between devices.
};

/// What counts as a match, and how it is computed.
struct MatcherOptions {
  float min_similarity = 0.82F;         ///< Cosine of the angle between two descriptors; in [-1, 1].
  std::int32_t max_descriptors = 4096;  ///< Of a set; in [1, Matcher::kMaxDescriptors].
  MatchPrecision precision = MatchPrecision::kFloat32;
};

/// Two descriptors that have each other as the most similar one.
struct Match {
  std::int32_t first = 0;   ///< Index in the first set.
  std::int32_t second = 0;  ///< Index in the second set.
  float similarity = 0;
  friend bool operator==(const Match&, const Match&) = default;
};

/// Matches in device memory. Valid as long as the result they are from; for kernels that are enqueued behind.
struct DeviceMatches {
  DeviceSpan<const std::int32_t> pairs;  ///< First and second index, in turn.
  DeviceSpan<const float> similarities;
  DeviceSpan<const std::int32_t> count;
};

/// What a result of matches holds.
struct MatchResultOptions {
  bool read_back = false;  ///< Whether each submit copies the matches to the host, not only their number.
};

/// The matches of one pair of sets. Owned by the caller, made by Matcher::allocate_result; movable. Readable on the host after the wait
/// that follows `submit`.
class VRT_API MatchResult {
 public:
  ~MatchResult();
  MatchResult(MatchResult&&) noexcept;
  MatchResult& operator=(MatchResult&&) noexcept;

  /// How many there are. Host only; 0 before the first submit.
  [[nodiscard]] std::int32_t count() const;
  /// In the order of their first index. Host only, valid until the next submit into this result; each call assembles
  /// them, without allocating. Throws kInvalidArgument if the result was allocated without read_back.
  [[nodiscard]] std::span<const Match> matches() const;
  [[nodiscard]] DeviceMatches device_matches() const;

 private:
  friend class Matcher;
  struct State;
  explicit MatchResult(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

/// Kernels and scratch for one stream. Used from one thread at a time. The rule: similarity is the dot product; the most similar
/// descriptor is that with the greatest finite similarity, of equal ones that with the lowest index (NaN never is; where the greatest
/// is infinite there is no match); a pair is a match if each is the most similar of the other and their similarity is at least
/// min_similarity.
class VRT_API Matcher {
 public:
  static constexpr std::int32_t kChannels = 64;
  static constexpr std::int32_t kMaxDescriptors = 8192;

  /// Allocates. Throws kInvalidArgument for options out of range.
  explicit Matcher(const Stream& stream, const MatcherOptions& options = {});
  ~Matcher();
  Matcher(Matcher&&) noexcept;
  Matcher& operator=(Matcher&&) noexcept;

  /// Allocates: once, before the loop.
  [[nodiscard]] MatchResult allocate_result(const MatchResultOptions& options = {}) const;
  /// Enqueues. Allocates nothing, does not wait. The sets stay alive and unchanged until the next wait, and may be one and the same.
  /// Throws kInvalidArgument for a set with room for more than max_descriptors, values that are not whole rows or not aligned, a
  /// count that is not one element, or a result of another device or of a smaller matcher.
  void submit(const DescriptorSet& first, const DescriptorSet& second, MatchResult& result);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vrt
