// Lesson 5: two models on one stream, and still one wait a frame.
//
//   05_two_models_on_one_stream centerface.onnx clip.mp4
//
// A small, fast detector and a larger one that sees more look at the same frames. Nothing has to be said about their order: it
// is the order in which they are submitted.
#include <iostream>

#include "vrt/base/error.h"
#include "vrt/media/source.h"
#include "vrt/models/centerface/centerface.h"

namespace {

/// How far the best faces of two results agree, from 0 to 1.
float agreement(const vrt::CenterFaceResult& a, const vrt::CenterFaceResult& b) {
  if (a.detections().empty() || b.detections().empty()) return 0;
  return intersection_over_union(a.detections().front().box, b.detections().front().box);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::cerr << "usage: 05_two_models_on_one_stream MODEL.onnx VIDEO\n";
    return 2;
  }
  const vrt::Stream stream(vrt::Engine::best_device());
  vrt::Source source(argv[2], stream.device());

  // Two engines: an engine has one input size. They could as well be two different networks.
  const vrt::Engine small_engine = vrt::CenterFace::open_engine(argv[1], stream.device(), {192, 160});
  const vrt::Engine large_engine = vrt::CenterFace::open_engine(argv[1], stream.device(), {480, 384});
  vrt::CenterFace fast(small_engine, stream);
  vrt::CenterFace thorough(large_engine, stream);
  vrt::CenterFaceResult fast_faces = fast.allocate_result();
  vrt::CenterFaceResult thorough_faces = thorough.allocate_result();

  std::int64_t frames = 0;
  std::int64_t agreeing = 0;
  while (const std::optional<vrt::Frame> frame = source.next(stream)) {
    fast.submit(frame->image(), fast_faces);
    thorough.submit(frame->image(), thorough_faces);
    stream.synchronize();  // One wait for both.
    ++frames;
    if (agreement(fast_faces, thorough_faces) > 0.5F) ++agreeing;
  }
  std::cout << frames << " frames, both agree in " << agreeing << "\n";
  return 0;
} catch (const vrt::Error& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
