// Kernels that are compiled in the background: the fake driver, the real NVRTC.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/base/log.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/device/cuda/testing/fake_control.h"
#include "vrt/device/kernel.h"

namespace vrt {
namespace {

using test::error_of;
using ::testing::HasSubstr;
namespace fake = cuda::testing;
using Scale = void(DeviceSpan<const float>, DeviceSpan<float>, float, std::int32_t);

// Sources are told apart by the address of their text, which stays: what is compiled in the background refers to it.
KernelSource source_of(const std::string& name, const std::string& body = "out[i] = __ldg(in + i) * factor;") {
  static std::vector<std::unique_ptr<std::pair<std::string, std::string>>>& texts =
      *new std::vector<std::unique_ptr<std::pair<std::string, std::string>>>();
  texts.push_back(std::make_unique<std::pair<std::string, std::string>>(
      name + ".cu", "extern \"C\" __global__ void " + name +
                        "(const float* __restrict__ in, float* __restrict__ out, float factor, int32_t n) {\n"
                        "  const int32_t i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) " +
                        body + "\n}\n"));
  return {texts.back()->first, texts.back()->second, {}, {}};
}

// A source that takes the compiler a while.
KernelSource slow_source(const std::string& name) {
  std::string body = "{ float sum = 0.0f;\n";
  for (int i = 0; i < 24; ++i) {
    body += "sum += sinf(factor * " + std::to_string(i + 1) + ".5f) * powf(factor, " + std::to_string(i) + ".25f);\n";
  }
  return source_of(name, body + "out[i] = sum; }");
}

class BackgroundLoadTest : public ::testing::Test {
 protected:
  void SetUp() override { fake::reset(); }
};

TEST_F(BackgroundLoadTest, SeveralSourcesAreLoadedAndTheirKernelsFound) {
  const std::array<std::string, 4> names{"one", "two", "three", "four"};
  std::vector<PendingKernels> pending;
  for (const std::string& name : names)
    pending.push_back(KernelModule::load_async(Device::cuda(0), source_of("async_" + name)));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string kernel = "async_" + names[i];
    EXPECT_EQ(std::string(pending[i].get().get<Scale>(kernel.c_str()).name()), kernel);
    EXPECT_TRUE(pending[i].is_ready());
  }
  EXPECT_EQ(fake::calls_of("cuModuleLoadData"), names.size());
}

TEST_F(BackgroundLoadTest, OneSourceAskedForByManyAtOnceIsCompiledOnce) {
  const KernelSource source = slow_source("wanted_by_many");
  std::vector<std::thread> askers;
  std::atomic<int> found{0};
  for (int i = 0; i < 8; ++i) {
    askers.emplace_back([&, i] {
      const KernelModule module = i % 2 == 0 ? KernelModule::load(Device::cuda(0), source)
                                             : KernelModule::load_async(Device::cuda(0), source).get();
      static_cast<void>(module.get<Scale>("wanted_by_many"));
      ++found;
    });
  }
  for (std::thread& asker : askers) asker.join();
  EXPECT_EQ(found, 8);
  EXPECT_EQ(fake::calls_of("cuModuleLoadData"), 1U);
}

// Holds the compilation of `held_source` until it is let go: the compiler's warning on it is logged, and the log waits.
class HeldCompilation {
 public:
  HeldCompilation() {
    set_log_level(LogLevel::kDebug);
    previous_ = set_log_sink([this](LogLevel, std::string_view message) {
      if (message.find("held") == std::string_view::npos) return;
      reached_.set_value();
      released_.get_future().wait_for(std::chrono::seconds(60));
    });
  }
  ~HeldCompilation() {
    set_log_sink(previous_);
    set_log_level(LogLevel::kInfo);
  }
  HeldCompilation(const HeldCompilation&) = delete;
  HeldCompilation& operator=(const HeldCompilation&) = delete;

  void wait_until_held() { reached_.get_future().wait(); }
  void let_go() { released_.set_value(); }

