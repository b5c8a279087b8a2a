// The forwarding driver in front of the fake one, in a program that is linked with it: all ways to a driver's function are counted, and
// none of the calls is changed.
#include "vrt/device/cuda/testing/forward/forward.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "vrt/device/cuda/testing/fake_control.h"
#include "vrt/device/event.h"
#include "vrt/device/memory.h"
#include "vrt/device/stream.h"

extern "C" {
int cuInit(unsigned flags);
int cuDriverGetVersion(int* version);
int cuDeviceGetCount(int* count);
int cuDevicePrimaryCtxRetain(void** context, int device);
int cuCtxSetCurrent(void* context);
int cuStreamCreate(void** stream, unsigned flags);
int cuStreamDestroy_v2(void* stream);
int cuLaunchHostFunc(void* stream, void (*function)(void*), void* argument);
int cuLaunchKernel(void* function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void* stream,
                   void** parameters, void** extra);
int cuGetProcAddress_v2(const char* symbol, void** function, int version, std::uint64_t flags, int* status);
}

namespace vrt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsSupersetOf;
namespace fake = cuda::testing;

std::vector<std::string> forwarded() {
  std::vector<std::string> names;
  for (std::uint64_t i = 0; i < vrt_forward_count(); ++i) names.emplace_back(vrt_forward_call(i, nullptr));
  return names;
}

template <typename Function>
Function* by_proc_address(const char* name) {
  void* found = nullptr;
  EXPECT_EQ(cuGetProcAddress_v2(name, &found, 13000, 0, nullptr), 0) << name;
  return reinterpret_cast<Function*>(found);
}

class ForwardTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(vrt_forward_problem(), nullptr) << vrt_forward_problem();
    void* context = nullptr;
    cuDevicePrimaryCtxRetain(&context, 0);
    cuCtxSetCurrent(context);
    vrt_forward_reset();
    fake::reset();
  }
};

TEST_F(ForwardTest, EveryWayToTheDriverIsCountedInOrder) {
  int value = 0;
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  auto* const found = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDeviceGetCount"));
  cuInit(0);
  EXPECT_EQ(found(&value), 0);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(by_proc_address<int(int*)>("cuDriverGetVersion")(&value), 0);
  EXPECT_EQ(value, 13000);
  EXPECT_THAT(forwarded(), ElementsAre("cuInit", "cuDeviceGetCount", "cuGetProcAddress_v2", "cuDriverGetVersion"));
}

TEST_F(ForwardTest, AFunctionAskedForUnderItsPlainNameIsNotedUnderItsOwn) {
  void* memory = nullptr;
  EXPECT_EQ(by_proc_address<int(void**, std::size_t)>("cuMemAlloc")(&memory, 16), 0);
  EXPECT_EQ(by_proc_address<int(void*)>("cuMemFree")(memory), 0);
  EXPECT_THAT(forwarded(), ElementsAre("cuGetProcAddress_v2", "cuMemAlloc_v2", "cuGetProcAddress_v2", "cuMemFree_v2"));
}

// The CUDA runtime asks for the function that it then asks for all others.
TEST_F(ForwardTest, TheWayToAllOthersIsWrappedToo) {
  auto* const ask = by_proc_address<decltype(cuGetProcAddress_v2)>("cuGetProcAddress");
  void* found = nullptr;
  EXPECT_EQ(ask("cuInit", &found, 13000, 0, nullptr), 0);
  EXPECT_EQ(found, reinterpret_cast<void*>(cuInit));
  EXPECT_EQ(reinterpret_cast<void*>(ask), reinterpret_cast<void*>(cuGetProcAddress_v2));
}

TEST_F(ForwardTest, ArgumentsAndResultsPassUnchanged) {
  using Sum =
      double(int, double, int, float, int, double, int, float, int, double, int, double, double, double, double, int);
  auto* const sum = by_proc_address<Sum>("cuFakeSum");
  ASSERT_NE(sum, nullptr);
  EXPECT_EQ(sum(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16), 1496);  // 1² + … + 16².
  EXPECT_EQ(sum, by_proc_address<Sum>("cuFakeSum"));
  EXPECT_THAT(forwarded(), ElementsAre("cuGetProcAddress_v2", "cuFakeSum", "cuGetProcAddress_v2"));
  fake::fail("cuInit", 0, 3);
  EXPECT_EQ(cuInit(0), 3);
  EXPECT_EQ(cuInit(0), 0);
}

