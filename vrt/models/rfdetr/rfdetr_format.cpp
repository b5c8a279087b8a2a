#include "vrt/models/rfdetr/rfdetr_format.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "vrt/base/fail.h"
#include "vrt/models/common/class_name_text.h"
#include "vrt/models/common/engine_tensors.h"

namespace vrt {
namespace {

constexpr std::int64_t kSlotValues = 8;  // Of a keypoint.
constexpr std::size_t kCocoColumns = 91;
constexpr std::int64_t kPersonPoints = 17;

using Metadata = std::map<std::string, std::string>;

bool is_float(const TensorInfo& output, std::size_t rank) {
  return output.type == DType::kFloat32 && output.shape.rank() == rank && output.shape[0] == 1;
}

// In a network of four columns both outputs have the same shape; then the names that exporters give them decide.
bool calls_itself_boxes(const TensorInfo& output) {
  for (const std::string_view word : {"box", "dets", "coord"})
    if (output.name.find(word) != std::string::npos) return true;
  return false;
}

void find_boxes_and_logits(std::span<const TensorInfo> outputs, RfDetrFormat& format, const std::string& found) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (is_float(outputs[i], 3)) rows.push_back(i);
  require(
      rows.size() == 2 && outputs[rows[0]].shape[1] == outputs[rows[1]].shape[1],
      "not the outputs of an RF-DETR network: expected boxes [1, Q, 4] and logits [1, Q, C], both float32; found {}",
      found);
  const bool first_fits = outputs[rows[0]].shape[2] == 4;
  const bool second_fits = outputs[rows[1]].shape[2] == 4;
  require(first_fits || second_fits, "not the outputs of an RF-DETR network: expected boxes [1, Q, 4]; found {}",
          found);
  bool boxes_first = first_fits;
  if (first_fits && second_fits) {
    boxes_first = calls_itself_boxes(outputs[rows[0]]);
    require(boxes_first != calls_itself_boxes(outputs[rows[1]]),
            "boxes and logits of this RF-DETR network have one shape, and their names do not tell them apart: {}",
            found);
  }
  format.boxes = rows[boxes_first ? 0 : 1];
  format.logits = rows[boxes_first ? 1 : 0];
  format.queries = static_cast<std::int32_t>(outputs[format.logits].shape[1]);
  format.columns = static_cast<std::int32_t>(outputs[format.logits].shape[2]);
}

Size grid_of(const TensorInfo& output) {
  return {static_cast<std::int32_t>(output.shape[3]), static_cast<std::int32_t>(output.shape[2])};
}

// The only output of rank 4 that `fits`, if there is one.
template <typename Fits>
std::optional<std::size_t> only_map(std::span<const TensorInfo> outputs, const char* what, const std::string& found,
                                    const Fits& fits) {
  std::optional<std::size_t> result;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!is_float(outputs[i], 4) || !fits(outputs[i].shape)) continue;
    require(!result, "two outputs of this RF-DETR network could be its {}: {}", what, found);
    result = i;
  }
  return result;
}

void find_masks(std::span<const TensorInfo> outputs, RfDetrFormat& format, const std::string& found) {
  format.masks = only_map(outputs, "masks", found, [&](const Shape& shape) { return shape[1] == format.queries; });
  require(format.masks.has_value(), "an RF-DETR network for masks has masks, float32 [1, {}, h, w]; found {}",
          format.queries, found);
  format.mask_grid = grid_of(outputs[*format.masks]);
  format.tokens =
      only_map(outputs, "token grid", found, [&](const Shape& shape) { return shape[1] != format.queries; });
  if (!format.tokens) return;
  format.token_grid = grid_of(outputs[*format.tokens]);
  format.token_channels = static_cast<std::int32_t>(outputs[*format.tokens].shape[1]);
}

// How many keypoints each class has, by the file, or by the number of slots: those of people, which only column 0 has, or as many for
// each column. Empty where they fit none of these.
std::vector<std::int32_t> points_of_classes(std::int64_t slots, std::int32_t columns, const Metadata& metadata) {
  if (const auto given = metadata.find("keypoints_per_class"); given != metadata.end())
    return parse_numbers(given->second);
  if (slots % columns == 0)
    return std::vector<std::int32_t>(static_cast<std::size_t>(columns), static_cast<std::int32_t>(slots / columns));
  if (slots == kPersonPoints) return {static_cast<std::int32_t>(kPersonPoints)};
  return {};
}

bool fits(const std::vector<std::int32_t>& class_points, std::int64_t slots, std::int32_t columns) {
  if (class_points.empty() || class_points.size() > static_cast<std::size_t>(columns)) return false;
  const auto [least, most] = std::ranges::minmax(class_points);
  return least >= 0 && most > 0 && slots == static_cast<std::int64_t>(class_points.size()) * most;
}

