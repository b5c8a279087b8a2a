// The same picture gives the same bits on every device of the machine.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "vrt/image/preprocessor.h"
#include "vrt/image/test_pictures.h"

namespace vrt {
namespace {

using testing::random_picture;
using testing::TestPicture;

/// A packed copy of a picture in a device's memory.
struct DevicePicture {
  DeviceBuffer<std::uint8_t> bytes;
  ImageView view;

  DevicePicture(const Stream& stream, const TestPicture& picture) {
    std::vector<std::uint8_t> packed;
    for (const auto& plane : picture.planes) packed.insert(packed.end(), plane.begin(), plane.end());
    bytes = DeviceBuffer<std::uint8_t>::uninitialized(stream, packed.size());
    upload_blocking<std::uint8_t>(stream, packed, bytes.span());
    view = ImageView::packed(stream.device(), bytes.span().data(), picture.view.size, picture.view.format,
                             picture.view.color);
  }
};

std::vector<float> preprocess_on(Device device, const TestPicture& picture, const PreprocessOptions& options) {
  const Stream stream(device);
  const DevicePicture copy(stream, picture);
  Preprocessor preprocessor(stream, options);
  const auto pixels = static_cast<std::size_t>(options.target.width) * static_cast<std::size_t>(options.target.height);
  auto output = DeviceBuffer<float>::uninitialized(stream, 3 * pixels);
  fill_bytes(stream, output.span(), 0xFF);
  preprocessor.submit(copy.view, output.span());
  return read_back_blocking(stream, output.span());
}

class PreprocessDevicesTest : public ::testing::TestWithParam<std::tuple<Device, PixelFormat>> {};

TEST_P(PreprocessDevicesTest, GivesTheBitsOfTheCpu) {
  const auto [device, format] = GetParam();
  for (const Size size : {Size{1, 1}, Size{7, 5}, Size{176, 144}, Size{1281, 719}}) {
    const TestPicture picture = random_picture(size, format, 7, {YuvMatrix::kBt601, YuvRange::kFull});
    for (const ResizeMode mode : {ResizeMode::kStretch, ResizeMode::kLetterbox, ResizeMode::kCrop}) {
      for (const Interpolation interpolation : {Interpolation::kBilinear, Interpolation::kBilinearAntialiased}) {
        PreprocessOptions options{.target = {97, 64}, .mode = mode, .interpolation = interpolation};
        options.mean = {0.485F, 0.456F, 0.406F};
        options.standard_deviation = {0.229F, 0.224F, 0.225F};
        EXPECT_EQ(preprocess_on(device, picture, options), preprocess_on(Device::cpu(), picture, options))
            << size.width << 'x' << size.height << " mode " << static_cast<int>(mode) << " interpolation "
            << static_cast<int>(interpolation);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, PreprocessDevicesTest,
                         ::testing::Combine(::testing::ValuesIn(Device::all()),
                                            ::testing::ValuesIn(testing::all_formats())),
                         [](const auto& tested) {
                           const Device device = std::get<0>(tested.param);
                           return (device.is_cpu() ? "cpu" : "cuda" + std::to_string(device.ordinal())) + "_" +
                                  std::string(to_string(std::get<1>(tested.param)));
                         });

}  // namespace
}  // namespace vrt
