// The program that README.md shows, whole: the lines shown there are the body of `main`.
#include <cstdio>

#include "vrt/media/source.h"
#include "vrt/models/centerface/centerface.h"

int main() {
  vrt::Stream stream(vrt::Engine::best_device());  // a GPU that models run on, else the CPU
  vrt::Source source("clip.mp4", stream.device());
  const vrt::Size input = vrt::CenterFace::input_size_for(source.info().size);
  vrt::CenterFace detector(vrt::CenterFace::open_engine("centerface.onnx", stream.device(), input), stream);
  auto faces = detector.allocate_result();  // once: frames allocate nothing
  while (auto frame = source.next(stream)) {
    detector.submit(frame->image(), faces);  // enqueued: preprocessing, network, decoding
    stream.synchronize();                    // the one wait of the frame
    for (const vrt::Detection& face : faces.detections())
      std::printf("%.3f s: a face at %.0f, %.0f\n", frame->time(), face.box.x1, face.box.y1);
  }
}
