#include "vrt/device/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "vrt/base/testing/error_of.h"

namespace vrt {
namespace {

using test::error_of;
using ::testing::HasSubstr;

TEST(DeviceTest, ParsesTheCpuAndAuto) {
  EXPECT_EQ(Device::parse("cpu"), Device::cpu());
  EXPECT_EQ(Device::parse("auto"), Device::all().front());
}

TEST(DeviceTest, TheCpuIsTheLastOfAllDevices) { EXPECT_EQ(Device::all().back(), Device::cpu()); }

TEST(DeviceTest, TextReadsBackAsTheSameDevice) {
  for (const Device device : Device::all()) EXPECT_EQ(Device::parse(to_string(device)), device);
  EXPECT_EQ(to_string(Device::cuda(3)), "cuda:3");
}

TEST(DeviceTest, RefusesTextThatNamesNoDevice) {
  for (const char* text :
       {"", "gpu", "CPU", "cpu:0", "cuda:", "cuda:-1", "cuda:1x", "cuda:99999999999", "cuda: 1", "cuda:0 "}) {
    const Error error = error_of([text] { static_cast<void>(Device::parse(text)); });
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument) << text;
    EXPECT_THAT(error.what(), HasSubstr("auto, cpu, cuda or cuda:N"));
  }
}

TEST(DeviceTest, AGpuThatIsNotThereIsUnavailableWithTheReason) {
  const Error error = error_of([] { static_cast<void>(Device::parse("cuda:99")); });
  EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
  EXPECT_THAT(error.what(), ::testing::AnyOf(HasSubstr("no CUDA driver"), HasSubstr("there is no device cuda:99")));
  EXPECT_EQ(error_of([] { static_cast<void>(describe(Device::cuda(99))); }).code(), ErrorCode::kUnavailable);
}

TEST(DeviceTest, DescribesTheCpu) {
  const DeviceInfo info = describe(Device::cpu());
  EXPECT_FALSE(info.name.empty());
  EXPECT_THAT(info.architecture, ::testing::AnyOf("x86-64", "x86-64-v3", "aarch64"));
  EXPECT_GT(info.memory_bytes, std::size_t{64} << 20);
  EXPECT_GE(info.parallel_units, 1);
}

}  // namespace
}  // namespace vrt
