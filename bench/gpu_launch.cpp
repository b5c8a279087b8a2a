// What launching costs. Batches are short, and the stream is drained between them, so that the driver's queue never makes the host
// wait; the subjects take turns, so that all of them meet the same machine.
#include <dlfcn.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/gpu_modes.h"
#include "bench/gpu_timing.h"
#include "vrt/base/fail.h"
#include "vrt/device/cuda/device.h"
#include "vrt/device/cuda/driver.h"
#include "vrt/device/cuda/nvrtc.h"
#include "vrt/device/graph.h"
#include "vrt/device/kernel.h"
#include "vrt/device/memory.h"

namespace vrt {
namespace {

constexpr int kRounds = 20;
constexpr int kBatchesARound = 25;
constexpr int kLaunchesABatch = 100;  // The driver's queue holds 1024.
constexpr int kKernelsAFrame = 10;
constexpr int kFramesABatch = kLaunchesABatch / kKernelsAFrame;
constexpr int kGpuSamples = 101;

using Touch = void(DeviceSpan<std::int32_t>, std::int32_t);

// The same kernel as vrt's, by the driver's functions alone: what a launch costs at least.
class RawTouch {
 public:
  RawTouch(cuda::CudaDevice& device, const Stream& stream, std::int32_t* out);
  ~RawTouch();
  RawTouch(const RawTouch&) = delete;
  RawTouch& operator=(const RawTouch&) = delete;

  // The device's context is current.
  void launch() {
    void* parameters[] = {&out_, &value_};
    const cuda::Result result = launch_(function_, 1, 1, 1, 32, 1, 1, 0, stream_, parameters, nullptr);
    if (result != cuda::kSuccess) cuda::check(result, "cuLaunchKernel", "launching without vrt");
  }

 private:
  using Launch = cuda::Result (*)(CUfunc_st*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                  CUstream_st*, void**, void**);

  cuda::CudaDevice& device_;
  CUstream_st* stream_;
  std::int32_t* out_;
  std::int32_t value_ = 1;
  CUmod_st* module_ = nullptr;
  CUfunc_st* function_ = nullptr;
  Launch launch_;
};

RawTouch::RawTouch(cuda::CudaDevice& device, const Stream& stream, std::int32_t* out)
    : device_(device),
      stream_(static_cast<CUstream_st*>(stream.native_handle())),
      out_(out),
      launch_(reinterpret_cast<Launch>(dlsym(device.api().library(), "cuLaunchKernel"))) {
  if (launch_ == nullptr) fail(ErrorCode::kUnavailable, "{} has no cuLaunchKernel", device.api().path());
  const auto compiled = cuda::nvrtc().compile(cuda::production_build("small.cu", kSmallKernels), device.architecture());
  const auto current = device.scope();
  device.check(device.api().module_load_data(&module_, compiled.image.data()), "cuModuleLoadData", "loading small.cu");
  device.check(device.api().module_get_function(&function_, module_, "touch"), "cuModuleGetFunction",
               "looking up the kernel 'touch'");
}

RawTouch::~RawTouch() {
  const auto current = device_.scope();
  cuda::report(device_.api().module_unload(module_), "cuModuleUnload");
}

// Something to time: `batch` submits `units` of it.
struct Subject {
  std::string name;
  int units;
  std::function<void()> batch;
  bool needs_context;  // The device's context is made current around the batches.
  std::vector<double> host_ns_a_unit{};
};

template <typename Launch>
Subject subject(std::string name, int units, bool needs_context, const Launch& launch) {
  const auto batch = [=] {
    for (int i = 0; i < units; ++i) launch();
  };
  return {std::move(name), units, batch, needs_context};
}

std::unique_ptr<cuda::ContextScope> context_for(const Subject& subject, const cuda::CudaDevice& device) {
  if (!subject.needs_context) return nullptr;
  return std::make_unique<cuda::ContextScope>(device.api(), device.context());
}

void run_round(const Stream& stream, const cuda::CudaDevice& device, Subject& subject) {
  const auto current = context_for(subject, device);
  for (int i = 0; i < kBatchesARound; ++i) {
    stream.synchronize();
    subject.host_ns_a_unit.push_back(host_ns(subject.batch) / subject.units);
  }
  stream.synchronize();
}

void add_row(const Stream& stream, const cuda::CudaDevice& device, const Subject& subject, GpuReport& report) {
  const auto current = context_for(subject, device);
  const double gpu_us = median(gpu_times_us(stream, kGpuSamples, subject.batch)) / subject.units;
  report.add_row({{"what", subject.name},
                  {"host_ns", median(subject.host_ns_a_unit)},
                  {"host_ns_p95", quantile(subject.host_ns_a_unit, 0.95)},
                  {"gpu_us", gpu_us}});
}

}  // namespace

void measure_launch(Device device, GpuReport& report) {
  const Stream stream(device);
  auto out = DeviceBuffer<std::int32_t>::zeros(stream, 1);
  const auto touch = KernelModule::compile(device, "small.cu", kSmallKernels).get<Touch>("touch");
  cuda::CudaDevice& cuda_device = cuda::CudaDevice::open(device.ordinal());
  RawTouch raw(cuda_device, stream, out.span().data());
  const auto launch = [&] { touch.launch(stream, grid_1d(32, 32), out.span(), std::int32_t{1}); };
  const auto frame = [&] {
    for (int i = 0; i < kKernelsAFrame; ++i) launch();
  };
  const Graph graph = Graph::capture(stream, frame);
  std::vector<Subject> subjects{
      subject("launch, cuLaunchKernel", kLaunchesABatch, true, [&] { raw.launch(); }),
      subject("launch, vrt, context current", kLaunchesABatch, true, launch),
      subject("launch, vrt", kLaunchesABatch, false, launch),
      subject("frame of 10 kernels, 10 launches", kFramesABatch, false, frame),
      subject("frame of 10 kernels, a graph", kFramesABatch, false, [&] { graph.launch(stream); })};
  for (int round = 0; round < kRounds; ++round) {
    for (Subject& each : subjects) run_round(stream, cuda_device, each);
  }
  for (const Subject& each : subjects) add_row(stream, cuda_device, each, report);
}

}  // namespace vrt
