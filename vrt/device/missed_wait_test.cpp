// Under TSan a read without a wait is reported, each kind of it, and a read after one is not.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "vrt/device/event.h"
#include "vrt/device/graph.h"
#include "vrt/device/memory.h"
#include "vrt/device/test_kernels.h"

#if defined(VRT_EAGER_CPU_STREAM)

namespace vrt {
namespace {

enum class Wait { kNone, kStream, kEvent };

// TSan's own exit code for a process in which it has reported something.
constexpr int kReported = 66;
constexpr std::int32_t kCount = 512;

void wait(Wait kind, const Stream& stream, const Event& event) {
  if (kind == Wait::kStream) stream.synchronize();
  if (kind == Wait::kEvent) event.synchronize();
}

/// Runs a frame twice, so that what is recycled is recycled, and reads the second result after the wait, or without one.
template <typename Submit>
[[noreturn]] void read_after(Wait kind, const Submit& submit) {
  Stream stream(Device::cpu());
  Event event(Device::cpu());
  PinnedBuffer<float> out(Device::cpu(), kCount);
  auto device = DeviceBuffer<float>::zeros(stream, kCount);
  for (int frame = 0; frame < 2; ++frame) {
    if (frame == 1) stream.synchronize();
    submit(stream, event, device, out);
  }
  wait(kind, stream, event);
  volatile float read = out[7];
  static_cast<void>(read);
  std::exit(0);
}

void submit_operations(const Stream& stream, Event& event, DeviceBuffer<float>& device, PinnedBuffer<float>& out) {
  static const auto scale = test::kernel<test::Scale>("scale");
  static auto scaled = DeviceBuffer<float>::zeros(stream, kCount);
  scale.launch(stream, grid_1d(kCount), device.span(), scaled.span(), 2.0F, kCount);
  read_back(stream, scaled.span(), out.span());
  // What comes behind must not order the read: the next frame's submissions do not wait for this one's.
  scale.launch(stream, grid_1d(kCount), device.span(), scaled.span(), 2.0F, kCount);
  stream.enqueue_host("nothing", [] {});
  event.record(stream);
}

void submit_host_task(const Stream& stream, Event& event, DeviceBuffer<float>&, PinnedBuffer<float>& out) {
  stream.enqueue_host("write", [data = out.data()] { data[7] = 1.0F; });
  event.record(stream);
}

void submit_events(const Stream& stream, Event& event, DeviceBuffer<float>& device, PinnedBuffer<float>& out) {
  static TimedEvent timed(Device::cpu());
  static Stream other(Device::cpu());
  timed.record(stream);
  read_back(stream, device.span(), out.span());
  timed.record(stream);
  other.order_after(timed);
  other.enqueue_host("nothing", [] {});
  static_cast<void>(timed.is_done());
  static_cast<void>(stream.is_idle());
  event.record(stream);
}

void submit_graph(const Stream& stream, Event& event, DeviceBuffer<float>& device, PinnedBuffer<float>& out) {
  static const Graph graph = Graph::capture(stream, [&] { read_back(stream, device.span(), out.span()); });
  graph.launch(stream);
  graph.launch(stream);
  event.record(stream);
}

using Submit = void (*)(const Stream&, Event&, DeviceBuffer<float>&, PinnedBuffer<float>&);

class MissedWaitDeathTest : public ::testing::TestWithParam<Submit> {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    // Appended: the last value of an option counts.
    const char* const options = std::getenv("TSAN_OPTIONS");
    setenv("TSAN_OPTIONS", ((options == nullptr ? std::string() : std::string(options)) + ":exitcode=66").c_str(), 1);
  }
};

TEST_P(MissedWaitDeathTest, AReadWithoutAWaitIsReported) {
  EXPECT_EXIT(read_after(Wait::kNone, GetParam()), ::testing::ExitedWithCode(kReported), "data race");
}
TEST_P(MissedWaitDeathTest, AReadAfterTheStreamsWaitIsNot) {
  EXPECT_EXIT(read_after(Wait::kStream, GetParam()), ::testing::ExitedWithCode(0), "");
}
TEST_P(MissedWaitDeathTest, AReadAfterTheEventsWaitIsNot) {
  EXPECT_EXIT(read_after(Wait::kEvent, GetParam()), ::testing::ExitedWithCode(0), "");
}

std::string name_of_submit(const ::testing::TestParamInfo<Submit>& parameter) {
  static constexpr const char* kNames[] = {"Operations", "HostTask", "Events", "Graph"};
  return kNames[parameter.index];
}
INSTANTIATE_TEST_SUITE_P(All, MissedWaitDeathTest,
                         ::testing::Values(submit_operations, submit_host_task, submit_events, submit_graph),
                         name_of_submit);

/// Two streams, ordered by an event or not.
[[noreturn]] void write_on_two_streams(bool in_order) {
  Stream first(Device::cpu());
  Stream second(Device::cpu());
  Event event(Device::cpu());
  int value = 0;
  first.enqueue_host("write", [&value] { value = 1; });
  event.record(first);
  if (in_order) second.order_after(event);
  second.enqueue_host("write", [&value] { value = 2; });
  first.synchronize();
  second.synchronize();
  std::exit(0);
}

TEST(StreamOrderDeathTest, WorkOfTwoStreamsWithoutAnOrderIsReported) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(write_on_two_streams(false), ::testing::ExitedWithCode(kReported), "data race");
}
TEST(StreamOrderDeathTest, WorkOfTwoStreamsInOrderIsNot) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(write_on_two_streams(true), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace vrt

#endif
