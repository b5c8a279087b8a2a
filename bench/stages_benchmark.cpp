// What a frame costs beside its network: preprocessing, decoding and drawing, as a share of the network's own time. One face, on
// enlarged frames of the real clip; medians; the network and the whole detector take turns, so that both meet the same machine.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "vrt/device/stream.h"
#include "vrt/engine/engine.h"
#include "vrt/media/source.h"
#include "vrt/models/centerface/centerface.h"
#include "vrt/view/annotate.h"

namespace vrt {
namespace {

constexpr int kWarmUp = 5;
constexpr int kRepeats = 60;
constexpr double kAllowedShare = 0.15;

/// A picture of three planes, enlarged by whole pixels.
struct Enlarged {
  std::vector<std::uint8_t> pixels;
  ImageView view;

  Enlarged(const ImageView& small, Size size) : pixels(packed_bytes(size, PixelFormat::kI420)) {
    view = ImageView::packed(Device::cpu(), pixels.data(), size, PixelFormat::kI420, small.color);
    std::uint8_t* to = pixels.data();
    for (int plane = 0; plane < 3; ++plane) to = fill(small, plane, to);
  }

 private:
  std::uint8_t* fill(const ImageView& small, int plane, std::uint8_t* to) const {
    const auto width = static_cast<int>(row_bytes(view.format, view.size.width, plane));
    const int height = row_count(view.format, view.size.height, plane);
    const auto from_width = static_cast<int>(row_bytes(small.format, small.size.width, plane));
    const int from_height = row_count(small.format, small.size.height, plane);
    const ImagePlane& from = small.planes[static_cast<std::size_t>(plane)];
    for (int y = 0; y < height; ++y) {
      const std::uint8_t* row = from.data + static_cast<std::size_t>(y * from_height / height) * from.pitch_bytes;
      for (int x = 0; x < width; ++x) *to++ = row[x * from_width / width];
    }
    return to;
  }
};

double median(std::vector<double>& values) {
  std::nth_element(values.begin(), values.begin() + kRepeats / 2, values.end());
  return values[kRepeats / 2];
}

template <typename Work>
double milliseconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// Prints one row; false if the share is above what is allowed.
bool measure(const ImageView& small, Size size) {
  const Enlarged picture(small, size);
  const Stream stream(Device::cpu());
  const Size input = CenterFace::input_size_for(size);
  const Engine engine = CenterFace::open_engine(VRT_TEST_CENTERFACE, stream.device(), input);
  Session session(engine, stream);
  CenterFace detector(engine, stream);
  CenterFaceResult faces = detector.allocate_result();
  Canvas canvas;
  std::vector<double> network;
  std::vector<double> whole;
  std::vector<double> draw;
  for (int i = 0; i < kWarmUp + kRepeats; ++i) {
    const double of_network = milliseconds([&] { session.submit(), stream.synchronize(); });
    const double of_whole = milliseconds([&] { detector.submit(picture.view, faces), stream.synchronize(); });
    const double of_draw = milliseconds([&] { canvas.set(picture.view), canvas.draw(faces.detections()); });
    if (i < kWarmUp) continue;
    network.push_back(of_network);
    whole.push_back(of_whole);
    draw.push_back(of_draw);
  }
  const double base = median(network);
  const double around = median(whole) - base;
  const double drawing = median(draw);
  const double share = (around + drawing) / base;
  fmt::print("{:>4}x{:<5} {:>3}x{:<5} {:>6} {:>11.3f} {:>21.3f} {:>9.3f} {:>8.1f} %\n", size.width, size.height,
             input.width, input.height, faces.detections().size(), base, around, drawing, 100 * share);
  return share <= kAllowedShare;
}

int run() {
  Source source(VRT_TEST_CLIP, Device::cpu());
  const Stream stream(Device::cpu());
  const auto frame = source.next(stream);
  fmt::print("picture    network    faces  network ms  preprocess+decode ms   draw ms     share\n");
  bool holds = true;
  for (const Size size : {Size{176, 144}, Size{640, 480}, Size{1280, 720}, Size{1920, 1080}}) {
    holds = measure(frame->host_image(), size) && holds;
  }
  fmt::print("at most {:.0f} % {}\n", 100 * kAllowedShare, holds ? "in all" : "is NOT kept");
  return holds ? 0 : 1;
}

}  // namespace
}  // namespace vrt

int main() { return vrt::run(); }
