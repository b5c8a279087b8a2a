// A program of another project: a kernel's worth of every part that it can link. Prints what it found.
//
//   consumer MODEL.onnx CLIP
#include <iostream>
#include <optional>

#include "vrt/base/error.h"
#include "vrt/engine/engine.h"
#include "vrt/hub/registry.h"
#include "vrt/media/source.h"
#include "vrt/models/centerface/centerface.h"
#include "vrt/pipeline/run.h"
#include "vrt/view/annotate.h"

namespace {

/// Exceptions and their types pass the library's border.
bool misses_a_file(const vrt::Stream& stream) {
  try {
    vrt::Source("no-such-file.mp4", stream.device());
  } catch (const vrt::Error& error) {
    return error.code() == vrt::ErrorCode::kNotFound;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) return 2;
  const vrt::Stream stream(vrt::Device::cpu());
  vrt::Source source(argv[2], stream.device());
  const vrt::Engine engine = vrt::CenterFace::open_engine(argv[1], stream.device(), {192, 160});
  vrt::CenterFace detector(engine, stream);
  vrt::CenterFaceResult faces = detector.allocate_result();
  const std::optional<vrt::Frame> frame = source.next(stream);
  detector.submit(frame->image(), faces);
  stream.synchronize();
  vrt::Canvas canvas;
  canvas.set(frame->host_image());
  canvas.draw(faces.detections());
  if (!misses_a_file(stream) || canvas.view().size.height < 360 || vrt::known_models().empty()) return 3;
  std::cout << engine.backend_name() << ": " << faces.detections().size() << " face(s)\n";
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
