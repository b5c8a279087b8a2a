// Several GPUs, several threads, and the end of the process, on the fake driver with three devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/base/log.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/device/counters.h"
#include "vrt/device/cuda/driver.h"
#include "vrt/device/cuda/testing/fake_control.h"
#include "vrt/device/cuda/testing/scale_kernel.h"
#include "vrt/device/event.h"
#include "vrt/device/graph.h"
#include "vrt/device/kernel.h"
#include "vrt/device/memory.h"
#include "vrt/device/stream.h"

namespace vrt {
namespace {

using test::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fake = cuda::testing;
using fake::Scale;
using fake::scale_on;

CUctx_st* current() {
  CUctx_st* context = nullptr;
  EXPECT_EQ(cuda::driver().context_get_current(&context), 0);
  return context;
}

class CudaGpusTest : public ::testing::Test {
 protected:
  void SetUp() override { fake::reset(); }
};

// The fake driver refuses what is made on one device and used on another, and whatever is made with none current.
void use(Device device, const Kernel<Scale>& scale) {
  const Stream stream(device);
  auto in = DeviceBuffer<float>::zeros(stream, 64);
  auto out = DeviceBuffer<float>::zeros(stream, 64);
  PinnedBuffer<float> host(device, 64);
  TimedEvent start(device);
  TimedEvent end(device);
  start.record(stream);
  upload(stream, host.span(), in.span());
  const Graph graph =
      Graph::capture(stream, [&] { scale.launch(stream, grid_1d(64), in.span(), out.span(), 2.0F, std::int32_t{64}); });
  graph.launch(stream);
  read_back(stream, out.span(), host.span());
  stream.enqueue_host("nothing", [] {});
  end.record(stream);
  end.synchronize();
  EXPECT_GE(elapsed(start, end).count(), 0);
}

TEST_F(CudaGpusTest, EachGpuWorksInItsOwnContext) {
  for (const int ordinal : {2, 0, 1}) {
    SCOPED_TRACE(ordinal);
    use(Device::cuda(ordinal), scale_on(Device::cuda(ordinal)));
  }
}

TEST_F(CudaGpusTest, TheCallersContextStaysCurrent) {
  const auto scale = scale_on(Device::cuda(1));
  CUctx_st* callers = nullptr;
  ASSERT_EQ(cuda::driver().primary_context_retain(&callers, 2), 0);
  ASSERT_EQ(cuda::driver().context_set_current(callers), 0);
  use(Device::cuda(1), scale);
  EXPECT_EQ(current(), callers);
}

TEST_F(CudaGpusTest, WhereNoContextWasCurrentTheDevicesStays) {
  const auto scale = scale_on(Device::cuda(1));
  CUctx_st* primary = nullptr;
  ASSERT_EQ(cuda::driver().primary_context_retain(&primary, 1), 0);
  ASSERT_EQ(cuda::driver().context_set_current(nullptr), 0);
  use(Device::cuda(1), scale);
  EXPECT_EQ(current(), primary);
}

TEST_F(CudaGpusTest, AStreamWaitsForAnEventOfAnotherGpu) {
  const Stream first(Device::cuda(0));
  const Stream second(Device::cuda(1));
  Event done(Device::cuda(0));
  done.record(first);
  second.order_after(done);
  EXPECT_THAT(fake::ordered(), ElementsAre(std::pair(first.native_handle(), second.native_handle())));
  EXPECT_THAT(error_of([&] { Stream(Device::cpu()).order_after(done); }).what(),
              HasSubstr("a stream of cpu cannot wait for an event of cuda:0"));
}

TEST_F(CudaGpusTest, WhatIsOfAnotherGpuIsRefusedByName) {
  const Stream stream(Device::cuda(0));
  Event event(Device::cuda(1));
  EXPECT_THAT(error_of([&] { event.record(stream); }).what(),
              HasSubstr("an event of cuda:1 cannot be recorded on a stream of cuda:0"));
  auto memory = DeviceBuffer<float>::zeros(stream, 1);
  const auto launch = [&] {
    scale_on(Device::cuda(2)).launch(stream, grid_1d(1), memory.span(), memory.span(), 1.0F, std::int32_t{1});
  };
  EXPECT_THAT(error_of(launch).what(), HasSubstr("'scale' was loaded for cuda:2, but the stream is on cuda:0"));
  const Graph graph = Graph::capture(stream, [&] { fill_bytes(stream, memory.span(), 0); });
  EXPECT_THAT(error_of([&] { graph.launch(Stream(Device::cuda(1))); }).what(), HasSubstr("cuda:1"));
  EXPECT_THAT(error_of([&] { static_cast<void>(Stream::adopt(Device::cuda(1), stream.native_handle())); }).what(),
              HasSubstr("does not belong to the primary context of cuda:1"));
  TimedEvent here(Device::cuda(0));
  TimedEvent there(Device::cuda(1));
  EXPECT_THAT(error_of([&] { static_cast<void>(elapsed(here, there)); }).what(), HasSubstr("their clocks differ"));
}

TEST_F(CudaGpusTest, AnAdoptedStreamWorksAndIsNotDestroyed) {
  const Stream owner(Device::cuda(1));
  fake::reset();
  { fill_bytes(owner, DeviceBuffer<float>::zeros(Stream::adopt(Device::cuda(1), owner.native_handle()), 4).span(), 1); }
  EXPECT_EQ(fake::calls_of("cuStreamDestroy_v2"), 0U);
  EXPECT_NO_THROW(owner.synchronize());
}

TEST_F(CudaGpusTest, DevicesAreNamedByNumber) {
  EXPECT_THAT(Device::all(), ElementsAre(Device::cuda(0), Device::cuda(1), Device::cuda(2), Device::cpu()));
  EXPECT_EQ(Device::parse("cuda:2"), Device::cuda(2));
  EXPECT_THAT(error_of([] { static_cast<void>(Device::parse("cuda:3")); }).what(),
              HasSubstr("there is no device cuda:3; this machine has 3 (cuda:0 to cuda:2)"));
  EXPECT_EQ(describe(Device::cuda(1)).name, "Fake GPU 1");
}

TEST_F(CudaGpusTest, ThreadsShareAGpuWithStreamsOfTheirOwn) {
  const auto scale = scale_on(Device::cuda(0));
  const auto live = fake::live_objects();
  const DeviceCounters before = counters(Device::cuda(0));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int turn = 0; turn < 50; ++turn) use(Device::cuda(0), scale);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(fake::live_objects(), live);
  EXPECT_EQ((counters(Device::cuda(0)) - before).graph_launches, 200U);
}

TEST_F(CudaGpusTest, ThreadsEnqueueOnOneStream) {
  const Stream stream(Device::cuda(1));
  auto memory = DeviceBuffer<std::uint8_t>::zeros(stream, 1024);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int turn = 0; turn < 200; ++turn)
        fill_bytes(stream, memory.span().subspan(i * 256, 256), static_cast<std::uint8_t>(i + 1));
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::vector<std::uint8_t> bytes = read_back_blocking(stream, memory.span());
  for (std::size_t i = 0; i < bytes.size(); ++i) ASSERT_EQ(bytes[i], i / 256 + 1) << i;
}

