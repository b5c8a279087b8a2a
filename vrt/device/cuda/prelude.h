// Internal: The text that stands before every kernel source when it is compiled for a GPU.
#pragma once

#include <string_view>

namespace vrt::cuda {

/// The content of vrt/device/prelude_cuda.h, embedded by the build.
[[nodiscard]] std::string_view prelude_text() noexcept;

}  // namespace vrt::cuda
