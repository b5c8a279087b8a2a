// Internal: Finding and opening the CUDA driver, once, on first use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vrt/device/cuda/driver_api.h"

namespace vrt::cuda {

/// What was found, for `vrt doctor` and for messages. A missing driver is a value, not an exception.
struct DriverStatus {
  bool usable = false;
  std::string path;  ///< Of the opened library; empty if none was.
  int version = 0;   ///< As cuDriverGetVersion counts.
  int device_count = 0;
  std::string problem;             ///< Why it cannot be used and what to do; empty if usable.
  std::vector<std::string> tried;  ///< Names and paths given to the loader.
};

/// Opens `$VRT_CUDA_DRIVER` if set, else libcuda.so.1, on the first call. Never throws for what the machine lacks. Thread-safe.
[[nodiscard]] const DriverStatus& driver_status();

/// The opened driver. Throws kUnavailable with driver_status().problem if there is none.
[[nodiscard]] const DriverApi& driver();

/// "CUDA 12.6" of 12060.
[[nodiscard]] std::string version_text(int version);

/// Turns a driver's answer into an exception unless it is success: the code's name and text, the call, and what vrt was doing.
/// Out of memory becomes kOutOfMemory, a sticky fault kDeviceLost, a driver that has already ended kUnavailable, everything else
/// kBackend.
void check(Result result, const char* call, std::string_view doing);

/// For destructors: reports a failure through the log instead of throwing, and says nothing when the driver has already
/// gone at the end of the process.
void report(Result result, const char* call) noexcept;

/// True for the faults after which the context answers every call with an error.
[[nodiscard]] bool is_sticky(Result result) noexcept;

}  // namespace vrt::cuda
