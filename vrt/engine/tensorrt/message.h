// Internal: TensorRT's messages as one line a user can act on.
#pragma once

#include <string>
#include <string_view>

namespace vrt::tensorrt {

/// Leaves out where in TensorRT's sources a check failed, the condition that was checked, and what a failing check sets off behind it;
/// keeps the reason.
[[nodiscard]] std::string essence(std::string_view message);

}  // namespace vrt::tensorrt
