// Lesson 4: a kernel of one's own, between vrt's.
//
//   04_own_kernel clip.mp4
//
// motion.cu is CUDA C. vrt_add_kernels() in CMakeLists.txt embeds its text for GPUs and compiles it for the CPU; this program
// does not know which of the two it runs on.
#include <iostream>

#include "examples/04_own_kernel/motion_cu.h"
#include "vrt/base/error.h"
#include "vrt/device/kernel.h"
#include "vrt/media/source.h"

namespace {

using Motion = void(vrt::DeviceSpan<const std::uint8_t>, vrt::DeviceSpan<const std::uint8_t>,
                    vrt::DeviceSpan<std::uint32_t>, std::int32_t, std::int32_t, std::int32_t, std::int32_t);

constexpr std::int32_t kThreshold = 20;  // Grey levels.

/// The brightness of a picture. In the formats of videos it is the first plane.
vrt::DeviceSpan<const std::uint8_t> luma(const vrt::ImageView& image) {
  const vrt::ImagePlane& plane = image.planes[0];
  return vrt::DeviceSpan<const std::uint8_t>::from_raw(plane.data,
                                                       plane.pitch_bytes * static_cast<std::size_t>(image.size.height));
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::cerr << "usage: 04_own_kernel VIDEO\n";
    return 2;
  }
  const vrt::Stream stream(vrt::Device::parse("auto"));
  vrt::Source source(argv[1], stream.device());

  // The signature is checked here, once; after that a launch with wrong arguments does not compile.
  const auto motion = vrt::KernelModule::load(stream.device(), vrt::kernels::motion_cu).get<Motion>("motion");
  auto changed = vrt::DeviceBuffer<std::uint32_t>::uninitialized(stream, 1);
  vrt::PinnedBuffer<std::uint32_t> answer(stream.device(), 1);

  std::optional<vrt::Frame> before = source.next(stream);
  std::uint64_t sum = 0;
  while (std::optional<vrt::Frame> now = source.next(stream)) {
    const vrt::ImageView& image = now->image();
    const vrt::LaunchShape grid =
        vrt::grid_2d(static_cast<std::uint32_t>(image.size.width), static_cast<std::uint32_t>(image.size.height));
    vrt::fill_bytes(stream, changed.span(), 0);
    motion.launch(stream, grid, luma(image), luma(before->image()), changed.span(), image.size.width, image.size.height,
                  static_cast<std::int32_t>(image.planes[0].pitch_bytes), kThreshold);
    vrt::read_back(stream, changed.span(), answer.span());
    stream.synchronize();
    sum += answer[0];
    before = std::move(now);  // The older frame gives its slot back.
  }
  std::cout << sum << " pixels changed\n";
  return 0;
} catch (const vrt::Error& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
