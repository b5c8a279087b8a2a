#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "vrt/device/emulator/emulate.h"
#include "vrt/device/kernel.h"
#include "vrt/device/test_kernels/block_sum_cu.h"
#include "vrt/device/test_kernels/block_sum_emulated.h"
#include "vrt/device/test_kernels/brighten_cu.h"

namespace vrt {
namespace {

TEST(AddAKernelTest, BrightenRunsOnADevice) {
  using Brighten = void(DeviceSpan<const std::uint8_t>, DeviceSpan<std::uint8_t>, kernels::brighten::BrightenParams);
  const Stream stream(Device::cpu());
  const Kernel<Brighten> brighten = KernelModule::load(stream.device(), kernels::brighten_cu).get<Brighten>("brighten");
  auto in = DeviceBuffer<std::uint8_t>::uninitialized(stream, 6);
  auto out = DeviceBuffer<std::uint8_t>::uninitialized(stream, 6);
  upload_blocking(stream, std::vector<std::uint8_t>{0, 10, 20, 30, 100, 200}, in.span());

  brighten.launch(stream, grid_2d(3, 2), in.span(), out.span(), kernels::brighten::BrightenParams{3, 2, 3, 1.5F});

  EXPECT_EQ(read_back_blocking(stream, out.span()), (std::vector<std::uint8_t>{0, 15, 30, 45, 150, 255}));
}

TEST(AddAKernelTest, BlockSumIsTheSameOnEveryMachine) {
  using BlockSum = void(DeviceSpan<const std::int32_t>, DeviceSpan<std::int32_t>, std::int32_t);
  std::vector<std::int32_t> values(200);
  std::iota(values.begin(), values.end(), 1);

  // The .cu itself, 64 threads at a time; overruns, missing barriers and wrong masks stop the test.
  const GuardedBuffer<std::int32_t> in(values);
  GuardedBuffer<std::int32_t> sums(4);
  emulate<BlockSum>(kernels::emulated::block_sum_cu, "block_sum", grid_1d(200, 64), {.seed = 3}, in.device(),
                    sums.device(), 200);

  // block_sum_host.cpp on the CPU.
  const Stream stream(Device::cpu());
  auto in_buffer = DeviceBuffer<std::int32_t>::uninitialized(stream, 200);
  auto sums_buffer = DeviceBuffer<std::int32_t>::uninitialized(stream, 4);
  upload_blocking(stream, values, in_buffer.span());
  KernelModule::load(stream.device(), kernels::block_sum_cu)
      .get<BlockSum>("block_sum")
      .launch(stream, grid_1d(200, 64), in_buffer.span(), sums_buffer.span(), 200);

  EXPECT_EQ(read_back_blocking(stream, sums_buffer.span()), sums.values());
}

}  // namespace
}  // namespace vrt
