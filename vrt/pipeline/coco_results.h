// Internal (not installed): detections in the format in which COCO takes results (docs/coco-results.md): one JSON array for all frames.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vrt/base/export.h"
#include "vrt/pipeline/json_line.h"
#include "vrt/scene/class_names.h"

namespace vrt {

/// The number that a picture's name is, as COCO names its pictures: "val2017/000000397133.jpg" is 397133. Nothing for names that
/// are not digits alone, and for numbers beyond 2^53 (where readers that take numbers for doubles begin to mix them up).
[[nodiscard]] VRT_API std::optional<std::int64_t> coco_image_number(std::string_view file);

/// Whether these pictures, of one source, can be told apart by their numbers: each has one, and no two have the same.
[[nodiscard]] VRT_API bool are_named_by_numbers(std::span<const std::string> files);

/// COCO's category of each class of a network whose classes are all COCO's by name, such as the 80 without gaps of the YOLO
/// families; ids without a name have none (-1). Empty for other networks (one name that is not COCO's, or no names at all).
[[nodiscard]] VRT_API std::vector<std::int32_t> coco_categories(const ClassNames& names);

/// Where an image's id comes from.
enum class CocoImageId : std::int32_t {
  kFrame,     ///< The frame's number, from 0.
  kFileName,  ///< coco_image_number of its file.
};

/// The array, a frame at a time. Everything appended to one text, the end included, is valid JSON.
class VRT_API CocoResults {
 public:
  explicit CocoResults(CocoImageId image_id) : image_id_(image_id) {}

  /// Appends an object for each detection that has a category, in the order of the networks. Throws kInvalidArgument for a number that is not finite,
  /// naming the field, and for a file without a number where its name is the id; `out` is then unchanged.
  void append(std::string& out, const FrameRecord& record);
  /// Appends the end of the array. At most once.
  void append_end(std::string& out);

 private:
  /// True if the array has an object now.
  [[nodiscard]] bool append_all(std::string& out, const FrameRecord& record) const;
  [[nodiscard]] std::int64_t image_id(const FrameRecord& record) const;
  /// Nothing for a class without a name of a network whose names are COCO's: its own id would be that of another category.
  [[nodiscard]] std::optional<std::int32_t> category_of(std::size_t model, std::int32_t class_id) const;
  void learn_categories(std::span<const ModelFindings> models);

  CocoImageId image_id_;
  bool has_begun_ = false;
  bool is_empty_ = true;
  std::vector<std::vector<std::int32_t>> categories_;  ///< By the networks' order.
};

}  // namespace vrt
