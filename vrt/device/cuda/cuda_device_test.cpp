// The CUDA device on the fake driver: what it asks of the driver, and what it makes of the answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/base/log.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/device/counters.h"
#include "vrt/device/cuda/device.h"
#include "vrt/device/cuda/driver.h"
#include "vrt/device/cuda/driver_types.h"
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
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fake = cuda::testing;
using fake::Scale;

const Kernel<Scale>& scale_kernel() {
  static const auto kernel = fake::scale_on(Device::cuda(0));
  return kernel;
}

class CudaDeviceTest : public ::testing::Test {
 protected:
  void SetUp() override { fake::reset(); }
};

// A frame as models submit it: upload, kernels, read-back, one wait.
struct FrameLoop {
  Stream stream{Device::cuda(0)};
  DeviceBuffer<float> input = DeviceBuffer<float>::uninitialized(stream, 64);
  DeviceBuffer<float> output = DeviceBuffer<float>::zeros(stream, 64);
  PinnedBuffer<float> picture{Device::cuda(0), 64};
  PinnedBuffer<float> result{Device::cuda(0), 64};
  Event done{Device::cuda(0)};

  void enqueue() {
    upload(stream, picture.span(), input.span());
    scale_kernel().launch(stream, grid_1d(64), input.span(), output.span(), 2.0F, std::int32_t{64});
    read_back(stream, output.span(), result.span());
  }
  void submit() {
    enqueue();
    done.record(stream);
  }
};

TEST_F(CudaDeviceTest, AFrameIsFourEnqueuesAndOneWait) {
  FrameLoop loop;
  loop.submit();
  loop.done.synchronize();
  fake::reset();
  loop.submit();
  loop.done.synchronize();
  EXPECT_THAT(fake::calls(), ElementsAre("cuMemcpyHtoDAsync_v2", "cuLaunchKernel", "cuMemcpyDtoHAsync_v2",
                                         "cuEventRecord", "cuEventSynchronize"));
}

TEST_F(CudaDeviceTest, CountersAgreeWithTheDriversCalls) {
  FrameLoop loop;
  const DeviceCounters before = counters(Device::cuda(0));
  loop.submit();
  loop.done.synchronize();
  const DeviceCounters frame = counters(Device::cuda(0)) - before;
  EXPECT_EQ(frame.launches, 1U);
  EXPECT_EQ(frame.copies, 2U);
  EXPECT_EQ(frame.waits, 1U);
  EXPECT_EQ(frame.device_allocations + frame.pinned_allocations + frame.blocking_copies, 0U);
}

// The values are those of cuda.h: CU_MEMHOSTALLOC_PORTABLE 1, _DEVICEMAP 2, _WRITECOMBINED 4; CU_STREAM_NON_BLOCKING 1;
// CU_EVENT_DISABLE_TIMING 2.
TEST_F(CudaDeviceTest, PageLockedMemoryIsCacheableAndOfEveryContext) {
  const PinnedBuffer<std::uint8_t> pinned(Device::cuda(0), 100);
  EXPECT_THAT(fake::flags_of("cuMemHostAlloc"), ElementsAre(1U));
}

TEST_F(CudaDeviceTest, StreamsDoNotWaitForTheDefaultStream) {
  const Stream stream(Device::cuda(0));
  EXPECT_THAT(fake::flags_of("cuStreamCreate"), ElementsAre(1U));
}

TEST_F(CudaDeviceTest, OnlyTimedEventsTakeTheTime) {
  const Event event(Device::cuda(0));
  const TimedEvent timed(Device::cuda(0));
  EXPECT_THAT(fake::flags_of("cuEventCreate"), ElementsAre(2U, 0U));
}

TEST_F(CudaDeviceTest, PageLockedMemoryIsZeroAndCounted) {
  const DeviceCounters before = counters(Device::cuda(0));
  {
    const PinnedBuffer<std::uint8_t> pinned(Device::cuda(0), 100);
    EXPECT_THAT(pinned.host(), Each(0));
  }
  const DeviceCounters after = counters(Device::cuda(0)) - before;
  EXPECT_EQ(after.pinned_allocations, 1U);
  EXPECT_EQ(after.pinned_frees, 1U);
}

