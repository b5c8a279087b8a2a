#include "vrt/device/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "vrt/base/testing/error_of.h"
#include "vrt/device/backend.h"
#include "vrt/device/counters.h"
#include "vrt/device/event.h"
#include "vrt/device/test_kernels.h"
#include "vrt/device/testing/devices.h"

namespace vrt {
namespace {

using test::error_of;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr std::int32_t kCount = 1000;
constexpr CaptureOptions kCold{.warm_up = false, .foreign = {}};

class GraphTest : public ::testing::TestWithParam<Device> {
 protected:
  /// A host task that counts; where the count is read, the stream has been waited for.
  void count() const {
    stream_.enqueue_host("count", [runs = runs_.data()] { ++*runs; });
  }
  [[nodiscard]] std::vector<std::uint8_t> values() const { return read_back_blocking(stream_, buffer_.span()); }

  Stream stream_{GetParam()};
  DeviceBuffer<std::uint8_t> buffer_ = DeviceBuffer<std::uint8_t>::zeros(stream_, kCount);
  mutable PinnedBuffer<int> runs_{GetParam(), 1};
};
INSTANTIATE_TEST_SUITE_P(Devices, GraphTest, ::testing::ValuesIn(Device::all()), testing::device_name);

TEST_P(GraphTest, ReplaysInOrderWhatWasRecorded) {
  auto other = DeviceBuffer<std::uint8_t>::zeros(stream_, kCount);
  PinnedBuffer<std::uint8_t> out(GetParam(), kCount);
  const Graph graph = Graph::capture(
      stream_,
      [&] {
        fill_bytes(stream_, buffer_.span(), 1);
        copy(stream_, buffer_.span(), other.span());
        fill_bytes(stream_, buffer_.span(), 2);
        read_back(stream_, other.span(), out.span());
        count();
      },
      kCold);
  EXPECT_EQ(graph.node_count(), 5U);
  stream_.synchronize();
  EXPECT_EQ(runs_[0], 0);
  for (int i = 0; i < 3; ++i) graph.launch(stream_);
  EXPECT_THAT(values(), Each(2));
  EXPECT_THAT(out.host(), Each(1));
  EXPECT_EQ(runs_[0], 3);
}

TEST_P(GraphTest, TheWarmUpRunsOnceBeforeTheCapture) {
  const Graph graph = Graph::capture(stream_, [&] { count(); });
  EXPECT_EQ(runs_[0], 1);
  graph.launch(stream_);
  stream_.synchronize();
  EXPECT_EQ(runs_[0], 2);
}

TEST_P(GraphTest, KeepsItsBuffersAlive) {
  PinnedBuffer<std::uint8_t> out(GetParam(), kCount);
  std::optional<Graph> graph;
  const DeviceCounters before = counters(GetParam());
  {
    auto inner = DeviceBuffer<std::uint8_t>::zeros(stream_, kCount);
    graph = Graph::capture(
        stream_,
        [&] {
          fill_bytes(stream_, inner.span(), 2);
          read_back(stream_, inner.span(), out.span());
        },
        kCold);
  }
  EXPECT_EQ((counters(GetParam()) - before).device_frees, 0U);
  graph->launch(stream_);
  graph->launch(stream_);
  stream_.synchronize();
  EXPECT_THAT(out.host(), Each(2));
  graph.reset();
  stream_.synchronize();
  EXPECT_EQ((counters(GetParam()) - before).device_frees, 1U);
}

TEST_P(GraphTest, MayBeDestroyedWhileItRuns) {
  PinnedBuffer<std::uint8_t> out(GetParam(), kCount);
  {
    auto inner = DeviceBuffer<std::uint8_t>::zeros(stream_, kCount);
    const Graph graph = Graph::capture(
        stream_,
        [&] {
          fill_bytes(stream_, inner.span(), 3);
          read_back(stream_, inner.span(), out.span());
        },
        kCold);
    graph.launch(stream_);
  }
  stream_.synchronize();
  EXPECT_THAT(out.host(), Each(3));
}

TEST_P(GraphTest, MemoryOfNobodyIsRefusedUnlessItIsDeclared) {
  void* const memory = stream_.backend().allocate(kCount);  // Of no buffer.
  const auto view = DeviceSpan<std::uint8_t>::from_raw(static_cast<std::uint8_t*>(memory), kCount);
  const auto enqueue = [&] { fill_bytes(stream_, view, 9); };
  const Error error = error_of([&] { static_cast<void>(Graph::capture(stream_, enqueue, kCold)); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("CaptureOptions::foreign"));
  {
    const Graph graph = Graph::capture(stream_, enqueue, {.warm_up = false, .foreign = {{memory, kCount}}});
    graph.launch(stream_);
    EXPECT_THAT(read_back_blocking(stream_, view), Each(9));
  }
  stream_.backend().free(memory, kCount);
}

TEST_P(GraphTest, MemoryThatReachesBeyondABufferIsRefused) {
  const auto beyond = DeviceSpan<std::uint8_t>::from_raw(buffer_.span().data() + 1, kCount);
  EXPECT_EQ(error_of([&] {
              static_cast<void>(Graph::capture(stream_, [&] { fill_bytes(stream_, beyond, 0); }, kCold));
            }).code(),
            ErrorCode::kInvalidArgument);
}

TEST_P(GraphTest, WaitsAllocationsAndEventsAreRefusedInside) {
  Event event(GetParam());
  event.record(stream_);
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
    count();  // The capture has ended: this runs.
    stream_.synchronize();
  }
  EXPECT_EQ(runs_[0], 6);
}

TEST_P(GraphTest, ARefusalThatIsSwallowedStillFailsTheCapture) {
  Event event(GetParam());
  const std::vector<std::function<void()>> refused{
      [&] { stream_.synchronize(); }, [&] { event.record(stream_); },
      [&] { fill_bytes(stream_, DeviceSpan<std::uint8_t>::from_raw(buffer_.span().data(), kCount + 1), 0); }};
  const std::vector<ErrorCode> codes{ErrorCode::kUnsupported, ErrorCode::kUnsupported, ErrorCode::kInvalidArgument};
  for (std::size_t i = 0; i < refused.size(); ++i) {
    const auto swallow = [&] {
      static_cast<void>(error_of(refused[i]));
      count();
    };
    EXPECT_EQ(error_of([&] { static_cast<void>(Graph::capture(stream_, swallow, kCold)); }).code(), codes[i]) << i;
  }
  stream_.synchronize();
  EXPECT_EQ(runs_[0], 0);
}

TEST_P(GraphTest, TheCaptureEndsWhenTheFunctionThrows) {
  EXPECT_THROW(
      static_cast<void>(Graph::capture(stream_, [] { throw std::logic_error("mine"); }, kCold)), std::logic_error);
  count();
  stream_.synchronize();
  EXPECT_EQ(runs_[0], 1);
}

TEST_P(GraphTest, AnotherStreamWorksDuringACapture) {
  Stream other(GetParam());
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

TEST_P(GraphTest, AFailureInsideNamesTheOperationAndTheNextLaunchRuns) {
  std::atomic<bool> fails = true;
  const Graph graph = Graph::capture(
      stream_,
      [&] {
        stream_.enqueue_host("network", [&fails] {
          if (fails) throw std::runtime_error("boom");
        });
        count();
      },
      kCold);
  graph.launch(stream_);
  const Error error = error_of([&] { stream_.synchronize(); });
  EXPECT_THAT(error.what(), HasSubstr("host task 'network'"));
  EXPECT_EQ(error.cause(), "boom");
  EXPECT_EQ(runs_[0], 0);
  fails = false;
  graph.launch(stream_);
  stream_.synchronize();
  EXPECT_EQ(runs_[0], 1);
}

TEST_P(GraphTest, AFailureInsideIsThrownByTheStreamThatRanIt) {
  const Graph graph = Graph::capture(
      stream_, [&] { stream_.enqueue_host("network", [] { throw std::runtime_error("boom"); }); }, kCold);
  Stream other(GetParam());
  graph.launch(other);
  EXPECT_EQ(error_of([&] { other.synchronize(); }).code(), ErrorCode::kBackend);
  EXPECT_NO_THROW(stream_.synchronize());
}

TEST_P(GraphTest, OfManyLaunchesUnderWayAnEventTellsWhetherOneBeforeItFailed) {
  const Graph graph = Graph::capture(
      stream_,
      [&] {
        count();
        stream_.enqueue_host("third", [runs = runs_.data()] {
          if (*runs == 3) throw std::runtime_error("boom");
        });
      },
      kCold);
  std::vector<Event> events;
  for (int i = 0; i < 6; ++i) {
    graph.launch(stream_);
    events.emplace_back(GetParam()).record(stream_);
  }
  EXPECT_NO_THROW(events[1].synchronize());
  EXPECT_EQ(error_of([&] { events[2].synchronize(); }).code(), ErrorCode::kBackend);
  EXPECT_EQ(error_of([&] { events[4].synchronize(); }).code(), ErrorCode::kSkipped);
  EXPECT_EQ(error_of([&] { events[5].synchronize(); }).code(), ErrorCode::kSkipped);
  EXPECT_NO_THROW(stream_.synchronize());
  EXPECT_EQ(runs_[0], 3);
}

TEST_P(GraphTest, TheLastNodeExistsOnlyInsideACapture) {
  EXPECT_EQ(error_of([&] { static_cast<void>(Graph::last_node(stream_)); }).code(), ErrorCode::kInvalidArgument);
  const auto too_early = [&] { static_cast<void>(Graph::last_node(stream_)); };
  EXPECT_EQ(error_of([&] { static_cast<void>(Graph::capture(stream_, too_early, kCold)); }).code(),
            ErrorCode::kInvalidArgument);
}

TEST_P(GraphTest, LaunchesOnAnotherStreamOfTheDevice) {
  const Graph graph = Graph::capture(stream_, [&] { fill_bytes(stream_, buffer_.span(), 4); }, kCold);
  stream_.synchronize();
  Stream other(GetParam());
  graph.launch(other);
  other.synchronize();
  EXPECT_THAT(values(), Each(4));
}

/// Graphs with kernels.
class KernelGraphTest : public ::testing::TestWithParam<Device> {
 protected:
  void increment(DeviceBuffer<std::int32_t>& buffer) {
    kernel_.launch(stream_, grid_1d(kCount), buffer.span(), kCount);
  }
  [[nodiscard]] std::vector<std::int32_t> values() { return read_back_blocking(stream_, buffer_.span()); }

  Stream stream_{GetParam()};
  Kernel<test::Increment> kernel_ = test::kernel<test::Increment>("increment", GetParam());
  DeviceBuffer<std::int32_t> buffer_ = DeviceBuffer<std::int32_t>::zeros(stream_, kCount);
};
INSTANTIATE_TEST_SUITE_P(Devices, KernelGraphTest, ::testing::ValuesIn(testing::devices_with_kernels()),
                         testing::device_name);

TEST_P(KernelGraphTest, ReplaysKernelsInOrder) {
  PinnedBuffer<std::int32_t> out(GetParam(), kCount);
  const Graph graph = Graph::capture(stream_, [&] {
    fill_bytes(stream_, buffer_.span(), 0);
    increment(buffer_);
    increment(buffer_);
    read_back(stream_, buffer_.span(), out.span());
  });
  for (int i = 0; i < 3; ++i) graph.launch(stream_);
  stream_.synchronize();
  EXPECT_THAT(out.host(), Each(2));
}

TEST_P(KernelGraphTest, MemoryOfNobodyIsRefusedByTheKernelsName) {
  std::vector<std::int32_t> mine(kCount);
  const auto view = DeviceSpan<std::int32_t>::from_raw(mine.data(), mine.size());
  const auto enqueue = [&] { kernel_.launch(stream_, grid_1d(kCount), view, kCount); };
  const Error error = error_of([&] { static_cast<void>(Graph::capture(stream_, enqueue, kCold)); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("'increment'"));
}

TEST_P(KernelGraphTest, AnUpdateChangesLaterLaunchesOnly) {
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

TEST_P(KernelGraphTest, AnUpdatedNodeKeepsItsNewBufferAlive) {
  GraphNode node;
  std::optional<DeviceBuffer<std::int32_t>> first = DeviceBuffer<std::int32_t>::zeros(stream_, kCount);
  std::optional<Graph> graph = Graph::capture(
      stream_,
      [&] {
        increment(*first);
        node = Graph::last_node(stream_);
      },
      kCold);
  PinnedBuffer<std::int32_t> out(GetParam(), kCount);
  auto second = DeviceBuffer<std::int32_t>::zeros(stream_, kCount);
  const DeviceSpan<std::int32_t> view = second.span();
  const DeviceCounters before = counters(GetParam());
  first.reset();
  EXPECT_EQ((counters(GetParam()) - before).device_frees, 0U);
  kernel_.update(*graph, node, grid_1d(kCount), view, kCount);
  // A GPU may still run the launch before; there the first goes with the graph.
  EXPECT_EQ((counters(GetParam()) - before).device_frees, GetParam().is_cpu() ? 1U : 0U);
  second = {};
  graph->launch(stream_);
  read_back<std::int32_t>(stream_, view, out.span());
  stream_.synchronize();
  EXPECT_THAT(out.host(), Each(1));
  graph.reset();
  EXPECT_EQ((counters(GetParam()) - before).device_frees, 2U);
}

TEST_P(KernelGraphTest, AnUpdateOfAnotherKindOfNodeIsRefused) {
  Graph graph = Graph::capture(stream_, [&] { fill_bytes(stream_, buffer_.span(), 0); }, kCold);
  const auto update = [&](std::size_t index) {
    kernel_.update(graph, GraphNode{index}, grid_1d(kCount), buffer_.span(), kCount);
  };
  EXPECT_THAT(error_of([&] { update(0); }).what(),
              HasSubstr(GetParam().is_cpu() ? "fill of 4000 bytes" : "updating the captured kernel 'increment'"));
  EXPECT_THAT(error_of([&] { update(1); }).what(), HasSubstr("node 1"));
}

}  // namespace
}  // namespace vrt
