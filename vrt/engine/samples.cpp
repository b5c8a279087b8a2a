#include "vrt/engine/samples.h"

#include <algorithm>
#include <random>

#include "vrt/base/fail.h"
#include "vrt/base/sha256.h"
#include "vrt/engine/element_values.h"

namespace vrt::detail {
namespace {

/// Not the standard library's distributions: they differ between libraries.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : bits_(seed) {}

  double even() { return static_cast<double>(bits_() >> 11U) / 9007199254740992.0; }  // 2^53
  /// The sum of twelve even numbers has deviation 1 (Irwin-Hall).
  double bell() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += even();
    return sum;
  }

 private:
  std::mt19937_64 bits_;
};

double draw(DType type, bool bell, Noise& noise) {
  switch (type) {
    case DType::kInt8: return noise.even() * 256 - 128;
    case DType::kUInt8: return noise.even() * 256;
    case DType::kInt32:
    case DType::kInt64: return noise.even() * 16;
    case DType::kBool: return noise.even() < 0.5 ? 0 : 1;
    default: return bell ? noise.bell() : noise.even();
  }
}

std::size_t element_count(const TensorInfo& info, std::int64_t batch) {
  const auto count = static_cast<std::size_t>(info.shape.element_count());
  if (!info.batched || info.shape[0] == 0) return count;
  return count / static_cast<std::size_t>(info.shape[0]) * static_cast<std::size_t>(batch);
}

}  // namespace

std::int64_t trial_batch(const BatchRange& range) noexcept {
  constexpr std::int64_t kItems = 4;
  return range.largest == 0 ? 0 : std::clamp(kItems, range.smallest, range.largest);
}

std::vector<SampleInputs> noise_samples(std::span<const TensorInfo> inputs, std::int64_t batch) {
  Noise noise(2026);
  std::vector<SampleInputs> samples(kNoiseRuns);
  for (std::size_t run = 0; run < samples.size(); ++run) {
    for (const TensorInfo& info : inputs) {
      std::vector<std::byte>& bytes = samples[run][info.name];
      const std::size_t count = element_count(info, batch);
      bytes.resize(count * size_bytes(info.type));
      for (std::size_t i = 0; i < count; ++i) set_element(info.type, bytes, i, draw(info.type, run % 2 == 1, noise));
    }
  }
  return samples;
}

std::string digest_of(std::span<const SampleInputs> samples) {
  if (samples.empty()) return "";
  Sha256 digest;
  for (const SampleInputs& sample : samples) {
    digest.update(fmt::format("{}\n", sample.size()));
    for (const auto& [name, bytes] : sample) {
      digest.update(fmt::format("{} {} {}\n", name.size(), name, bytes.size()));
      digest.update(std::span<const std::byte>(bytes));
    }
  }
  return digest.finish();
}

}  // namespace vrt::detail
