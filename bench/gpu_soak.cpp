// Many frames of everything that CenterFace does around its network, launched and as graphs by turns, each waited for and read.
#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <string>
#include <vector>

#include "bench/gpu_modes.h"
#include "vrt/base/fail.h"
#include "vrt/device/cuda/device.h"
#include "vrt/device/cuda/driver.h"
#include "vrt/device/graph.h"
#include "vrt/device/memory.h"
#include "vrt/engine/engine.h"
#include "vrt/models/centerface/centerface.h"
#include "vrt/models/centerface/without_network.h"

namespace vrt {
namespace {

constexpr Size kFrame{1920, 1080};
constexpr std::size_t kRing = 4;
constexpr std::int64_t kTurn = 1000;  // Frames launched, then as many as graphs.
constexpr std::int64_t kWarmUp = 4 * kTurn;
constexpr std::int64_t kMostRssGrowth = std::int64_t{2} << 20U;

// In use on the device by all processes together: the driver knows no other number.
std::int64_t device_bytes(const cuda::CudaDevice& device) {
  using MemGetInfo = cuda::Result (*)(std::size_t*, std::size_t*);
  const auto get_info = reinterpret_cast<MemGetInfo>(dlsym(device.api().library(), "cuMemGetInfo_v2"));
  if (get_info == nullptr) fail(ErrorCode::kUnavailable, "{} has no cuMemGetInfo_v2", device.api().path());
  const auto current = device.scope();
  std::size_t free_bytes = 0;
  std::size_t all_bytes = 0;
  cuda::check(get_info(&free_bytes, &all_bytes), "cuMemGetInfo_v2", "asking how much memory is in use");
  return static_cast<std::int64_t>(all_bytes - free_bytes);
}

std::int64_t rss_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t all_pages = 0;
  std::int64_t resident_pages = 0;
  if (!(file >> all_pages >> resident_pages)) fail(ErrorCode::kIo, "cannot read /proc/self/statm");
  return resident_pages * sysconf(_SC_PAGESIZE);
}

struct Memory {
  std::int64_t device = 0;
  std::int64_t rss = 0;
};

class Soak {
 public:
  explicit Soak(Device device);

  // Frames [first, end).
  void run(std::int64_t first, std::int64_t end);
  [[nodiscard]] Memory memory() const { return {device_bytes(device_), rss_bytes()}; }
  [[nodiscard]] std::size_t faces() const { return faces_; }

 private:
  void run_frame(std::int64_t frame);

  cuda::CudaDevice& device_;
  Stream stream_;
  CenterFaceWithoutNetwork work_;
  DeviceBuffer<std::uint8_t> pictures_;
  std::vector<ImageView> views_;
  std::vector<Graph> graphs_;
  std::size_t faces_ = 0;
};

Soak::Soak(Device device)
    : device_(cuda::CudaDevice::open(device.ordinal())),
      stream_(device),
      work_(stream_, CenterFace::input_size_for(kFrame)) {
  const std::size_t bytes = packed_bytes(kFrame, PixelFormat::kNv12);
  pictures_ = DeviceBuffer<std::uint8_t>::zeros(stream_, kRing * bytes);
  for (std::size_t i = 0; i < kRing; ++i) {
    views_.push_back(ImageView::packed(device, pictures_.span().data() + i * bytes, kFrame, PixelFormat::kNv12));
    graphs_.push_back(Graph::capture(stream_, [&] { work_.submit(views_.back()); }));
  }
  stream_.synchronize();
  faces_ = work_.detections().size();
}

// The faces found never change: a frame that finds others has read what it should not.
void Soak::run_frame(std::int64_t frame) {
  const std::size_t picture = static_cast<std::size_t>(frame) % kRing;
  if (frame / kTurn % 2 == 0) {
    work_.submit(views_[picture]);
  } else {
    graphs_[picture].launch(stream_);
  }
  stream_.synchronize();
  const std::size_t found = work_.detections().size();
  if (found != faces_) fail(ErrorCode::kBackend, "frame {} has {} faces, the first had {}", frame, found, faces_);
}

void Soak::run(std::int64_t first, std::int64_t end) {
  for (std::int64_t frame = first; frame < end; ++frame) run_frame(frame);
}

void add_row(GpuReport& report, const std::string& when, std::int64_t frames, const Memory& memory) {
  report.add_row({{"when", when}, {"frames", frames}, {"device_bytes", memory.device}, {"rss_bytes", memory.rss}});
}

}  // namespace

bool measure_soak(Device device, std::int64_t frames, GpuReport& report) {
  require(frames > 2 * kWarmUp, "{} frames; expected more than {}, of which {} are the warm-up", frames, 2 * kWarmUp,
          kWarmUp);
  Soak soak(device);
  add_row(report, "start", 0, soak.memory());
  soak.run(0, kWarmUp);
  const Memory before = soak.memory();
  add_row(report, "after the warm-up", kWarmUp, before);
  const Memory counted = soak.memory();  // The row and the look at the clocks take memory of the host, too.
  const auto begin = std::chrono::steady_clock::now();
  soak.run(kWarmUp, frames);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  const Memory after = soak.memory();
  add_row(report, "end", frames, after);
  report.add_fact({"faces", static_cast<std::int64_t>(soak.faces())});
  report.add_fact({"frames_per_s", static_cast<double>(frames - kWarmUp) / seconds.count()});
  report.add_fact({"device_growth_bytes", after.device - counted.device});
  report.add_fact({"rss_growth_bytes", after.rss - counted.rss});
  return after.device <= counted.device && after.rss - counted.rss <= kMostRssGrowth;
}

bool measure_engine_soak(Device device, const EngineSoak& soak, GpuReport& report) {
  constexpr std::int64_t kRunsBefore = 100;
  EngineOptions options{.backend = soak.engine, .batch = {1, 0, soak.largest_batch}};
  if (soak.half) options.precision = Precision::kFloat16;
  const Stream stream(device);
  Session session(Engine::open(soak.model, device, options), stream);
  const auto run = [&](std::int64_t runs) {
    for (std::int64_t i = 0; i < runs; ++i) {
      if (soak.largest_batch > 0) session.set_batch(1 + i % soak.largest_batch);
      session.submit();
      stream.synchronize();
    }
  };
  cuda::CudaDevice& gpu = cuda::CudaDevice::open(device.ordinal());
  run(kRunsBefore);
  add_row(report, "after the warm-up", kRunsBefore, {device_bytes(gpu), rss_bytes()});
  const Memory counted{device_bytes(gpu), rss_bytes()};
  run(soak.runs);
  const Memory after{device_bytes(gpu), rss_bytes()};
  add_row(report, "end", soak.runs, after);
  report.add_fact({"largest_batch", soak.largest_batch});
  report.add_fact({"device_growth_bytes", after.device - counted.device});
  report.add_fact({"rss_growth_bytes", after.rss - counted.rss});
  return after.device <= counted.device && after.rss - counted.rss <= kMostRssGrowth;
}

}  // namespace vrt