TEST_F(CudaDeviceTest, CopiesReachTheOtherSide) {
  const Stream stream(Device::cuda(0));
  auto buffer = DeviceBuffer<float>::zeros(stream, 3);
  PinnedBuffer<float> from(Device::cuda(0), 3);
  from[1] = 7;
  upload(stream, from.span(), buffer.span());
  EXPECT_EQ(read_back_blocking(stream, buffer.span()), (std::vector<float>{0, 7, 0}));
}

TEST_F(CudaDeviceTest, WhatIsCreatedIsDestroyed) {
  static_cast<void>(scale_kernel());
  const auto before = fake::live_objects();
  {
    FrameLoop loop;
    loop.submit();
    const Graph graph = Graph::capture(loop.stream, [&] { loop.enqueue(); });
    graph.launch(loop.stream);
    loop.stream.synchronize();
  }
  EXPECT_EQ(fake::live_objects(), before);
}

TEST_F(CudaDeviceTest, AStickyFaultLosesTheDeviceForGood) {
  const auto scenario = [] {
    const Stream stream(Device::cuda(0));
    fake::fail("cuStreamSynchronize", 0, cuda::kErrorIllegalAddress);
    ErrorCode first = ErrorCode::kInternal;
    ErrorCode second = ErrorCode::kInternal;
    try {
      stream.synchronize();
    } catch (const Error& error) {
      first = error.code();
    }
    try {
      static_cast<void>(DeviceBuffer<float>::uninitialized(stream, 1));
    } catch (const Error& error) {
      second = error.code();
    }
    std::exit(first == ErrorCode::kDeviceLost && second == ErrorCode::kDeviceLost ? 0 : 1);
  };
  EXPECT_EXIT(scenario(), ::testing::ExitedWithCode(0), "");
}

TEST_F(CudaDeviceTest, AFailedHostTaskIsThrownByTheNextWaitAndOnlyThere) {
  const Stream stream(Device::cuda(0));
  stream.enqueue_host("network", [] { throw Error(ErrorCode::kBackend, "no result"); });
  const Error error = error_of([&] { stream.synchronize(); });
  EXPECT_THAT(error.what(), HasSubstr("network"));
  EXPECT_THAT(error.what(), HasSubstr("no result"));
  EXPECT_NO_THROW(stream.synchronize());
}

// What is refused there never reaches the driver, where it would spoil the capture (tests of every device are in graph_test.cpp).
TEST_F(CudaDeviceTest, WhatACaptureRefusesIsNotAskedOfTheDriver) {
  const Stream stream(Device::cuda(0));
  Event event(Device::cuda(0));
  event.record(stream);
  const auto live = fake::live_objects();
  const std::vector<std::pair<const char*, std::function<void()>>> refused{
      {"cuMemAllocAsync", [&] { static_cast<void>(DeviceBuffer<float>::uninitialized(stream, 1)); }},
      {"cuStreamSynchronize", [&] { stream.synchronize(); }},
      {"cuEventRecord", [&] { event.record(stream); }},
      {"cuStreamWaitEvent", [&] { stream.order_after(event); }}};
  for (const auto& [call, action] : refused) {
    fake::reset();
    const auto swallow = [&action = action] { static_cast<void>(error_of(action)); };
    const Error error =
        error_of([&] { static_cast<void>(Graph::capture(stream, swallow, {.warm_up = false, .foreign = {}})); });
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported) << call;
    EXPECT_EQ(fake::calls_of(call), 0U);
    EXPECT_EQ(fake::calls_of("cuStreamEndCapture"), 1U) << call;
    EXPECT_EQ(fake::live_objects(), live) << call;
  }
}

TEST_F(CudaDeviceTest, AGraphKeepsItsBuffersAlive) {
  const Stream stream(Device::cuda(0));
  auto buffer = DeviceBuffer<float>::uninitialized(stream, 1);
  const Graph graph = Graph::capture(stream, [&] { fill_bytes(stream, buffer.span(), 1); });
  buffer = {};
  EXPECT_EQ(fake::calls_of("cuMemFreeAsync"), 0U);
  graph.launch(stream);
  stream.synchronize();
}

