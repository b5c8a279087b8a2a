// Preprocessing on one thread beside OpenCV's way to the same tensor: cvtColor where needed, resize, convertTo, split.
// preprocess_against_python.py adds blobFromImage and Pillow. Waits are included; bytes per second count source and tensor.
#include <benchmark/benchmark.h>

#include <opencv2/core.hpp>
#include <opencv2/core/utility.hpp>
#include <opencv2/imgproc.hpp>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "vrt/device/stream.h"
#include "vrt/image/preprocessor.h"

namespace vrt {
namespace {

struct Case {
  Size source;
  Size target;
};

constexpr Case kCases[] = {
    {{1280, 720}, {640, 480}}, {{1280, 720}, {640, 640}}, {{3840, 2160}, {640, 480}}, {{3840, 2160}, {640, 640}}};

std::vector<std::uint8_t> noise(std::size_t bytes) {
  std::vector<std::uint8_t> result(bytes);
  std::uint32_t state = 1;
  for (std::uint8_t& value : result) value = static_cast<std::uint8_t>((state = state * 1664525U + 1013904223U) >> 24);
  return result;
}

std::size_t tensor_floats(Size size) {
  return std::size_t{3} * static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
}

void count_bytes(benchmark::State& state, const Case& c, PixelFormat format) {
  const std::size_t bytes = packed_bytes(c.source, format) + tensor_floats(c.target) * sizeof(float);
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
}

// The shortest of all calls too, as best_ms: what a busy machine disturbs least.
template <typename Work>
void measure(benchmark::State& state, const Work& work) {
  std::chrono::duration<double, std::milli> best = std::chrono::hours(1);
  for (auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    best = std::min<decltype(best)>(best, std::chrono::steady_clock::now() - begin);
  }
  state.counters["best_ms"] = best.count();
}

void run_vrt(benchmark::State& state, const Case& c, PixelFormat format, Interpolation interpolation) {
  const std::vector<std::uint8_t> pixels = noise(packed_bytes(c.source, format));
  const ImageView image = ImageView::packed(Device::cpu(), pixels.data(), c.source, format);
  const Stream stream(Device::cpu());
  Preprocessor preprocessor(stream, {.target = c.target, .interpolation = interpolation});
  auto output = DeviceBuffer<float>::uninitialized(stream, tensor_floats(c.target));
  measure(state, [&] {
    preprocessor.submit(image, output.span());
    stream.synchronize();
  });
  count_bytes(state, c, format);
}

void run_opencv(benchmark::State& state, const Case& c, PixelFormat format) {
  std::vector<std::uint8_t> pixels = noise(packed_bytes(c.source, format));
  std::vector<float> tensor(tensor_floats(c.target));
  std::vector<cv::Mat> channels;
  for (int i = 0; i < 3; ++i) {
    const std::size_t begin = static_cast<std::size_t>(i) * tensor.size() / 3;
    channels.emplace_back(c.target.height, c.target.width, CV_32F, tensor.data() + begin);
  }
  const bool is_nv12 = format == PixelFormat::kNv12;
  const cv::Mat stored(is_nv12 ? c.source.height * 3 / 2 : c.source.height, c.source.width, is_nv12 ? CV_8UC1 : CV_8UC3,
                       pixels.data());
  cv::Mat rgb = stored;
  cv::Mat small;
  cv::Mat scaled;
  if (is_nv12) rgb = cv::Mat();
  measure(state, [&] {
    if (is_nv12) cv::cvtColor(stored, rgb, cv::COLOR_YUV2RGB_NV12);
    cv::resize(rgb, small, {c.target.width, c.target.height}, 0, 0, cv::INTER_LINEAR);
    small.convertTo(scaled, CV_32F, 1 / 255.0);
    cv::split(scaled, channels);
    benchmark::DoNotOptimize(tensor.data());
  });
  count_bytes(state, c, format);
}

void add(const std::string& name, const Case& c, void (*run)(benchmark::State&, const Case&)) {
  const auto text = [](Size size) { return std::to_string(size.width) + "x" + std::to_string(size.height); };
  benchmark::RegisterBenchmark((name + "/" + text(c.source) + "/" + text(c.target)).c_str(), run, c)
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

void add_all() {
  for (const Case& c : kCases) {
    add("rgb8/vrt", c, [](benchmark::State& state, const Case& of) {
      run_vrt(state, of, PixelFormat::kRgb8, Interpolation::kBilinear);
    });
    add("rgb8/opencv", c, [](benchmark::State& state, const Case& of) { run_opencv(state, of, PixelFormat::kRgb8); });
    add("nv12/vrt", c, [](benchmark::State& state, const Case& of) {
      run_vrt(state, of, PixelFormat::kNv12, Interpolation::kBilinear);
    });
    add("nv12/opencv", c, [](benchmark::State& state, const Case& of) { run_opencv(state, of, PixelFormat::kNv12); });
    add("antialiased/vrt", c, [](benchmark::State& state, const Case& of) {
      run_vrt(state, of, PixelFormat::kRgb8, Interpolation::kBilinearAntialiased);
    });
  }
}

}  // namespace
}  // namespace vrt

int main(int argc, char** argv) {
  setenv("VRT_THREADS", "1", 1);  // Before the pool is made: both sides get one thread.
  cv::setNumThreads(1);
  benchmark::Initialize(&argc, argv);
  vrt::add_all();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
