#include "tests/parity/families.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tests/parity/exchange.h"
#include "vrt/base/fail.h"
#include "vrt/device/stream.h"
#include "vrt/engine/engine.h"
#include "vrt/models/depth_anything/depth_anything.h"
#include "vrt/models/osnet/osnet.h"
#include "vrt/models/rfdetr/rfdetr.h"
#include "vrt/models/rfdetr/rfdetr_keypoints.h"
#include "vrt/models/rfdetr/rfdetr_seg.h"
#include "vrt/models/xfeat/matcher.h"
#include "vrt/models/xfeat/xfeat.h"
#include "vrt/models/yolo/yolo.h"

namespace vrt::parity {
namespace {

using nlohmann::json;

/// What every family has of a request.
struct Run {
  std::filesystem::path model;
  json options;
  Stream stream;
  Picture picture;
  Results results;
};

Size size_of(const json& options, const char* name, Size otherwise) {
  if (!options.contains(name)) return otherwise;
  return {options.at(name).at(0).get<std::int32_t>(), options.at(name).at(1).get<std::int32_t>()};
}

// Nothing of a run is kept for the next one: the networks of these tests change under the same names.
EngineOptions engine_options() { return {.use_cache = false}; }

template <typename Result>
void write_masks(const Result& found, Size size, Results& results) {
  std::vector<std::uint8_t> pixels;
  for (std::size_t i = 0; i < found.mask_count(); ++i) {
    const MaskView mask = found.mask(i);
    for (std::int32_t y = 0; y < size.height; ++y) {
      for (std::int32_t x = 0; x < size.width; ++x) pixels.push_back(is_set(mask, x, y) ? 1 : 0);
    }
  }
  results.array("masks", std::span<const std::uint8_t>(pixels),
                {found.mask_count(), static_cast<std::size_t>(size.height), static_cast<std::size_t>(size.width)});
}

MaskOptions mask_options(const Run& run, std::int32_t most) {
  return {.size = size_of(run.options, "mask_size", run.picture.size()), .most = most, .read_back = true};
}

void run_yolo(Run& run) {
  YoloOptions options;
  options.score_threshold = run.options.value("score_threshold", options.score_threshold);
  options.nms_threshold = run.options.value("nms_threshold", options.nms_threshold);
  options.max_detections = run.options.value("max_detections", options.max_detections);
  options.class_agnostic = run.options.value("class_agnostic", options.class_agnostic);
  const Size input = size_of(run.options, "input", {});
  Yolo detector(Yolo::open_engine(run.model, run.stream.device(), input, engine_options()), run.stream, options);
  const bool segments = detector.task() == YoloTask::kSegment;
  const MaskOptions masks = segments ? mask_options(run, options.max_detections) : MaskOptions();
  YoloResult found = detector.allocate_result({.masks = masks});
  detector.submit(run.picture.view(), found);
  run.stream.synchronize();
  run.results.detections(found.detections());
  if (segments) write_masks(found, masks.size, run.results);
}

RfDetrOptions rfdetr_options(const json& given) {
  RfDetrOptions options;
  options.score_threshold = given.value("score_threshold", options.score_threshold);
  options.max_detections = given.value("max_detections", options.max_detections);
  if (given.contains("antialias")) {
    options.interpolation =
        given.at("antialias").get<bool>() ? Interpolation::kBilinearAntialiased : Interpolation::kBilinear;
  }
  if (given.contains("background_column")) options.background_column = given.at("background_column").get<bool>();
  return options;
}

template <typename Detector>
void run_rfdetr(Run& run) {
  Detector detector(Detector::open_engine(run.model, run.stream.device(), engine_options()), run.stream,
                    rfdetr_options(run.options));
  auto found = detector.allocate_result();
  detector.submit(run.picture.view(), found);
  run.stream.synchronize();
  run.results.detections(found.detections());
}

void run_rfdetr_seg(Run& run) {
  const RfDetrOptions options = rfdetr_options(run.options);
  RfDetrSeg detector(RfDetrSeg::open_engine(run.model, run.stream.device(), engine_options()), run.stream, options);
  const bool appearance = detector.has_appearance();
  const MaskOptions masks = mask_options(run, options.max_detections);
  RfDetrSegResult found =
      detector.allocate_result({.masks = masks, .appearance = appearance, .read_back_appearance = appearance});
  detector.submit(run.picture.view(), found);
  run.stream.synchronize();
  run.results.detections(found.detections());
  write_masks(found, masks.size, run.results);
  if (!appearance) return;
  std::vector<float> vectors;
  for (std::size_t i = 0; i < found.detections().size(); ++i) {
    const std::span<const float> one = found.appearance(i);
    vectors.insert(vectors.end(), one.begin(), one.end());
  }
  run.results.array("appearance", std::span<const float>(vectors),
                    {found.detections().size(), found.appearance_size()});
}

template <DepthKind kKind>
void run_depth(Run& run) {
  using Depth = BasicDepthAnything<kKind>;
  const Size input = size_of(run.options, "input", {518, 518});
  Depth depth(Depth::open_engine(run.model, run.stream.device(), input, engine_options()), run.stream);
  const Size size = size_of(run.options, "map_size", input);
  auto map = depth.allocate_result({.size = size, .read_back = true});
  depth.submit(run.picture.view(), map);
  run.stream.synchronize();
  std::span<const float> values;
  if constexpr (kKind == DepthKind::kMetric) {
    values = map.metres().metres;
  } else {
    values = map.nearness().nearness;
  }
  run.results.array("depth", values, {static_cast<std::size_t>(size.height), static_cast<std::size_t>(size.width)});
}

void write_features(const XFeatResult& found, const std::string& suffix, Results& results) {
  std::vector<float> points;
  for (const Keypoint& point : found.keypoints()) points.insert(points.end(), {point.x, point.y, point.confidence});
  const std::size_t count = found.keypoints().size();
  results.array("keypoints" + suffix, std::span<const float>(points), {count, 3});
  results.array("descriptors" + suffix, found.host_descriptors(), {count, XFeat::kChannels});
}

// The picture's features, and their matches with those of a second picture of the same size.
void run_xfeat(Run& run) {
  XFeatOptions options;
  options.threshold = run.options.value("threshold", options.threshold);
  options.max_keypoints = run.options.value("max_keypoints", options.max_keypoints);
  const Picture other(run.options.at("other_picture").get<std::string>(), run.stream);
  const Size input = XFeat::input_size_for(run.picture.size());
  XFeat features(XFeat::open_engine(run.model, run.stream.device(), input, engine_options()), run.stream, options);
  XFeatResult first = features.allocate_result({.read_back = true});
  XFeatResult second = features.allocate_result({.read_back = true});
  Matcher matcher(run.stream, {.min_similarity = run.options.value("min_similarity", 0.82F),
                               .max_descriptors = options.max_keypoints});
  MatchResult matches = matcher.allocate_result({.read_back = true});
  features.submit(run.picture.view(), first);
  features.submit(other.view(), second);
  matcher.submit(first.descriptors(), second.descriptors(), matches);
  run.stream.synchronize();
  write_features(first, "", run.results);
  write_features(second, "_other", run.results);
  json pairs = json::array();
  for (const Match& match : matches.matches()) pairs.push_back({match.first, match.second, match.similarity});
  run.results.value("matches", std::move(pairs));
}

void run_osnet(Run& run) {
  std::vector<Box> boxes;
  for (const json& box : run.options.at("boxes")) {
    boxes.push_back({box.at(0).get<float>(), box.at(1).get<float>(), box.at(2).get<float>(), box.at(3).get<float>()});
  }
  OsNet network(
      OsNet::open_engine(run.model, run.stream.device(), run.options.at("batch").get<std::int32_t>(), engine_options()),
      run.stream);
  EmbeddingResult looks = network.allocate_result({.read_back = true});
  network.submit(run.picture.view(), boxes, looks);
  run.stream.synchronize();
  run.results.array("embeddings", looks.embeddings(), {boxes.size(), static_cast<std::size_t>(network.channels())});
}

const std::map<std::string, std::function<void(Run&)>>& families() {
  static const std::map<std::string, std::function<void(Run&)>> kFamilies = {
      {"yolo", run_yolo},
      {"rfdetr", run_rfdetr<RfDetr>},
      {"rfdetr_seg", run_rfdetr_seg},
      {"rfdetr_keypoints", run_rfdetr<RfDetrKeypoints>},
      {"depth_metric", run_depth<DepthKind::kMetric>},
      {"depth_relative", run_depth<DepthKind::kRelative>},
      {"xfeat", run_xfeat},
      {"osnet", run_osnet},
  };
  return kFamilies;
}

}  // namespace

void run(const json& request, Device device) {
  const auto family = families().find(request.at("family").get<std::string>());
  require(family != families().end(), "there is no family '{}'", request.at("family").get<std::string>());
  const Stream stream(device);
  Run run{.model = request.at("model").get<std::string>(),
          .options = request.value("options", json::object()),
          .stream = stream,
          .picture = Picture(request.at("picture").get<std::string>(), stream),
          .results = Results(std::filesystem::current_path())};
  family->second(run);
  run.results.finish();
}

}  // namespace vrt::parity
