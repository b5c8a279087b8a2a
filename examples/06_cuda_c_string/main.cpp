// Lesson 6: CUDA C that is known only when the program runs.
//
//   06_cuda_c_string 'a * x * x + 1'
//
// Where lesson 4 has a file that the build compiles for GPU and CPU, this has a string that NVRTC compiles for the GPU at hand. There is
// no compiler for the CPU at run time, so the program needs a GPU: without one it says so and exits with status 77.
#include <iostream>
#include <vector>

#include "examples/06_cuda_c_string/formula.h"
#include "vrt/base/error.h"
#include "vrt/device/kernel.h"
#include "vrt/device/memory.h"

namespace {

using Formula = void(vrt::DeviceSpan<const float>, vrt::DeviceSpan<float>, float, std::int32_t);

constexpr int kNoGpu = 77;
constexpr float kA = 0.5F;

void tabulate(const vrt::Stream& stream, const std::string& expression) {
  // Slow the first time, then taken from the kernel cache. An expression that does not compile throws, with NVRTC's words.
  const auto formula =
      vrt::KernelModule::compile(stream.device(), "formula.cu", formula_source(expression)).get<Formula>("formula");
  const std::vector<float> x{0, 1, 2, 3, 4};
  auto in = vrt::DeviceBuffer<float>::uninitialized(stream, x.size());
  auto out = vrt::DeviceBuffer<float>::zeros(stream, x.size());
  vrt::upload_blocking<float>(stream, x, in.span());
  formula.launch(stream, vrt::grid_1d(x.size()), in.span(), out.span(), kA, static_cast<std::int32_t>(x.size()));
  const std::vector<float> y = vrt::read_back_blocking(stream, out.span());
  for (std::size_t i = 0; i < x.size(); ++i) std::cout << "f(" << x[i] << ") = " << y[i] << "\n";
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::cerr << "usage: 06_cuda_c_string EXPRESSION (CUDA C in x, and in a, which is " << kA << ")\n";
    return 2;
  }
  tabulate(vrt::Stream(vrt::Device::parse("cuda")), argv[1]);
  return 0;
} catch (const vrt::Error& error) {
  if (error.code() == vrt::ErrorCode::kUnavailable) {
    std::cerr << "this lesson needs a CUDA device: " << error.what() << "\n";
    return kNoGpu;
  }
  std::cerr << error.what() << "\n";
  return 1;
}
