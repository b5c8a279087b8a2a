// A program of another project with a kernel of its own, on one layer of vrt alone.
#include <iostream>
#include <vector>

#include "double_it_cu.h"
#include "vrt/device/kernel.h"

int main() {
  using DoubleIt = void(vrt::DeviceSpan<std::int32_t>, std::int32_t);
  const vrt::Stream stream(vrt::Device::cpu());
  auto values = vrt::DeviceBuffer<std::int32_t>::uninitialized(stream, 3);
  vrt::upload_blocking(stream, std::vector<std::int32_t>{1, 2, 3}, values.span());
  vrt::KernelModule::load(stream.device(), vrt::kernels::double_it_cu)
      .get<DoubleIt>("double_it")
      .launch(stream, vrt::grid_1d(3), values.span(), 3);
  for (const std::int32_t value : vrt::read_back_blocking(stream, values.span())) std::cout << value << " ";
  std::cout << "\n";
}
