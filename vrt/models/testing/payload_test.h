// For tests of payloads: on each device that engines run on, with networks in a folder, pictures, and what frames cost.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/base/testing/scoped.h"
#include "vrt/device/allocation_count.h"
#include "vrt/device/counters.h"
#include "vrt/engine/engine.h"
#include "vrt/image/image.h"
#include "vrt/models/testing/device_data.h"

namespace vrt::testing {

/// The CPU, and the GPUs that a backend runs on.
[[nodiscard]] inline std::vector<Device> devices_of_engines() {
  std::vector<Device> devices = {Device::cpu()};
  if (!Engine::best_device().is_cuda()) return devices;
  for (const Device device : Device::all())
    if (device.is_cuda()) devices.push_back(device);
  return devices;
}

/// A picture that the test owns.
struct TestPicture {
  DeviceBuffer<std::uint8_t> pixels;
  ImageView view;
};

/// The parameter is the device.
class PayloadTest : public ::testing::TestWithParam<Device> {
 protected:
  [[nodiscard]] Engine open(const std::string& network, const EngineOptions& options = {}) const {
    return Engine::open(folder_.write("network.onnx", network), GetParam(), options);
  }
  /// RGB8 without padding.
  [[nodiscard]] TestPicture picture(Size size, const std::vector<std::uint8_t>& pixels) const {
    TestPicture picture{to_device(stream_, pixels), {}};
    picture.view = ImageView::packed(GetParam(), picture.pixels.span().data(), size, PixelFormat::kRgb8);
    return picture;
  }
  /// Of one grey.
  [[nodiscard]] TestPicture picture(Size size, std::uint8_t grey = 0) const {
    return picture(size, std::vector<std::uint8_t>(packed_bytes(size, PixelFormat::kRgb8), grey));
  }

  /// A frame, which `submit` enqueues, costs a wait and nothing else; nor does `look`, behind it.
  void expect_one_wait_a_frame(const std::function<void()>& submit, const std::function<void()>& look) {
    constexpr std::uint64_t kFrames = 5;
    submit();
    stream_.synchronize();
    const DeviceCounters before = counters(GetParam());
    const std::uint64_t allocations = test::allocation_count();
    for (std::uint64_t frame = 0; frame < kFrames; ++frame) {
      submit();
      EXPECT_EQ((counters(GetParam()) - before).waits, frame);
      stream_.synchronize();
      look();
    }
    [[maybe_unused]] const std::uint64_t allocated = test::allocation_count() - allocations;
    const DeviceCounters spent = counters(GetParam()) - before;
#ifndef VRT_EAGER_CPU_STREAM  // An eager stream runs the network, which may allocate, in the submitting thread.
    // So does a GPU's backend, which enqueues its layers there.
    EXPECT_TRUE(allocated == 0 || GetParam().is_cuda()) << allocated;
#endif
    EXPECT_EQ(spent.waits, kFrames);
    EXPECT_EQ(spent.blocking_copies, 0U);
    EXPECT_EQ(spent.device_allocations + spent.device_frees, 0U);
    EXPECT_EQ(spent.pinned_allocations + spent.pinned_frees, 0U);
  }

  /// Frames in which nothing is found, then two objects, then nothing again: a result has masks for those of its own frame alone, and
  /// nothing of the frame before stays. `look` is told how many there are.
  template <typename Detector, typename Result>
  void expect_masks_of_each_frame(Detector& detector, Result& objects, const ImageView& nothing, const ImageView& two,
                                  const std::function<void(std::size_t)>& look) {
    EXPECT_EQ(objects.mask_count(), 0U) << "before the first frame";
    EXPECT_THROW((void)objects.mask(0), Error);
    for (const std::size_t expected : {0U, 2U, 0U}) {
      detector.submit(expected > 0 ? two : nothing, objects);
      stream_.synchronize();
      EXPECT_EQ(objects.detections().size(), expected);
      EXPECT_EQ(objects.mask_count(), expected);
      EXPECT_EQ(to_host(stream_, objects.device_count(), 1)[0], static_cast<std::int32_t>(expected));
      EXPECT_THROW((void)objects.mask(expected), Error);
      look(expected);
    }
  }

  ScopedFolder folder_;
  Stream stream_{GetParam()};
};

}  // namespace vrt::testing
