#include "vrt/models/yolo/yolo_format.h"

#include <string_view>
#include <utility>
#include <vector>

#include "vrt/base/fail.h"
#include "vrt/models/common/class_name_text.h"
#include "vrt/models/common/engine_tensors.h"

namespace vrt {
namespace {

constexpr std::int32_t kCocoPoseValues = 4 + 1 + 17 * 3;
constexpr std::int64_t kAnchors = 3;  // Of v5's and v7's cells, each.

YoloTask parse_task(const std::string& task) {
  if (task == "obb") {
    fail(ErrorCode::kUnsupported,
         "the model's metadata calls its task 'obb': its boxes are oriented, and vrt decodes upright ones alone; "
         "export a "
         "model for detect, segment or pose");
  }
  if (task == "detect") return YoloTask::kDetect;
  if (task == "segment") return YoloTask::kSegment;
  if (task == "pose") return YoloTask::kPose;
  fail(ErrorCode::kUnsupported, "the model's metadata calls its task '{}'; vrt decodes detect, segment and pose", task);
}

YoloLayout parse_layout(const std::string& layout) {
  if (layout == "v5") return YoloLayout::kV5;
  if (layout == "yolox") return YoloLayout::kYolox;
  fail(ErrorCode::kCorrupt, "the model's metadata: expected v5 or yolox as yolo_layout, found {}", layout);
}

// The cells of an input's grids, whose strides double from the first to the last.
std::int64_t cells_of(Size input, std::int32_t first_stride, std::int32_t last_stride) {
  std::int64_t cells = 0;
  for (std::int32_t stride = first_stride; stride <= last_stride; stride *= 2)
    cells += std::int64_t{input.width / stride} * (input.height / stride);
  return cells;
}

// Whether so many rows are what the layouts with objectness have at that input: one a cell (YOLOX, raw or decoded), or an anchor each
// (v5 and v7, with the larger ones' fourth grid, and those of two grids).
bool is_row_a_cell(std::int64_t rows, Size input) { return rows > 0 && rows == cells_of(input, 8, 32); }
bool is_row_an_anchor(std::int64_t rows, Size input) {
  return rows > 0 && (rows == kAnchors * cells_of(input, 8, 32) || rows == kAnchors * cells_of(input, 8, 64) ||
                      rows == kAnchors * cells_of(input, 16, 32));
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
  const bool counted = layout != YoloLayout::kEndToEnd;  // The scores are among the values.
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
  const bool has_points = task != YoloTask::kPose || (points > 0 && !format.has_objectness());
  const bool has_task = layout != YoloLayout::kYolox || task == YoloTask::kDetect;
  const bool adds_up = classes + points * format.keypoint_values + format.coefficients == behind_box;
  return {format, has_classes && has_points && has_task && adds_up};
}

// Where nobody says, prototypes mean masks and a number of keypoints means pose; else it is detection.
YoloTask task_of(const YoloFormat& format, const YoloFacts& facts) {
  if (facts.task) return *facts.task;
  if (format.coefficients > 0) return YoloTask::kSegment;
  return facts.keypoints > 0 ? YoloTask::kPose : YoloTask::kDetect;
}

// An object's values before its classes' scores or, end to end, all of them that each object has.
std::int64_t box_values(YoloLayout layout) {
  switch (layout) {
    case YoloLayout::kPlanes: return 4;
    case YoloLayout::kEndToEnd: return 6;
    default: return 5;
  }
}

// Whether so many objects may be read in a layout that nobody names: cells outnumber an object's values, and so do end-to-end objects;
// how many rows there are tells those with objectness from those without.
bool may_be(YoloLayout layout, std::int64_t items, std::int64_t behind_box, Size input) {
  if (items <= behind_box) return false;
  const bool cells = is_row_a_cell(items, input);
  const bool anchors = is_row_an_anchor(items, input);
  switch (layout) {
    case YoloLayout::kPlanes: return true;
    case YoloLayout::kEndToEnd: return !cells && !anchors;
    case YoloLayout::kV5: return cells || anchors;
    case YoloLayout::kYolox: return cells;
  }
  return false;
}

// [1, A, B] in a layout.
Reading read_layout(const YoloFormat& format, const Shape& shape, YoloLayout layout, const YoloFacts& facts) {
  const bool planes = layout == YoloLayout::kPlanes;
  const std::int64_t items = planes ? shape[2] : shape[1];
  const std::int64_t behind_box = (planes ? shape[1] : shape[2]) - box_values(layout);
  const bool fits = facts.layout ? *facts.layout == layout : may_be(layout, items, behind_box, facts.input);
  if (items <= 0 || behind_box < 0 || !fits) return {format, false};
  return read_as(format, layout, task_of(format, facts), items, behind_box, facts);
}

void require_yolox_grid(const YoloFormat& format, const YoloFacts& facts, const std::string& found) {
  if (format.layout != YoloLayout::kYolox) return;
  require(is_row_a_cell(format.items, facts.input),
          "YOLOX has a row for each cell of the grids of 8, 16 and 32 pixels, {} for an input of {}x{}; found {}",
          cells_of(facts.input, 8, 32), facts.input.width, facts.input.height, found);
}

// What could be meant where an object has a value too many.
std::string_view oriented_hint(const Shape& shape, const YoloFacts& facts) {
  const auto classes = facts.names ? static_cast<std::int64_t>(facts.names->size()) : 0;
  const bool has_angle = classes > 0 && shape[1] == 4 + classes + 1 && shape[2] > shape[1];
  return has_angle
             ? "; the value more than box and classes may be the angle of oriented boxes, which vrt does not decode"
             : "";
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
  if (const auto layout = metadata.find("yolo_layout"); layout != metadata.end())
    facts.layout = parse_layout(layout->second);
  if (const auto whole = metadata.find("end2end"); whole != metadata.end() && whole->second == "True")
    facts.layout = YoloLayout::kEndToEnd;
  return facts;
}

YoloFormat recognise_yolo(std::span<const TensorInfo> outputs, const YoloFacts& facts) {
  YoloFormat format;
  find_outputs(outputs, format);
  const Shape& shape = outputs[format.output].shape;
  std::vector<YoloFormat> readings;
  for (const YoloLayout layout : {YoloLayout::kPlanes, YoloLayout::kEndToEnd, YoloLayout::kV5, YoloLayout::kYolox}) {
    const Reading reading = read_layout(format, shape, layout, facts);
    if (reading.fits) readings.push_back(reading.format);
  }
  const std::string found = describe_tensors(outputs);
  require(
      !readings.empty(),
      "not the outputs of a YOLO network{}: expected [1, 4 + classes + …, N], end to end [1, N, 6 + …], or with "
      "objectness [1, N, 5 + classes + …] (by YoloOptions::layout, unless N is that of v5 and v7), where … are 3 for "
      "each keypoint of a pose (say so by YoloOptions::task) or as many as there are prototypes; found {}{}",
      facts.names ? fmt::format(" with {} classes, as many as have names", facts.names->size()) : "", found,
      oriented_hint(shape, facts));
  require(readings.size() == 1,
          "a YOLO network that can be read in {} ways: as planes of cells, as end-to-end objects, as cells with "
          "objectness in pixels (v5, v7, decoded YOLOX) or as YOLOX's head gives them; give YoloOptions::layout: {}",
          readings.size(), found);
  YoloFormat result = readings.front();
  require_yolox_grid(result, facts, found);
  require_no_riddle(result, facts, found);
  if (facts.names) result.names = *facts.names;
  return result;
}

}  // namespace vrt
