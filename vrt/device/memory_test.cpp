#include "vrt/device/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "vrt/base/testing/error_of.h"
#include "vrt/device/counters.h"
#include "vrt/device/testing/devices.h"

namespace vrt {
namespace {

using test::error_of;
using ::testing::Each;
using ::testing::HasSubstr;

class DeviceBufferTest : public ::testing::TestWithParam<Device> {};
INSTANTIATE_TEST_SUITE_P(Devices, DeviceBufferTest, ::testing::ValuesIn(Device::all()), testing::device_name);

class PinnedBufferTest : public ::testing::TestWithParam<Device> {};
INSTANTIATE_TEST_SUITE_P(Devices, PinnedBufferTest, ::testing::ValuesIn(Device::all()), testing::device_name);

class CopyTest : public ::testing::TestWithParam<Device> {};
INSTANTIATE_TEST_SUITE_P(Devices, CopyTest, ::testing::ValuesIn(Device::all()), testing::device_name);

TEST_P(DeviceBufferTest, RoundTripsThroughPinnedMemory) {
  Stream stream(GetParam());
  PinnedBuffer<std::int32_t> in(stream.device(), 1000);
  PinnedBuffer<std::int32_t> out(stream.device(), 1000);
  auto first = DeviceBuffer<std::int32_t>::uninitialized(stream, 1000);
  auto second = DeviceBuffer<std::int32_t>::uninitialized(stream, 1000);
  std::iota(in.host().begin(), in.host().end(), -500);
  upload(stream, in.span(), first.span());
  copy(stream, first.span(), second.span());
  read_back(stream, second.span(), out.span());
  stream.synchronize();
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], static_cast<std::int32_t>(i) - 500);
}

TEST_P(DeviceBufferTest, ZerosAndFillsSetEveryByte) {
  Stream stream(GetParam());
  auto buffer = DeviceBuffer<std::uint8_t>::zeros(stream, 333);
  EXPECT_THAT(read_back_blocking(stream, buffer.span()), Each(0));
  fill_bytes(stream, buffer.span().subspan(1, 331), 0xAB);
  const auto bytes = read_back_blocking(stream, buffer.span());
  EXPECT_EQ(bytes.front(), 0);
  EXPECT_EQ(bytes.back(), 0);
  EXPECT_THAT(std::vector(bytes.begin() + 1, bytes.end() - 1), Each(0xAB));
}

TEST_P(DeviceBufferTest, UploadsOrdinaryMemoryBlocking) {
  Stream stream(GetParam());
  auto buffer = DeviceBuffer<float>::uninitialized(stream, 3);
  const std::vector<float> values{1.0F, 2.0F, 3.0F};
  upload_blocking<float>(stream, values, buffer.span());
  EXPECT_EQ(read_back_blocking(stream, buffer.span()), values);
}

TEST_P(DeviceBufferTest, IsAlignedTo256Bytes) {
  Stream stream(GetParam());
  for (const std::size_t count : {0, 1, 7, 255, 256, 100000}) {
    auto buffer = DeviceBuffer<std::uint8_t>::uninitialized(stream, count);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.span().data()) % 256, 0U) << count;
    EXPECT_EQ(buffer.size(), count);
  }
}

TEST_P(DeviceBufferTest, OwnsNothingByDefaultAndAfterAMove) {
  Stream stream(GetParam());
  DeviceBuffer<float> none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.span().data(), nullptr);
  auto buffer = DeviceBuffer<float>::uninitialized(stream, 4);
  const float* const data = buffer.span().data();
  none = std::move(buffer);
  EXPECT_EQ(none.span().data(), data);
  EXPECT_EQ(none.stream(), stream);
}

TEST_P(DeviceBufferTest, TooMuchMemoryIsRefusedWithTheSizes) {
  Stream stream(GetParam());
  const std::size_t beyond_memory = std::size_t{1} << 44;
  const Error error =
      error_of([&] { static_cast<void>(DeviceBuffer<std::uint8_t>::uninitialized(stream, beyond_memory)); });
  EXPECT_EQ(error.code(), ErrorCode::kOutOfMemory);
  EXPECT_THAT(error.what(), HasSubstr(std::to_string(beyond_memory)));
  const std::size_t overflowing = std::numeric_limits<std::size_t>::max() / 4 + 2;
  EXPECT_EQ(error_of([&] { static_cast<void>(DeviceBuffer<float>::uninitialized(stream, overflowing)); }).code(),
            ErrorCode::kOutOfMemory);
  EXPECT_EQ(error_of([&] { PinnedBuffer<float> pinned(GetParam(), overflowing); }).code(), ErrorCode::kOutOfMemory);
}

TEST_P(DeviceBufferTest, IsFreedInStreamOrder) {
  Stream stream(GetParam());
  PinnedBuffer<std::uint8_t> out(stream.device(), 1 << 16);
  {
    auto temporary = DeviceBuffer<std::uint8_t>::uninitialized(stream, 1 << 16);
    fill_bytes(stream, temporary.span(), 0x5A);
    stream.enqueue_host("slow", [] { std::this_thread::sleep_for(std::chrono::milliseconds(10)); });
    read_back(stream, temporary.span(), out.span());
  }  // Freed behind the copy: ASan would see it if it were not.
  stream.synchronize();
  EXPECT_THAT(out.host(), Each(0x5A));
}

