#include "vrt/engine/tensorrt/driver.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string>

#include "vrt/engine/backend_support.h"

namespace vrt::tensorrt {
namespace {

using backend::Failure;

// CUdevice_attribute of cuda.h.
constexpr int kComputeCapabilityMajor = 75;
constexpr int kComputeCapabilityMinor = 76;

/// A CUDA driver, for one question.
class Driver {
 public:
  Driver() {
    const char* const chosen = std::getenv("VRT_CUDA_DRIVER");
    name_ = chosen != nullptr && *chosen != '\0' ? chosen : "libcuda.so.1";
    library_ = dlopen(name_.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library_ == nullptr) {
      const char* const reason = dlerror();
      throw Failure(VRT_BACKEND_UNAVAILABLE,
                    std::string("no CUDA driver: ") + (reason != nullptr ? reason : name_.c_str()));
    }
  }

  template <typename... Arguments>
  void call(const char* name, Arguments... arguments) const {
    const auto function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library_, name));
    if (function == nullptr) throw Failure(VRT_BACKEND_UNAVAILABLE, "'" + name_ + "' has no function '" + name + "'");
    const int result = function(arguments...);
    if (result != 0)
      throw Failure(VRT_BACKEND_UNAVAILABLE,
                    std::string(name) + " of '" + name_ + "' fails with " + std::to_string(result));
  }

 private:
  std::string name_;
  void* library_ = nullptr;
};

}  // namespace

ComputeCapability compute_capability(std::int32_t ordinal) {
  const Driver driver;
  driver.call("cuInit", 0U);
  int device = 0;
  driver.call("cuDeviceGet", &device, static_cast<int>(ordinal));
  ComputeCapability capability;
  driver.call("cuDeviceGetAttribute", &capability.major, kComputeCapabilityMajor, device);
  driver.call("cuDeviceGetAttribute", &capability.minor, kComputeCapabilityMinor, device);
  return capability;
}

}  // namespace vrt::tensorrt
