// What vrt_add_kernels() makes of .cu files, on every instruction set of this processor.
#include "vrt/device/host_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/device/cpu/cpu_module.h"
#include "vrt/device/kernel.h"
#include "vrt/device/test_kernels/block_sum_cu.h"
#include "vrt/device/test_kernels/brighten_cu.h"
#include "vrt/device/test_kernels/prelude_probe_cu.h"

namespace vrt {
namespace {

using kernels::brighten::BrightenParams;
using test::error_of;
using ::testing::HasSubstr;

struct Level {
  const char* name;
  std::span<const HostKernel> KernelSource::*table;
};

std::vector<Level> levels_here() {
  std::vector<Level> levels{{"baseline", &KernelSource::host_baseline}};
  if (cpu::supported_isa() == cpu::HostIsa::kX86V3) levels.push_back({"v3", &KernelSource::host_v3});
  return levels;
}

class HostKernelTest : public testing::TestWithParam<Level> {
 protected:
  template <typename... Arguments>
  static void run(const KernelSource& source, const char* name, const HostBlocks& blocks, Arguments... arguments) {
    for (const HostKernel& kernel : source.*GetParam().table) {
      if (std::string_view(kernel.name) != name) continue;
      ASSERT_EQ(*kernel.signature().function, typeid(void(Arguments...)));
      const void* packed[] = {&arguments..., nullptr};
      kernel.run(blocks, packed);
      return;
    }
    FAIL() << "no kernel " << name;
  }
  template <typename... Arguments>
  static void run_all(const KernelSource& source, const char* name, const LaunchShape& shape, Arguments... arguments) {
    run(source, name, {shape, 0, shape.block_count()}, arguments...);
  }
};

INSTANTIATE_TEST_SUITE_P(Levels, HostKernelTest, testing::ValuesIn(levels_here()),
                         [](const auto& level) { return std::string(level.param.name); });

std::vector<std::uint8_t> noise(std::size_t count) {
  std::mt19937 random(3);
  std::vector<std::uint8_t> bytes(count);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

TEST_P(HostKernelTest, TwoDimensionalKernelWritesThePictureAndNothingElse) {
  const BrightenParams p{77, 19, 80, 1.7F};
  const std::vector<std::uint8_t> in = noise(80 * 19);
  std::vector<std::uint8_t> out(80 * 19, 9);
  const std::uint8_t* in_data = in.data();
  run_all(kernels::brighten_cu, "brighten", grid_2d(77, 19), in_data, out.data(), p);
  for (int y = 0; y < 19; ++y) {
    for (int x = 0; x < 80; ++x) {
      const auto i = static_cast<std::size_t>(y * 80 + x);
      const int expected = x < 77 ? std::min(255, static_cast<int>(std::floor(in[i] * 1.7F + 0.5F))) : 9;
      ASSERT_EQ(out[i], expected) << x << ", " << y;
    }
  }
}

TEST_P(HostKernelTest, ARangeRunsItsBlocksOnly) {
  std::vector<kernels::int4> out(24 * 4, kernels::int4{-1, -1, -1, -1});
  run(kernels::prelude_probe_cu, "prelude_indices", {{{24, 1, 1}, {4, 1, 1}, 0}, 5, 2}, out.data());
  for (int i = 0; i < 96; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)].w, i >= 20 && i < 28 ? i : -1);
}

TEST_P(HostKernelTest, IndicesCoverAThreeDimensionalLaunch) {
  const LaunchShape shape{{3, 2, 4}, {5, 3, 2}, 0};
  std::vector<kernels::int4> out(15 * 6 * 8);
  run_all(kernels::prelude_probe_cu, "prelude_indices", shape, out.data());
  for (int i = 0; i < 15 * 6 * 8; ++i) {
    const kernels::int4 at = out[static_cast<std::size_t>(i)];
    EXPECT_EQ(std::tie(at.x, at.y, at.z, at.w), std::make_tuple(i % 15, i / 15 % 6, i / 90, i));
  }
}

TEST_P(HostKernelTest, AKernelWithoutParametersRuns) {
  run_all(kernels::prelude_probe_cu, "prelude_nothing", grid_1d(1));
}

TEST_P(HostKernelTest, HostVersionRunsForAKernelWithBarriers) {
  std::vector<std::int32_t> in(1000);
  std::iota(in.begin(), in.end(), 1);
  std::vector<std::int32_t> sums(4);
  const std::int32_t* in_data = in.data();
  run_all(kernels::block_sum_cu, "block_sum", grid_1d(1000), in_data, sums.data(), std::int32_t{1000});
  EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), 0), 500500);
  EXPECT_EQ(sums[0], 256 * 257 / 2);
}

