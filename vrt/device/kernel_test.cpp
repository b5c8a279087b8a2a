#include "vrt/device/kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "vrt/base/testing/error_of.h"
#include "vrt/device/cpu/cpu_module.h"
#include "vrt/device/cpu/host_build.h"
#include "vrt/device/test_kernels.h"
#include "vrt/device/testing/devices.h"

namespace vrt {
namespace {

using test::error_of;
using ::testing::HasSubstr;

class KernelTest : public ::testing::TestWithParam<Device> {};
INSTANTIATE_TEST_SUITE_P(Devices, KernelTest, ::testing::ValuesIn(testing::devices_with_kernels()),
                         testing::device_name);

class KernelLoadTest : public ::testing::TestWithParam<Device> {};
INSTANTIATE_TEST_SUITE_P(Devices, KernelLoadTest, ::testing::ValuesIn(Device::all()), testing::device_name);

TEST_P(KernelLoadTest, WhatTheDeviceCompilesIsFoundByNameAndWhatIsNotThereIsToldWithWhatIs) {
  const KernelModule module = KernelModule::load(GetParam(), test::source());
  EXPECT_NO_THROW(static_cast<void>(module.get<test::Scale>("scale")));
  const Error error = error_of([&] { static_cast<void>(module.get<test::Scale>("scal")); });
  EXPECT_EQ(error.code(), ErrorCode::kNotFound);
  EXPECT_THAT(error.what(), ::testing::AllOf(HasSubstr("scale"), HasSubstr("increment"), HasSubstr("unpack")));
  EXPECT_EQ(error_of([&] { static_cast<void>(module.get<void(DeviceSpan<float>)>("scale")); }).code(),
            ErrorCode::kInvalidArgument);
}

TEST_P(KernelTest, ComputesEveryElement) {
  constexpr std::int32_t kCount = 100'003;
  Stream stream(GetParam());
  std::vector<float> values(kCount);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  auto in = DeviceBuffer<float>::uninitialized(stream, kCount);
  auto out = DeviceBuffer<float>::zeros(stream, kCount);
  upload_blocking<float>(stream, values, in.span());
  test::kernel<test::Scale>("scale", GetParam()).launch(stream, grid_1d(kCount), in.span(), out.span(), 2.0F, kCount);
  const auto result = read_back_blocking(stream, out.span());
  for (std::size_t i = 0; i < result.size(); ++i) ASSERT_EQ(result[i], 2.0F * static_cast<float>(i));
}

TEST_P(KernelTest, ArgumentsAreCopiedWhenLaunched) {
  Stream stream(GetParam());
  auto out = DeviceBuffer<std::int32_t>::zeros(stream, 200);
  {
    test::Table table;
    for (std::size_t i = 0; i < table.entries.size(); ++i) table.entries[i] = static_cast<std::int32_t>(i * i);
    test::kernel<void(test::Table, DeviceSpan<std::int32_t>)>("unpack", GetParam())
        .launch(stream, grid_1d(200), table, out.span());
    table.entries.fill(-1);
  }
  const auto result = read_back_blocking(stream, out.span());
  for (std::size_t i = 0; i < result.size(); ++i) EXPECT_EQ(result[i], static_cast<std::int32_t>(i * i));
}

TEST(KernelOnCpuTest, TooManyBytesOfArgumentsAreRefusedByName) {
  const Stream stream(Device::cpu());
  const auto last = test::kernel<test::LastOfHugeTable>("last_of_huge_table");
  auto out = DeviceBuffer<std::int32_t>::zeros(stream, 1);
  const Error error = error_of([&] { last.launch(stream, grid_1d(1), test::HugeTable{}, out.span()); });
  EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  EXPECT_THAT(error.what(), HasSubstr("'last_of_huge_table'"));
}

TEST_P(KernelTest, AGpuTakesMoreBytesOfArgumentsThanTheCpu) {
  if (GetParam() == Device::cpu()) GTEST_SKIP() << "the CPU refuses them";
  const Stream stream(GetParam());
  auto out = DeviceBuffer<std::int32_t>::zeros(stream, 1);
  test::HugeTable table;
  table.entries.back() = 7;
  test::kernel<test::LastOfHugeTable>("last_of_huge_table", GetParam()).launch(stream, grid_1d(1), table, out.span());
  EXPECT_EQ(read_back_blocking(stream, out.span())[0], 7);
}

TEST_P(KernelTest, ShapesThatNoDeviceTakesAreRefused) {
  Stream stream(GetParam());
  const auto scale = test::kernel<test::Scale>("scale", GetParam());
  auto memory = DeviceBuffer<float>::zeros(stream, 2);
  const auto launch = [&](const LaunchShape& shape) {
    scale.launch(stream, shape, memory.span().subspan(0, 1), memory.span().subspan(1, 1), 2.0F, std::int32_t{1});
  };
  const std::array<LaunchShape, 7> shapes{{{{0, 1, 1}, {1, 1, 1}, 0},
                                           {{1, 1, 1}, {32, 0, 1}, 0},
                                           {{1, 65536, 1}, {1, 1, 1}, 0},
                                           {{1, 1, 1}, {1025, 1, 1}, 0},
                                           {{1, 1, 1}, {64, 32, 1}, 0},
                                           {{1, 1, 1}, {1, 1, 65}, 0},
                                           {{1, 1, 1}, {1, 1, 1}, 1 << 20}}};
  for (const LaunchShape& shape : shapes) {
    const Error error = error_of([&] { launch(shape); });
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(error.what(), HasSubstr("kernel 'scale'"));
  }
  EXPECT_NO_THROW(stream.synchronize());
}

TEST(KernelModuleTest, AnUnknownNameListsTheKernels) {
  const Error error = error_of([] { static_cast<void>(test::kernel<void()>("scal")); });
  EXPECT_EQ(error.code(), ErrorCode::kNotFound);
  EXPECT_THAT(error.what(), HasSubstr("'scale', 'increment', 'fault'"));
  EXPECT_THAT(error.what(), HasSubstr("test/kernels.cu"));
}

TEST(KernelModuleTest, AnotherSignatureIsRefusedWithBoth) {
  const Error error =
      error_of([] { static_cast<void>(test::kernel<void(DeviceSpan<float>, std::int32_t)>("increment")); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("void (int*, int)"));
  EXPECT_THAT(error.what(), HasSubstr("void (float*, int)"));
}

TEST(KernelModuleTest, ConstIsPartOfTheSignature) {
  EXPECT_THROW(static_cast<void>(test::kernel<void(DeviceSpan<const std::int32_t>, std::int32_t)>("increment")), Error);
}

TEST(KernelModuleTest, CudaCAtRunTimeIsRefusedOnTheCpuByName) {
  const Error error = error_of([] { static_cast<void>(KernelModule::compile(Device::cpu(), "my_kernels", "")); });
  EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  EXPECT_THAT(error.what(), HasSubstr("'my_kernels'"));
}

constexpr std::array<HostKernel, 1> kBaselineBuild{{{"baseline", nullptr, nullptr}}};
constexpr std::array<HostKernel, 1> kV3Build{{{"v3", nullptr, nullptr}}};
const KernelSource kBothBuilds{"both.cu", "", kBaselineBuild, kV3Build};
const KernelSource kOneBuild{"one.cu", "", kBaselineBuild, {}};

TEST(KernelModuleTest, PicksTheBestBuildThatTheProcessorRuns) {
  using cpu::choose_build;
  using cpu::HostIsa;
  EXPECT_EQ(choose_build(kBothBuilds, HostIsa::kX86V3, nullptr).data(), kV3Build.data());
  EXPECT_EQ(choose_build(kBothBuilds, HostIsa::kBaseline, nullptr).data(), kBaselineBuild.data());
  EXPECT_EQ(choose_build(kOneBuild, HostIsa::kX86V3, nullptr).data(), kBaselineBuild.data());
}

TEST(KernelModuleTest, TheEnvironmentForcesABuild) {
  using cpu::choose_build;
  using cpu::HostIsa;
  EXPECT_EQ(choose_build(kBothBuilds, HostIsa::kX86V3, "baseline").data(), kBaselineBuild.data());
  EXPECT_EQ(choose_build(kBothBuilds, HostIsa::kX86V3, "v3").data(), kV3Build.data());
  EXPECT_EQ(error_of([] { static_cast<void>(choose_build(kBothBuilds, HostIsa::kBaseline, "v3")); }).code(),
            ErrorCode::kUnavailable);
  EXPECT_EQ(error_of([] { static_cast<void>(choose_build(kOneBuild, HostIsa::kX86V3, "v3")); }).code(),
            ErrorCode::kUnavailable);
  EXPECT_EQ(error_of([] { static_cast<void>(choose_build(kOneBuild, HostIsa::kX86V3, "avx512")); }).code(),
            ErrorCode::kInvalidArgument);
}

TEST(KernelModuleTest, OnTheCpuABackgroundLoadIsDoneAndItsFailureComesWithGet) {
  const PendingKernels done = KernelModule::load_async(Device::cpu(), test::source());
  EXPECT_TRUE(done.is_ready());
  EXPECT_NO_THROW(static_cast<void>(done.get().get<test::Scale>("scale")));

  const cpu::ScopedHostBuild refusal(
      [](const KernelSource&) -> std::span<const HostKernel> { throw Error(ErrorCode::kUnavailable, "no build"); });
  const PendingKernels refused = KernelModule::load_async(Device::cpu(), test::source());
  EXPECT_TRUE(refused.is_ready());
  EXPECT_EQ(error_of([&] { static_cast<void>(refused.get()); }).code(), ErrorCode::kUnavailable);
}

TEST(KernelModuleTest, AScopeChoosesTheBuildAndTheInnermostCounts) {
  const auto usual = cpu::host_build_of(kBothBuilds).data();
  {
    const cpu::ScopedHostBuild baseline([](const KernelSource& source) { return source.host_baseline; });
    EXPECT_EQ(cpu::host_build_of(kBothBuilds).data(), kBaselineBuild.data());
    {
      const cpu::ScopedHostBuild v3([](const KernelSource& source) { return source.host_v3; });
      EXPECT_EQ(cpu::host_build_of(kBothBuilds).data(), kV3Build.data());
    }
    EXPECT_EQ(cpu::host_build_of(kBothBuilds).data(), kBaselineBuild.data());
    std::thread([&] { EXPECT_EQ(cpu::host_build_of(kBothBuilds).data(), usual) << "of another thread"; }).join();
  }
  EXPECT_EQ(cpu::host_build_of(kBothBuilds).data(), usual);
}

TEST(GridTest, CoversEveryItem) {
  EXPECT_EQ(grid_1d(257).grid, (Dim3{2, 1, 1}));
  EXPECT_EQ(grid_1d(256).block_count(), 1U);
  EXPECT_EQ(grid_2d(33, 9, 3).grid, (Dim3{2, 2, 3}));
  EXPECT_EQ(grid_2d(32, 8).block, (Dim3{32, 8, 1}));
  EXPECT_EQ(grid_per_item(5, 64, 128), (LaunchShape{{5, 1, 1}, {64, 1, 1}, 128}));
}

}  // namespace
}  // namespace vrt
