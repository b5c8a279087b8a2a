#include "vrt/device/cuda/testing/fake_control.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "vrt/device/cuda/testing/fake_driver.h"

namespace vrt::cuda::testing {

namespace {

void* library = nullptr;

template <typename Function>
Function* control(const char* name) {
  void* address = dlsym(library, name);
  if (address == nullptr) throw std::runtime_error(std::string("the fake driver has no ") + name);
  return reinterpret_cast<Function*>(address);
}

}  // namespace

void use_fake_driver(const char* path) {
  setenv("VRT_CUDA_DRIVER", path, 1);
  control_fake_driver(path);
}

void control_fake_driver(const char* path) {
  library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
}

void reset() { control<decltype(vrt_fake_reset)>("vrt_fake_reset")(); }

void fail(const char* symbol, std::uint64_t nth, int result) {
  control<decltype(vrt_fake_fail)>("vrt_fake_fail")(symbol, nth, result);
}

std::vector<std::string> calls() {
  std::vector<std::string> names;
  const auto count = control<decltype(vrt_fake_call_count)>("vrt_fake_call_count")();
  for (std::uint64_t i = 0; i < count; ++i) names.emplace_back(control<decltype(vrt_fake_call)>("vrt_fake_call")(i));
  return names;
}

std::size_t calls_of(const std::string& symbol) {
  const auto all = calls();
  return static_cast<std::size_t>(std::count(all.begin(), all.end(), symbol));
}

std::vector<unsigned> flags_of(const std::string& symbol) {
  std::vector<unsigned> flags;
  const std::vector<std::string> names = calls();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == symbol) flags.push_back(control<decltype(vrt_fake_call_flags)>("vrt_fake_call_flags")(i));
  }
  return flags;
}

std::vector<std::pair<void*, void*>> ordered() {
  std::vector<std::pair<void*, void*>> waits;
  const auto count = control<decltype(vrt_fake_wait_count)>("vrt_fake_wait_count")();
  for (std::uint64_t i = 0; i < count; ++i) {
    auto& [first, second] = waits.emplace_back();
    control<decltype(vrt_fake_wait)>("vrt_fake_wait")(i, &first, &second);
  }
  return waits;
}

std::int64_t live_objects() { return control<decltype(vrt_fake_live_objects)>("vrt_fake_live_objects")(); }

}  // namespace vrt::cuda::testing
