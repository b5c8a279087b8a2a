#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string>

#include "vrt/base/error.h"
#include "vrt/device/emulator/emulate.h"
#include "vrt/device/emulator/faulty_kernels.h"
#include "vrt/device/test_kernels/block_sum_cu.h"
#include "vrt/device/test_kernels/block_sum_emulated.h"
#include "vrt/device/test_kernels/warp_probe_cu.h"
#include "vrt/device/test_kernels/warp_probe_emulated.h"

#if defined(__SANITIZE_THREAD__)
#define VRT_TEST_THREAD_SANITIZER true
#else
#define VRT_TEST_THREAD_SANITIZER false
#endif
#if defined(__SANITIZE_ADDRESS__)
#define VRT_TEST_ADDRESS_SANITIZER true
#else
#define VRT_TEST_ADDRESS_SANITIZER false
#endif

namespace vrt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Ints = DeviceSpan<const std::int32_t>;
using IntsOut = DeviceSpan<std::int32_t>;
using Sum = void(Ints, IntsOut, std::int32_t);

std::vector<std::int32_t> numbers(std::size_t count) {
  std::vector<std::int32_t> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<std::int32_t>(i * 37 % 101);
  return values;
}

/// The kernel's production version for the CPU, on the same arguments.
template <typename... Arguments>
void run_host(const KernelSource& source, std::string_view name, const LaunchShape& shape, Arguments... arguments) {
  for (const HostKernel& kernel : source.host_baseline) {
    if (kernel.name != name) continue;
    const void* packed[] = {&arguments...};
    kernel.run({shape, 0, shape.block_count()}, packed);
    return;
  }
  FAIL() << "no kernel " << name;
}

