// Lesson 1: open an engine, and see what it takes and gives.
//
//   01_open_an_engine centerface.onnx
#include <iostream>

#include "vrt/base/error.h"
#include "vrt/engine/engine.h"

namespace {

void print(const char* kind, const vrt::TensorInfo& tensor) {
  std::cout << kind << " '" << tensor.name << "' " << to_string(tensor.type) << " " << to_string(tensor.shape) << "\n";
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::cerr << "usage: 01_open_an_engine MODEL.onnx\n";
    return 2;
  }
  // "auto" is a GPU if there is one that vrt can use, else the CPU. A device is a value: "cpu", "cuda:0".
  const vrt::Device device = vrt::Engine::best_device();

  // An engine is a network compiled for a device. That takes seconds or minutes, so it happens once, before any frame.
  // CenterFace takes pictures of any size that is a multiple of 32; an engine has one. Dimensions are never guessed: the empty
  // name stands for the only input.
  vrt::EngineOptions options;
  options.input_shapes = {{"", {1, 3, 480, 640}}};
  const vrt::Engine engine = vrt::Engine::open(argv[1], device, options);

  std::cout << engine.backend_name() << " " << engine.backend_version() << " on " << to_string(engine.device()) << "\n";
  for (const vrt::TensorInfo& input : engine.inputs()) print("input", input);
  for (const vrt::TensorInfo& output : engine.outputs()) print("output", output);
  return 0;
} catch (const vrt::Error& error) {
  // Every failure is this type. The message says what was expected, what was found and what to do; the code, whether the caller
  // can do something about it.
  std::cerr << to_string(error.code()) << ": " << error.what() << "\n";
  return 1;
}
