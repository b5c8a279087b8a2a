#include "vrt/device/cuda/driver.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

#include "vrt/base/fail.h"
#include "vrt/base/log.h"

namespace vrt::cuda {

namespace loading {

void add_to_list(DriverApi& api, const EntryPointInfo& info) { api.list_.push_back(info); }

void* look_up(const DriverApi& api, const EntryPointInfo& info) { return dlsym(api.library(), info.symbol); }

void throw_missing(const DriverApi& api, const EntryPointInfo& info) {
  fail(ErrorCode::kUnavailable, "the CUDA driver at {} has no {}, which exists since {}; update the driver", api.path(),
       info.symbol, version_text(info.since));
}

}  // namespace loading

namespace {

constexpr const char* kDefaultLibrary = "libcuda.so.1";

struct Driver {
  DriverStatus status;
  std::unique_ptr<DriverApi> api;
};

std::string path_of(void* library, const std::string& fallback) {
  link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr && map->l_name != nullptr && *map->l_name != '\0') {
    return map->l_name;
  }
  return fallback;
}

std::string first_missing(const DriverApi& api) {
  for (const EntryPointInfo& info : api.entries()) {
    if (info.required && loading::look_up(api, info) == nullptr) return info.symbol;
  }
  return {};
}

std::string explain_init(const DriverApi& api, const char* call, Result result) {
  if (result == kErrorStubLibrary) {
    return fmt::format(
        "{} is the CUDA toolkit's stub, made for linking only; install the NVIDIA driver or remove the stubs "
        "folder from LD_LIBRARY_PATH",
        api.path());
  }
  if (result == kErrorNoDevice) return "the CUDA driver finds no GPU; check `nvidia-smi` and CUDA_VISIBLE_DEVICES";
  const char* name = nullptr;
  api.get_error_name(result, &name);
  return fmt::format("{} of {} failed with {} ({})", call, api.path(), name == nullptr ? "an unknown error" : name,
                     result);
}

// Fills what is known as far as it goes; returns the problem that stopped it, empty if none did.
std::string initialise(const DriverApi& api, DriverStatus& status) {
  if (api.driver_get_version.available()) {
    if (const Result result = api.driver_get_version(&status.version); result != kSuccess)
      return explain_init(api, api.driver_get_version.symbol(), result);
  }
  if (status.version < kLeastDriverVersion && status.version != 0) {
    return fmt::format("the CUDA driver at {} is for {}, vrt needs {} or newer; update the driver", api.path(),
                       version_text(status.version), version_text(kLeastDriverVersion));
  }
  if (const std::string missing = first_missing(api); !missing.empty()) {
    return fmt::format("{} lacks the entry point {}; it is not a CUDA driver that vrt can use", api.path(), missing);
  }
  if (const Result result = api.init(0); result != kSuccess) return explain_init(api, api.init.symbol(), result);
  if (const Result result = api.device_get_count(&status.device_count); result != kSuccess)
    return explain_init(api, api.device_get_count.symbol(), result);
  return status.device_count > 0 ? std::string() : explain_init(api, api.init.symbol(), kErrorNoDevice);
}

Driver open_driver() {
  Driver driver;
  const char* chosen = std::getenv("VRT_CUDA_DRIVER");
  const std::string name = chosen != nullptr && *chosen != '\0' ? chosen : kDefaultLibrary;
  driver.status.tried.push_back(name);
  void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    driver.status.problem = fmt::format("no CUDA driver: {} ({}); install the NVIDIA driver to use a GPU", name,
                                        reason == nullptr ? "not found" : reason);
    return driver;
  }
  driver.status.path = path_of(library, name);
  driver.api = std::make_unique<DriverApi>(library, driver.status.path);
  driver.status.problem = initialise(*driver.api, driver.status);
  driver.status.usable = driver.status.problem.empty();
  return driver;
}

// Never destroyed: streams and buffers in static objects may outlive everything else.
const Driver& opened() {
  static const Driver* const driver = new Driver(open_driver());
  return *driver;
}

std::string describe_result(Result result) {
  const DriverApi& api = *opened().api;
  const char* name = nullptr;
  const char* text = nullptr;
  api.get_error_name(result, &name);
  api.get_error_string(result, &text);
  return fmt::format("{} ({}): {}", name == nullptr ? "unknown CUDA error" : name, result, text == nullptr ? "" : text);
}

}  // namespace

const DriverStatus& driver_status() { return opened().status; }

const DriverApi& driver() {
  const Driver& driver = opened();
  if (!driver.status.usable) throw Error(ErrorCode::kUnavailable, driver.status.problem);
  return *driver.api;
}

std::string version_text(int version) { return fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10); }

bool is_sticky(Result result) noexcept {
  constexpr std::array kSticky{
      kErrorEccUncorrectable, kErrorIllegalAddress,     kErrorLaunchTimeout,     kErrorAssert,
      kErrorHardwareStack,    kErrorIllegalInstruction, kErrorMisalignedAddress, kErrorInvalidAddressSpace,
      kErrorInvalidPc,        kErrorLaunchFailed};
  return std::find(kSticky.begin(), kSticky.end(), result) != kSticky.end();
}

void check(Result result, const char* call, std::string_view doing) {
  if (result == kSuccess) return;
  const std::string cause = fmt::format("{} answered {}", call, describe_result(result));
  if (result == kErrorOutOfMemory) {
    throw Error(ErrorCode::kOutOfMemory, fmt::format("out of device memory while {}", doing), cause);
  }
  if (result == kErrorDeinitialized) {
    throw Error(ErrorCode::kUnavailable, fmt::format("the CUDA driver has ended with the process, before {}", doing),
                cause);
  }
  if (is_sticky(result)) {
    throw Error(
        ErrorCode::kDeviceLost,
        fmt::format("the CUDA device is lost: a fault was found while {}; it was caused by this or earlier work, and "
                    "the process must be restarted to use the device again",
                    doing),
        cause);
  }
  throw Error(ErrorCode::kBackend, fmt::format("CUDA failed while {}", doing), cause);
}

void report(Result result, const char* call) noexcept {
  if (result == kSuccess || result == kErrorDeinitialized) return;
  try {
    log(LogLevel::kError, fmt::format("{} answered {}", call, describe_result(result)));
  } catch (...) {  // Out of memory while formatting: there is nobody left to tell.
  }
}

}  // namespace vrt::cuda
