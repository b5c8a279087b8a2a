#include "vrt/models/common/instance_masks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/base/testing/error_of.h"
#include "vrt/device/counters.h"
#include "vrt/device/emulator/emulate.h"
#include "vrt/models/common/upsample_masks_emulated.h"
#include "vrt/models/testing/device_data.h"

namespace vrt {
namespace {

using kernels::float4;
using kernels::upsample_masks::kMaskTileRows;
using kernels::upsample_masks::kMaskTileWords;
using Geometry = kernels::upsample_masks::MaskGeometry;

constexpr Size kGrid{27, 20};
constexpr std::int32_t kPlanes = 3;
constexpr std::int32_t kMost = 4;
constexpr Size kPicture{640, 360};

// Smooth planes, whose signs are common to many pixels, with some values that blend to others than their signs say.
std::vector<float> smooth_planes() {
  std::mt19937 random(5);
  std::vector<float> planes;
  for (std::int32_t plane = 0; plane < kPlanes; ++plane) {
    const auto centre = static_cast<float>(random() % 20);
    for (std::int32_t i = 0; i < kGrid.width * kGrid.height; ++i) {
      const float x = static_cast<float>(i % kGrid.width) - centre;
      const float y = static_cast<float>(i / kGrid.width) - 9;
      planes.push_back(40 - x * x - y * y + static_cast<float>(random() % 8));
    }
  }
  planes[500] = std::numeric_limits<float>::quiet_NaN();
  planes[620] = std::numeric_limits<float>::infinity();
  planes[270] = -std::numeric_limits<float>::infinity();
  for (std::size_t i = 1300; i < 1330; ++i) planes[i] = std::numeric_limits<float>::denorm_min();
  return planes;
}

// Signs change between most neighbours; some numbers are 0, or near to it.
std::vector<float> noisy_planes() {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> value(-1, 1);
  std::vector<float> planes(std::size_t{kPlanes} * kGrid.width * kGrid.height);
  for (float& logit : planes) {
    const auto kind = random() % 10;
    logit = value(random) * (kind == 0 ? 0.0F : (kind == 1 ? 1e-31F : 1.0F));
  }
  return planes;
}

// A stretch of the whole grid to `size`.
Geometry geometry_for(Size size) {
  return {.grid_width = kGrid.width,
          .grid_height = kGrid.height,
          .first_column = 0,
          .first_row = 0,
          .last_column = kGrid.width - 1,
          .last_row = kGrid.height - 1,
          .scale_x = static_cast<float>(double(kGrid.width) / size.width),
          .scale_y = static_cast<float>(double(kGrid.height) / size.height),
          .shift_x = -0.5F,
          .shift_y = -0.5F,
          .width = size.width,
          .height = size.height,
          .words_per_row = static_cast<std::int32_t>(mask_words_per_row(size.width)),
          .crop_x = static_cast<float>(double(size.width) / kPicture.width),
          .crop_y = static_cast<float>(double(size.height) / kPicture.height)};
}

using Words = std::vector<std::uint32_t>;

// The kernel as a GPU runs it, into masks that are empty before.
Words emulated(const std::vector<float>& planes, const std::vector<std::int32_t>& plane_of,
               const std::vector<float4>& boxes, Size size) {
  using Upsample = void(DeviceSpan<const float>, DeviceSpan<const std::int32_t>, DeviceSpan<const std::int32_t>,
                        DeviceSpan<const float4>, Geometry, DeviceSpan<std::uint32_t>);
  const GuardedBuffer<float> logits(planes);
  const GuardedBuffer<std::int32_t> indices(plane_of);
  const GuardedBuffer<std::int32_t> count(std::vector<std::int32_t>{static_cast<std::int32_t>(plane_of.size())});
  const GuardedBuffer<float4> crop(boxes);
  GuardedBuffer<std::uint32_t> words(Words(mask_words(size) * std::size_t{kMost}, 0));
  const auto columns = static_cast<std::uint32_t>(mask_words_per_row(size.width));
  const auto rows = static_cast<std::uint32_t>(size.height);
  emulate<Upsample>(
      kernels::emulated::upsample_masks_cu, "upsample_masks",
      {{(columns + kMaskTileWords - 1) / kMaskTileWords, (rows + kMaskTileRows - 1) / kMaskTileRows, kMost},
       {32, kMaskTileWords, 1},
       0},
      {.seed = 6}, logits.device(), indices.device(), count.device(),
      boxes.empty() ? DeviceSpan<const float4>() : crop.device(), geometry_for(size), words.device());
  return words.values();
}

Words on_the_cpu(const std::vector<float>& planes, const std::vector<std::int32_t>& plane_of,
                 const std::vector<float4>& boxes, Size size) {
  const Stream stream(Device::cpu());
  const auto logits = testing::to_device(stream, planes);
  const auto indices = testing::to_device(stream, plane_of);
  const auto count = testing::to_device(stream, std::vector<std::int32_t>{static_cast<std::int32_t>(plane_of.size())});
  const auto crop = testing::to_device(stream, boxes);
  InstanceMasks masks(stream, {.size = size, .most = kMost});
  MaskUpsampler(stream).submit(
      {logits.span(), kGrid, indices.span(), boxes.empty() ? DeviceSpan<const float4>() : crop.span()},
      ResizeMapping::make(ResizeMode::kStretch, kPicture, {432, 432}), count.span(), masks);
  return testing::to_host(stream, masks.words(), masks.words().size());
}

TEST(UpsampleMasksKernelTest, GivesTheBitsOfTheCpu) {
  const auto planes = smooth_planes();
  const std::vector<std::int32_t> plane_of{2, 0, 1};  // The fourth mask stays as it is.
  const std::vector<float4> boxes{{0, 0, 640, 360}, {101.5F, 40, 333.25F, 200.75F}, {600, 10, 500, 20}};
  for (const Size size : {Size{70, 40}, Size{1, 1}, Size{300, 33}, Size{9, 5}, Size{256, 128}, Size{257, 141}}) {
    const Words whole = emulated(planes, plane_of, {}, size);
    EXPECT_EQ(whole, on_the_cpu(planes, plane_of, {}, size)) << size.width << 'x' << size.height;
    const Words cropped = emulated(planes, plane_of, boxes, size);
    EXPECT_EQ(cropped, on_the_cpu(planes, plane_of, boxes, size)) << size.width << 'x' << size.height;
    if (size.width > 9) {
      EXPECT_NE(whole, cropped);
    }
  }
}

TEST(UpsampleMasksKernelTest, GivesTheBitsOfTheCpuWhereSignsChangeEverywhere) {
  const auto planes = noisy_planes();
  const std::vector<std::int32_t> plane_of{0, 1, 2};
  const std::vector<float4> boxes{{3, 2.5F, 637, 360}, {101.5F, 40, 333.25F, 200.75F}, {0, 10, 641, 20}};
  for (const Size size : {Size{107, 40}, Size{109, 33}, Size{640, 48}, Size{3456, 3}, Size{3500, 3}}) {
    EXPECT_EQ(emulated(planes, plane_of, {}, size), on_the_cpu(planes, plane_of, {}, size)) << size.width;
    EXPECT_EQ(emulated(planes, plane_of, boxes, size), on_the_cpu(planes, plane_of, boxes, size)) << size.width;
  }
}

TEST(InstanceMasksTest, ReadBackOnTheCpuTheyAreInMemoryOnce) {
  const Stream stream(Device::cpu());
  const DeviceCounters before = counters(Device::cpu());
  InstanceMasks masks(stream, {.size = {70, 40}, .most = kMost, .read_back = true});
  const DeviceCounters allocated = counters(Device::cpu()) - before;
  EXPECT_EQ(allocated.device_allocations + allocated.pinned_allocations, 1U);

  const auto logits = testing::to_device(stream, smooth_planes());
  const auto count = testing::to_device(stream, std::vector<std::int32_t>{kPlanes});
  MaskUpsampler(stream).submit({logits.span(), kGrid, {}, {}},
                               ResizeMapping::make(ResizeMode::kStretch, kPicture, {432, 432}), count.span(), masks);
  const DeviceCounters enqueued = counters(Device::cpu());
  masks.enqueue_read_back(stream);
  EXPECT_EQ((counters(Device::cpu()) - enqueued).copies, 0U);
  stream.synchronize();
  for (std::size_t i = 0; i < kPlanes; ++i) {
    const auto on_device = masks.device_mask(i).words;
    const auto on_host = masks.mask(i, kPlanes).words;
    EXPECT_EQ(testing::to_host(stream, on_device, on_device.size()), Words(on_host.begin(), on_host.end()));
    EXPECT_GT(std::ranges::count_if(on_host, [](std::uint32_t word) { return word != 0; }), 10)
        << "or there is no mask";
  }
}

TEST(InstanceMasksTest, AreOnTheHostOnlyWhereTheyWereAskedFor) {
  const Stream stream(Device::cpu());
  const InstanceMasks masks(stream, {.size = {70, 40}, .most = kMost});
  EXPECT_EQ(masks.device_mask(0).words.size(), mask_words({70, 40}));
  EXPECT_EQ(test::error_of([&] { (void)masks.mask(0, 1); }).code(), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace vrt
