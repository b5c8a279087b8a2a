// Preprocessing on a GPU. The launches of a measurement are one graph, so that the host's time between launches does not count; what
// lies between two kernels of a graph on the device does, and the empty kernel's row shows how much that is.
//
// Bytes are those that a pass has to move, whatever the caches do:
//   read     the rows of each plane that some output row is made of, each of them once and whole: along a row the taps lie closer
//            than a sector of 32 bytes, so that none can be left out. Bilinear reads two rows for an output row (at 4K in 640 rows
//            that leaves many out), of 4:2:0 chroma the rows that belong to these; antialiased reads all rows under its triangles
//   written  3 float planes of 640×640, padding included
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <set>
#include <string>

#include "bench/gpu_modes.h"
#include "bench/gpu_timing.h"
#include "vrt/device/cuda/driver.h"
#include "vrt/device/graph.h"
#include "vrt/device/kernel.h"
#include "vrt/device/memory.h"
#include "vrt/image/preprocessor.h"

namespace vrt {
namespace {

constexpr Size kTarget{640, 640};
constexpr std::size_t kPictureFloats = std::size_t{3} * 640 * 640;
constexpr std::array<std::int32_t, 3> kBatches{1, 8, 64};
constexpr int kSamples = 31;
constexpr int kLeastLaunches = 20;  // In a sample.

struct Case {
  Size source;
  PixelFormat format;
  ResizeMode mode;
  Interpolation interpolation;
  std::int32_t frames;
};

struct Bytes {
  std::size_t read = 0;
  std::size_t written = 0;
};

// The rows of plane 0 that output row `y` of the filled region reads.
std::pair<std::int32_t, std::int32_t> rows_of(const ResizeMapping& mapping, Interpolation interpolation,
                                              std::int32_t y) {
  const double scale = mapping.scale_y();
  const double centre = (y + 0.5) * scale;
  if (interpolation == Interpolation::kBilinear) {
    const auto first = static_cast<std::int32_t>(std::floor(centre - 0.5));
    return {first, first + 1};
  }
  const double half_base = std::max(scale, 1.0);
  return {static_cast<std::int32_t>(std::floor(centre - half_base + 0.5)),
          static_cast<std::int32_t>(std::floor(centre + half_base + 0.5)) - 1};
}

std::set<std::int32_t> rows_read(const Case& c) {
  const ResizeMapping mapping = ResizeMapping::make(c.mode, c.source, kTarget);
  std::set<std::int32_t> rows;
  for (std::int32_t y = 0; y < mapping.filled.height; ++y) {
    const auto [first, last] = rows_of(mapping, c.interpolation, y);
    for (std::int32_t row = first; row <= last; ++row) rows.insert(std::clamp(row, 0, c.source.height - 1));
  }
  return rows;
}

// Of one picture.
Bytes bytes_of(const Case& c) {
  const std::set<std::int32_t> rows = rows_read(c);
  Bytes bytes{0, kPictureFloats * sizeof(float)};
  for (int plane = 0; plane < plane_count(c.format); ++plane) {
    const bool is_halved = row_count(c.format, c.source.height, plane) < c.source.height;
    std::set<std::int32_t> own;
    for (const std::int32_t row : rows) own.insert(is_halved ? row / 2 : row);
    bytes.read += own.size() * row_bytes(c.format, c.source.width, plane);
  }
  return bytes;
}

// Sources and outputs of consecutive launches lie elsewhere, and come round only after several times what the L2 cache holds.
std::size_t ring_bytes(Device device) {
  constexpr cuda::Enum kAttributeL2CacheSize = 38;
  constexpr std::size_t kLeast = std::size_t{256} << 20U;
  cuda::DeviceId id = 0;
  int l2_bytes = 0;
  cuda::check(cuda::driver().device_get(&id, device.ordinal()), "cuDeviceGet", "asking for the size of the L2 cache");
  cuda::check(cuda::driver().device_get_attribute(&l2_bytes, kAttributeL2CacheSize, id), "cuDeviceGetAttribute",
              "asking for the size of the L2 cache");
  return std::max(kLeast, 4 * static_cast<std::size_t>(l2_bytes));
}

std::vector<std::uint8_t> noise(std::size_t bytes) {
  std::vector<std::uint8_t> result(bytes);
  std::uint32_t state = 1;
  for (std::uint8_t& value : result) value = static_cast<std::uint8_t>((state = state * 1664525U + 1013904223U) >> 24);
  return result;
}

// Pictures of one size and format, and room for what they become.
class Ring {
 public:
  Ring(const Stream& stream, Size size, PixelFormat format);

  // How many batches of `frames` pictures there are.
  [[nodiscard]] std::size_t batches(std::int32_t frames) const { return count_ / static_cast<std::size_t>(frames); }
  void submit(Preprocessor& preprocessor, std::int32_t frames, std::size_t batch);

