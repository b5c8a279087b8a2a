// Internal: For tests: what the environment tells a fake library.
#pragma once

#include <cstdlib>

namespace vrt::cuda::testing {

/// The number that the variable `name` holds; `otherwise` where it is not set.
inline int setting(const char* name, int otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::atoi(value);
}

}  // namespace vrt::cuda::testing