TEST_P(DeviceBufferTest, IsFreedAlsoBehindAFailure) {
  Stream stream(GetParam());
  stream.enqueue_host("fails", [] { throw std::runtime_error("boom"); });
  {
    auto skipped = DeviceBuffer<std::uint8_t>::zeros(stream, 1 << 16);
  }  // A leak, which ASan reports, if it were skipped.
  EXPECT_THROW(stream.synchronize(), Error);
}

TEST_P(DeviceBufferTest, FreesDoNotCountAsSkippedWork) {
  Stream stream(GetParam());
  auto buffer = DeviceBuffer<std::uint8_t>::uninitialized(stream, 16);
  stream.enqueue_host("fails", [] { throw std::runtime_error("boom"); });
  buffer = {};
  EXPECT_THROW(stream.synchronize(), Error);
  EXPECT_NO_THROW(stream.synchronize());
}

TEST_P(PinnedBufferTest, IsZeroAlsoWhereThereIsNothing) {
  const PinnedBuffer<std::uint32_t> buffer(GetParam(), 100);
  EXPECT_THAT(buffer.host(), Each(0U));
  EXPECT_TRUE(PinnedBuffer<std::uint32_t>(GetParam(), 0).empty());
}

/// Of this process, in bytes.
std::size_t resident_memory() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;  // The second number.
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

TEST(CpuPinnedBufferTest, RoomOnTheCpuTakesMemoryOnlyWhereItIsWrittenTo) {
  constexpr std::size_t kBytes = std::size_t{128} << 20;
  const std::size_t before = resident_memory();
  PinnedBuffer<std::uint8_t> room(Device::cpu(), kBytes);
  std::fill_n(room.data() + kBytes / 2, std::size_t{8} << 20, std::uint8_t{1});
  const std::size_t taken = resident_memory() - before;
  EXPECT_GE(taken, std::size_t{8} << 20) << "or nothing is measured";
  EXPECT_LT(taken, std::size_t{64} << 20);
}

TEST(CpuPinnedBufferTest, LargeOnesAreZeroToTheirEndsWhateverWasThereBefore) {
  for (const std::size_t bytes : {std::size_t{1} << 20, (std::size_t{1} << 20) + 1, std::size_t{3'000'001}}) {
    for (int round = 0; round < 3; ++round) {
      PinnedBuffer<std::uint8_t> buffer(Device::cpu(), bytes);
      ASSERT_TRUE(std::all_of(buffer.data(), buffer.data() + bytes, [](std::uint8_t value) { return value == 0; }));
      std::fill_n(buffer.data(), bytes, std::uint8_t{255});
    }
  }
}

TEST_P(CopyTest, RefusesDifferentCountsNullAndOverlap) {
  Stream stream(GetParam());
  PinnedBuffer<float> pinned(stream.device(), 3);
  auto device = DeviceBuffer<float>::uninitialized(stream, 4);
  const Error counts = error_of([&] { upload(stream, pinned.span(), device.span()); });
  EXPECT_EQ(counts.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(counts.what(), HasSubstr("3 elements"));
  EXPECT_THAT(counts.what(), HasSubstr("4"));
  const auto null = DeviceSpan<float>::from_raw(nullptr, 3);
  EXPECT_THAT(error_of([&] { upload(stream, pinned.span(), null); }).what(), HasSubstr("destination is null"));
  EXPECT_THAT(error_of([&] { fill_bytes(stream, null, 0); }).what(), HasSubstr("null"));
  const Error overlap = error_of([&] { copy(stream, device.span().subspan(0, 3), device.span().subspan(1, 3)); });
  EXPECT_THAT(overlap.what(), HasSubstr("overlap"));
}

TEST_P(CopyTest, NothingToCopyIsNoOperation) {
  Stream stream(GetParam());
  const DeviceCounters before = counters(GetParam());
  upload(stream, PinnedSpan<float>(), DeviceSpan<float>());
  fill_bytes(stream, DeviceSpan<float>(), 1);
  EXPECT_TRUE(read_back_blocking(stream, DeviceSpan<float>()).empty());
  EXPECT_EQ(counters(GetParam()) - before, DeviceCounters{});
}

TEST_P(CopyTest, ABlockingCopyThrowsTheFailureBeforeIt) {
  Stream stream(GetParam());
  auto buffer = DeviceBuffer<float>::zeros(stream, 4);
  stream.enqueue_host("fails", [] { throw std::runtime_error("boom"); });
  EXPECT_THAT(error_of([&] { static_cast<void>(read_back_blocking(stream, buffer.span())); }).what(),
              HasSubstr("'fails'"));
}

TEST(PinnedBufferOnCpuTest, IsTheDevicesOwnMemory) {
  PinnedBuffer<std::uint32_t> buffer(Device::cpu(), 100);
  ASSERT_TRUE(buffer.device_view().has_value());
  EXPECT_EQ(buffer.device_view()->data(), buffer.data());
  EXPECT_EQ(buffer.kernel_view().data(), buffer.data());
  EXPECT_EQ(buffer.kernel_view().size(), 100U);
  EXPECT_FALSE(PinnedBuffer<int>().device_view().has_value());
}

}  // namespace
}  // namespace vrt