/// What emulating a faulty kernel with one block of `threads` reports; empty if nothing.
template <typename Signature, typename... Arguments>
std::string complaint(const char* name, const LaunchShape& shape, const EmulationOptions& options,
                      const Arguments&... arguments) {
  try {
    emulate<Signature>(test::faulty_kernels(), name, shape, options, arguments...);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

class EmulatorTest : public testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Lanes, EmulatorTest, testing::Values(1, 31, 32, 33, 64));

TEST_P(EmulatorTest, WarpSumEqualsItsHostVersion) {
  const auto in = GuardedBuffer<std::int32_t>(numbers(5 * GetParam() - GetParam() / 2));
  const auto count = static_cast<std::int32_t>(in.size());
  const LaunchShape shape = grid_per_item(5, GetParam(), 4 * ((GetParam() + 31) / 32));
  GuardedBuffer<std::int32_t> emulated(5);
  GuardedBuffer<std::int32_t> expected(5);
  emulate<Sum>(kernels::emulated::warp_probe_cu, "warp_sum", shape, {}, in.device(), emulated.device(), count);
  run_host(kernels::warp_probe_cu, "warp_sum", shape, in.host().data(), expected.host().data(), count);
  EXPECT_EQ(emulated.values(), expected.values());
}

TEST_P(EmulatorTest, WarpBarrierPublishesSharedMemory) {
  const auto in = GuardedBuffer<std::int32_t>(numbers(GetParam()));
  GuardedBuffer<std::int32_t> emulated(GetParam());
  GuardedBuffer<std::int32_t> expected(GetParam());
  const LaunchShape shape = grid_per_item(1, GetParam());
  emulate<void(Ints, IntsOut)>(kernels::emulated::warp_probe_cu, "warp_rotate", shape, {}, in.device(),
                               emulated.device());
  run_host(kernels::warp_probe_cu, "warp_rotate", shape, in.host().data(), expected.host().data());
  EXPECT_EQ(emulated.values(), expected.values());
}

TEST_P(EmulatorTest, BlockCountsVotes) {
  const auto in = GuardedBuffer<std::int32_t>(numbers(GetParam()));
  GuardedBuffer<std::int32_t> emulated(std::size_t{2} * GetParam());
  GuardedBuffer<std::int32_t> expected(std::size_t{2} * GetParam());
  const LaunchShape shape = grid_per_item(1, GetParam());
  emulate<void(Ints, IntsOut)>(kernels::emulated::warp_probe_cu, "block_votes", shape, {}, in.device(),
                               emulated.device());
  run_host(kernels::warp_probe_cu, "block_votes", shape, in.host().data(), expected.host().data());
  EXPECT_EQ(emulated.values(), expected.values());
}

TEST_P(EmulatorTest, LanesThatReturnAreNotWaitedFor) {
  const auto live = static_cast<std::int32_t>(std::max(1U, GetParam() / 2));
  const auto in = GuardedBuffer<std::int32_t>(numbers(GetParam()));
  GuardedBuffer<std::int32_t> out(static_cast<std::size_t>(live));
  emulate<Sum>(kernels::emulated::warp_probe_cu, "early_return", grid_per_item(1, GetParam()), {}, in.device(),
               out.device(), live);
  const std::vector<std::int32_t> all = in.values();
  EXPECT_EQ(out.values(), std::vector<std::int32_t>(all.rend() - live, all.rend()));
}

TEST(EmulatorTest, BlockSumEqualsItsHostVersionInAnyOrderOfBlocks) {
  const auto in = GuardedBuffer<std::int32_t>(numbers(1000));
  for (const std::uint32_t block : {1U, 32U, 64U, 256U}) {
    const LaunchShape shape = grid_1d(1000, block);
    GuardedBuffer<std::int32_t> emulated(shape.grid.x);
    GuardedBuffer<std::int32_t> expected(shape.grid.x);
    if (shape.grid.x > 100 && VRT_TEST_THREAD_SANITIZER) continue;  // Minutes.
    emulate<Sum>(kernels::emulated::block_sum_cu, "block_sum", shape, {.seed = block}, in.device(), emulated.device(),
                 1000);
    run_host(kernels::block_sum_cu, "block_sum", shape, in.host().data(), expected.host().data(), 1000);
    EXPECT_EQ(emulated.values(), expected.values());
  }
}

TEST(EmulatorTest, ShufflesAndVotesAnswerAsDocumented) {
  const auto in = GuardedBuffer<std::int32_t>(numbers(64));
  GuardedBuffer<std::int32_t> emulated(64 * 8);
  GuardedBuffer<std::int32_t> expected(64 * 8);
  emulate<void(Ints, IntsOut)>(kernels::emulated::warp_probe_cu, "warp_questions", grid_per_item(1, 64), {},
                               in.device(), emulated.device());
  run_host(kernels::warp_probe_cu, "warp_questions", grid_per_item(1, 64), in.host().data(), expected.host().data());
  EXPECT_EQ(emulated.values(), expected.values());
}

TEST(EmulatorTest, DivergentBarriersAreReportedWithBothLines) {
  EXPECT_THAT(complaint<void()>("divergent_barrier", grid_per_item(1, 64), {}),
              AllOf(HasSubstr("divergent_barrier, block (0, 0, 0)"), HasSubstr("reached __syncthreads at line "),
                    HasSubstr("while other lanes wait at __syncthreads, line ")));
}

TEST(EmulatorTest, LanesThatWaitForEachOtherAreStopped) {
  EXPECT_THAT(complaint<void()>("mixed_barriers", grid_per_item(1, 32), {}),
              AllOf(HasSubstr("lanes wait for each other"), HasSubstr("lanes 0-0 wait at __syncthreads"),
                    HasSubstr("lanes 1-1 wait at __syncwarp")));
}

TEST(EmulatorTest, MasksAreCheckedAgainstLiveLanes) {
  GuardedBuffer<std::int32_t> out(32);
  EXPECT_THAT(complaint<void(IntsOut)>("partial_mask", grid_per_item(1, 32), {}, out.device()),
              AllOf(HasSubstr("mask 0x0000ffff"), HasSubstr("lanes 0xffffffff of the warp are live")));
  EXPECT_THAT(complaint<void(IntsOut)>("different_masks", grid_per_item(1, 31), {}, out.device()),
              AllOf(HasSubstr("but other lanes of the warp with 0x")));
  EXPECT_THAT(complaint<void(IntsOut)>("mask_without_self", grid_per_item(1, 32), {}, out.device()),
              HasSubstr("does not name the lane itself"));
}

TEST(EmulatorTest, MisalignedLoadsAreReported) {
  const GuardedBuffer<float> in(8);
  GuardedBuffer<kernels::float4> out(1);
  EXPECT_THAT((complaint<void(DeviceSpan<const float>, DeviceSpan<kernels::float4>)>(
                  "misaligned_load", grid_per_item(1, 1), {}, in.device(), out.device())),
              HasSubstr("is not a multiple of 16"));
}

TEST(EmulatorTest, WritesOutsideAreReportedWithTheirBlock) {
  if (VRT_TEST_ADDRESS_SANITIZER) GTEST_SKIP() << "AddressSanitizer stops the process at the write";
  GuardedBuffer<std::int32_t> out(10);
  EXPECT_THAT(
      (complaint<void(IntsOut, std::int32_t)>("writes_past_end", grid_per_item(1, 2), {}, out.device(), 10)),
      AllOf(HasSubstr("writes_past_end, block (0, 0, 0)"), HasSubstr("0 bytes behind the end of a buffer of 40")));
  GuardedBuffer<std::int32_t> fresh(10);
  EXPECT_THAT((complaint<void(IntsOut, std::int32_t)>("writes_past_end", grid_per_item(1, 2), {}, fresh.device(), -1)),
              HasSubstr("behind the end"))
      << "the first buffer stays damaged";
}

TEST(EmulatorTest, WritesBeforeABufferAreReported) {
  if (VRT_TEST_ADDRESS_SANITIZER) GTEST_SKIP() << "AddressSanitizer stops the process at the write";
  GuardedBuffer<std::int32_t> out(10);
  EXPECT_THAT((complaint<void(IntsOut, std::int32_t)>("writes_past_end", grid_per_item(1, 2), {}, out.device(), -1)),
              HasSubstr("4 bytes before a buffer of 40"));
}

TEST(EmulatorDeathTest, AddressSanitizerStopsAtAWriteOutside) {
  if (!VRT_TEST_ADDRESS_SANITIZER) GTEST_SKIP() << "for AddressSanitizer";
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // A forked process would have no lanes.
  GuardedBuffer<std::int32_t> out(10);
  EXPECT_DEATH((complaint<void(IntsOut, std::int32_t)>("writes_past_end", grid_per_item(1, 2), {}, out.device(), 10)),
               "use-after-poison");
}

TEST(EmulatorTest, DynamicSharedMemoryIsAsLargeAsTheLaunchSays) {
  GuardedBuffer<std::int32_t> out(32);
  EXPECT_EQ(complaint<void(IntsOut)>("overruns_shared", grid_per_item(1, 32, 128), {}, out.device()), "");
  if (VRT_TEST_ADDRESS_SANITIZER) return;
  EXPECT_THAT(complaint<void(IntsOut)>("overruns_shared", grid_per_item(1, 32, 124), {}, out.device()),
              HasSubstr("behind the end of a buffer of 124"));
}

TEST(EmulatorTest, SharedMemoryIsPoisonedBeforeEachBlock) {
  GuardedBuffer<float> out(64);
  complaint<void(DeviceSpan<float>)>("reads_unwritten_shared", grid_per_item(3, 64), {}, out.device());
  for (const float value : out.host()) EXPECT_TRUE(std::isnan(value));
}

TEST(EmulatorTest, TheSeedDecidesTheOrderOfBlocks) {
  const auto order = [](std::uint64_t seed) {
    GuardedBuffer<std::int32_t> state(std::vector<std::int32_t>{0});
    GuardedBuffer<std::int32_t> out(20);
    complaint<void(IntsOut, IntsOut)>("depends_on_block_order", grid_per_item(20, 1), {.seed = seed}, state.device(),
                                      out.device());
    return out.values();
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
  std::vector<std::int32_t> sorted = order(3);
  std::ranges::sort(sorted);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(sorted[static_cast<std::size_t>(i)], i);
}

TEST(EmulatorTest, ArgumentsThatOverlapAreRefused) {
  GuardedBuffer<std::int32_t> values(10);
  EXPECT_THAT((complaint<void(Ints, IntsOut)>("missing_barrier", grid_per_item(1, 4), {}, values.device().subspan(0, 5),
                                              values.device().subspan(4, 6))),
              HasSubstr("argument 1, which is written, overlaps argument 0"));
}

TEST(EmulatorTest, WrongNamesSignaturesAndShapesAreRefused) {
  EXPECT_THAT(complaint<void()>("absent", grid_per_item(1, 1), {}),
              HasSubstr("no kernel \"absent\"; it has missing_barrier"));
  EXPECT_THAT(complaint<void(float)>("endless", grid_per_item(1, 1), {}, 1.0F), HasSubstr("other parameters"));
  EXPECT_THAT(complaint<void()>("divergent_barrier", grid_per_item(1, 1025), {}), HasSubstr("1 to 1024 threads"));
  EXPECT_THAT(complaint<void()>("divergent_barrier", grid_per_item(0, 1), {}), HasSubstr("no blocks"));
}

TEST(EmulatorDeathTest, AKernelThatNeverReturnsEndsTheProcessAndSaysWhere) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(complaint<void()>("endless", grid_per_item(1, 33), {.stall_after = std::chrono::milliseconds(300)}),
               "endless, block \\(0, 0, 0\\) does not return.*lanes 0-0 run");
}

// The emulator's reason to be: a barrier that is not there is found. Under ThreadSanitizer as a report of the race, else
// because poison, or a block's earlier value, shows in the results.
void race(const char* name, std::uint32_t threads) {
  const auto in = GuardedBuffer<std::int32_t>(numbers(threads));
  GuardedBuffer<std::int32_t> out(threads);
  complaint<void(Ints, IntsOut)>(name, grid_per_item(1, threads), {}, in.device(), out.device());
  std::exit(0);  // NOLINT(concurrency-mt-unsafe): ThreadSanitizer turns it into 66 if it has reported anything.
}

TEST(EmulatorDeathTest, ThreadSanitizerReportsARemovedBarrier) {
  if (!VRT_TEST_THREAD_SANITIZER) GTEST_SKIP() << "for ThreadSanitizer";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(race("missing_barrier", 64), testing::ExitedWithCode(66), "data race.*missing_barrier");
  EXPECT_EXIT(race("missing_warp_barrier", 32), testing::ExitedWithCode(66), "data race.*missing_warp_barrier");
  EXPECT_EXIT(race("shuffle_as_barrier", 32), testing::ExitedWithCode(66), "data race.*shuffle_as_barrier");
}

TEST(EmulatorTest, ARemovedBarrierShowsInTheResults) {
  if (VRT_TEST_THREAD_SANITIZER) GTEST_SKIP() << "ThreadSanitizer reports the race itself";
  const auto in = GuardedBuffer<std::int32_t>(numbers(64));
  std::vector<std::int32_t> expected = in.values();
  std::ranges::reverse(expected);
  bool is_found = false;
  for (int attempt = 0; attempt < 200 && !is_found; ++attempt) {
    GuardedBuffer<std::int32_t> out(64);
    complaint<void(Ints, IntsOut)>("missing_barrier", grid_per_item(1, 64), {}, in.device(), out.device());
    is_found = out.values() != expected;
  }
  EXPECT_TRUE(is_found);
}

}  // namespace
}  // namespace vrt