TEST_P(HostKernelTest, AtomicsCountEveryThread) {
  std::vector<std::int32_t> totals(6);
  std::uint64_t largest = 1;
  float sum = 0;
  run_all(kernels::prelude_probe_cu, "prelude_atomics", grid_1d(512, 64), totals.data(), &largest, &sum);
  EXPECT_THAT(totals, testing::ElementsAre(512, 511, -511, 0xFFFF, 5, 1));
  EXPECT_EQ(largest, std::uint64_t{511} << 32U);
  EXPECT_EQ(sum, 256.0F);
}

// Values where conversions and minima differ between languages, and ordinary ones.
std::vector<float> interesting_floats() {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> values{0.0F,
                            -0.0F,
                            0.5F,
                            -0.5F,
                            1.5F,
                            2.5F,
                            -2.5F,
                            2147483520.0F,
                            3e9F,
                            -3e9F,
                            5e9F,
                            -1e-40F,
                            2147483648.0F,
                            -2147483648.0F,
                            kInfinity,
                            -kInfinity,
                            std::numeric_limits<float>::quiet_NaN(),
                            1e30F,
                            16777217.0F,
                            0.99999994F};
  std::mt19937 random(5);
  std::uniform_real_distribution<float> any(-2.0F, 2.0F);
  while (values.size() < 203) values.push_back(any(random) * (values.size() % 2 == 0 ? 1.0F : 150.0F));
  return values;
}
constexpr std::size_t kColumns = 24;

template <typename Out, typename B>
std::vector<Out> run_probe(const HostKernel& kernel, const std::vector<float>& a, const std::vector<B>& b) {
  std::vector<Out> out(a.size() * kColumns);
  const auto* a_data = a.data();
  const auto* b_data = b.data();
  auto* out_data = out.data();
  const auto count = static_cast<std::int32_t>(a.size());
  const LaunchShape shape = grid_1d(a.size(), 64);
  const void* packed[] = {&a_data, &b_data, &out_data, &count};
  kernel.run({shape, 0, shape.block_count()}, packed);
  return out;
}

std::vector<std::int32_t> integers_of(const std::vector<float>& a, std::span<const HostKernel> table) {
  std::vector<std::int32_t> b(a.size());
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<std::int32_t>(i * 2654435761U >> (i % 29));
  return run_probe<std::int32_t>(table[1], a, b);
}

std::vector<std::uint32_t> floats_of(const std::vector<float>& a, std::span<const HostKernel> table) {
  const std::vector<float> b(a.rbegin(), a.rend());
  const std::vector<float> out = run_probe<float>(table[0], a, b);
  std::vector<std::uint32_t> bits(out.size());
  // Which bits a NaN has is nobody's promise.
  std::ranges::transform(out, bits.begin(),
                         [](float x) { return std::isnan(x) ? 0x7FC00000U : std::bit_cast<std::uint32_t>(x); });
  return bits;
}

TEST(HostKernelLevelsTest, GiveTheSameBits) {
  if (cpu::supported_isa() != cpu::HostIsa::kX86V3) GTEST_SKIP() << "this processor runs one level only";
  const KernelSource& source = kernels::prelude_probe_cu;
  const std::vector<float> a = interesting_floats();
  EXPECT_EQ(floats_of(a, source.host_baseline), floats_of(a, source.host_v3));
  EXPECT_EQ(integers_of(a, source.host_baseline), integers_of(a, source.host_v3));
}

std::int32_t saturated(double x) {
  if (std::isnan(x)) return 0;
  return static_cast<std::int32_t>(std::clamp(x, -2147483648.0, 2147483647.0));
}