 private:
  LogSink previous_;
  std::promise<void> reached_;
  std::promise<void> released_;
};

KernelSource held_source(const std::string& name) { return source_of("held_" + name, "{ int unused; out[i] = 0; }"); }

TEST_F(BackgroundLoadTest, OneSourceDoesNotWaitForAnother) {
  HeldCompilation held;
  const PendingKernels slow = KernelModule::load_async(Device::cuda(0), held_source("back"));
  held.wait_until_held();
  static_cast<void>(KernelModule::load(Device::cuda(0), source_of("quick")));
  EXPECT_FALSE(slow.is_ready()) << "the quick one came only when the held one was given up";
  EXPECT_EQ(fake::calls_of("cuModuleLoadData"), 1U);
  held.let_go();
  static_cast<void>(slow.get());
}

TEST_F(BackgroundLoadTest, AFailureComesWithGetAndTheNextLoadTriesAgain) {
  const KernelSource bad = source_of("wrong", "nonsense;");
  const PendingKernels pending = KernelModule::load_async(Device::cuda(0), bad);
  for (int attempt = 0; attempt < 2; ++attempt) {
    const Error error = error_of([&] { static_cast<void>(pending.get()); });
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(error.what(), HasSubstr("wrong.cu"));
  }
  EXPECT_THROW(static_cast<void>(KernelModule::load(Device::cuda(0), bad)), Error);

  const KernelSource good = source_of("refused_once");
  fake::fail("cuModuleLoadData", 0, 1);
  EXPECT_THROW(static_cast<void>(KernelModule::load_async(Device::cuda(0), good).get()), Error);
  EXPECT_NO_THROW(static_cast<void>(KernelModule::load_async(Device::cuda(0), good).get()));
}

TEST_F(BackgroundLoadTest, LettingGoNeitherWaitsNorStops) {
  HeldCompilation held;
  const KernelSource source = held_source("abandoned");
  { static_cast<void>(KernelModule::load_async(Device::cuda(0), source)); }
  held.wait_until_held();
  EXPECT_EQ(fake::calls_of("cuModuleLoadData"), 0U);
  held.let_go();
  static_cast<void>(KernelModule::load(Device::cuda(0), source));
  EXPECT_EQ(fake::calls_of("cuModuleLoadData"), 1U);
}

TEST_F(BackgroundLoadTest, OnTheCpuTheResultIsReady) {
  EXPECT_TRUE(KernelModule::load_async(Device::cpu(), source_of("of_the_cpu")).is_ready());
}

TEST_F(BackgroundLoadTest, AThreadWaitsAtItsEndForWhatItAskedFor) {
  PendingKernels* pending = nullptr;
  std::thread([&] {
    pending = new PendingKernels(KernelModule::load_async(Device::cuda(0), slow_source("of_a_thread")));
  }).join();
  EXPECT_TRUE(pending->is_ready());
  delete pending;
}

// Each in a process of its own, which ends while the compiler works: at once, in the midst of it, and with more queued than
// there are threads.
void exit_while_compiling(std::chrono::milliseconds delay) {
  for (int i = 0; i < 6; ++i) {
    static_cast<void>(KernelModule::load_async(Device::cuda(0), slow_source("at_exit_" + std::to_string(i))));
  }
  std::this_thread::sleep_for(delay);
  std::exit(0);
}

class BackgroundExitDeathTest : public ::testing::TestWithParam<int> {};

TEST_P(BackgroundExitDeathTest, TheProcessEndsCleanlyAndSoon) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EXIT(exit_while_compiling(std::chrono::milliseconds(GetParam())), ::testing::ExitedWithCode(0), "^$");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

INSTANTIATE_TEST_SUITE_P(Milliseconds, BackgroundExitDeathTest, ::testing::Values(0, 1, 5, 20, 50, 100, 200, 400));

void wait_in_a_thread_while_the_process_ends() {
  std::vector<PendingKernels> pending;
  for (int i = 0; i < 64; ++i) {
    pending.push_back(KernelModule::load_async(Device::cuda(0), slow_source("waited_for_" + std::to_string(i))));
  }
  std::thread([last = pending.back()] {
    try {
      static_cast<void>(last.get());
    } catch (const Error& error) {
      if (error.code() == ErrorCode::kCancelled) std::fputs("cancelled\n", stderr);
    }
  }).detach();
  std::exit(0);
}

TEST(BackgroundDeathTest, WhatHasNotBegunIsCancelledForWhoeverWaits) {
  // The process ends late enough for the waiting thread to speak.
  EXPECT_EXIT((std::atexit([] { std::this_thread::sleep_for(std::chrono::milliseconds(500)); }),
               wait_in_a_thread_while_the_process_ends()),
              ::testing::ExitedWithCode(0), "cancelled");
}

}  // namespace
}  // namespace vrt
