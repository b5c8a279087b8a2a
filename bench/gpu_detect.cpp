// What detectors do behind their networks, on a GPU. As in gpu_preprocess.cpp the launches of a measurement are one graph. The
// data is what a network has just written: in the L2 cache, if it fits.
//
// Every number is a hash of its position, so that gpu_detect_against_python.py measures its peers on the same data:
//   boxes   centres on 640×640, sides of 16 to 144 pixels
//   scores  one of the 80 classes of a cell that passes has 0.3 to 1, all others stay below 0.2
//   logits  -8 to 2
//   masks   an ellipse for each instance, of another size and place; or noise, where every word has to be blended
#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/gpu_modes.h"
#include "bench/gpu_timing.h"
#include "vrt/device/graph.h"
#include "vrt/device/memory.h"
#include "vrt/models/common/detection_buffers.h"
#include "vrt/models/common/instance_masks.h"
#include "vrt/models/rfdetr/rfdetr_decoder.h"
#include "vrt/models/yolo/yolo_decoder.h"

namespace vrt {
namespace {

constexpr int kSamples = 31;
constexpr int kRepeats = 20;  // In a sample.
constexpr std::int32_t kClasses = 80;
constexpr std::int32_t kKept = 300;
constexpr std::int32_t kMasks = 100;
constexpr std::int32_t kMaskGrid = 108;

// A number of [0, 1) that depends on the two alone (the finaliser of MurmurHash3).
float hashed(std::uint32_t position, std::uint32_t stream) {
  std::uint32_t h = position * 0x9E3779B9U + stream * 0x7F4A7C15U;
  h = (h ^ (h >> 16U)) * 0x85EBCA6BU;
  h = (h ^ (h >> 13U)) * 0xC2B2AE35U;
  h ^= h >> 16U;
  return static_cast<float>(h >> 8U) / 16777216.0F;
}

// [84, cells], of which every `every`th cell passes.
std::vector<float> yolo_output(std::uint32_t cells, std::uint32_t every) {
  std::vector<float> values(std::size_t{4 + kClasses} * cells);
  for (std::uint32_t i = 0; i < cells; ++i) {
    values[i] = 640 * hashed(i, 0);
    values[cells + i] = 640 * hashed(i, 1);
    values[2 * cells + i] = 16 + 128 * hashed(i, 2);
    values[3 * cells + i] = 16 + 128 * hashed(i, 3);
    const auto best = static_cast<std::uint32_t>(static_cast<float>(kClasses) * hashed(i, 4));
    for (std::uint32_t c = 0; c < kClasses; ++c)
      values[(4 + c) * std::size_t{cells} + i] = 0.2F * hashed(i * kClasses + c, 5);
    if (i % every == 0) values[(4 + best) * std::size_t{cells} + i] = 0.3F + 0.7F * hashed(i, 6);
  }
  return values;
}

DeviceBuffer<float> to_device(const Stream& stream, const std::vector<float>& values) {
  auto buffer = DeviceBuffer<float>::uninitialized(stream, values.size());
  upload_blocking<float>(stream, values, buffer.span());
  return buffer;
}

struct Times {
  double median_us;
  double p95_us;
};

// Of one `work`, which runs kRepeats times in a graph.
template <typename Work>
Times times_of(const Stream& stream, const Work& work) {
  const Graph graph = Graph::capture(stream, [&] {
    for (int i = 0; i < kRepeats; ++i) work();
  });
  const auto times = gpu_times_us(stream, kSamples, [&] { graph.launch(stream); });
  return {median(times) / kRepeats, quantile(times, 0.95) / kRepeats};
}

ReportRow row_of(const std::string& what, const Times& times) {
  return {{"what", what}, {"gpu_us", times.median_us}, {"gpu_us_p95", times.p95_us}};
}

std::int64_t found_count(const Stream& stream, DetectionBuffers& objects) {
  return read_back_blocking(stream, objects.all_counts())[DetectionBuffers::kFound];
}

void measure_yolo(const Stream& stream, std::uint32_t cells, std::uint32_t every, GpuReport& report) {
  YoloFormat format;
  format.items = static_cast<std::int32_t>(cells);
  format.classes = kClasses;
  const auto values = to_device(stream, yolo_output(cells, every));
  YoloDecoder decoder(stream, format, {.max_detections = kKept});
  DetectionBuffers objects(stream, kKept, 0, std::make_shared<const ClassNames>());
  InstanceMasks none(stream, {});
  const auto mapping = ResizeMapping::make(ResizeMode::kLetterbox, {1920, 1080}, {640, 640});
  const Times times = times_of(stream, [&] { decoder.submit({values.span(), {}}, mapping, objects, none); });
  ReportRow row = row_of(fmt::format("decode and suppress, {} of {} pass", (cells + every - 1) / every, cells), times);
  row.push_back({"found", found_count(stream, objects)});
  report.add_row(row);
}

void measure_rfdetr(const Stream& stream, float threshold, GpuReport& report) {
  RfDetrFormat format;
  format.queries = 300;
  format.columns = 91;
  std::vector<float> logits(300 * 91);
  std::vector<float> boxes(300 * 4);
  for (std::uint32_t i = 0; i < logits.size(); ++i) logits[i] = -8 + 10 * hashed(i, 7);
  for (std::uint32_t i = 0; i < boxes.size(); ++i) boxes[i] = 0.1F + 0.4F * hashed(i, 8);
  const auto device_logits = to_device(stream, logits);
  const auto device_boxes = to_device(stream, boxes);
  RfDetrDecoder decoder(stream, format, {.score_threshold = threshold, .max_detections = kKept});
  DetectionBuffers objects(stream, kKept, 0, std::make_shared<const ClassNames>());
  const auto mapping = ResizeMapping::make(ResizeMode::kStretch, {1920, 1080}, {512, 512});
  const Times times =
      times_of(stream, [&] { decoder.submit(device_boxes.span(), device_logits.span(), mapping, objects); });
  ReportRow row = row_of(fmt::format("selection, 300 x 91, threshold {}", threshold), times);
  row.push_back({"found", found_count(stream, objects)});
  report.add_row(row);
}

std::vector<float> ellipses() {
  std::vector<float> planes(std::size_t{kMasks} * kMaskGrid * kMaskGrid);
  for (std::uint32_t mask = 0; mask < kMasks; ++mask) {
    const float centre_x = 108 * hashed(mask, 9);
    const float centre_y = 108 * hashed(mask, 10);
    const float radius_x = 5 + 25 * hashed(mask, 11);
    const float radius_y = 5 + 25 * hashed(mask, 12);
    for (std::size_t i = 0; i < std::size_t{kMaskGrid} * kMaskGrid; ++i) {
      const float x = (static_cast<float>(i % kMaskGrid) + 0.5F - centre_x) / radius_x;
      const float y = (static_cast<float>(i / kMaskGrid) + 0.5F - centre_y) / radius_y;
      planes[mask * std::size_t{kMaskGrid} * kMaskGrid + i] = 4 * (1 - x * x - y * y);
    }
  }
  return planes;
}

std::vector<float> noise_planes() {
  std::vector<float> planes(std::size_t{kMasks} * kMaskGrid * kMaskGrid);
  for (std::uint32_t i = 0; i < planes.size(); ++i) planes[i] = hashed(i, 13) - 0.5F;
  return planes;
}

void measure_masks(const Stream& stream, const std::string& kind, const std::vector<float>& planes, Size size,
                   double copied_a_second, GpuReport& report) {
  const auto logits = to_device(stream, planes);
  const std::vector<std::int32_t> one_count{kMasks};
  auto count = DeviceBuffer<std::int32_t>::uninitialized(stream, 1);
  upload_blocking<std::int32_t>(stream, one_count, count.span());
  const MaskUpsampler upsampler(stream);
  InstanceMasks masks(stream, {.size = size, .most = kMasks});
  const auto mapping = ResizeMapping::make(ResizeMode::kStretch, size, {432, 432});
  const Times times = times_of(
      stream, [&] { upsampler.submit({logits.span(), {kMaskGrid, kMaskGrid}, {}, {}}, mapping, count.span(), masks); });
  ReportRow row = row_of(fmt::format("{} masks to {}x{}, {}", kMasks, size.width, size.height, kind), times);
  const auto bytes = static_cast<std::int64_t>(masks.words().size_bytes());
  row.push_back({"bytes_written", bytes});
  row.push_back({"percent_of_copy", 100 * static_cast<double>(bytes) / (times.median_us * 1e-6) / copied_a_second});
  // What a mask of one byte a pixel would take at the speed of a copy.
  const double pixels = double{kMasks} * size.width * size.height;
  row.push_back({"byte_masks_us", pixels / copied_a_second * 1e6});
  report.add_row(row);
}

}  // namespace

void measure_detect(Device device, GpuReport& report) {
  const Stream stream(device);
  const double copied_a_second = copy_speed(stream);
  report.add_fact({"copy_gb_per_s", copied_a_second * 1e-9});
  measure_yolo(stream, 8400, 84, report);
  measure_yolo(stream, 8400, 1, report);
  measure_yolo(stream, 34000, 1, report);
  for (const float threshold : {0.0F, 0.5F}) measure_rfdetr(stream, threshold, report);
  const auto objects = ellipses();
  const auto noise = noise_planes();
  for (const Size size : {Size{1920, 1080}, Size{3840, 2160}}) {
    measure_masks(stream, "ellipses", objects, size, copied_a_second, report);
    measure_masks(stream, "noise", noise, size, copied_a_second, report);
  }
}

}  // namespace vrt
