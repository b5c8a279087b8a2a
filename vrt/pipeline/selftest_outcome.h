// Internal: What the self-test compares between devices.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include "vrt/device/stream.h"

namespace vrt::selftest {

/// What a device made of the inputs.
struct Outcome {
  std::vector<std::byte> exact;
  std::vector<float> close;  ///< Equal to a hundredth.

  template <typename T>
  void add_exact(const std::vector<T>& values) {
    const std::size_t begin = exact.size();
    exact.resize(begin + values.size() * sizeof(T));
    std::memcpy(exact.data() + begin, values.data(), values.size() * sizeof(T));
  }
};

using Compute = Outcome (*)(const Stream&);

}  // namespace vrt::selftest
