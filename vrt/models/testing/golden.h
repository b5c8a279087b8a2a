// For tests: results that an independent implementation gave (tools/golden), and the patterns that they were made of.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "vrt/base/testing/location.h"

namespace vrt::testing {

/// The floats of vrt/models/golden/NAME.f32.
[[nodiscard]] inline std::vector<float> golden(const std::string& name) {
  const std::string path = location("VRT_SOURCE_DIR", VRT_SOURCE_DIR) + "/vrt/models/golden/" + name + ".f32";
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  EXPECT_TRUE(file.is_open()) << path;
  std::vector<float> values(static_cast<std::size_t>(file.tellg()) / sizeof(float));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(float)));
  return values;
}

/// Element `i` of the pattern in tools/golden/dense_models.py.
[[nodiscard]] inline std::int64_t pattern(std::size_t i, std::int64_t modulus, std::int64_t factor = 7919) {
  return static_cast<std::int64_t>(i) * factor % modulus;
}

}  // namespace vrt::testing
