// What a frame may cost: one wait, and no allocation on the submitting thread.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <thread>

#include "vrt/base/shape.h"
#include "vrt/device/allocation_count.h"
#include "vrt/device/counters.h"
#include "vrt/device/event.h"
#include "vrt/device/graph.h"
#include "vrt/device/memory.h"
#include "vrt/device/test_kernels.h"
#include "vrt/device/testing/devices.h"

namespace vrt {
namespace {

using test::allocation_count;

constexpr std::int32_t kCount = 4096;

/// One of everything that a frame submits.
class ContractTest : public ::testing::TestWithParam<Device> {
 protected:
  void submit_frame() {
    upload(stream_, in_.span(), a_.span());
    start_.record(stream_);
    scale_.launch(stream_, grid_1d(kCount), a_.span(), b_.span(), 2.0F, kCount);
    end_.record(stream_);
    fill_bytes(stream_, a_.span(), 0);
    produced_.record(stream_);
    other_.order_after(produced_);
    other_.enqueue_host("consumer", [] {});
    consumed_.record(other_);
    stream_.order_after(consumed_);
    read_back(stream_, b_.span(), out_.span());
    stream_.enqueue_host("add", [data = out_.data()] { data[0] += 1.0F; });
    frame_done_.record(stream_);
  }

  Stream stream_{GetParam()};
  Stream other_{GetParam()};
  PinnedBuffer<float> in_{GetParam(), kCount};
  PinnedBuffer<float> out_{GetParam(), kCount};
  DeviceBuffer<float> a_ = DeviceBuffer<float>::zeros(stream_, kCount);
  DeviceBuffer<float> b_ = DeviceBuffer<float>::zeros(stream_, kCount);
  Kernel<test::Scale> scale_ = test::kernel<test::Scale>("scale", GetParam());
  TimedEvent start_{GetParam()};
  TimedEvent end_{GetParam()};
  Event produced_{GetParam()};
  Event consumed_{GetParam()};
  Event frame_done_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Devices, ContractTest, ::testing::ValuesIn(Device::all()), testing::device_name);

/// What needs results of kernels, or of which the fake driver, which allocates itself, says nothing.
class AllocationContractTest : public ContractTest {};
INSTANTIATE_TEST_SUITE_P(Devices, AllocationContractTest, ::testing::ValuesIn(testing::devices_with_kernels()),
                         testing::device_name);

TEST(AllocationCountTest, SeesThisThreadsAllocationsOnly) {
  const auto allocate_both_kinds = [] {
    const std::uint64_t before = allocation_count();
    const int* volatile one = new int(1);  // Volatile: or the compiler leaves them out.
    delete one;
    const int* volatile many = new int[100];
    delete[] many;
    return allocation_count() - before;
  };
  EXPECT_EQ(allocate_both_kinds(), 2U);
  std::uint64_t of_other = 0;
  std::thread other([&] { of_other = allocate_both_kinds(); });
  const std::uint64_t before = allocation_count();
  other.join();
  EXPECT_EQ(of_other, 2U);
  EXPECT_EQ(allocation_count() - before, 0U);
}

TEST_P(AllocationContractTest, AFrameAllocatesNothingOnTheSubmittingThread) {
  submit_frame();
  frame_done_.synchronize();
  const std::uint64_t before = allocation_count();
  for (int frame = 0; frame < 200; ++frame) {
    in_[0] = static_cast<float>(frame);
    submit_frame();
    frame_done_.synchronize();
#if defined(VRT_EAGER_CPU_STREAM)
    consumed_.synchronize();  // Eager queues recycle only what a wait of their own has passed.
#endif
    ASSERT_EQ(out_[0], 2.0F * static_cast<float>(frame) + 1.0F);
  }
  EXPECT_EQ(allocation_count() - before, 0U);
}

TEST(ShapeContractTest, LookingAtAShapeAllocatesNothing) {
  const Shape shape{1, 3, 1080, 1920};  // Its text would not fit into a string without memory of its own.
  std::int64_t sum = 0;
  const std::uint64_t before = allocation_count();
  for (int i = 0; i < 100; ++i) sum += shape.element_count() + shape[-1] + shape[0];
  EXPECT_EQ(allocation_count() - before, 0U);
  EXPECT_EQ(sum, 100 * (3 * 1080 * 1920 + 1920 + 1));
}

TEST_P(AllocationContractTest, AReplayedGraphWithAnUpdatedNodeAllocatesNothing) {
  GraphNode node;
  Graph graph = Graph::capture(stream_, [&] {
    scale_.launch(stream_, grid_1d(kCount), a_.span(), b_.span(), 2.0F, kCount);
    if (Graph::is_capturing(stream_)) node = Graph::last_node(stream_);
    read_back(stream_, b_.span(), out_.span());
    stream_.enqueue_host("nothing", [] {});
  });
  const auto submit_replay = [&](int frame) {
    scale_.update(graph, node, grid_1d(kCount), a_.span(), b_.span(), static_cast<float>(frame), kCount);
    graph.launch(stream_);
    frame_done_.record(stream_);
    frame_done_.synchronize();
  };
  for (int frame = 0; frame < 2; ++frame) submit_replay(frame);  // An update keeps memory of the one before alive, too.
  const std::uint64_t before = allocation_count();
  for (int frame = 0; frame < 200; ++frame) submit_replay(frame);
  EXPECT_EQ(allocation_count() - before, 0U);
}

TEST_P(ContractTest, AFrameIsCountedAsOneWaitAndNoDeviceAllocation) {
  submit_frame();
  frame_done_.synchronize();
  const DeviceCounters before = counters(GetParam());
  submit_frame();
  frame_done_.synchronize();
  const DeviceCounters frame = counters(GetParam()) - before;
  EXPECT_EQ(frame, (DeviceCounters{.launches = 1, .copies = 2, .fills = 1, .host_tasks = 2, .waits = 1}));
}

TEST_P(ContractTest, EveryOtherKindOfCallIsCounted) {
  const Graph graph =
      Graph::capture(stream_, [&] { fill_bytes(stream_, a_.span(), 1); }, {.warm_up = false, .foreign = {}});
  const DeviceCounters before = counters(GetParam());
  graph.launch(stream_);
  { auto buffer = DeviceBuffer<float>::uninitialized(stream_, 8); }
  { PinnedBuffer<float> pinned(GetParam(), 8); }
  static_cast<void>(read_back_blocking(stream_, a_.span()));
  stream_.synchronize();
  const DeviceCounters expected{.device_allocations = 1,
                                .device_frees = 1,
                                .pinned_allocations = 1,
                                .pinned_frees = 1,
                                .blocking_copies = 1,
                                .graph_launches = 1,
                                .waits = 1};
  EXPECT_EQ(counters(GetParam()) - before, expected);
}

}  // namespace
}  // namespace vrt
