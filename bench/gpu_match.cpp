// Matching on a GPU: two sets of descriptors to mutual nearest neighbours. As a graph of several submits, so that the host's time between
// launches does not count. `limit_us` is what the arithmetic alone would take at the GPU's published dense rate (H200: 989 TFLOP/s in float16,
// 67 in float32); on another GPU the column means nothing.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "bench/gpu_modes.h"
#include "bench/gpu_timing.h"
#include "vrt/device/graph.h"
#include "vrt/device/memory.h"
#include "vrt/models/xfeat/matcher.h"

namespace vrt {
namespace {

constexpr int kSamples = 31;
constexpr int kSubmits = 20;  // In a sample.
constexpr std::size_t kChannels = Matcher::kChannels;
constexpr double kHalfRate = 989e12;
constexpr double kFloatRate = 67e12;

void normalise(float* descriptor) {
  double squares = 0;
  for (std::size_t c = 0; c < kChannels; ++c) squares += double{descriptor[c]} * double{descriptor[c]};
  for (std::size_t c = 0; c < kChannels; ++c) descriptor[c] = static_cast<float>(descriptor[c] / std::sqrt(squares));
}

// Unit vectors, and the same ones a little off and the other way round: most of them match.
struct Sets {
  std::vector<float> first;
  std::vector<float> second;
};

Sets sets_of(std::size_t count) {
  std::mt19937 random(1);
  std::normal_distribution<float> value;
  Sets sets{std::vector<float>(count * kChannels), std::vector<float>(count * kChannels)};
  for (std::size_t i = 0; i < count; ++i) {
    float* one = sets.first.data() + i * kChannels;
    float* other = sets.second.data() + (count - 1 - i) * kChannels;
    for (std::size_t c = 0; c < kChannels; ++c) one[c] = value(random);
    normalise(one);
    for (std::size_t c = 0; c < kChannels; ++c) other[c] = one[c] + 0.05F * value(random);
    normalise(other);
  }
  return sets;
}

DeviceBuffer<float> uploaded(const Stream& stream, const std::vector<float>& values) {
  auto buffer = DeviceBuffer<float>::uninitialized(stream, values.size());
  upload_blocking(stream, values, buffer.span());
  return buffer;
}

ReportRow measure(const Stream& stream, std::size_t descriptors, MatchPrecision precision) {
  const Sets sets = sets_of(descriptors);
  const auto first = uploaded(stream, sets.first);
  const auto second = uploaded(stream, sets.second);
  const auto count = static_cast<std::int32_t>(descriptors);
  auto counts = DeviceBuffer<std::int32_t>::uninitialized(stream, 1);
  upload_blocking(stream, std::vector<std::int32_t>{count}, counts.span());
  Matcher matcher(stream, {.max_descriptors = count, .precision = precision});
  MatchResult result = matcher.allocate_result();
  const auto submit = [&] { matcher.submit({first.span(), counts.span()}, {second.span(), counts.span()}, result); };
  const Graph graph = Graph::capture(stream, [&] {
    for (int i = 0; i < kSubmits; ++i) submit();
  });
  const auto times = gpu_times_us(stream, kSamples, [&] { graph.launch(stream); });
  const auto launched = gpu_times_us(stream, kSamples, submit);
  const bool is_half = precision == MatchPrecision::kFloat16;
  const double operations = 2.0 * static_cast<double>(descriptors) * static_cast<double>(descriptors) * kChannels;
  return {
      {"descriptors", std::int64_t{count}},       {"precision", is_half ? "float16" : "float32"},
      {"gpu_us", median(times) / kSubmits},       {"gpu_us_p95", quantile(times, 0.95) / kSubmits},
      {"gpu_us_without_graph", median(launched)}, {"limit_us", operations / (is_half ? kHalfRate : kFloatRate) * 1e6},
      {"matches", std::int64_t{result.count()}}};
}

}  // namespace

void measure_match(Device device, GpuReport& report) {
  const Stream stream(device);
  for (const std::size_t descriptors : {2048, 4096, 8192}) {
    for (const MatchPrecision precision : {MatchPrecision::kFloat16, MatchPrecision::kFloat32}) {
      report.add_row(measure(stream, descriptors, precision));
    }
  }
}

}  // namespace vrt
