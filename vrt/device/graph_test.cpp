#include "vrt/device/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "vrt/base/testing/error_of.h"
#include "vrt/device/counters.h"
#include "vrt/device/event.h"
#include "vrt/device/test_kernels.h"

namespace vrt {
namespace {

using test::error_of;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr std::int32_t kCount = 1000;
constexpr CaptureOptions kCold{.warm_up = false, .foreign = {}};

class GraphTest : public ::testing::Test {
 protected:
  void increment(DeviceBuffer<std::int32_t>& buffer) {
    kernel_.launch(stream_, grid_1d(kCount), buffer.span(), kCount);
  }
  [[nodiscard]] std::vector<std::int32_t> values() { return read_back_blocking(stream_, buffer_.span()); }

  Stream stream_{Device::cpu()};
  Kernel<test::Increment> kernel_ = test::kernel<test::Increment>("increment");
  DeviceBuffer<std::int32_t> buffer_ = DeviceBuffer<std::int32_t>::zeros(stream_, kCount);
};

TEST_F(GraphTest, ReplaysInOrderWhatWasRecorded) {
  PinnedBuffer<std::int32_t> out(stream_.device(), kCount);
  int tasks = 0;
  const Graph graph = Graph::capture(
      stream_,
      [&] {
        fill_bytes(stream_, buffer_.span(), 0);
        increment(buffer_);
        increment(buffer_);
        read_back(stream_, buffer_.span(), out.span());
        stream_.enqueue_host("count", [&tasks] { ++tasks; });
      },
      kCold);
  EXPECT_EQ(graph.node_count(), 5U);
  EXPECT_EQ(tasks, 0);
  for (int i = 0; i < 3; ++i) graph.launch(stream_);
  stream_.synchronize();
  EXPECT_THAT(out.host(), Each(2));
  EXPECT_EQ(tasks, 3);
}

TEST_F(GraphTest, TheWarmUpRunsOnceBeforeTheCapture) {
  const Graph graph = Graph::capture(stream_, [&] { increment(buffer_); });
  EXPECT_THAT(values(), Each(1));
  graph.launch(stream_);
  EXPECT_THAT(values(), Each(2));
}

TEST_F(GraphTest, KeepsItsBuffersAlive) {
  PinnedBuffer<std::int32_t> out(stream_.device(), kCount);
  std::optional<Graph> graph;
  const DeviceCounters before = counters(Device::cpu());
  {
    auto inner = DeviceBuffer<std::int32_t>::zeros(stream_, kCount);
    graph = Graph::capture(
        stream_,
        [&] {
          increment(inner);
          read_back(stream_, inner.span(), out.span());
        },
        kCold);
  }
  EXPECT_EQ((counters(Device::cpu()) - before).device_frees, 0U);
  graph->launch(stream_);
  graph->launch(stream_);
  stream_.synchronize();
  EXPECT_THAT(out.host(), Each(2));
  graph.reset();
  stream_.synchronize();
  EXPECT_EQ((counters(Device::cpu()) - before).device_frees, 1U);
}

TEST_F(GraphTest, MayBeDestroyedWhileItRuns) {
  PinnedBuffer<std::int32_t> out(stream_.device(), kCount);
  {
    auto inner = DeviceBuffer<std::int32_t>::zeros(stream_, kCount);
    const Graph graph = Graph::capture(
        stream_,
        [&] {
          increment(inner);
          read_back(stream_, inner.span(), out.span());
        },
        kCold);
    graph.launch(stream_);
  }
  stream_.synchronize();
  EXPECT_THAT(out.host(), Each(1));
}

TEST_F(GraphTest, MemoryOfNobodyIsRefusedByTheOperationsName) {
  std::vector<std::int32_t> mine(kCount);
  const auto view = DeviceSpan<std::int32_t>::from_raw(mine.data(), mine.size());
  const auto enqueue = [&] { kernel_.launch(stream_, grid_1d(kCount), view, kCount); };
  const Error error = error_of([&] { static_cast<void>(Graph::capture(stream_, enqueue, kCold)); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("kernel 'increment'"));
  const Graph graph = Graph::capture(stream_, enqueue, {.warm_up = false, .foreign = {{mine.data(), kCount * 4}}});
  graph.launch(stream_);
  stream_.synchronize();
  EXPECT_THAT(mine, Each(1));
}

TEST_F(GraphTest, MemoryThatReachesBeyondABufferIsRefused) {
  const auto beyond = DeviceSpan<std::int32_t>::from_raw(buffer_.span().data() + 1, kCount);
  EXPECT_EQ(error_of([&] {
              static_cast<void>(Graph::capture(stream_, [&] { fill_bytes(stream_, beyond, 0); }, kCold));
            }).code(),
            ErrorCode::kInvalidArgument);
}

TEST_F(GraphTest, WaitsAllocationsAndEventsAreRefusedInside) {
  Event event(Device::cpu());
  const std::vector<std::function<void()>> refused{
      [&] { stream_.synchronize(); },
      [&] { static_cast<void>(DeviceBuffer<float>::uninitialized(stream_, 1)); },
      [&] { event.record(stream_); },
      [&] { stream_.order_after(event); },
      [&] { static_cast<void>(read_back_blocking(stream_, buffer_.span())); },
      [&] { static_cast<void>(Graph::capture(stream_, [] {}, kCold)); }};
  for (const auto& action : refused) {
    EXPECT_EQ(error_of([&] { static_cast<void>(Graph::capture(stream_, action, kCold)); }).code(),
              ErrorCode::kUnsupported);
    increment(buffer_);  // The capture has ended: this runs.
    stream_.synchronize();
  }
  EXPECT_THAT(values(), Each(6));
}

TEST_F(GraphTest, ARefusalThatIsSwallowedStillFailsTheCapture) {
  const auto enqueue = [&] {
    try {
      stream_.synchronize();
    } catch (const Error&) {
    }
  };
  EXPECT_EQ(error_of([&] { static_cast<void>(Graph::capture(stream_, enqueue, kCold)); }).code(),
            ErrorCode::kUnsupported);
}

TEST_F(GraphTest, TheCaptureEndsWhenTheFunctionThrows) {
  EXPECT_THROW(
      static_cast<void>(Graph::capture(stream_, [] { throw std::logic_error("mine"); }, kCold)), std::logic_error);
  increment(buffer_);
  EXPECT_THAT(values(), Each(1));
}

TEST_F(GraphTest, AnotherStreamWorksDuringACapture) {
  Stream other(Device::cpu());
  int runs = 0;
  const Graph graph = Graph::capture(
      stream_,
      [&] {
        other.enqueue_host("count", [&runs] { ++runs; });
        other.synchronize();
      },
      kCold);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(graph.node_count(), 0U);
}

TEST_F(GraphTest, AFailureInsideNamesTheOperationAndTheNextLaunchRuns) {
  std::atomic<bool> fails = true;
  int runs = 0;
  const Graph graph = Graph::capture(
      stream_,
      [&] {
        stream_.enqueue_host("network", [&fails] {
          if (fails) throw std::runtime_error("boom");
        });
        stream_.enqueue_host("count", [&runs] { ++runs; });
      },
      kCold);
  graph.launch(stream_);
  const Error error = error_of([&] { stream_.synchronize(); });
  EXPECT_THAT(error.what(), HasSubstr("host task 'network'"));
  EXPECT_EQ(error.cause(), "boom");
  EXPECT_EQ(runs, 0);
  fails = false;
  graph.launch(stream_);
  stream_.synchronize();
  EXPECT_EQ(runs, 1);
}

TEST_F(GraphTest, AnUpdateChangesLaterLaunchesOnly) {
  auto other = DeviceBuffer<std::int32_t>::zeros(stream_, kCount);
  GraphNode node;
  Graph graph = Graph::capture(
      stream_,
      [&] {
        increment(buffer_);
        node = Graph::last_node(stream_);
      },
      kCold);
  for (int i = 0; i < 20; ++i) {
    graph.launch(stream_);
    kernel_.update(graph, node, grid_1d(kCount), i % 2 == 0 ? other.span() : buffer_.span(), kCount);
  }
  EXPECT_THAT(values(), Each(10));
  EXPECT_THAT(read_back_blocking(stream_, other.span()), Each(10));
}

TEST_F(GraphTest, AnUpdatedNodeKeepsItsNewBufferAliveAndLetsTheOldGo) {
  GraphNode node;
  std::optional<DeviceBuffer<std::int32_t>> first = DeviceBuffer<std::int32_t>::zeros(stream_, kCount);
  Graph graph = Graph::capture(
      stream_,
      [&] {
        increment(*first);
        node = Graph::last_node(stream_);
      },
      kCold);
  const DeviceCounters before = counters(Device::cpu());
  first.reset();
  EXPECT_EQ((counters(Device::cpu()) - before).device_frees, 0U);
  kernel_.update(graph, node, grid_1d(kCount), buffer_.span(), kCount);
  EXPECT_EQ((counters(Device::cpu()) - before).device_frees, 1U);
  graph.launch(stream_);
  EXPECT_THAT(values(), Each(1));
}

TEST_F(GraphTest, AnUpdateOfAnotherKindOfNodeIsRefused) {
  Graph graph = Graph::capture(stream_, [&] { fill_bytes(stream_, buffer_.span(), 0); }, kCold);
  const auto update = [&](std::size_t index) {
    kernel_.update(graph, GraphNode{index}, grid_1d(kCount), buffer_.span(), kCount);
  };
  EXPECT_THAT(error_of([&] { update(0); }).what(), HasSubstr("fill of 4000 bytes"));
  EXPECT_THAT(error_of([&] { update(1); }).what(), HasSubstr("node 1"));
}

TEST_F(GraphTest, TheLastNodeExistsOnlyInsideACapture) {
  EXPECT_EQ(error_of([&] { static_cast<void>(Graph::last_node(stream_)); }).code(), ErrorCode::kInvalidArgument);
  const auto too_early = [&] { static_cast<void>(Graph::last_node(stream_)); };
  EXPECT_EQ(error_of([&] { static_cast<void>(Graph::capture(stream_, too_early, kCold)); }).code(),
            ErrorCode::kInvalidArgument);
}

TEST_F(GraphTest, LaunchesOnAnotherStreamOfTheDevice) {
  Graph graph = Graph::capture(stream_, [&] { increment(buffer_); }, kCold);
  stream_.synchronize();
  Stream other(Device::cpu());
  graph.launch(other);
  other.synchronize();
  EXPECT_THAT(values(), Each(1));
}

}  // namespace
}  // namespace vrt
