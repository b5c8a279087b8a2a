// Internal (not installed): frames of a source as inputs that a network of reduced precision is compared with float32 on.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "vrt/base/export.h"
#include "vrt/engine/engine.h"
#include "vrt/image/preprocessor.h"

namespace vrt {

/// Which frames of a source are samples, and how many pictures each is.
struct SampleChoice {
  static constexpr std::size_t kCount = 8;
  static constexpr std::uint64_t kMostBytes = std::uint64_t{256}
                                              << 20U;  ///< Of all samples; fewer than `count` then, one at least.

  std::size_t count = kCount;
  std::int64_t most_frames = 0;             ///< They are taken from so many at the beginning; 0: from the whole source.
  std::int64_t pictures = 1;                ///< That one run of the network takes: a frame is in each of these places.
  const std::atomic<bool>* stop = nullptr;  ///< Ends it with kCancelled.
};

/// Up to `count` frames spread evenly over a video or a folder of pictures (the first ones, where its length is not known),
/// preprocessed for the network's input `input`. BLOCKS while the source is decoded. Throws what Source throws.
[[nodiscard]] VRT_API std::vector<SampleInputs> sample_frames(const std::string& source, const SampleChoice& choice,
                                                              const PreprocessOptions& preprocessing,
                                                              const std::string& input);

}  // namespace vrt
