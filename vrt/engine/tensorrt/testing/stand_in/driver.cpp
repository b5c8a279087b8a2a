// A CUDA driver that answers one question: the compute capability of its one GPU, "8.9" unless VRT_STANDIN_CAPABILITY says otherwise.
// VRT_STANDIN_DRIVER_RESULT is what cuInit answers.
#include <cstdlib>
#include <string>

namespace {

std::string setting(const char* name, const char* otherwise) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : otherwise;
}

constexpr int kComputeCapabilityMajor = 75;
constexpr int kInvalidDevice = 101;

}  // namespace

// Names are CUDA's.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" __attribute__((visibility("default"))) int cuInit(unsigned int) {
  return std::stoi(setting("VRT_STANDIN_DRIVER_RESULT", "0"));
}
extern "C" __attribute__((visibility("default"))) int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return ordinal == 0 ? 0 : kInvalidDevice;
}
extern "C" __attribute__((visibility("default"))) int cuDeviceGetAttribute(int* value, int attribute, int) {
  const std::string capability = setting("VRT_STANDIN_CAPABILITY", "8.9");
  const std::size_t point = capability.find('.');
  *value = std::stoi(attribute == kComputeCapabilityMajor ? capability.substr(0, point) : capability.substr(point + 1));
  return 0;
}
// NOLINTEND(readability-identifier-naming)
