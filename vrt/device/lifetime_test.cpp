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

namespace vrt {
namespace {

constexpr std::int32_t kCount = 256;

/// One of each kind of handle, with work of all of them under way.
struct Handles {
  using Buffer = DeviceBuffer<std::int32_t>;

  Handles() {
    stream = std::make_unique<Stream>(Device::cpu());
    buffer = std::make_unique<Buffer>(Buffer::zeros(*stream, kCount));
    event = std::make_unique<Event>(Device::cpu());
    timed = std::make_unique<TimedEvent>(Device::cpu());
    const auto kernel = test::kernel<test::Increment>("increment");
    const auto enqueue = [&] { kernel.launch(*stream, grid_1d(kCount), buffer->span(), kCount); };
    graph = std::make_unique<Graph>(Graph::capture(*stream, enqueue, {.warm_up = false, .foreign = {}}));
    timed->record(*stream);
    stream->enqueue_host("slow", [] { std::this_thread::sleep_for(std::chrono::microseconds(300)); });
    graph->launch(*stream);
    enqueue();
    event->record(*stream);
    follower = std::make_unique<Stream>(Device::cpu());
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

TEST(LifetimeTest, EveryOrderOfDestructionIsFine) {
  std::array<int, 6> order{0, 1, 2, 3, 4, 5};
  do {
    Handles handles;
    const std::array<std::function<void()>, 6> reset{
        [&] { handles.stream.reset(); }, [&] { handles.buffer.reset(); }, [&] { handles.event.reset(); },
        [&] { handles.timed.reset(); },  [&] { handles.graph.reset(); },  [&] { handles.follower.reset(); }};
    for (const int index : order) reset[static_cast<std::size_t>(index)]();
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(LifetimeTest, ABufferKeepsItsStreamUsable) {
  auto buffer = DeviceBuffer<std::int32_t>::zeros(Stream(Device::cpu()), 4);
  EXPECT_EQ(read_back_blocking(buffer.stream(), buffer.span()), std::vector<std::int32_t>(4, 0));
}

TEST(LifetimeTest, DestroyingTheLastHandleFinishesWhatWasSubmitted) {
  int runs = 0;
  {
    Stream stream(Device::cpu());
    for (int i = 0; i < 100; ++i) stream.enqueue_host("count", [&runs] { ++runs; });
  }
  EXPECT_EQ(runs, 100);
}

TEST(LifetimeTest, AnUnreadFailureEndsWithItsStream) {
  Stream stream(Device::cpu());
  stream.enqueue_host("fails", [] { throw 1; });
}

TEST(LifetimeTest, AGraphThatOutlivesItsStreamFreesItsBuffersOnAnother) {
  Stream other(Device::cpu());
  std::optional<Graph> graph;
  {
    Stream stream(Device::cpu());
    auto buffer = DeviceBuffer<std::int32_t>::zeros(stream, kCount);
    stream.synchronize();
    graph = Graph::capture(stream, [&] { fill_bytes(stream, buffer.span(), 1); }, {.warm_up = false, .foreign = {}});
  }
  // The worker of `other` may be the last owner of the buffer, hence of the first stream, too.
  graph->launch(other);
  graph.reset();
  other.synchronize();
}

TEST(LifetimeTest, StreamsComeAndGo) {
  for (int i = 0; i < 300; ++i) {
    Stream stream(Device::cpu());
    if (i % 3 == 0) stream.enqueue_host("nothing", [] {});
    if (i % 3 == 1) stream.synchronize();
  }
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
