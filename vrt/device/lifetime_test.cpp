// Handles may be let go in any order, at any time.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "vrt/device/event.h"
#include "vrt/device/graph.h"
#include "vrt/device/memory.h"
#include "vrt/device/test_kernels.h"
#include "vrt/device/testing/devices.h"

namespace vrt {
namespace {

constexpr std::int32_t kCount = 256;

/// One of each kind of handle, with work of all of them under way.
struct Handles {
  using Buffer = DeviceBuffer<float>;

  explicit Handles(Device device) {
    stream = std::make_unique<Stream>(device);
    buffer = std::make_unique<Buffer>(Buffer::zeros(*stream, std::size_t{2} * kCount));
    event = std::make_unique<Event>(device);
    timed = std::make_unique<TimedEvent>(device);
    const auto kernel = test::kernel<test::Scale>("scale", device);
    const auto enqueue = [&] {
      const DeviceSpan<float> in = buffer->span().subspan(0, kCount);
      kernel.launch(*stream, grid_1d(kCount), in, buffer->span().subspan(kCount, kCount), 2.0F, kCount);
    };
    graph = std::make_unique<Graph>(Graph::capture(*stream, enqueue, {.warm_up = false, .foreign = {}}));
    timed->record(*stream);
    stream->enqueue_host("slow", [] { std::this_thread::sleep_for(std::chrono::microseconds(300)); });
    graph->launch(*stream);
    enqueue();
    event->record(*stream);
    follower = std::make_unique<Stream>(device);
    follower->order_after(*event);
    follower->enqueue_host("follow", [] {});
  }

  std::unique_ptr<Stream> stream;
  std::unique_ptr<Stream> follower;
  std::unique_ptr<Buffer> buffer;
  std::unique_ptr<Event> event;
  std::unique_ptr<TimedEvent> timed;
  std::unique_ptr<Graph> graph;
};

class LifetimeTest : public ::testing::TestWithParam<Device> {};
INSTANTIATE_TEST_SUITE_P(Devices, LifetimeTest, ::testing::ValuesIn(Device::all()), testing::device_name);

TEST_P(LifetimeTest, EveryOrderOfDestructionIsFine) {
  std::array<int, 6> order{0, 1, 2, 3, 4, 5};
  do {
    Handles handles(GetParam());
    const std::array<std::function<void()>, 6> reset{
        [&] { handles.stream.reset(); }, [&] { handles.buffer.reset(); }, [&] { handles.event.reset(); },
        [&] { handles.timed.reset(); },  [&] { handles.graph.reset(); },  [&] { handles.follower.reset(); }};
    for (const int index : order) reset[static_cast<std::size_t>(index)]();
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_P(LifetimeTest, ABufferKeepsItsStreamUsable) {
  auto buffer = DeviceBuffer<std::int32_t>::zeros(Stream(GetParam()), 4);
  EXPECT_EQ(read_back_blocking(buffer.stream(), buffer.span()), std::vector<std::int32_t>(4, 0));
}

TEST_P(LifetimeTest, AnUnreadFailureEndsWithItsStream) {
  Stream stream(GetParam());
  stream.enqueue_host("fails", [] { throw 1; });
}

TEST_P(LifetimeTest, AGraphThatOutlivesItsStreamFreesItsBuffersOnAnother) {
  Stream other(GetParam());
  std::optional<Graph> graph;
  {
    Stream stream(GetParam());
    auto buffer = DeviceBuffer<std::int32_t>::zeros(stream, kCount);
    stream.synchronize();
    graph = Graph::capture(stream, [&] { fill_bytes(stream, buffer.span(), 1); }, {.warm_up = false, .foreign = {}});
  }
  // The worker of `other` may be the last owner of the buffer, hence of the first stream, too.
  graph->launch(other);
  graph.reset();
  other.synchronize();
}

TEST_P(LifetimeTest, StreamsComeAndGo) {
  for (int i = 0; i < 300; ++i) {
    Stream stream(GetParam());
    if (i % 3 == 0) stream.enqueue_host("nothing", [] {});
    if (i % 3 == 1) stream.synchronize();
  }
}

// A GPU finishes it later.
TEST(LifetimeOnCpuTest, DestroyingTheLastHandleFinishesWhatWasSubmitted) {
  int runs = 0;
  {
    Stream stream(Device::cpu());
    for (int i = 0; i < 100; ++i) stream.enqueue_host("count", [&runs] { ++runs; });
  }
  EXPECT_EQ(runs, 100);
}

/// Leaves the process as a program does whose streams are static, with work under way, or leaked.
[[noreturn]] void leave_with_streams() {
  static Stream at_exit(Device::cpu());
  static auto buffer = DeviceBuffer<std::int32_t>::zeros(at_exit, 1 << 20);
  auto* const leaked = new Stream(Device::cpu());
  auto* const leaked_event = new Event(Device::cpu());
  const auto kernel = test::kernel<test::Increment>("increment");
  for (int i = 0; i < 20; ++i) kernel.launch(at_exit, grid_1d(1 << 20), buffer.span(), 1 << 20);
  leaked->enqueue_host("slow", [] { std::this_thread::sleep_for(std::chrono::milliseconds(50)); });
  leaked_event->record(*leaked);
  at_exit.order_after(*leaked_event);
  std::exit(0);
}

TEST(LifetimeDeathTest, TheProcessEndsCleanlyWithStaticAndLeakedStreams) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (int i = 0; i < 5; ++i) EXPECT_EXIT(leave_with_streams(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace vrt
