// The modes of vrt_gpu_benchmark. Each measures on one GPU and adds to the report; a device that cannot be used is an Error.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "bench/gpu_report.h"
#include "vrt/device/device.h"

namespace vrt {

/// Preprocessing by format, size, mode, filter and batch, beside the speed of a copy.
void measure_preprocess(Device device, GpuReport& report);
/// What detectors do behind their networks: decoding with suppression, selection, masks. Seeded data, which
/// gpu_detect_against_python.py makes again.
void measure_detect(Device device, GpuReport& report);
/// What a launch costs the host: vrt's, the driver's own, and a frame of ten kernels as launches and as a graph.
void measure_launch(Device device, GpuReport& report);
/// Compiling every kernel of vrt with an empty cache and with a full one, each time in a process of its own.
void measure_jit(Device device, GpuReport& report);
/// What that process does: `how` is "serial" or "async". Prints a line "NAME MILLISECONDS" for each time it took.
void run_jit_child(Device device, std::string_view how);
/// Matching sets of descriptors, in float16 and float32.
void measure_match(Device device, GpuReport& report);
/// Keypoints and descriptors from XFeat's outputs.
void measure_features(Device device, GpuReport& report);
/// `frames` frames of preprocessing and face decoding. False if memory grew behind the warm-up, of the device by anything, of the
/// host by more than 2 MiB.
[[nodiscard]] bool measure_soak(Device device, std::int64_t frames, GpuReport& report);

/// Many runs of a network.
struct EngineSoak {
  std::filesystem::path model;
  std::string engine;  ///< "auto" or a backend's name.
  bool half = false;   ///< In float16.
  std::int64_t runs = 3000;
  std::int64_t largest_batch = 0;  ///< The batch goes from 1 to it and again; 0 where the file fixes it.
};
/// Each run waited for. False if memory grew as in measure_soak.
[[nodiscard]] bool measure_engine_soak(Device device, const EngineSoak& soak, GpuReport& report);

/// A network and where its raw inputs (NAME.bin) are and its outputs go.
struct EngineRun {
  std::filesystem::path model;
  std::filesystem::path inputs;
  std::filesystem::path outputs;
  std::string backend = "auto";
  bool is_float16 = false;
  std::int64_t batch = 0;  ///< Where the file leaves it open.
};

/// A network alone, enqueued call by call and as one graph. Throws if the graph gives other bits.
void measure_engine(Device device, const EngineRun& run, GpuReport& report);

/// Two kernels that do next to nothing, compiled at run time.
inline constexpr const char* kSmallKernels = R"(
extern "C" __global__ void nothing(int32_t) {}
extern "C" __global__ void touch(int32_t* __restrict__ out, int32_t value) {
  if (value < 0) out[0] = value;
}
)";

}  // namespace vrt
