#include "vrt/pipeline/selftest_kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "vrt/base/fail.h"
#include "vrt/device/cpu/host_build.h"
#include "vrt/device/stream.h"
#include "vrt/image/preprocessor.h"
#include "vrt/models/centerface/face_decoder.h"
#include "vrt/models/common/candidate_ranking.h"
#include "vrt/models/common/candidate_selection.h"
#include "vrt/models/common/detection_buffers.h"
#include "vrt/models/common/instance_masks.h"
#include "vrt/models/common/non_maximum_suppression.h"
#include "vrt/models/rfdetr/appearance.h"
#include "vrt/models/rfdetr/keypoint_gathering.h"
#include "vrt/models/rfdetr/rfdetr_decoder.h"
#include "vrt/models/yolo/yolo_decoder.h"
#include "vrt/pipeline/kernel_list.h"
#include "vrt/pipeline/selftest_dense.h"
#include "vrt/pipeline/selftest_inputs.h"
#include "vrt/pipeline/selftest_outcome.h"

namespace vrt {

namespace {

using selftest::Compute;
using selftest::DevicePicture;
using selftest::marked;
using selftest::Outcome;
using selftest::Seeded;
using selftest::to_device;

// Pixels of the source picture. expf differs by a unit in the last place between libraries; a box of 500 pixels moves by less
// than a thousandth of a pixel.
constexpr float kTolerance = 1e-2F;

Outcome compute_reference(Compute compute) {
  const cpu::ScopedHostBuild baseline([](const KernelSource& source) { return source.host_baseline; });
  return compute(Stream(Device::cpu()));
}

void require_equal(const Outcome& found, const Outcome& expected) {
  if (found.exact.size() != expected.exact.size() || found.close.size() != expected.close.size()) {
    fail(ErrorCode::kInternal,
         "results of {} bytes and {} coordinates; the CPU's baseline build gives {} bytes and {} coordinates",
         found.exact.size(), found.close.size(), expected.exact.size(), expected.close.size());
  }
  const auto differing = std::ranges::mismatch(found.exact, expected.exact).in1 - found.exact.begin();
  if (differing != std::ssize(found.exact)) {
    fail(ErrorCode::kInternal, "byte {} of {} is not that of the CPU's baseline build", differing, found.exact.size());
  }
  for (std::size_t i = 0; i < found.close.size(); ++i) {
    if (!(std::abs(found.close[i] - expected.close[i]) <= kTolerance)) {
      fail(ErrorCode::kInternal, "coordinate {} is {}; the CPU's baseline build gives {}", i, found.close[i],
           expected.close[i]);
    }
  }
}

// True if the kernels that would be loaded are the reference itself.
bool is_reference(Device device) {
  const auto sources = all_kernel_sources();
  return device.is_cpu() && std::ranges::all_of(sources, [](const KernelSource* source) {
           return cpu::host_build_of(*source).data() == source->host_baseline.data();
         });
}

std::string compare(Device device, Compute compute) {
  if (is_reference(device)) {
    throw CheckNotRun("the CPU runs the baseline build here, which is the reference: nothing to compare it with");
  }
  const Outcome found = compute(Stream(device));
  require_equal(found, compute_reference(compute));
  std::string detail = fmt::format("{} bytes equal", found.exact.size());
  if (!found.close.empty()) detail += fmt::format(", {} coordinates within {} pixels", found.close.size(), kTolerance);
  return detail;
}

constexpr std::array kFormats{PixelFormat::kRgb8, PixelFormat::kBgr8, PixelFormat::kRgba8, PixelFormat::kGray8,
                              PixelFormat::kNv12, PixelFormat::kI420, PixelFormat::kYuyv};
constexpr Size kPicture{173, 91};
// NV12 of this size has its chroma at an even address, which a kernel asks for.
constexpr Size kEvenPicture{172, 90};
constexpr Size kTarget{96, 64};
constexpr std::size_t kTargetFloats = std::size_t{3} * kTarget.width * kTarget.height;

PreprocessOptions preprocess_options(Interpolation interpolation) {
  PreprocessOptions options{.target = kTarget, .mode = ResizeMode::kLetterbox, .interpolation = interpolation};
  options.mean = {0.485F, 0.456F, 0.406F};
  options.standard_deviation = {0.229F, 0.224F, 0.225F};
  return options;
}

template <Interpolation kInterpolation>
Outcome preprocess_pictures(const Stream& stream) {
  Preprocessor preprocessor(stream, preprocess_options(kInterpolation));
  Outcome outcome;
  const auto add = [&](Size size, PixelFormat format, std::size_t seed) {
    const DevicePicture picture(stream, size, format, seed);
    auto output = marked<float>(stream, kTargetFloats);
    preprocessor.submit(picture.view, output.span());
    outcome.add_exact(read_back_blocking(stream, output.span()));
  };
  for (std::size_t i = 0; i < kFormats.size(); ++i) add(kPicture, kFormats[i], i);
  add(kEvenPicture, PixelFormat::kNv12, kFormats.size());
  return outcome;
}

template <Interpolation kInterpolation>
Outcome preprocess_crops(const Stream& stream) {
  const std::vector<CropBox> boxes{{0, 0, 173, 91}, {10.5F, 20.25F, 60, 70}, {-20, -10, 90, 120}, {5, 5, 6, 6}};
  const auto device_boxes = to_device(stream, boxes);
  // The last one does not count: its part of the output stays marked.
  const auto count = to_device<std::int32_t>(stream, {3});
  Preprocessor preprocessor(stream, preprocess_options(kInterpolation));
  Outcome outcome;
  // Both kinds of formats, with rows that begin at whole words, which GPUs read otherwise than those of kPicture.
  for (const PixelFormat format : {PixelFormat::kNv12, PixelFormat::kRgb8}) {
    const DevicePicture picture(stream, {172, 91}, format, 11);
    auto output = marked<float>(stream, boxes.size() * kTargetFloats);
    preprocessor.submit_crops(picture.view, device_boxes.span(), count.span(), output.span());
    outcome.add_exact(read_back_blocking(stream, output.span()));
  }
  return outcome;
}

// Few scores and many keys, so that ties are broken by the index, and more keys than are ranked.
Outcome rank_candidates(const Stream& stream) {
  constexpr std::int32_t kKeys = 3000;
  Seeded random(3);
  std::vector<std::uint64_t> keys;
  for (std::uint32_t i = 0; i < kKeys; ++i) keys.push_back((std::uint64_t{random.next() % 512} << 32U) | ~i);
  CandidateRanking ranking(stream, kKeys);
  upload_blocking<std::uint64_t>(stream, keys, ranking.keys());
  const auto count = to_device<std::int32_t>(stream, {kKeys});
  auto ranked_count = marked<std::int32_t>(stream, 1);
  ranking.submit(count.span(), ranked_count.span());
  Outcome outcome;
  outcome.add_exact(read_back_blocking(stream, ranked_count.span()));
  outcome.add_exact(read_back_blocking(stream, ranking.ranked()));
  return outcome;
}

Outcome suppress_boxes(const Stream& stream) {
  constexpr std::size_t kBoxes = 700;
  Seeded random(4);
  std::vector<kernels::float4> boxes;
  std::vector<std::int32_t> classes;
  for (std::size_t i = 0; i < kBoxes; ++i) {
    const float x = random.between(0, 512);
    const float y = random.between(0, 512);
    boxes.push_back({x, y, x + random.between(16, 80), y + random.between(16, 80)});
    classes.push_back(static_cast<std::int32_t>(random.next() % 3));
  }
  const auto device_boxes = to_device(stream, boxes);
  const auto device_classes = to_device(stream, classes);
  const auto count = to_device<std::int32_t>(stream, {static_cast<std::int32_t>(kBoxes)});
  NonMaximumSuppression suppression(stream, {.threshold = 0.3F, .max_kept = 400});
  auto kept_count = marked<std::int32_t>(stream, 1);
  suppression.submit(device_boxes.span(), device_classes.span(), count.span(), kept_count.span());
  const std::vector<std::int32_t> kept = read_back_blocking(stream, kept_count.span());
  Outcome outcome;
  outcome.add_exact(kept);
  // What lies beyond is not written.
  const auto valid = static_cast<std::size_t>(std::clamp(kept[0], 0, 400));
  outcome.add_exact(read_back_blocking(stream, suppression.kept().subspan(0, valid)));
  return outcome;
}

constexpr Size kGrid{40, 32};
constexpr std::size_t kCells = std::size_t{kGrid.width} * kGrid.height;

DeviceBuffer<float> random_map(const Stream& stream, std::size_t planes, float low, float high, std::uint64_t seed) {
  Seeded random(seed);
  std::vector<float> values(planes * kCells);
  for (float& value : values) value = random.between(low, high);
  return to_device(stream, values);
}

Outcome decode_faces(const Stream& stream) {
  const auto heatmap = random_map(stream, 1, 0, 1, 5);
  const auto scale = random_map(stream, 2, -0.5F, 2.5F, 6);
  const auto offset = random_map(stream, 2, -0.5F, 0.5F, 7);
  const auto landmarks = random_map(stream, 10, -0.25F, 1.25F, 8);
  auto counts = marked<std::int32_t>(stream, FaceDecoder::kCounts);
  auto boxes = marked<kernels::float4>(stream, CenterFace::kMaxFaces);
  auto scores = marked<float>(stream, CenterFace::kMaxFaces);
  auto points = marked<kernels::float2>(stream, std::size_t{5} * CenterFace::kMaxFaces);
  FaceDecoder decoder(stream, kGrid, {});
  const auto mapping = ResizeMapping::make(ResizeMode::kLetterbox, {256, 256}, {kGrid.width * 4, kGrid.height * 4});
  decoder.submit({kGrid, heatmap.span(), scale.span(), offset.span(), landmarks.span()}, mapping,
                 {counts.span(), boxes.span(), scores.span(), points.span()});
  const std::vector<std::int32_t> found = read_back_blocking(stream, counts.span());
  const auto faces = static_cast<std::size_t>(std::clamp(found[FaceDecoder::kFaces], 0, CenterFace::kMaxFaces));
  Outcome outcome;
  outcome.add_exact(found);
  outcome.add_exact(read_back_blocking(stream, scores.span().subspan(0, faces)));
  for (const auto& box : read_back_blocking(stream, boxes.span().subspan(0, faces))) {
    outcome.close.insert(outcome.close.end(), {box.x, box.y, box.z, box.w});
  }
  for (const auto& point : read_back_blocking(stream, points.span().subspan(0, 5 * faces))) {
    outcome.close.insert(outcome.close.end(), {point.x, point.y});
  }
  return outcome;
}

DeviceBuffer<float> random_floats(const Stream& stream, std::size_t count, float low, float high, std::uint64_t seed) {
  Seeded random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = random.between(low, high);
  return to_device(stream, values);
}

// What a detector found: which, in which order, is exact; where and how sure is close.
Outcome found_objects(const Stream& stream, DetectionBuffers& objects) {
  const FoundSpans found = objects.found();
  const std::vector<std::int32_t> counts = read_back_blocking(stream, objects.all_counts());
  const auto count = std::min(static_cast<std::size_t>(std::max(counts[DetectionBuffers::kFound], 0)), objects.most());
  Outcome outcome;
  outcome.add_exact(counts);
  outcome.add_exact(read_back_blocking(stream, found.classes.subspan(0, count)));
  outcome.add_exact(read_back_blocking(stream, found.indices.subspan(0, count)));
  for (const float score : read_back_blocking(stream, found.scores.subspan(0, count)))
    outcome.close.push_back(100 * score);  // To a tenthousandth.
  for (const auto& box : read_back_blocking(stream, found.boxes.subspan(0, count)))
    outcome.close.insert(outcome.close.end(), {box.x, box.y, box.z, box.w});
  const std::size_t values = objects.keypoints().size() / objects.most() * count;
  const auto keypoints = read_back_blocking(stream, objects.keypoints().subspan(0, values));
  outcome.close.insert(outcome.close.end(), keypoints.begin(), keypoints.end());
  return outcome;
}

// Cells of a few classes, of which most pass: what is ranked, and what stays of it.
Outcome find_objects(const Stream& stream) {
  constexpr std::int32_t kObjects = 900;
  Seeded random(8);
  YoloFormat format;
  format.items = kObjects;
  format.classes = 3;
  format.task = YoloTask::kPose;
  format.keypoints = 2;
  format.keypoint_values = 3;
  std::vector<float> values(static_cast<std::size_t>(format.values()) * kObjects);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t value = i / kObjects;
    values[i] = value < 2 ? random.between(0, 256) : value < 4 ? random.between(16, 48) : random.between(0, 1);
  }
  const auto device_values = to_device(stream, values);
  YoloDecoder decoder(stream, format, {.score_threshold = 0.5F, .nms_threshold = 0.5F, .max_detections = 200});
  DetectionBuffers objects(stream, 200, format.keypoints, std::make_shared<const ClassNames>());
  InstanceMasks none(stream, {});
  decoder.submit({device_values.span(), {}}, ResizeMapping::make(ResizeMode::kLetterbox, {300, 200}, {256, 256}),
                 objects, none);
  return found_objects(stream, objects);
}

// Cells with objectness, as YOLOX's head gives them.
Outcome find_objects_of_rows(const Stream& stream) {
  constexpr Size kInput{160, 96};
  Seeded random(17);
  YoloFormat format;
  format.layout = YoloLayout::kYolox;
  format.items = 20 * 12 + 10 * 6 + 5 * 3;
  format.classes = 3;
  std::vector<float> values(static_cast<std::size_t>(format.values()) * static_cast<std::size_t>(format.items));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool is_box = i % static_cast<std::size_t>(format.values()) < 4;
    values[i] = is_box ? random.between(-1, 1) : random.between(0, 1);
  }
  values[4] = values[5] = 1;  // The first cell counts.
  const auto device_values = to_device(stream, values);
  YoloDecoder decoder(stream, format, {.nms_threshold = 0.5F, .max_detections = 200});
  DetectionBuffers objects(stream, 200, 0, std::make_shared<const ClassNames>());
  InstanceMasks none(stream, {});
  decoder.submit({device_values.span(), {}},
                 ResizeMapping::make(ResizeMode::kLetterbox, {300, 200}, kInput, PadPosition::kBottomRight), objects,
                 none);
  return found_objects(stream, objects);
}