TEST_P(HostKernelTest, ConversionsRoundAndSaturateAsOnTheDevice) {
  const std::vector<float> a = interesting_floats();
  const std::vector<std::int32_t> out = integers_of(a, kernels::prelude_probe_cu.*GetParam().table);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = a[i];
    EXPECT_EQ(out[i * kColumns], saturated(std::nearbyint(x))) << x;
    EXPECT_EQ(out[i * kColumns + 1], saturated(std::floor(x))) << x;
    EXPECT_EQ(out[i * kColumns + 2], saturated(std::ceil(x))) << x;
    EXPECT_EQ(out[i * kColumns + 3], saturated(std::trunc(x))) << x;
    const double positive = std::isnan(x) ? 0 : std::clamp(std::nearbyint(x), 0.0, 4294967295.0);
    EXPECT_EQ(static_cast<std::uint32_t>(out[i * kColumns + 4]), static_cast<std::uint32_t>(positive)) << x;
  }
}

TEST_P(HostKernelTest, MinimumPrefersNumbersAndOrdersZeros) {
  const std::vector<float> a = interesting_floats();
  const std::vector<std::uint32_t> out = floats_of(a, kernels::prelude_probe_cu.*GetParam().table);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const float x = a[i];
    const float y = a[a.size() - 1 - i];
    const bool y_is_less = std::isnan(x) || y < x || (x == y && std::signbit(y));
    if (std::isnan(x) && std::isnan(y)) continue;
    EXPECT_EQ(out[i * kColumns], std::bit_cast<std::uint32_t>(!std::isnan(y) && y_is_less ? y : x)) << x << " " << y;
    const bool y_is_more = std::isnan(x) || y > x || (x == y && !std::signbit(y));
    EXPECT_EQ(out[i * kColumns + 1], std::bit_cast<std::uint32_t>(!std::isnan(y) && y_is_more ? y : x))
        << x << " " << y;
  }
}

TEST_P(HostKernelTest, MultiplyAddIsFusedOnlyWhereWritten) {
  const std::vector<float> a = interesting_floats();
  const std::vector<std::uint32_t> out = floats_of(a, kernels::prelude_probe_cu.*GetParam().table);
  int different = 0;
  for (std::size_t i = 20; i < a.size() - 20; ++i) {
    const double product = static_cast<double>(a[i]) * a[a.size() - 1 - i];  // Exact.
    const float fused = static_cast<float>(product + 1.0);
    const float rounded_twice = static_cast<float>(product) + 1.0F;
    EXPECT_EQ(std::bit_cast<float>(out[i * kColumns + 2]), fused);
    EXPECT_EQ(std::bit_cast<float>(out[i * kColumns + 3]), rounded_twice);
    different += static_cast<int>(fused != rounded_twice);
  }
  EXPECT_GT(different, 0);
}

TEST(KernelSourceTest, CarriesTheTextAsWritten) {
  EXPECT_EQ(kernels::brighten_cu.file, "vrt/device/test_kernels/brighten.cu");
  EXPECT_THAT(std::string(kernels::brighten_cu.text), HasSubstr("extern \"C\" __global__ void brighten("));
  EXPECT_THAT(std::string(kernels::brighten_cu.text), HasSubstr("struct BrightenParams {"));
}

TEST(KernelSourceTest, CommentsAreNoKernels) {
  for (const HostKernel& kernel : kernels::prelude_probe_cu.host_baseline) EXPECT_STRNE(kernel.name, "ghost");
  EXPECT_EQ(kernels::prelude_probe_cu.host_baseline.size(), 5U);
}

TEST(KernelSourceTest, AWrongSignatureIsRefusedNamingBoth) {
  const KernelModule module = KernelModule::load(Device::cpu(), kernels::brighten_cu);
  using Wrong = void(DeviceSpan<const std::uint8_t>, DeviceSpan<std::uint8_t>, float);
  const Error error = error_of([&] { static_cast<void>(module.get<Wrong>("brighten")); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("BrightenParams"), HasSubstr("float")));
}

}  // namespace
}  // namespace vrt
