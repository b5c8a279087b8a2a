#include "vrt/device/event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "vrt/base/testing/error_of.h"
#include "vrt/device/testing/devices.h"

namespace vrt {
namespace {

using test::error_of;
using ::testing::HasSubstr;
using std::chrono_literals::operator""ms;

class EventTest : public ::testing::TestWithParam<Device> {};
INSTANTIATE_TEST_SUITE_P(Devices, EventTest, ::testing::ValuesIn(Device::all()), testing::device_name);

class TimedEventTest : public ::testing::TestWithParam<Device> {};
INSTANTIATE_TEST_SUITE_P(Devices, TimedEventTest, ::testing::ValuesIn(Device::all()), testing::device_name);

void sleep_on(const Stream& stream, std::chrono::milliseconds time) {
  stream.enqueue_host("sleep", [time] { std::this_thread::sleep_for(time); });
}

TEST_P(EventTest, NotRecordedIsDoneAndWaitsForNothing) {
  const Event event(GetParam());
  EXPECT_TRUE(event.is_done());
  event.synchronize();
}

TEST_P(EventTest, TheWaitSeesTheWorkBeforeThePoint) {
  Stream stream(GetParam());
  Event event(GetParam());
  int value = 0;
  sleep_on(stream, 10ms);
  stream.enqueue_host("write", [&value] { value = 5; });
  event.record(stream);
  event.synchronize();
  EXPECT_TRUE(event.is_done());
  EXPECT_EQ(value, 5);
}

#if !defined(VRT_EAGER_CPU_STREAM)
TEST_P(EventTest, TheWaitDoesNotWaitForWorkBehindThePoint) {
  Stream stream(GetParam());
  Event event(GetParam());
  std::atomic<bool> may_go = false;
  event.record(stream);
  stream.enqueue_host("block", [&may_go] { may_go.wait(false); });
  event.synchronize();
  Event behind(GetParam());
  behind.record(stream);
  EXPECT_FALSE(behind.is_done());
  may_go = true;
  may_go.notify_all();
  behind.synchronize();
}
#endif

TEST_P(EventTest, RecordingAgainForgetsTheEarlierPoint) {
  Stream slow(GetParam());
  Stream other(GetParam());
  Event event(GetParam());
  sleep_on(slow, 30ms);
  event.record(slow);
  event.record(other);
  event.synchronize();
  EXPECT_TRUE(event.is_done());
}

TEST_P(EventTest, OutlivesItsStream) {
  Event event(GetParam());
  TimedEvent timed(GetParam());
  {
    Stream stream(GetParam());
    sleep_on(stream, 5ms);
    event.record(stream);
    timed.record(stream);
  }
  event.synchronize();
  timed.synchronize();
  EXPECT_GE(elapsed(timed, timed).count(), 0.0);
}

TEST_P(EventTest, MovesWithItsPoint) {
  Stream stream(GetParam());
  Event event(GetParam());
  sleep_on(stream, 5ms);
  event.record(stream);
  Event moved = std::move(event);
  moved.synchronize();
  EXPECT_TRUE(moved.is_done());
}

TEST_P(EventTest, ManyThreadsWaitForOnePoint) {
  Stream stream(GetParam());
  Event event(GetParam());
  int value = 0;
  sleep_on(stream, 20ms);
  stream.enqueue_host("write", [&value] { value = 9; });
  event.record(stream);
  std::array<int, 4> seen{};
  std::vector<std::thread> threads;
  for (int& mine : seen)
    threads.emplace_back([&] {
      event.synchronize();
      mine = value;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(seen, ::testing::Each(9));
}

TEST_P(TimedEventTest, MeasuresTheTimeBetweenTwoPoints) {
  Stream stream(GetParam());
  TimedEvent start(GetParam());
  TimedEvent end(GetParam());
  const auto before = std::chrono::steady_clock::now();
  start.record(stream);
  sleep_on(stream, 20ms);
  end.record(stream);
  end.synchronize();
  const std::chrono::duration<double, std::milli> outside = std::chrono::steady_clock::now() - before;
  // A GPU's clock is not the host's: one may be ahead by parts of a thousand.
  const double difference = GetParam().is_cpu() ? 0.0 : 0.005 * outside.count();
  EXPECT_GE(elapsed(start, end).count(), 20.0 - difference);
  EXPECT_LE(elapsed(start, end).count(), outside.count() + difference);
}

TEST_P(TimedEventTest, ElapsedThrowsRatherThanInvent) {
  Stream stream(GetParam());
  TimedEvent recorded(GetParam());
  const TimedEvent never(GetParam());
  recorded.record(stream);
  stream.synchronize();
  const Error start = error_of([&] { static_cast<void>(elapsed(never, recorded)); });
  EXPECT_EQ(start.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(start.what(), HasSubstr("the start event was never recorded"));
  EXPECT_THAT(error_of([&] { static_cast<void>(elapsed(recorded, never)); }).what(), HasSubstr("the end event"));
}

#if !defined(VRT_EAGER_CPU_STREAM)
TEST_P(TimedEventTest, ElapsedThrowsBeforeThePointIsReached) {
  Stream stream(GetParam());
  TimedEvent start(GetParam());
  TimedEvent end(GetParam());
  std::atomic<bool> may_go = false;
  start.record(stream);
  stream.enqueue_host("block", [&may_go] { may_go.wait(false); });
  end.record(stream);
  start.synchronize();
  const Error error = error_of([&] { static_cast<void>(elapsed(start, end)); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("the end event has not been reached"));
  may_go = true;
  may_go.notify_all();
  end.synchronize();
  EXPECT_GE(elapsed(start, end).count(), 0.0);
  end.record(stream);
  stream.synchronize();
  EXPECT_GE(elapsed(start, end).count(), 0.0);
}
#endif

TEST(TimedEventOnCpuTest, TimeRunsBackwardsBetweenSwappedEvents) {
  Stream stream(Device::cpu());
  TimedEvent start(Device::cpu());
  TimedEvent end(Device::cpu());
  start.record(stream);
  sleep_on(stream, 5ms);
  end.record(stream);
  end.synchronize();
  EXPECT_LE(elapsed(end, start).count(), -5.0);
}

TEST(TimedEventOnCpuTest, APointThatWasSkippedHasNoTime) {
  Stream stream(Device::cpu());
  TimedEvent start(Device::cpu());
  TimedEvent end(Device::cpu());
  start.record(stream);
  stream.enqueue_host("fails", [] { throw std::runtime_error("boom"); });
  end.record(stream);
  EXPECT_THROW(end.synchronize(), Error);
  EXPECT_EQ(error_of([&] { static_cast<void>(elapsed(start, end)); }).code(), ErrorCode::kSkipped);
}

TEST(EventOfNoDeviceTest, IsRefusedForADeviceThatCannotBeUsed) {
  EXPECT_EQ(error_of([] { Event event(Device::cuda(999)); }).code(), ErrorCode::kUnavailable);
  EXPECT_EQ(error_of([] { TimedEvent event(Device::cuda(999)); }).code(), ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace vrt
