// Internal: what vrt writes before TensorRT's plan, so that TensorRT never sees bytes that are not for it.
//
// TensorRT checks a plan of another version late or not at all. The header is text, ends with an empty line, and says by which library,
// for which GPU and how long the plan is:
//   vrt TensorRT plan 1
//   flavor tensorrt
//   version 10.16.0
//   architecture 8.9
//   hardware_compatible 0
//   bytes 7917916
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "vrt/engine/tensorrt/driver.h"
#include "vrt/engine/tensorrt/flavor.h"

namespace vrt::tensorrt {

struct PlanHeader {
  Version library;
  ComputeCapability architecture;  ///< Of the GPU that it was built on.
  bool hardware_compatible = false;
  std::uint64_t plan_bytes = 0;
};

[[nodiscard]] std::string to_text(const PlanHeader& header);

/// What is behind the header in `bytes`, of this flavour, version and size, for that GPU. Throws backend::Failure: CORRUPT, naming both sides
/// where they differ.
struct CheckedPlan {
  PlanHeader header;
  std::string_view plan;
};
[[nodiscard]] CheckedPlan check_plan(std::string_view bytes, const Version& library, const ComputeCapability& gpu);

}  // namespace vrt::tensorrt
