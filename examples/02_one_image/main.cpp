// Lesson 2: the faces of one picture, drawn into a copy of it.
//
//   02_one_image centerface.onnx picture.jpg faces.png
#include <iostream>

#include "vrt/base/error.h"
#include "vrt/media/sink.h"
#include "vrt/media/source.h"
#include "vrt/models/centerface/centerface.h"
#include "vrt/view/annotate.h"

int main(int argc, char** argv) try {
  if (argc != 4) {
    std::cerr << "usage: 02_one_image MODEL.onnx PICTURE RESULT.png\n";
    return 2;
  }
  // A stream is a queue of work on a device. What is submitted to it runs in that order, later.
  const vrt::Stream stream(vrt::Engine::best_device());

  // A source gives frames in the memory of the stream's device, upright, as they were stored: no conversion to RGB.
  vrt::Source source(argv[2], stream.device());
  const vrt::Frame frame = source.next(stream).value();

  // A model is built once: engine, kernels, scratch. The caller owns the results.
  const vrt::Size input = vrt::CenterFace::input_size_for(frame.image().size);
  vrt::CenterFace detector(vrt::CenterFace::open_engine(argv[1], stream.device(), input), stream);
  vrt::CenterFaceResult faces = detector.allocate_result();

  detector.submit(frame.image(), faces);  // Returns at once: nothing has been computed yet.
  stream.synchronize();                   // The wait. Now the result can be read, and a failure would be thrown.

  // Boxes are in the picture's own pixels, whatever size the network sees.
  std::cout << faces.detections().size() << " face(s)\n";
  for (const vrt::Detection& face : faces.detections()) {
    std::cout << "score " << face.score << " box " << face.box.x1 << " " << face.box.y1 << " " << face.box.x2 << " "
              << face.box.y2 << "\n";
  }

  vrt::Canvas canvas;
  canvas.set(frame.host_image());
  canvas.draw(faces.detections());
  vrt::write_picture(argv[3], canvas.view());
  return 0;
} catch (const vrt::Error& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
