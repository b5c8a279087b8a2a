#include "vrt/device/stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "vrt/base/testing/error_of.h"
#include "vrt/device/event.h"
#include "vrt/device/memory.h"
#include "vrt/device/test_kernels.h"
#include "vrt/device/testing/devices.h"

namespace vrt {
namespace {

using test::error_of;
using ::testing::Each;
using ::testing::HasSubstr;
using std::chrono_literals::operator""ms;

void fail_on(const Stream& stream, const char* name = "network") {
  stream.enqueue_host(name, [] { throw std::runtime_error("boom"); });
}

class StreamTest : public ::testing::TestWithParam<Device> {};
INSTANTIATE_TEST_SUITE_P(Devices, StreamTest, ::testing::ValuesIn(Device::all()), testing::device_name);

TEST_P(StreamTest, RunsWorkInSubmissionOrder) {
  Stream stream(GetParam());
  std::vector<int> order;
  order.reserve(500);
  for (int i = 0; i < 500; ++i) stream.enqueue_host("append", [&order, i] { order.push_back(i); });
  stream.synchronize();
  ASSERT_EQ(order.size(), 500U);
  for (int i = 0; i < 500; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
}

TEST_P(StreamTest, RunsOnAnotherThread) {
  Stream stream(GetParam());
  std::thread::id worker;
  stream.enqueue_host("ask", [&worker] { worker = std::this_thread::get_id(); });
  stream.synchronize();
  EXPECT_NE(worker, std::this_thread::get_id());
}

#if !defined(VRT_EAGER_CPU_STREAM)
TEST_P(StreamTest, SubmittingDoesNotWait) {
  Stream stream(GetParam());
  std::atomic<bool> may_go = false;
  stream.enqueue_host("block", [&may_go] { may_go.wait(false); });
  EXPECT_FALSE(stream.is_idle());
  may_go = true;
  may_go.notify_all();
  stream.synchronize();
  EXPECT_TRUE(stream.is_idle());
}
#endif

TEST_P(StreamTest, CopiesAreTheSameQueue) {
  Stream stream(GetParam());
  const Stream copy = stream;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(stream, copy);
  EXPECT_NE(stream, Stream(GetParam()));
}

TEST_P(StreamTest, TheWaitThrowsTheFailureAndNamesTheOperation) {
  Stream stream(GetParam());
  fail_on(stream);
  const Error error = error_of([&] { stream.synchronize(); });
  EXPECT_EQ(error.code(), ErrorCode::kBackend);
  EXPECT_THAT(std::string(error.message()), HasSubstr("host task 'network'"));
  EXPECT_EQ(error.cause(), "boom");
}

TEST_P(StreamTest, AVrtErrorKeepsItsCodeMessageAndCause) {
  Stream stream(GetParam());
  stream.enqueue_host("decode", [] { throw Error(ErrorCode::kCorrupt, "bad data", "line 3"); });
  const Error error = error_of([&] { stream.synchronize(); });
  EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
  EXPECT_EQ(error.message(), "host task 'decode' failed: bad data");
  EXPECT_EQ(error.cause(), "line 3");
}

TEST_P(StreamTest, WhatIsNoExceptionIsReportedToo) {
  Stream stream(GetParam());
  stream.enqueue_host("odd", [] { throw 42; });
  EXPECT_THAT(error_of([&] { stream.synchronize(); }).what(), HasSubstr("host task 'odd'"));
}

TEST_P(StreamTest, SkipsWhatIsBehindAFailureAndGoesOnAfterwards) {
  Stream stream(GetParam());
  int runs = 0;
  fail_on(stream);
  stream.enqueue_host("count", [&runs] { ++runs; });
  EXPECT_THROW(stream.synchronize(), Error);
  EXPECT_EQ(runs, 0);
  stream.enqueue_host("count", [&runs] { ++runs; });
  stream.synchronize();
  EXPECT_EQ(runs, 1);
}

TEST_P(StreamTest, AFailureIsThrownOnce) {
  Stream stream(GetParam());
  fail_on(stream, "first");
  fail_on(stream, "second");
  EXPECT_THAT(error_of([&] { stream.synchronize(); }).what(), HasSubstr("'first'"));
  EXPECT_NO_THROW(stream.synchronize());
}

TEST_P(StreamTest, EachOfManyFailuresIsThrownByItsWait) {
  Stream stream(GetParam());
  for (int i = 0; i < 300; ++i) {
    fail_on(stream);
    EXPECT_EQ(error_of([&] { stream.synchronize(); }).code(), ErrorCode::kBackend);
    stream.synchronize();
  }
}

TEST_P(StreamTest, AnEventsWaitThrowsAndLaterSlotsSaySkipped) {
  Stream stream(GetParam());
  Event first(GetParam());
  Event second(GetParam());
  int runs = 0;
  fail_on(stream);
  first.record(stream);
  stream.enqueue_host("next frame", [&runs] { ++runs; });
  second.record(stream);
  EXPECT_EQ(error_of([&] { first.synchronize(); }).code(), ErrorCode::kBackend);
  const Error skipped = error_of([&] { second.synchronize(); });
  EXPECT_EQ(skipped.code(), ErrorCode::kSkipped);
  EXPECT_THAT(std::string(skipped.cause()), HasSubstr("host task 'network' failed: boom"));
  EXPECT_EQ(runs, 0);
  EXPECT_NO_THROW(stream.synchronize());
}

TEST_P(StreamTest, TheStreamSaysSoWhenWorkBehindAnEventsFailureWasSkipped) {
  Stream stream(GetParam());
  Event first(GetParam());
  fail_on(stream);
  first.record(stream);
  stream.enqueue_host("next frame", [] {});
  EXPECT_EQ(error_of([&] { first.synchronize(); }).code(), ErrorCode::kBackend);
  EXPECT_EQ(error_of([&] { stream.synchronize(); }).code(), ErrorCode::kSkipped);
  EXPECT_NO_THROW(stream.synchronize());
}

TEST_P(StreamTest, WorkSubmittedAfterTheFailureWasThrownRuns) {
  Stream stream(GetParam());
  Event failed(GetParam());
  Event good(GetParam());
  int runs = 0;
  fail_on(stream);
  failed.record(stream);
  EXPECT_THROW(failed.synchronize(), Error);
  good.record(stream);
  EXPECT_NO_THROW(good.synchronize());
  stream.enqueue_host("count", [&runs] { ++runs; });
  good.record(stream);
  EXPECT_NO_THROW(good.synchronize());
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(error_of([&] { failed.synchronize(); }).code(), ErrorCode::kSkipped);
}

TEST_P(StreamTest, AnEventBeforeTheFailureDoesNotThrow) {
  Stream stream(GetParam());
  Event before(GetParam());
  stream.enqueue_host("fine", [] {});
  before.record(stream);
  fail_on(stream);
  EXPECT_NO_THROW(before.synchronize());
  EXPECT_THROW(stream.synchronize(), Error);
  EXPECT_NO_THROW(before.synchronize());
}

TEST_P(StreamTest, AFailureDoesNotReachOtherStreams) {
  Stream bad(GetParam());
  Stream good(GetParam());
  fail_on(bad);
  good.enqueue_host("fine", [] {});
  EXPECT_NO_THROW(good.synchronize());
  EXPECT_THROW(bad.synchronize(), Error);
}

TEST_P(StreamTest, OrderAfterWaitsForTheOtherStream) {
  Stream producer(GetParam());
  Stream consumer(GetParam());
  Event ready(GetParam());
  int value = 0;
  int seen = -1;
  producer.enqueue_host("slow producer", [&value] {
    std::this_thread::sleep_for(30ms);
    value = 7;
  });
  ready.record(producer);
  consumer.order_after(ready);
  consumer.enqueue_host("consume", [&] { seen = value; });
  consumer.synchronize();
  EXPECT_EQ(seen, 7);
}

TEST_P(StreamTest, OrderAfterRefersToThePointRecordedWhenItWasCalled) {
  Stream slow(GetParam());
  Stream other(GetParam());
  Stream consumer(GetParam());
  Event event(GetParam());
  std::atomic<bool> is_done = false;
  bool seen = false;
  slow.enqueue_host("slow", [&is_done] {
    std::this_thread::sleep_for(30ms);
    is_done = true;
  });
  event.record(slow);
  consumer.order_after(event);
  event.record(other);  // Reached at once; must not let the consumer go.
  consumer.enqueue_host("consume", [&] { seen = is_done; });
  consumer.synchronize();
  EXPECT_TRUE(seen);
}

TEST_P(StreamTest, OrderAfterNothingOrTheSameStreamDoesNotBlock) {
  Stream stream(GetParam());
  Event never(GetParam());
  TimedEvent own(GetParam());
  stream.order_after(never);
  own.record(stream);
  stream.order_after(own);
  stream.synchronize();
}

TEST_P(StreamTest, FourThreadsSubmitToOneStream) {
  constexpr int kThreads = 4;
  constexpr int kEach = 2000;
  Stream stream(GetParam());
  std::array<int, kThreads> last{};
  int total = 0;
  bool is_ordered = true;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 1; i <= kEach; ++i) {
        stream.enqueue_host("count", [&last, &total, &is_ordered, t, i] {
          is_ordered = is_ordered && last[t] == i - 1;
          last[t] = i;
          ++total;
        });
        if (i % 500 == 0) stream.synchronize();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  stream.synchronize();
  EXPECT_EQ(total, kThreads * kEach);
  EXPECT_TRUE(is_ordered);
}

TEST_P(StreamTest, ARingOfStreamsPassesATokenThroughEvents) {
  constexpr std::size_t kStreams = 8;
  constexpr int kRounds = 50;
  std::vector<Stream> streams;
  std::vector<Event> events;
  for (std::size_t i = 0; i < kStreams; ++i) {
    streams.emplace_back(GetParam());
    events.emplace_back(GetParam());
  }
  int token = 0;  // Touched by each stream in turn: a missing order is a race.
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < kStreams; ++i) {
      streams[i].order_after(events[(i + kStreams - 1) % kStreams]);
      streams[i].enqueue_host("pass on", [&token, expected = round * static_cast<int>(kStreams) + static_cast<int>(i)] {
        if (token != expected) throw std::runtime_error("out of order");
        ++token;
      });
      events[i].record(streams[i]);
    }
  }
  streams.back().synchronize();
  EXPECT_EQ(token, kRounds * static_cast<int>(kStreams));
}

TEST_P(StreamTest, OfWhatIsBehindAFailureAGpuRunsAllButHostTasks) {
  Stream stream(GetParam());
  PinnedBuffer<std::uint8_t> out(stream.device(), 64);
  auto memory = DeviceBuffer<std::uint8_t>::zeros(stream, 64);
  stream.synchronize();
  int runs = 0;
  fail_on(stream);
  fill_bytes(stream, memory.span(), 7);
  read_back(stream, memory.span(), out.span());
  stream.enqueue_host("count", [&runs] { ++runs; });
  EXPECT_EQ(error_of([&] { stream.synchronize(); }).code(), ErrorCode::kBackend);
  EXPECT_EQ(runs, 0);
  EXPECT_THAT(out.host(), Each(GetParam().is_cpu() ? 0 : 7));
}

TEST_P(StreamTest, RunningOutOfHostMemoryIsToldApart) {
  Stream stream(GetParam());
  stream.enqueue_host("grow", [] { throw std::bad_alloc(); });
  EXPECT_EQ(error_of([&] { stream.synchronize(); }).code(), ErrorCode::kOutOfMemory);
}

// ---- What only the CPU has, or does.

TEST(StreamOnCpuTest, HasNoNativeHandleAndAdoptsNoneOnTheCpu) {
  EXPECT_EQ(Stream(Device::cpu()).native_handle(), nullptr);
  EXPECT_EQ(error_of([] { static_cast<void>(Stream::adopt(Device::cpu(), nullptr)); }).code(), ErrorCode::kUnsupported);
}

TEST(StreamOnCpuTest, RefusesAGpuThatIsNotThereWithTheReason) {
  const Error error = error_of([] { Stream stream(Device::cuda(99)); });
  EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
  EXPECT_THAT(error.what(), ::testing::AnyOf(HasSubstr("no CUDA driver"), HasSubstr("there is no device cuda:99")));
}

TEST(StreamOnCpuTest, OrderAfterFailedWorkSkipsWhatDependsOnIt) {
  Stream producer(Device::cpu());
  Stream consumer(Device::cpu());
  Event ready(Device::cpu());
  int runs = 0;
  fail_on(producer);
  ready.record(producer);
  consumer.order_after(ready);
  consumer.enqueue_host("consume", [&runs] { ++runs; });
  const Error error = error_of([&] { consumer.synchronize(); });
  EXPECT_EQ(error.code(), ErrorCode::kSkipped);
  EXPECT_THAT(error.what(), HasSubstr("host task 'network' failed: boom"));
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(error_of([&] { producer.synchronize(); }).code(), ErrorCode::kBackend);
}

TEST(StreamOnCpuTest, AHostTaskMustNotUseItsOwnStream) {
  Stream stream(Device::cpu());
  stream.enqueue_host("submits", [&stream] { stream.enqueue_host("inner", [] {}); });
  EXPECT_EQ(error_of([&] { stream.synchronize(); }).code(), ErrorCode::kInvalidArgument);
  stream.enqueue_host("waits", [&stream] { stream.synchronize(); });
  EXPECT_EQ(error_of([&] { stream.synchronize(); }).code(), ErrorCode::kInvalidArgument);
}

TEST(StreamOnCpuTest, AKernelsFaultIsThrownByTheNextWaitUnderItsName) {
  Stream stream(Device::cpu());
  const auto fault = test::kernel<void()>("fault");
  fault.launch(stream, grid_1d(1 << 20));
  const Error error = error_of([&] { stream.synchronize(); });
  EXPECT_THAT(std::string(error.message()), HasSubstr("kernel 'fault'"));
  EXPECT_EQ(error.cause(), "a fault on purpose");
}

}  // namespace
}  // namespace vrt
