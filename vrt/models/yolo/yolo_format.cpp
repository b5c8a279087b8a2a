#include "vrt/models/yolo/yolo_format.h"

#include <utility>

#include "vrt/base/fail.h"
#include "vrt/models/common/class_name_text.h"
#include "vrt/models/common/detector_input.h"

namespace vrt {
namespace {

constexpr std::int32_t kCocoPoseValues = 4 + 1 + 17 * 3;

YoloTask parse_task(const std::string& task) {
  if (task == "detect") return YoloTask::kDetect;
  if (task == "segment") return YoloTask::kSegment;
  if (task == "pose") return YoloTask::kPose;
  fail(ErrorCode::kUnsupported, "the model's metadata calls its task '{}'; vrt decodes detect, segment and pose", task);
}

bool is_float(const TensorInfo& output, std::size_t rank) {
  return output.type == DType::kFloat32 && output.shape.rank() == rank && output.shape[0] == 1;
}

// One output of objects, [1, A, B], and at most one of prototypes, [1, M, h, w].
void find_outputs(std::span<const TensorInfo> outputs, YoloFormat& format) {
  std::size_t objects = 0;
  std::size_t prototypes = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (is_float(outputs[i], 3)) {
      format.output = i;
      ++objects;
    } else if (is_float(outputs[i], 4)) {
      format.prototypes = i;
      format.coefficients = static_cast<std::int32_t>(outputs[i].shape[1]);
      format.prototype_size = {static_cast<std::int32_t>(outputs[i].shape[3]),
                               static_cast<std::int32_t>(outputs[i].shape[2])};
      ++prototypes;
    }
  }
  require(
      objects == 1 && prototypes <= 1 && objects + prototypes == outputs.size(),
      "not the outputs of a YOLO network: expected objects, float32 [1, values, N] or [1, N, values], and for masks "
      "prototypes, float32 [1, M, h, w]; found {}",
      describe_tensors(outputs));
}

// What the values of an object can be in one layout; nothing where they do not fit.
struct Reading {
  YoloFormat format;
  bool fits = false;
};

// `behind_box` are an object's values without its box and, end to end, its score and class.
Reading read_as(YoloFormat format, YoloLayout layout, YoloTask task, std::int64_t items, std::int64_t behind_box,
                const YoloFacts& facts) {
  format.layout = layout;
  format.task = task;
  format.items = static_cast<std::int32_t>(items);
  const bool counted = layout == YoloLayout::kPlanes;  // The scores are among the values.
  const auto named = facts.names ? static_cast<std::int64_t>(facts.names->size()) : 0;
  std::int64_t classes = counted ? named : 0;
  std::int64_t points = 0;
  if (task == YoloTask::kPose) {
    format.keypoint_values = facts.keypoint_values != 0 ? facts.keypoint_values : 3;
    if (counted && classes == 0)
      classes = facts.keypoints != 0 ? behind_box - facts.keypoints * format.keypoint_values : 1;
    points = facts.keypoints != 0 ? facts.keypoints : (behind_box - classes) / format.keypoint_values;
  } else if (counted && classes == 0) {
    classes = behind_box - format.coefficients;
  }
  format.classes = static_cast<std::int32_t>(counted ? classes : named);
  format.keypoints = static_cast<std::int32_t>(points);
  const bool has_classes = !counted || (classes > 0 && classes <= kMostClasses);
  const bool has_points = task != YoloTask::kPose || points > 0;
  const bool adds_up = classes + points * format.keypoint_values + format.coefficients == behind_box;
  return {format, has_classes && has_points && adds_up};
}

// Where nobody says, prototypes mean masks and a number of keypoints means pose; else it is detection.
YoloTask task_of(const YoloFormat& format, const YoloFacts& facts) {
  if (facts.task) return *facts.task;
  if (format.coefficients > 0) return YoloTask::kSegment;
  return facts.keypoints > 0 ? YoloTask::kPose : YoloTask::kDetect;
}

// [1, A, B] in a layout. Cells outnumber an object's values, and so do end-to-end objects.
Reading read_layout(const YoloFormat& format, const Shape& shape, YoloLayout layout, const YoloFacts& facts) {
  const bool planes = layout == YoloLayout::kPlanes;
  const std::int64_t items = planes ? shape[2] : shape[1];
  const std::int64_t behind_box = planes ? shape[1] - 4 : shape[2] - 6;
  const bool given = facts.layout == layout;
  if (items <= 0 || behind_box < 0 || (!given && (facts.layout || items <= behind_box))) return {format, false};
  return read_as(format, layout, task_of(format, facts), items, behind_box, facts);
}

void require_no_riddle(const YoloFormat& format, const YoloFacts& facts, const std::string& found) {
  require(format.task == YoloTask::kSegment || format.coefficients == 0,
          "a YOLO network for masks by its prototypes, but its task is said to be another: {}", found);
  require(format.task != YoloTask::kSegment || format.coefficients > 0,
          "a YOLO network for masks needs prototypes, float32 [1, M, h, w]; found {}", found);
  const bool could_be_pose = !facts.task && !facts.names && facts.keypoints == 0 && format.coefficients == 0 &&
                             format.layout == YoloLayout::kPlanes && format.classes == kCocoPoseValues - 4;
  require(!could_be_pose,
          "a YOLO network with {} values an object can be one for the pose of people or one for 52 classes, and the "
          "model's "
          "metadata does not say; give YoloOptions::task: {}",
          kCocoPoseValues, found);
}

}  // namespace

YoloFacts yolo_facts_of(const std::map<std::string, std::string>& metadata) {
  YoloFacts facts;
  if (const auto task = metadata.find("task"); task != metadata.end()) facts.task = parse_task(task->second);
  if (const auto names = metadata.find("names"); names != metadata.end())
    facts.names = parse_class_names(names->second);
  if (const auto points = metadata.find("kpt_shape"); points != metadata.end()) {
    const auto [number, values] = parse_pair(points->second);
    if (number <= 0 || values < 2 || values > 3) {
      fail(ErrorCode::kCorrupt, "the model's metadata: expected [points, 2 or 3] as kpt_shape, found {}",
           points->second);
    }
    facts.keypoints = number;
    facts.keypoint_values = values;
  }
  if (const auto whole = metadata.find("end2end"); whole != metadata.end() && whole->second == "True")
    facts.layout = YoloLayout::kEndToEnd;
  return facts;
}

YoloFormat recognise_yolo(std::span<const TensorInfo> outputs, const YoloFacts& facts) {
  YoloFormat format;
  find_outputs(outputs, format);
  const Shape& shape = outputs[format.output].shape;
  const Reading planes = read_layout(format, shape, YoloLayout::kPlanes, facts);
  const Reading whole = read_layout(format, shape, YoloLayout::kEndToEnd, facts);
  const std::string found = describe_tensors(outputs);
  require(planes.fits || whole.fits,
          "not the outputs of a YOLO network{}: expected [1, 4 + classes + …, N], or end to end [1, N, 6 + …], where … "
          "are 3 "
          "for each keypoint of a pose (say so by YoloOptions::task) or as many as there are prototypes; found {}",
          facts.names ? fmt::format(" with {} classes", facts.names->size()) : "", found);
  require(!(planes.fits && whole.fits),
          "a YOLO network that can be read as planes of cells and as end-to-end objects; give YoloOptions::layout: {}",
          found);
  YoloFormat result = planes.fits ? planes.format : whole.format;
  require_no_riddle(result, facts, found);
  if (facts.names) result.names = *facts.names;
  return result;
}

}  // namespace vrt