// End-to-end objects with masks.
Outcome take_objects_with_masks(const Stream& stream) {
  constexpr std::int32_t kObjects = 40;
  Seeded random(9);
  YoloFormat format;
  format.layout = YoloLayout::kEndToEnd;
  format.task = YoloTask::kSegment;
  format.items = kObjects;
  format.coefficients = 4;
  format.prototype_size = {32, 24};
  std::vector<float> values;
  for (std::int32_t i = 0; i < kObjects; ++i) {
    const float x = i == 0 ? 0 : random.between(0, 80);  // The first one's mask begins where the prototypes do.
    const float y = i == 0 ? 0 : random.between(0, 60);
    const float score = i == 0 ? 1 : random.between(0, 1);
    values.insert(values.end(), {x, y, x + random.between(8, 48), y + random.between(8, 36), score, 1});
    for (int k = 0; k < 4; ++k) values.push_back(random.between(-1, 1));
  }
  const auto device_values = to_device(stream, values);
  const auto prototypes = random_floats(stream, std::size_t{4} * 32 * 24, -1, 1, 10);
  YoloDecoder decoder(stream, format, {});
  DetectionBuffers objects(stream, 300, 0, std::make_shared<const ClassNames>());
  InstanceMasks masks(stream, {.size = {160, 120}, .most = 8});
  decoder.submit({device_values.span(), prototypes.span()},
                 ResizeMapping::make(ResizeMode::kLetterbox, {160, 120}, {128, 96}), objects, masks);
  Outcome outcome = found_objects(stream, objects);
  outcome.add_exact(read_back_blocking(stream, masks.words()));
  return outcome;
}

