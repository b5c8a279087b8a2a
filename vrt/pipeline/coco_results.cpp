#include "vrt/pipeline/coco_results.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>

#include "vrt/base/fail.h"
#include "vrt/pipeline/json_text.h"

namespace vrt {
namespace {

using detail::append_json_mask;
using detail::append_json_number;

constexpr std::int64_t kLargestExactInteger = std::int64_t{1} << 53;  // Of a double.
constexpr std::int32_t kNoCategory = -1;

std::int32_t coco_category(const ClassNames& coco, std::string_view name) {
  for (std::size_t id = 0; id < coco.size(); ++id)
    if (coco[static_cast<std::int32_t>(id)] == name) return static_cast<std::int32_t>(id);
  return kNoCategory;
}

/// COCO's boxes are the upper left corner, width and height.
void append_box(std::string& out, const Box& box) {
  out += ", \"bbox\": [";
  append_json_number(out, "box", box.x1);
  out += ", ";
  append_json_number(out, "box", box.y1);
  out += ", ";
  append_json_number(out, "box", box.x2 - box.x1);
  out += ", ";
  append_json_number(out, "box", box.y2 - box.y1);
  out += ']';
}

/// x, y and a visibility for each: 2 is "labelled and visible", 0 "not labelled".
void append_keypoints(std::string& out, std::span<const Keypoint> keypoints) {
  out += ", \"keypoints\": [";
  const char* separator = "";
  for (const Keypoint& point : keypoints) {
    out += separator;
    append_json_number(out, "keypoint", point.x);
    out += ", ";
    append_json_number(out, "keypoint", point.y);
    out += point.confidence > 0 ? ", 2" : ", 0";
    separator = ", ";
  }
  out += ']';
}

void append_result(std::string& out, const ModelFindings& findings, std::size_t index) {
  const Detection& detection = findings.detections[index];
  append_box(out, detection.box);
  out += ", \"score\": ";
  append_json_number(out, "score", detection.score);
  if (index < findings.masks.size()) {
    out += ", \"segmentation\": ";
    append_json_mask(out, findings.masks[index]);
  }
  if (!detection.keypoints.empty()) append_keypoints(out, detection.keypoints);
  out += '}';
}

}  // namespace

std::optional<std::int64_t> coco_image_number(std::string_view file) {
  const std::string stem = std::filesystem::path(file).stem().string();
  if (stem.empty() || !std::all_of(stem.begin(), stem.end(), [](char c) { return c >= '0' && c <= '9'; })) return {};
  std::int64_t number = 0;
  const auto read = std::from_chars(stem.data(), stem.data() + stem.size(), number);
  if (read.ec != std::errc() || number > kLargestExactInteger) return {};
  return number;
}

bool are_named_by_numbers(std::span<const std::string> files) {
  std::vector<std::int64_t> numbers;
  for (const std::string& file : files) {
    const auto number = coco_image_number(file);
    if (!number) return false;
    numbers.push_back(*number);
  }
  std::sort(numbers.begin(), numbers.end());
  return std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end();
}

std::vector<std::int32_t> coco_categories(const ClassNames& names) {
  const ClassNames coco = ClassNames::coco91();
  std::vector<std::int32_t> categories(names.size(), kNoCategory);
  bool has_names = false;
  for (std::size_t id = 0; id < names.size(); ++id) {
    const std::string_view name = names[static_cast<std::int32_t>(id)];
    if (name.empty()) continue;
    has_names = true;
    categories[id] = coco_category(coco, name);
    if (categories[id] == kNoCategory) return {};
  }
  return has_names ? categories : std::vector<std::int32_t>{};
}

std::int64_t CocoResults::image_id(const FrameRecord& record) const {
  if (image_id_ == CocoImageId::kFrame) return record.frame;
  const auto number = coco_image_number(record.source);
  require(number.has_value(), "the image id of COCO results is the number that a picture's name is, and '{}' has none",
          record.source);
  return *number;
}

void CocoResults::learn_categories(std::span<const ModelFindings> models) {
  for (std::size_t i = categories_.size(); i < models.size(); ++i) {
    categories_.push_back(models[i].names != nullptr ? coco_categories(*models[i].names) : std::vector<std::int32_t>{});
  }
}

std::optional<std::int32_t> CocoResults::category_of(std::size_t model, std::int32_t class_id) const {
  const std::vector<std::int32_t>& categories = categories_[model];
  if (categories.empty()) return class_id;
  const auto index = static_cast<std::size_t>(class_id);
  if (class_id < 0 || index >= categories.size() || categories[index] == kNoCategory) return std::nullopt;
  return categories[index];
}

void CocoResults::append(std::string& out, const FrameRecord& record) {
  const std::size_t before = out.size();
  learn_categories(record.models);
  try {
    if (!has_begun_) out += '[';
    is_empty_ = !append_all(out, record) && is_empty_;
    has_begun_ = true;
  } catch (...) {
    out.resize(before);
    throw;
  }
}

bool CocoResults::append_all(std::string& out, const FrameRecord& record) const {
  const std::int64_t image = image_id(record);
  bool is_first = is_empty_;
  for (std::size_t model = 0; model < record.models.size(); ++model) {
    const ModelFindings& findings = record.models[model];
    for (std::size_t i = 0; i < findings.detections.size(); ++i) {
      const std::optional<std::int32_t> category = category_of(model, findings.detections[i].class_id);
      if (!category) continue;
      fmt::format_to(std::back_inserter(out), "{}\n{{\"image_id\": {}, \"category_id\": {}", is_first ? "" : ",", image,
                     *category);
      append_result(out, findings, i);
      is_first = false;
    }
  }
  return !is_first;
}

void CocoResults::append_end(std::string& out) {
  if (!has_begun_) out += '[';
  out += is_empty_ ? "]\n" : "\n]\n";
}

}  // namespace vrt
