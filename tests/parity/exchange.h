// What goes in and out of the parity program: pictures as PPM files, results as JSON with arrays beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "vrt/device/memory.h"
#include "vrt/device/stream.h"
#include "vrt/image/image.h"
#include "vrt/scene/detection.h"

namespace vrt::parity {

/// A picture in the stream's memory, RGB8.
class Picture {
 public:
  /// Blocks. Throws kNotFound and kCorrupt: it takes binary PPM (P6) of 8 bits without comments.
  Picture(const std::filesystem::path& file, const Stream& stream);
  [[nodiscard]] Size size() const noexcept { return size_; }
  [[nodiscard]] ImageView view() const;

 private:
  Size size_;
  Device device_;
  DeviceBuffer<std::uint8_t> pixels_;
};

/// The results of one run. Numbers are written with all their digits.
class Results {
 public:
  explicit Results(std::filesystem::path folder);

  void value(const std::string& name, nlohmann::json value) { json_[name] = std::move(value); }
  void detections(std::span<const Detection> found);
  void array(const std::string& name, std::span<const float> values, const std::vector<std::size_t>& shape);
  void array(const std::string& name, std::span<const std::uint8_t> values, const std::vector<std::size_t>& shape);
  /// Writes result.json.
  void finish() const;

 private:
  void write(const std::string& name, std::span<const std::byte> bytes, const char* type,
             const std::vector<std::size_t>& shape);

  std::filesystem::path folder_;
  nlohmann::json json_;
};

}  // namespace vrt::parity