// Few of many items with several classes each.
Outcome select_candidates(const Stream& stream) {
  constexpr std::int32_t kItems = 600;
  constexpr std::int32_t kItemClasses = 3;
  const auto scores = random_floats(stream, std::size_t{kItems} * kItemClasses, 0, 1, 16);
  CandidateSelection selection(stream, {.items = kItems, .classes = kItemClasses, .limit = 30});
  auto counts = DeviceBuffer<std::int32_t>::zeros(stream, 2);
  selection.submit(scores.span(), {kItems, kItemClasses, 1, kItems, 0.5F, 1.0F, 0}, counts.span());
  Outcome outcome;
  outcome.add_exact(read_back_blocking(stream, counts.span()));
  outcome.add_exact(read_back_blocking(stream, selection.ranked()));
  return outcome;
}

// Sigmoids and exponentials differ by a unit in the last place between libraries, and so do sums of what they scale.
Outcome describe_instances(const Stream& stream) {
  constexpr std::int32_t kQueries = 20;
  RfDetrFormat format;
  format.queries = kQueries;
  format.columns = 2;
  const auto boxes = random_floats(stream, 4 * kQueries, 0.25F, 0.75F, 11);
  const auto logits = random_floats(stream, 2 * kQueries, -4, 4, 12);
  const auto slots = random_floats(stream, std::size_t{kQueries} * 2 * 3 * 8, -1, 3, 13);
  const auto masks = random_floats(stream, std::size_t{kQueries} * 12 * 12, -1, 1, 14);
  const auto tokens = random_floats(stream, std::size_t{6} * 4 * 4, -1, 1, 15);
  DetectionBuffers objects(stream, 30, 3, std::make_shared<const ClassNames>());
  RfDetrDecoder(stream, format, {.max_detections = 30})
      .submit(boxes.span(), logits.span(), ResizeMapping::make(ResizeMode::kStretch, {200, 100}, {64, 64}), objects);
  KeypointGathering(stream, {3, 2}).submit(slots.span(), {200, 100}, objects);
  AppearanceBuffers appearance(stream, 30, 6, false);
  TokenPooling(stream, {12, 12, 4, 4, 6}, 30).submit(masks.span(), tokens.span(), objects.found(), appearance);
  Outcome outcome = found_objects(stream, objects);
  const auto vectors = read_back_blocking(stream, appearance.vectors());
  for (const float value : vectors) outcome.close.push_back(100 * value);  // Of unit length: to a tenthousandth.
  return outcome;
}