// The device that is lost stays lost in this process: each in a child.
void lose_one_of_two() {
  const Stream lost(Device::cuda(0));
  const Stream other(Device::cuda(1));
  auto memory = DeviceBuffer<float>::zeros(other, 16);
  fake::fail("cuStreamSynchronize", 0, 700);
  const ErrorCode first = error_of([&] { lost.synchronize(); }).code();
  const ErrorCode later = error_of([&] { static_cast<void>(Event(Device::cuda(0))); }).code();
  fill_bytes(other, memory.span(), 0);
  other.synchronize();
  use(Device::cuda(1), scale_on(Device::cuda(1)));
  std::exit(first == ErrorCode::kDeviceLost && later == ErrorCode::kDeviceLost ? 0 : 1);
}

TEST(CudaGpusDeathTest, ALostGpuLeavesTheOtherUsable) {
  EXPECT_EXIT(lose_one_of_two(), ::testing::ExitedWithCode(0), "");
}

// ---- The end of the process.

struct Outcome {
  int status;
  std::string said;
};

Outcome run(const std::string& command) {
  Outcome outcome{};
  std::FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  for (int character = 0; (character = std::fgetc(pipe)) != EOF;) outcome.said += static_cast<char>(character);
  outcome.status = pclose(pipe);
  return outcome;
}

class CudaExitTest : public ::testing::TestWithParam<const char*> {};

TEST_P(CudaExitTest, AHundredProcessesEndInSilence) {
  const std::string command = std::string("VRT_FAKE_ENDS=1 ") + VRT_EXIT_PROGRAM + " " + GetParam();
  for (int i = 0; i < 100; ++i) {
    const Outcome outcome = run(command);
    ASSERT_TRUE(WIFEXITED(outcome.status) && WEXITSTATUS(outcome.status) == 0) << "run " << i << ": " << outcome.said;
    ASSERT_EQ(outcome.said, "") << "run " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, CudaExitTest, ::testing::Values("static", "leaked", "threads"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace vrt

int main(int argc, char** argv) {
  setenv("VRT_FAKE_DEVICES", "3", 1);
  setenv("VRT_CACHE", VRT_TEST_CACHE, 1);  // A hundred processes compile once.
  vrt::cuda::testing::use_fake_driver(VRT_FAKE_DRIVER_PATH);
  ::testing::InitGoogleTest(&argc, argv);
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  return RUN_ALL_TESTS();
}
