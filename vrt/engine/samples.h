// Internal (not installed): inputs to try a network on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vrt/base/export.h"
#include "vrt/engine/engine.h"

namespace vrt::detail {

/// How many runs of noise there are where no samples are given.
inline constexpr std::size_t kNoiseRuns = 8;

/// The batch that networks with a changing one are tried with: 4, as far as it is in the range; 0 without one.
[[nodiscard]] std::int64_t trial_batch(const BatchRange& range) noexcept;

/// Noise for inputs of static shapes, the same on every machine and in every run: numbers with a fraction alternate from run to run between
/// even ones in [0, 1), as of pictures, and bell-shaped ones of mean 0 and deviation 1, as of normalised ones; int8 and uint8 take
/// all values, wider integers 0 to 15, so that they are indices of most things. `batch` items where an input is batched.
[[nodiscard]] std::vector<SampleInputs> noise_samples(std::span<const TensorInfo> inputs, std::int64_t batch);

/// A digest of samples; empty for none.
[[nodiscard]] VRT_API std::string digest_of(std::span<const SampleInputs> samples);

}  // namespace vrt::detail