TEST_F(ForwardTest, WhatTheRealDriverLacksIsNotFound) {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(dlsym(driver, "cuMemAlloc_v2"), nullptr);
  EXPECT_EQ(dlsym(driver, "cuArrayCreate_v2"), nullptr);  // The fake has none.
  EXPECT_EQ(dlsym(driver, "cuGetProcAddress"), nullptr);
  void* found = nullptr;
  EXPECT_EQ(cuGetProcAddress_v2("cuArrayCreate", &found, 13000, 0, nullptr), 500);
  EXPECT_EQ(found, nullptr);
}

TEST_F(ForwardTest, CallsInsideCallsAreCounted) {
  void* stream = nullptr;
  cuStreamCreate(&stream, 0);
  const auto ask_inside = [](void* version) { cuDriverGetVersion(static_cast<int*>(version)); };
  int version = 0;
  EXPECT_EQ(cuLaunchHostFunc(stream, ask_inside, &version), 0);
  EXPECT_EQ(version, 13000);
  EXPECT_EQ(cuLaunchKernel(nullptr, 1, 2, 3, 4, 5, 6, 7, stream, nullptr, nullptr), 400);  // No such function.
  EXPECT_EQ(cuStreamDestroy_v2(stream), 0);
  EXPECT_THAT(forwarded(), ElementsAre("cuStreamCreate", "cuLaunchHostFunc", "cuDriverGetVersion", "cuLaunchKernel",
                                       "cuStreamDestroy_v2"));
}

TEST_F(ForwardTest, NothingIsLostFromFourThreads) {
  constexpr int kThreads = 4;
  constexpr int kCalls = 100'000;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([] {
      int value = 0;
      for (int call = 0; call < kCalls; ++call) {
        if (call % 2 == 0) cuDriverGetVersion(&value);
        if (call % 2 == 1) cuDeviceGetCount(&value);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::map<int, std::vector<std::string>> by_thread;
  for (std::uint64_t i = 0; i < vrt_forward_count(); ++i) {
    int thread = 0;
    const char* const name = vrt_forward_call(i, &thread);
    by_thread[thread].emplace_back(name);
  }
  EXPECT_EQ(vrt_forward_count(), static_cast<std::uint64_t>(kThreads * kCalls));
  EXPECT_EQ(vrt_forward_unrecorded(), 0U);
  ASSERT_EQ(by_thread.size(), static_cast<std::size_t>(kThreads));
  for (const auto& [thread, calls] : by_thread) {
    ASSERT_EQ(calls.size(), static_cast<std::size_t>(kCalls));
    for (std::size_t i = 0; i < calls.size(); ++i)
      ASSERT_EQ(calls[i], i % 2 == 0 ? "cuDriverGetVersion" : "cuDeviceGetCount") << "call " << i;
  }
}

TEST_F(ForwardTest, WhatVrtCallsIsWhatTheDriverSees) {
  const Stream stream(Device::cuda(0));
  auto buffer = DeviceBuffer<float>::uninitialized(stream, 64);
  PinnedBuffer<float> pinned(Device::cuda(0), 64);
  Event done(Device::cuda(0));
  vrt_forward_reset();
  fake::reset();
  upload(stream, pinned.span(), buffer.span());
  fill_bytes(stream, buffer.span(), 0);
  read_back(stream, buffer.span(), pinned.span());
  done.record(stream);
  done.synchronize();
  std::vector<std::string> seen = forwarded();
  std::erase_if(seen,
                [](const std::string& name) { return name.starts_with("cuCtx"); });  // The fake does not log them.
  EXPECT_EQ(seen, fake::calls());
  EXPECT_THAT(seen, IsSupersetOf({"cuMemcpyHtoDAsync_v2", "cuEventSynchronize"}));
}

double nanoseconds_a_call(int (*call)(int*)) {
  constexpr int kCalls = 1'000'000;
  int value = 0;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kCalls; ++i) call(&value);
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / kCalls;
}

TEST_F(ForwardTest, ItsCostIsPrinted) {
  void* const real = dlopen(std::getenv("VRT_FORWARD_TO"), RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(real, nullptr);
  const double direct = nanoseconds_a_call(reinterpret_cast<int (*)(int*)>(dlsym(real, "cuDriverGetVersion")));
  const double through = nanoseconds_a_call(cuDriverGetVersion);
  std::printf("a call: %.1f ns directly, %.1f ns forwarded and noted\n", direct, through);
  EXPECT_EQ(vrt_forward_count(), 1'000'000U);
}

}  // namespace
}  // namespace vrt

// The library reads the environment when it is loaded, before main: start again with what it needs.
int main(int argc, char** argv) {
  if (std::getenv("VRT_FORWARD_TO") == nullptr) {
    setenv("VRT_FORWARD_TO", VRT_FAKE_DRIVER_PATH, 1);
    execv("/proc/self/exe", argv);
    return 1;
  }
  vrt::cuda::testing::control_fake_driver(std::getenv("VRT_FORWARD_TO"));
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
