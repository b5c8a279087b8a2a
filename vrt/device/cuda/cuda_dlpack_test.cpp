// DLPack's stream rules on the fake driver: who waits for whom, and that nothing blocks where it need not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/device/cuda/testing/fake_control.h"
#include "vrt/device/dlpack.h"
#include "vrt/device/dlpack_abi.h"

namespace vrt {
namespace {

using dlpack::ManagedVersioned;
using test::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fake = cuda::testing;

void release(DLManagedTensorVersioned* tensor) {
  auto* const managed = reinterpret_cast<ManagedVersioned*>(tensor);
  managed->deleter(managed);
}

std::int64_t handle_of(const Stream& stream) { return reinterpret_cast<std::int64_t>(stream.native_handle()); }

class CudaDlpackTest : public ::testing::Test {
 protected:
  // What vrt lends to itself, so that `fake::calls()` holds what the import does.
  DLManagedTensorVersioned* ready_tensor() { return to_dlpack(lender_, memory_.span(), {4}, -1); }

  Stream lender_{Device::cuda(0)};
  Stream other_{Device::cuda(0)};
  DeviceBuffer<float> memory_ = DeviceBuffer<float>::zeros(lender_, 4);
};

TEST_F(CudaDlpackTest, TheConsumersStreamWaitsAndTheLendersWaitsForItInTheEnd) {
  fake::reset();
  DLManagedTensorVersioned* const lent = to_dlpack(lender_, memory_.span(), {4}, handle_of(other_));
  EXPECT_THAT(fake::calls(), ElementsAre("cuEventCreate", "cuStreamGetCtx", "cuEventRecord", "cuStreamWaitEvent"));
  EXPECT_THAT(fake::ordered(), ElementsAre(std::pair(lender_.native_handle(), other_.native_handle())));
  memory_ = {};
  fake::reset();
  release(lent);
  EXPECT_THAT(fake::calls(), ElementsAre("cuEventRecord", "cuStreamWaitEvent", "cuEventDestroy_v2", "cuMemFreeAsync"));
  EXPECT_THAT(fake::ordered(), ElementsAre(std::pair(other_.native_handle(), lender_.native_handle())));
}

TEST_F(CudaDlpackTest, WithoutAStreamTheLegacyDefaultStreamWaits) {
  fake::reset();
  release(to_dlpack(lender_, memory_.span(), {4}));
  void* const legacy = reinterpret_cast<void*>(1);
  EXPECT_THAT(fake::ordered(),
              ElementsAre(std::pair(lender_.native_handle(), legacy), std::pair(legacy, lender_.native_handle())));
}

TEST_F(CudaDlpackTest, MinusOneOrdersNothing) {
  fake::reset();
  release(to_dlpack(lender_, memory_.span(), {4}, -1));
  EXPECT_THAT(fake::ordered(), IsEmpty());
}

TEST_F(CudaDlpackTest, AnImportWithAKnownProducerNeverBlocks) {
  DLManagedTensorVersioned* const tensor = ready_tensor();
  fake::reset();
  { const DlpackTensor borrowed = from_dlpack(other_, tensor, lender_); }
  EXPECT_THAT(fake::ordered(), ElementsAre(std::pair(lender_.native_handle(), other_.native_handle()),
                                           std::pair(other_.native_handle(), lender_.native_handle())));
  EXPECT_EQ(fake::calls_of("cuEventSynchronize") + fake::calls_of("cuStreamSynchronize"), 0U);
}

TEST_F(CudaDlpackTest, AnImportWithoutOneWaitsForItsOwnStreamInTheEnd) {
  DLManagedTensorVersioned* const tensor = ready_tensor();
  fake::reset();
  std::optional<DlpackTensor> borrowed = from_dlpack(other_, tensor);
  EXPECT_THAT(fake::calls(), ElementsAre("cuEventCreate"));
  borrowed.reset();
  EXPECT_THAT(fake::calls(), ElementsAre("cuEventCreate", "cuEventRecord", "cuEventSynchronize", "cuEventDestroy_v2",
                                         "cuEventDestroy_v2"));
}

TEST_F(CudaDlpackTest, AFailureToOrderIsReportedAndTheMemoryStillGivenBack) {
  const auto live = fake::live_objects();
  DLManagedTensorVersioned* const lent = to_dlpack(lender_, memory_.span(), {4}, handle_of(other_));
  fake::reset();
  fake::fail("cuStreamWaitEvent", 0, 1);
  release(lent);
  EXPECT_EQ(fake::live_objects(), live);
  fake::fail("cuStreamWaitEvent", 0, 1);
  EXPECT_THAT(error_of([&] { static_cast<void>(to_dlpack(lender_, memory_.span(), {4})); }).what(),
              HasSubstr("ordering a stream"));
  EXPECT_EQ(fake::live_objects(), live);
}

TEST_F(CudaDlpackTest, ManagedMemoryIsEveryGpusAndHostMemoryNone) {
  DLManagedTensorVersioned* const managed = ready_tensor();
  auto& device = reinterpret_cast<ManagedVersioned*>(managed)->tensor.device;
  device = {dlpack::DeviceType::kCudaManaged, 1};
  EXPECT_EQ(from_dlpack(other_, managed).device(), Device::cuda(0));
  DLManagedTensorVersioned* const host = ready_tensor();
  reinterpret_cast<ManagedVersioned*>(host)->tensor.device = {dlpack::DeviceType::kCudaHost, 0};
  EXPECT_THAT(error_of([&] { static_cast<void>(from_dlpack(other_, host)); }).what(),
              HasSubstr("is on cpu, the stream that is to use it on cuda:0"));
}

TEST_F(CudaDlpackTest, TheStreamForPythonIsItsHandle) {
  EXPECT_EQ(dlpack_stream(lender_), handle_of(lender_));
  EXPECT_EQ(dlpack_stream(Stream(Device::cpu())), std::nullopt);
}

}  // namespace
}  // namespace vrt
