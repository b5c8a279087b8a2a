// Lesson 3: build once, submit many, wait once a frame.
//
//   03_video_loop centerface.onnx clip.mp4 faces.mp4
#include <iostream>

#include "vrt/base/error.h"
#include "vrt/media/sink.h"
#include "vrt/media/source.h"
#include "vrt/models/centerface/centerface.h"
#include "vrt/view/annotate.h"

int main(int argc, char** argv) try {
  if (argc != 4) {
    std::cerr << "usage: 03_video_loop MODEL.onnx VIDEO RESULT.mp4\n";
    return 2;
  }
  // Everything that is slow or allocates stands before the loop.
  const vrt::Stream stream(vrt::Engine::best_device());
  vrt::Source source(argv[2], stream.device());
  const vrt::SourceInfo& info = source.info();
  const vrt::Size input = vrt::CenterFace::input_size_for(info.size);
  vrt::CenterFace detector(vrt::CenterFace::open_engine(argv[1], stream.device(), input), stream);
  vrt::CenterFaceResult faces = detector.allocate_result();
  vrt::Canvas canvas;
  const std::int32_t enlargement = vrt::Canvas::enlargement_for(info.size);
  const vrt::Size drawn{info.size.width * enlargement, info.size.height * enlargement};
  vrt::VideoWriter writer(argv[3], drawn, info.frame_rate);

  std::int64_t frames = 0;
  std::size_t found = 0;
  // A thread of the source decodes ahead while this one waits.
  while (const std::optional<vrt::Frame> frame = source.next(stream)) {
    detector.submit(frame->image(), faces);
    stream.synchronize();  // The one wait of the frame.
    ++frames;
    found += faces.detections().size();

    canvas.set(frame->host_image());
    canvas.draw(faces.detections());
    writer.write(canvas.view(), frame->time());
  }
  // Without this the file does not appear: half a video is never left under its name.
  writer.finish();
  std::cout << frames << " frames, " << found << " faces\n";
  return 0;
} catch (const vrt::Error& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
