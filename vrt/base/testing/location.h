// For tests: where the files are that a test reads.
#pragma once

#include <cstdlib>
#include <string>

namespace vrt::testing {

/// The place that the environment variable `name` gives, as in a bundle, else the one that the build was told of.
inline std::string location(const char* name, const char* built_with) {
  const char* place = std::getenv(name);
  return place != nullptr ? place : built_with;
}

}  // namespace vrt::testing