TEST_F(CudaDeviceTest, ADeclarationThatIsNotTheKernelsIsRefused) {
  const KernelModule module = fake::scale_module(Device::cuda(0));
  using TooFew = void(DeviceSpan<const float>, DeviceSpan<float>, float);
  using TooMany = void(DeviceSpan<const float>, DeviceSpan<float>, float, std::int32_t, std::int32_t);
  using OtherSize = void(DeviceSpan<const float>, DeviceSpan<float>, double, std::int32_t);
  EXPECT_THROW(static_cast<void>(module.get<TooFew>("scale")), Error);
  EXPECT_THROW(static_cast<void>(module.get<TooMany>("scale")), Error);
  EXPECT_THROW(static_cast<void>(module.get<OtherSize>("scale")), Error);
  EXPECT_NO_THROW(static_cast<void>(module.get<Scale>("scale")));
}

TEST_F(CudaDeviceTest, AnUnknownKernelIsNotFoundAndTheKnownAreListed) {
  const KernelModule module = fake::scale_module(Device::cuda(0));
  const Error error = error_of([&] { static_cast<void>(module.get<Scale>("shrink")); });
  EXPECT_EQ(error.code(), ErrorCode::kNotFound);
  EXPECT_THAT(error.what(), HasSubstr("it has scale"));
}

TEST_F(CudaDeviceTest, ASourceThatDoesNotCompileIsShownWithItsLines) {
  const Error error = error_of([&] {
    static_cast<void>(
        KernelModule::compile(Device::cuda(0), "bad.cu", "\nextern \"C\" __global__ void bad() { nonsense; }\n"));
  });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("bad.cu(2): error"));
  EXPECT_THAT(error.what(), HasSubstr("    2 | extern"));
}

TEST_F(CudaDeviceTest, AStreamOfAnotherDeviceIsRefusedByNumber) {
  const Error error = error_of([&] { const Stream stream(Device::cuda(5)); });
  EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
  EXPECT_THAT(error.what(), HasSubstr("cuda:5"));
}

// What a process finds that is started with other drivers. Each runs in a child, as a driver is opened once for each process.
void report_problem() {
  std::fprintf(stderr, "%s", cuda::driver_status().problem.c_str());
  std::exit(cuda::driver_status().usable ? 0 : 1);
}

TEST(CudaDriverDeathTest, AMissingDriverIsSaidNotThrown) {
  EXPECT_EXIT((setenv("VRT_CUDA_DRIVER", "/nowhere/libcuda.so.1", 1), report_problem()), ::testing::ExitedWithCode(1),
              "no CUDA driver: /nowhere/libcuda.so.1");
}

TEST(CudaDriverDeathTest, TheToolkitsStubIsNamed) {
  EXPECT_EXIT((setenv("VRT_FAKE_INIT", "34", 1), report_problem()), ::testing::ExitedWithCode(1), "stub");
}

TEST(CudaDriverDeathTest, AMachineWithoutAGpuIsSaid) {
  EXPECT_EXIT((setenv("VRT_FAKE_INIT", "100", 1), report_problem()), ::testing::ExitedWithCode(1), "finds no GPU");
}

TEST(CudaDriverDeathTest, AnOldDriverIsNamedWithItsVersion) {
  EXPECT_EXIT((setenv("VRT_FAKE_VERSION", "11040", 1), report_problem()), ::testing::ExitedWithCode(1),
              "CUDA 11.4.*12.0");
}

void name_visible() {
  setenv("VRT_FAKE_DEVICES", "3", 1);
  setenv("CUDA_VISIBLE_DEVICES", "2,0", 1);
  std::fprintf(stderr, "%zu: %s, %s", Device::all().size() - 1, describe(Device::cuda(0)).name.c_str(),
               describe(Device::cuda(1)).name.c_str());
  std::exit(0);
}

TEST(CudaDriverDeathTest, NumbersCountTheDevicesThatCudaShows) {
  EXPECT_EXIT(name_visible(), ::testing::ExitedWithCode(0), "^2: Fake GPU 2, Fake GPU 0$");
}

TEST(CudaDriverDeathTest, NoVisibleDeviceIsSaid) {
  EXPECT_EXIT((setenv("CUDA_VISIBLE_DEVICES", "-1", 1), report_problem()), ::testing::ExitedWithCode(1),
              "finds no GPU.*CUDA_VISIBLE_DEVICES");
}

