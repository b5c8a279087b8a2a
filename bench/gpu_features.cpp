// XFeat's work behind its network on a GPU: keypoints, the best of them, descriptors. As a graph of several submits, so that the host's time
// between launches does not count.
//
// In `sparse` heatmaps one pixel in 60 is above the threshold, about as many as a picture has; in `full` ones all pixels are equal and
// therefore keypoints, which is as many as there can be.
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "bench/gpu_modes.h"
#include "bench/gpu_timing.h"
#include "vrt/device/graph.h"
#include "vrt/device/memory.h"
#include "vrt/models/xfeat/feature_decoder.h"

namespace vrt {
namespace {

constexpr int kSamples = 31;
constexpr int kSubmits = 20;  // In a sample.
constexpr std::int32_t kKeep = 4096;

DeviceBuffer<float> random_plane(const Stream& stream, std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random() % 65536) / 65536;
  auto buffer = DeviceBuffer<float>::uninitialized(stream, count);
  upload_blocking(stream, values, buffer.span());
  return buffer;
}

DeviceBuffer<float> heatmap_of(const Stream& stream, std::size_t count, bool full) {
  std::mt19937 random(7);
  std::vector<float> values(count, full ? 0.5F : 0.01F);
  for (std::size_t i = 0; i < count && !full; ++i) {
    if (random() % 60 == 0) values[i] = 0.05F + static_cast<float>(random() % 60000) / 65536;
  }
  auto buffer = DeviceBuffer<float>::uninitialized(stream, count);
  upload_blocking(stream, values, buffer.span());
  return buffer;
}

ReportRow measure(const Stream& stream, Size input, bool full) {
  const std::size_t pixels = static_cast<std::size_t>(input.width) * static_cast<std::size_t>(input.height);
  const auto heatmap = heatmap_of(stream, pixels, full);
  const auto reliability = random_plane(stream, pixels, 8);
  const auto descriptors = random_plane(stream, pixels, 9);
  auto counts = DeviceBuffer<std::int32_t>::zeros(stream, FeatureDecoder::kCounts);
  auto keypoints = DeviceBuffer<float>::zeros(stream, std::size_t{3} * kKeep);
  auto described = DeviceBuffer<float>::zeros(stream, std::size_t{XFeat::kChannels} * kKeep);
  FeatureDecoder decoder(stream, input, {.max_keypoints = kKeep});
  const ResizeMapping mapping = ResizeMapping::make(ResizeMode::kStretch, input, input);
  const auto submit = [&] {
    decoder.submit({input, descriptors.span(), heatmap.span(), reliability.span()}, mapping,
                   {counts.span(), keypoints.span(), described.span()});
  };
  const Graph graph = Graph::capture(stream, [&] {
    for (int i = 0; i < kSubmits; ++i) submit();
  });
  const auto times = gpu_times_us(stream, kSamples, [&] { graph.launch(stream); });
  const auto launched = gpu_times_us(stream, kSamples, submit);
  const std::vector<std::int32_t> found = read_back_blocking(stream, counts.span());
  return {{"input", std::to_string(input.width) + "x" + std::to_string(input.height)},
          {"heatmap", full ? "full" : "sparse"},
          {"candidates", std::int64_t{found[FeatureDecoder::kCandidates]}},
          {"keypoints", std::int64_t{found[FeatureDecoder::kKeypoints]}},
          {"gpu_us", median(times) / kSubmits},
          {"gpu_us_p95", quantile(times, 0.95) / kSubmits},
          {"gpu_us_without_graph", median(launched)}};
}

}  // namespace

void measure_features(Device device, GpuReport& report) {
  const Stream stream(device);
  for (const Size input : {Size{640, 480}, Size{1920, 1056}}) {
    for (const bool full : {false, true}) report.add_row(measure(stream, input, full));
  }
}

}  // namespace vrt
