// A program whose objects outlive the CUDA driver: it leaves the end of everything to the end of the process. A test starts it often.
//   exit_program static|leaked|threads
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/base/log.h"
#include "vrt/device/cuda/testing/scale_kernel.h"
#include "vrt/device/dlpack.h"
#include "vrt/device/event.h"
#include "vrt/device/graph.h"
#include "vrt/device/kernel.h"
#include "vrt/device/memory.h"
#include "vrt/device/stream.h"

namespace {

struct Everything {
  vrt::Stream stream{vrt::Device::cuda(0)};
  vrt::DeviceBuffer<float> in = vrt::DeviceBuffer<float>::zeros(stream, 64);
  vrt::DeviceBuffer<float> out = vrt::DeviceBuffer<float>::zeros(stream, 64);
  vrt::PinnedBuffer<float> host{stream.device(), 64};
  vrt::Event event{stream.device()};
  vrt::TimedEvent timed{stream.device()};
  vrt::Kernel<vrt::cuda::testing::Scale> scale = vrt::cuda::testing::scale_on(stream.device());
  std::optional<vrt::Graph> graph;
  std::optional<vrt::DlpackTensor> borrowed;

  void use() {
    const auto enqueue = [&] { scale.launch(stream, vrt::grid_1d(64), in.span(), out.span(), 2.0F, std::int32_t{64}); };
    graph = vrt::Graph::capture(stream, enqueue);
    timed.record(stream);
    graph->launch(stream);
    vrt::read_back(stream, out.span(), host.span());
    borrowed = vrt::from_dlpack(stream, vrt::to_dlpack(stream, in.span(), {64}, vrt::dlpack_stream(stream)));
    event.record(stream);  // Not waited for.
  }
};

// Constructed before the driver is loaded, hence destroyed after it has ended.
std::optional<Everything> before_the_driver;
std::vector<std::unique_ptr<Everything>> of_threads;

}  // namespace

int main(int argc, char** argv) try {
  vrt::set_log_sink([](vrt::LogLevel, std::string_view message) {
    std::fprintf(stderr, "%.*s\n", static_cast<int>(message.size()), message.data());
  });
  const char* const how = argc > 1 ? argv[1] : "static";
  if (std::strcmp(how, "leaked") == 0) {
    (new Everything())->use();  // NOLINT: leaked, which is the point.
  } else if (std::strcmp(how, "threads") == 0) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) of_threads.push_back(std::make_unique<Everything>());
    for (const auto& own : of_threads) threads.emplace_back([&own] { own->use(); });
    for (std::thread& thread : threads) thread.join();
  } else {
    before_the_driver.emplace().use();
    static Everything after_the_driver;
    after_the_driver.use();
  }
  return 0;
} catch (const vrt::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