 private:
  Stream stream_;
  Size size_;
  PixelFormat format_;
  std::size_t picture_bytes_;
  std::size_t count_;
  DeviceBuffer<std::uint8_t> pictures_;
  DeviceBuffer<float> outputs_;
};

Ring::Ring(const Stream& stream, Size size, PixelFormat format)
    : stream_(stream), size_(size), format_(format), picture_bytes_(packed_bytes(size, format)) {
  constexpr std::size_t kMost = kBatches.back();
  count_ = (ring_bytes(stream.device()) / picture_bytes_ / kMost + 1) * kMost;
  pictures_ = DeviceBuffer<std::uint8_t>::uninitialized(stream, count_ * picture_bytes_);
  outputs_ = DeviceBuffer<float>::zeros(stream, count_ * kPictureFloats);
  const auto picture = [&](std::size_t i) { return pictures_.span().subspan(i * picture_bytes_, picture_bytes_); };
  upload_blocking(stream, noise(picture_bytes_), picture(0));
  for (std::size_t i = 1; i < count_; ++i) copy(stream, picture(0), picture(i));
  stream.synchronize();
}

void Ring::submit(Preprocessor& preprocessor, std::int32_t frames, std::size_t batch) {
  const std::size_t first = batch * static_cast<std::size_t>(frames);
  const auto images =
      ImageBatch::packed(stream_.device(), pictures_.span().data() + first * picture_bytes_, frames, size_, format_);
  preprocessor.submit_batch(
      images, outputs_.span().subspan(first * kPictureFloats, static_cast<std::size_t>(frames) * kPictureFloats));
}

struct GpuTime {
  double median_us;
  double p95_us;
};

GpuTime time_of(const Stream& stream, const Case& c, Ring& ring) {
  Preprocessor preprocessor(stream, {.target = kTarget, .mode = c.mode, .interpolation = c.interpolation});
  const std::size_t batches = ring.batches(c.frames);
  const std::size_t launches = (kLeastLaunches + batches - 1) / batches * batches;
  const Graph graph = Graph::capture(stream, [&] {
    for (std::size_t i = 0; i < launches; ++i) ring.submit(preprocessor, c.frames, i % batches);
  });
  const auto times = gpu_times_us(stream, kSamples, [&] { graph.launch(stream); });
  const auto each = static_cast<double>(launches);
  return {median(times) / each, quantile(times, 0.95) / each};
}

double empty_kernel_us(const Stream& stream) {
  constexpr int kLaunches = 100;
  const auto nothing =
      KernelModule::compile(stream.device(), "small.cu", kSmallKernels).get<void(std::int32_t)>("nothing");
  const Graph graph = Graph::capture(stream, [&] {
    for (int i = 0; i < kLaunches; ++i) nothing.launch(stream, grid_1d(1, 32), std::int32_t{0});
  });
  return median(gpu_times_us(stream, kSamples, [&] { graph.launch(stream); })) / kLaunches;
}

ReportRow row_of(const Case& c, const GpuTime& time, double copied_a_second) {
  const Bytes one = bytes_of(c);
  const auto frames = static_cast<std::int64_t>(c.frames);
  const double bytes = static_cast<double>(frames) * static_cast<double>(one.read + one.written);
  const double a_second = bytes / (time.median_us * 1e-6);
  return {{"source", fmt::format("{}x{}", c.source.width, c.source.height)},
          {"format", std::string(to_string(c.format))},
          {"mode", c.mode == ResizeMode::kStretch ? "stretch" : "letterbox"},
          {"filter", c.interpolation == Interpolation::kBilinear ? "bilinear" : "antialiased"},
          {"frames", frames},
          {"gpu_us", time.median_us},
          {"gpu_us_p95", time.p95_us},
          {"bytes_read", frames * static_cast<std::int64_t>(one.read)},
          {"bytes_written", frames * static_cast<std::int64_t>(one.written)},
          {"gb_per_s", a_second * 1e-9},
          {"percent_of_copy", 100 * a_second / copied_a_second}};
}

void add_rows(const Stream& stream, Size source, PixelFormat format, double copied_a_second, GpuReport& report) {
  Ring ring(stream, source, format);
  for (const ResizeMode mode : {ResizeMode::kStretch, ResizeMode::kLetterbox}) {
    for (const Interpolation filter : {Interpolation::kBilinear, Interpolation::kBilinearAntialiased}) {
      for (const std::int32_t frames : kBatches) {
        const Case c{source, format, mode, filter, frames};
        report.add_row(row_of(c, time_of(stream, c, ring), copied_a_second));
      }
    }
  }
}

}  // namespace

void measure_preprocess(Device device, GpuReport& report) {
  const Stream stream(device);
  const double copied_a_second = copy_speed(stream);
  report.add_fact({"copy_gb_per_s", copied_a_second * 1e-9});
  report.add_fact({"empty_kernel_us", empty_kernel_us(stream)});
  report.add_fact({"ring_bytes", static_cast<std::int64_t>(ring_bytes(device))});
  for (const Size source : {Size{1920, 1080}, Size{3840, 2160}}) {
    for (const PixelFormat format : {PixelFormat::kNv12, PixelFormat::kRgb8})
      add_rows(stream, source, format, copied_a_second, report);
  }
}

}  // namespace vrt