void find_keypoints(std::span<const TensorInfo> outputs, RfDetrFormat& format, const Metadata& metadata,
                    const std::string& found) {
  format.keypoints = only_map(outputs, "keypoints", found, [&](const Shape& shape) {
    return shape[1] == format.queries && shape[2] > 0 && shape[3] == kSlotValues;
  });
  require(format.keypoints.has_value(),
          "an RF-DETR network for keypoints has keypoints, float32 [1, {}, classes × points, {}]; found {}",
          format.queries, kSlotValues, found);
  const std::int64_t slots = outputs[*format.keypoints].shape[2];
  format.class_points = points_of_classes(slots, format.columns, metadata);
  require(
      fits(format.class_points, slots, format.columns),
      "{} keypoints a query and {} classes do not go together: expected as many keypoints for each class, {} for the "
      "first alone, or what the metadata says as keypoints_per_class, which is {}; found {}",
      slots, format.columns, kPersonPoints,
      metadata.count("keypoints_per_class") > 0 ? metadata.at("keypoints_per_class") : "not there", found);
  format.points = *std::ranges::max_element(format.class_points);
}

// Column 0 is background and column 1 a person in the networks of the first schema.
bool is_background_and_person(const RfDetrFormat& format) {
  return format.keypoints && format.columns == 2 && format.class_points.size() == 2;
}

// As many names as columns, or fewer: fine-tuned networks have their background last, without a name. COCO's networks have a column
// for each of COCO's ids, of which eleven have no name: its 80 names one behind the other would name the columns wrongly.
void check_names(const ClassNames& names, std::int32_t columns, const std::string& origin) {
  require(names.size() <= static_cast<std::size_t>(columns),
          "{}: expected a name for each of the {} classes at most, found {}", origin, columns, names.size());
  const bool is_dense_coco = columns == static_cast<std::int32_t>(kCocoColumns) &&
                             names.size() == ClassNames::coco80().size() && names[0] == ClassNames::coco80()[0];
  require(!is_dense_coco,
          "{}: {} names in a row, but the columns of a network with {} classes are COCO's ids, which begin at 1 and "
          "have gaps: "
          "leave the names out, or give each id its own",
          origin, names.size(), columns);
}

ClassNames default_names(const RfDetrFormat& format) {
  if (is_background_and_person(format)) return ClassNames({"", "person"});
  if (format.class_points == std::vector<std::int32_t>{static_cast<std::int32_t>(kPersonPoints)})
    return ClassNames({"person"});
  return format.columns == static_cast<std::int32_t>(kCocoColumns) ? ClassNames::coco91() : ClassNames();
}

ClassNames names_of(const RfDetrFormat& format, const RfDetrOptions& options, const Metadata& metadata) {
  if (options.names) {
    check_names(*options.names, format.columns, "RfDetrOptions::names");
    return *options.names;
  }
  const auto given = metadata.find("names");
  if (given == metadata.end()) return default_names(format);
  ClassNames names = parse_class_names(given->second);
  check_names(names, format.columns, "the model's metadata \"names\"");
  return names;
}

bool has_background(const RfDetrFormat& format, const RfDetrOptions& options, const Metadata& metadata) {
  if (options.background_column) return *options.background_column;
  if (const auto column = metadata.find("background"); column != metadata.end()) return column->second == "0";
  return is_background_and_person(format);
}

Interpolation interpolation_of(const RfDetrOptions& options, const Metadata& metadata) {
  if (options.interpolation) return *options.interpolation;
  const auto antialias = metadata.find("antialias");
  if (antialias == metadata.end() || antialias->second == "True") return Interpolation::kBilinearAntialiased;
  if (antialias->second == "False") return Interpolation::kBilinear;
  fail(ErrorCode::kCorrupt, "the model's metadata: expected True or False as antialias, found {}", antialias->second);
}

}  // namespace

RfDetrFormat recognise_rfdetr(std::span<const TensorInfo> outputs, RfDetrExtra extra, const RfDetrOptions& options,
                              const std::map<std::string, std::string>& metadata) {
  RfDetrFormat format;
  const std::string found = describe_tensors(outputs);
  find_boxes_and_logits(outputs, format, found);
  if (extra == RfDetrExtra::kMasks) find_masks(outputs, format, found);
  if (extra == RfDetrExtra::kKeypoints) find_keypoints(outputs, format, metadata, found);
  format.names = names_of(format, options, metadata);
  format.background_column = has_background(format, options, metadata);
  format.interpolation = interpolation_of(options, metadata);
  return format;
}

}  // namespace vrt
