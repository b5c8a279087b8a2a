// The code that docs/cuda-patterns.md shows, run on the CPU and on a CUDA device: on the fake driver, which runs no kernel, or, started by
// hand on a machine with a GPU, on that.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "tests/docs/patterns_cu.h"
#include "vrt/base/error.h"
#include "vrt/device/dlpack.h"
#include "vrt/device/event.h"
#include "vrt/device/graph.h"
#include "vrt/device/kernel.h"
#include "vrt/device/memory.h"
#include "vrt/device/stream.h"

namespace vrt {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

using Scale = void(DeviceSpan<const float>, DeviceSpan<float>, float, std::int32_t);
using Widen = void(DeviceSpan<const std::uint16_t>, DeviceSpan<float>, float, std::int32_t);

bool runs_kernels(Device device) { return describe(device).name.rfind("Fake", 0) != 0; }

class CudaPatternsTest : public ::testing::TestWithParam<Device> {
 protected:
  Kernel<Scale> scale_kernel() const {
    return KernelModule::load(GetParam(), kernels::patterns_cu).get<Scale>("scale_far");
  }
};

TEST_P(CudaPatternsTest, LaunchesAreTyped) {
  const Stream stream(GetParam());
  auto in = DeviceBuffer<float>::zeros(stream, 1000);
  auto out = DeviceBuffer<float>::zeros(stream, 1000);
  upload_blocking<float>(stream, std::vector<float>(1000, 1.5F), in.span());

  const KernelModule module = KernelModule::load(stream.device(), kernels::patterns_cu);  // once: may compile
  const Kernel<Scale> scale = module.get<Scale>("scale_far");                             // once: checked here
  scale.launch(stream, grid_1d(1000), in.span(), out.span(), 2.0F, std::int32_t{1000});   // per frame

  EXPECT_THAT(read_back_blocking(stream, out.span()), Each(runs_kernels(GetParam()) ? 3.0F : 0.0F));
}

TEST_P(CudaPatternsTest, MemoryIsMadeOnceAndFreedInOrder) {
  const Stream stream(GetParam());

  auto input = DeviceBuffer<float>::uninitialized(stream, 256);  // before the first frame
  PinnedBuffer<float> staging(stream.device(), 256);             // what copies read and write on the host
  PinnedBuffer<float> answer(stream.device(), 256);
  staging[7] = 1.5F;
  upload(stream, staging.span(), input.span());    // enqueued: leave `staging` alone until a wait
  read_back(stream, input.span(), answer.span());  // enqueued
  stream.synchronize();                            // now `answer` is readable and `staging` free again

  EXPECT_EQ(answer[7], 1.5F);
}

TEST_P(CudaPatternsTest, AnIntegratedGpuReadsPinnedMemoryInPlace) {
  const Stream stream(GetParam());
  PinnedBuffer<float> frame(stream.device(), 64);
  auto copied = DeviceBuffer<float>::zeros(stream, 64);
  frame[3] = 4;

  const auto visible = [&]() -> DeviceSpan<const float> {
    if (const auto view = frame.device_view()) return *view;  // a Jetson, the CPU: nothing is copied
    upload(stream, frame.span(), copied.span());              // a graphics card
    return copied.span();
  };

  EXPECT_EQ(read_back_blocking(stream, visible())[3], 4);
}

TEST_P(CudaPatternsTest, StreamsMeetAtAnEvent) {
  const Device device = GetParam();
  const Stream copies(device);
  const Stream work(device);
  auto picture = DeviceBuffer<std::uint8_t>::uninitialized(copies, 1 << 16);
  auto result = DeviceBuffer<std::uint8_t>::uninitialized(work, 1 << 16);
  Event arrived(device);
  Event used(device);

  fill_bytes(copies, picture.span(), 9);
  arrived.record(copies);
  work.order_after(arrived);  // the picture is there before `work` reads it
  copy(work, picture.span(), result.span());
  used.record(work);
  copies.order_after(used);  // and is not overwritten, or freed, before `work` has read it

  EXPECT_THAT(read_back_blocking(work, result.span()), Each(9));
}

TEST_P(CudaPatternsTest, TimeIsTakenOnTheDevice) {
  const Stream stream(GetParam());
  auto memory = DeviceBuffer<float>::uninitialized(stream, 1 << 16);
  TimedEvent start(stream.device());
  TimedEvent end(stream.device());

  fill_bytes(stream, memory.span(), 0);  // warm up: the first run loads and allocates
  start.record(stream);
  for (int i = 0; i < 100; ++i) fill_bytes(stream, memory.span(), 0);
  end.record(stream);
  end.synchronize();
  const double microseconds = elapsed(start, end).count() * 1000 / 100;  // an average of many, not one

  EXPECT_GE(microseconds, 0);
}

// By definition: sign, 5 bits of exponent, 10 of mantissa.
float value_of_half(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int mantissa = bits & 1023;
  const float sign = (bits & 0x8000) != 0 ? -1.0F : 1.0F;
  if (exponent == 31) return mantissa == 0 ? sign * std::numeric_limits<float>::infinity() : std::nanf("");
  if (exponent == 0) return sign * static_cast<float>(std::ldexp(mantissa, -24));
  return sign * static_cast<float>(std::ldexp(1024 + mantissa, exponent - 25));
}

TEST_P(CudaPatternsTest, Float16IsItsBits) {
  const Stream stream(GetParam());
  const auto widen = KernelModule::load(GetParam(), kernels::patterns_cu).get<Widen>("widen_scaled");
  std::vector<std::uint16_t> every(1 << 16);
  std::iota(every.begin(), every.end(), std::uint16_t{0});
  auto out = DeviceBuffer<float>::zeros(stream, every.size());

  auto halves = DeviceBuffer<std::uint16_t>::uninitialized(stream, every.size());  // dtype_of<std::uint16_t>(): float16
  upload_blocking<std::uint16_t>(stream, every, halves.span());
  widen.launch(stream, grid_1d(every.size()), halves.span(), out.span(), 1.0F, static_cast<std::int32_t>(every.size()));

  const std::vector<float> values = read_back_blocking(stream, out.span());
  if (!runs_kernels(GetParam())) return;
  for (std::size_t i = 0; i < every.size(); ++i) {
    const float expected = value_of_half(every[i]);
    ASSERT_TRUE(std::isnan(expected) ? std::isnan(values[i]) : std::memcmp(&values[i], &expected, 4) == 0) << i;
  }
}

TEST_P(CudaPatternsTest, AFrameIsCapturedOnceAndUpdated) {
  const Stream stream(GetParam());
  const Kernel<Scale> scale = scale_kernel();
  auto first = DeviceBuffer<float>::uninitialized(stream, 4);
  auto second = DeviceBuffer<float>::uninitialized(stream, 4);
  auto result = DeviceBuffer<float>::uninitialized(stream, 4);
  PinnedBuffer<float> answer(stream.device(), 4);
  upload_blocking<float>(stream, std::vector<float>{1, 2, 3, 4}, first.span());
  upload_blocking<float>(stream, std::vector<float>{5, 6, 7, 8}, second.span());

  GraphNode node;
  Graph frame = Graph::capture(stream, [&] {
    scale.launch(stream, grid_1d(4), first.span(), result.span(), 2.0F, std::int32_t{4});
    if (Graph::is_capturing(stream)) node = Graph::last_node(stream);  // not in the warm-up
    read_back(stream, result.span(), answer.span());
  });
  scale.update(frame, node, grid_1d(4), second.span(), result.span(), 3.0F, std::int32_t{4});
  frame.launch(stream);  // one call for the whole frame
  stream.synchronize();

  if (runs_kernels(GetParam())) {
    EXPECT_THAT(std::vector<float>(answer.data(), answer.data() + 4), ::testing::ElementsAre(15, 18, 21, 24));
  }
}

TEST_P(CudaPatternsTest, TensorsAreBorrowedAndLent) {
  const Stream stream(GetParam());
  const Stream theirs(GetParam());
  auto source = DeviceBuffer<float>::zeros(theirs, 6);
  auto result = DeviceBuffer<float>::zeros(stream, 6);
  const Kernel<Scale> scale = scale_kernel();
  DLManagedTensorVersioned* const managed = to_dlpack(theirs, source.span(), {2, 3}, dlpack_stream(stream));

  const DlpackTensor tensor = from_dlpack(stream, managed);  // asked for with stream=dlpack_stream(stream)
  scale.launch(stream, grid_1d(6), tensor.as<float>(), result.span(), 2.0F, std::int32_t{6});
  DLManagedTensorVersioned* const lent = to_dlpack(stream, result.span(), {2, 3}, dlpack_stream(theirs));

  EXPECT_THAT(read_back_blocking(theirs, from_dlpack(theirs, lent).as<float>()), Each(0));
}

TEST_P(CudaPatternsTest, FailuresArriveAtTheWait) {
  const Stream stream(GetParam());
  stream.enqueue_host("decoding", [] { throw Error(ErrorCode::kCorrupt, "the packet is cut off"); });
  std::string said;
  const auto restart_process = [] { FAIL() << "nothing was lost"; };

  try {
    stream.synchronize();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kDeviceLost) restart_process();  // no call on this device works again
    said = error.what();                                            // else the stream can be used on
  }

  EXPECT_THAT(said, HasSubstr("decoding"));
  EXPECT_NO_THROW(stream.synchronize());
}

INSTANTIATE_TEST_SUITE_P(Devices, CudaPatternsTest, ::testing::Values(Device::cpu(), Device::cuda(0)),
                         [](const auto& tested) { return std::string(tested.param.is_cpu() ? "cpu" : "cuda"); });

TEST(CudaOnlyPatternsTest, AForeignStreamIsAdopted) {
  const Stream owner(Device::cuda(0));
  void* const native = owner.native_handle();  // in Python: torch.cuda.Stream().cuda_stream

  const Stream stream = Stream::adopt(Device::cuda(0), native);  // its owner keeps it alive longer than this
  auto memory = DeviceBuffer<float>::zeros(stream, 16);          // in order with PyTorch's work on it

  EXPECT_EQ(stream.native_handle(), native);
  EXPECT_THAT(read_back_blocking(owner, memory.span()), Each(0));
}

}  // namespace
}  // namespace vrt
