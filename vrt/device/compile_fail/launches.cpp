// Compiled by tests for its errors only: VRT_CASE picks one call. Case 0 is right, all others must not compile.
#include <cstdint>
#include <span>
#include <vector>

#include "vrt/device/kernel.h"
#include "vrt/device/memory.h"

using Blend = vrt::Kernel<void(vrt::DeviceSpan<const float>, vrt::DeviceSpan<float>, float, std::int32_t)>;

void launch(const Blend& blend, const vrt::Stream& stream, vrt::DeviceSpan<float> in, vrt::DeviceSpan<float> out,
            vrt::DeviceSpan<const float> constant, vrt::DeviceSpan<std::int32_t> integers, std::vector<float>& host,
            vrt::PinnedBuffer<float>& pinned) {
  const vrt::LaunchShape shape = vrt::grid_1d(in.size());
#if VRT_CASE == 0
  blend.launch(stream, shape, in, out, 1.0F, 2);
  blend.launch(stream, shape, constant, out, 1.0F, 2);
  vrt::upload(stream, pinned.span(), out);
  vrt::read_back(stream, constant, pinned.span());
#elif VRT_CASE == 1
  blend.launch(stream, shape, in, out, 1, 2);  // int for float
#elif VRT_CASE == 2
  blend.launch(stream, shape, in, out, 1.0, 2);  // double for float
#elif VRT_CASE == 3
  blend.launch(stream, shape, in, out, 1.0F, std::int64_t{2});
#elif VRT_CASE == 4
  blend.launch(stream, shape, in, out, 1.0F);  // one too few
#elif VRT_CASE == 5
  blend.launch(stream, shape, in, out, 1.0F, 2, 3);  // one too many
#elif VRT_CASE == 6
  blend.launch(stream, shape, host.data(), out, 1.0F, 2);
#elif VRT_CASE == 7
  blend.launch(stream, shape, std::span<float>(host), out, 1.0F, 2);
#elif VRT_CASE == 8
  blend.launch(stream, shape, in, constant, 1.0F, 2);  // const where the kernel writes
#elif VRT_CASE == 9
  blend.launch(stream, shape, integers, out, 1.0F, 2);  // another element type
#elif VRT_CASE == 10
  blend.launch(stream, shape, pinned.span(), out, 1.0F, 2);
#elif VRT_CASE == 11
  vrt::upload(stream, std::span<const float>(host), out);  // not page-locked
#elif VRT_CASE == 12
  vrt::DeviceSpan<float> span = host;
#elif VRT_CASE == 13
  vrt::DeviceSpan<float> span(host.data(), host.size());  // from_raw says so
#elif VRT_CASE == 14
  stream.enqueue_host("owner", [host] { static_cast<void>(host.size()); });  // would need a copy constructor to run
#endif
}