// The whole of a Jetson is tested on one; here only what the driver is asked for.
void map_pinned_and_exit() {
  const PinnedBuffer<std::uint8_t> pinned(Device::cuda(0), 100);
  const bool is_seen = pinned.device_view().has_value() && pinned.device_view()->data() == pinned.data();
  std::exit(is_seen && fake::flags_of("cuMemHostAlloc") == std::vector<unsigned>{3} ? 0 : 1);
}

TEST(CudaDriverDeathTest, AnIntegratedGpuSeesPageLockedMemoryWhichIsCacheableThereToo) {
  EXPECT_EXIT((setenv("VRT_FAKE_INTEGRATED", "1", 1), map_pinned_and_exit()), ::testing::ExitedWithCode(0), "");
}

void allocate_and_exit() {
  {
    const Stream stream(Device::cuda(0));
    { const auto buffer = DeviceBuffer<float>::zeros(stream, 4); }
    const auto again = DeviceBuffer<float>::zeros(stream, 4);
    stream.synchronize();
  }
  std::exit(fake::calls_of("cuMemAlloc_v2") == 1 && fake::calls_of("cuMemFree_v2") == 1 ? 0 : 1);
}

TEST(CudaDriverDeathTest, WithoutMemoryPoolsFreedBlocksAreUsedAgain) {
  EXPECT_EXIT((setenv("VRT_FAKE_POOLS", "0", 1), allocate_and_exit()), ::testing::ExitedWithCode(0), "");
}

TEST(CudaDriverDeathTest, ADriverWithoutTheOptionalEntryPointsWorks) {
  EXPECT_EXIT((fake::use_fake_driver(VRT_FAKE_OLD_DRIVER_PATH), allocate_and_exit()), ::testing::ExitedWithCode(0), "");
}

// It says nothing of a kernel's parameters, so that the declaration is taken at its word, wrong as it is.
void get_undeclared_and_exit() {
  const KernelModule module = fake::scale_module(Device::cuda(0));
  std::exit(module.get<void(DeviceSpan<float>)>("scale").name() == std::string("scale") ? 0 : 1);
}

TEST(CudaDriverDeathTest, AnOldDriversKernelsHaveTheSignatureThatIsDeclared) {
  EXPECT_EXIT((fake::use_fake_driver(VRT_FAKE_OLD_DRIVER_PATH), get_undeclared_and_exit()),
              ::testing::ExitedWithCode(0), "");
}

void name_missing_and_exit() {
  const Error error = error_of([] { cuda::driver().device_get_default_mem_pool(nullptr, 0); });
  const auto address = cuda::CudaDevice::open(0).pci_bus_id();
  std::fprintf(stderr, "%s; %s", error.what(), address.problem.c_str());
  std::exit(error.code() == ErrorCode::kUnavailable && !address.value ? 0 : 1);
}

TEST(CudaDriverDeathTest, AnOptionalEntryPointThatIsNotThereIsNamedWithTheVersionThatHasIt) {
  EXPECT_EXIT(
      (fake::use_fake_driver(VRT_FAKE_OLD_DRIVER_PATH), name_missing_and_exit()), ::testing::ExitedWithCode(0),
      "libvrt_fake_cuda_old.so has no cuDeviceGetDefaultMemPool, which exists since CUDA 11.2; update the driver.*"
      "this CUDA driver has no cuDeviceGetPCIBusId");
}

TEST(CudaDriverDeathTest, ALibraryWithoutARequiredEntryPointIsNoDriver) {
  EXPECT_EXIT(
      (fake::use_fake_driver(VRT_FAKE_INCOMPLETE_DRIVER_PATH), report_problem()), ::testing::ExitedWithCode(1),
      "libvrt_fake_cuda_incomplete.so lacks the entry point cuGraphDestroy; it is not a CUDA driver that vrt can use");
}

}  // namespace
}  // namespace vrt

int main(int argc, char** argv) {
  setenv("VRT_KERNEL_CACHE", "off", 0);  // Children of the tests of the cache are told otherwise.
  vrt::cuda::testing::use_fake_driver(VRT_FAKE_DRIVER_PATH);
  ::testing::InitGoogleTest(&argc, argv);
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  return RUN_ALL_TESTS();
}
