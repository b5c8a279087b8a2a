// Names of classes, kept together with the ids they belong to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vrt/base/export.h"

namespace vrt {

/// Names indexed by a model's own class id; ids in gaps have an empty name.
class VRT_API ClassNames {
 public:
  /// Of a file that `read` takes.
  static constexpr std::size_t kMostInFile = 1 << 16;
  static constexpr std::size_t kLongestInFile = 256;  ///< Bytes of a name.

  ClassNames() = default;
  explicit ClassNames(std::vector<std::string> by_id) : by_id_(std::move(by_id)) {}

  /// COCO's 80 classes in the dense order of the YOLO families (0 person … 79 toothbrush).
  [[nodiscard]] static ClassNames coco80();
  /// COCO's category ids 1..90 with their gaps, and an unused 0: the columns of RF-DETR's logits.
  [[nodiscard]] static ClassNames coco91();

  /// Names from a text file, one a line: the first line is class 0, and an empty one a class without a name. Spaces and tabs around a
  /// name, a carriage return before the line's end and a byte order mark are no part of it. Throws kNotFound, kIo and, with the number
  /// of the line, kCorrupt: no line at all, too many or too long ones, control characters.
  [[nodiscard]] static ClassNames read(const std::filesystem::path& path);

  /// The name of an id; empty for ids that have none. Valid as long as this object.
  [[nodiscard]] std::string_view operator[](std::int32_t class_id) const noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return by_id_.size(); }

 private:
  std::vector<std::string> by_id_;
};

}  // namespace vrt