SelfTestCheck check_of(std::string name, Compute compute) {
  return {std::move(name), [compute](Device device) { return compare(device, compute); }};
}

}  // namespace

std::vector<SelfTestCheck> kernel_checks() {
  return {check_of("preprocess, bilinear", &preprocess_pictures<Interpolation::kBilinear>),
          check_of("preprocess, antialiased", &preprocess_pictures<Interpolation::kBilinearAntialiased>),
          check_of("crops, bilinear", &preprocess_crops<Interpolation::kBilinear>),
          check_of("crops, antialiased", &preprocess_crops<Interpolation::kBilinearAntialiased>),
          check_of("matching of descriptors", &selftest::match_descriptors),
          check_of("keypoints and descriptors", &selftest::find_features),
          check_of("depth maps", &selftest::map_depth),
          check_of("embeddings and classes", &selftest::embed_and_classify),
          check_of("candidate ranking", &rank_candidates),
          check_of("candidate selection", &select_candidates),
          check_of("suppression of boxes", &suppress_boxes),
          check_of("face decoding", &decode_faces),
          check_of("objects and keypoints of cells", &find_objects),
          check_of("objects of cells with objectness", &find_objects_of_rows),
          check_of("end-to-end objects and masks", &take_objects_with_masks),
          check_of("instances, keypoints and appearance", &describe_instances)};
}

}  // namespace vrt
