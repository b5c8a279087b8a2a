// Internal: OpenVINO's many-line messages as one line a user can act on.
#pragma once

#include <string>
#include <string_view>

namespace vrt::openvino {

/// Leaves out where in OpenVINO's sources a check failed and keeps the reason; a node is given by its name alone.
[[nodiscard]] std::string essence(std::string_view message);

}  // namespace vrt::openvino
