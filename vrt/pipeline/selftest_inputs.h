// Internal: Inputs of the self-test, the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "vrt/device/memory.h"
#include "vrt/device/stream.h"
#include "vrt/image/image.h"

namespace vrt::selftest {

/// A linear congruential generator (Knuth's MMIX constants), its upper bits.
class Seeded {
 public:
  explicit Seeded(std::uint64_t seed) : state_(seed) {}
  std::uint32_t next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::uint32_t>(state_ >> 32U);
  }
  /// Of [low, high), in steps of 1 / 256 of the range: exact in float for the ranges in use.
  float between(float low, float high) { return low + (high - low) * static_cast<float>(next() % 256) / 256.0F; }

 private:
  std::uint64_t state_;
};

[[nodiscard]] inline std::vector<std::uint8_t> random_bytes(std::size_t count, std::uint64_t seed) {
  Seeded random(seed);
  std::vector<std::uint8_t> bytes(count);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.next());
  return bytes;
}

/// BLOCKS: a copy in device memory.
template <typename T>
[[nodiscard]] DeviceBuffer<T> to_device(const Stream& stream, const std::vector<T>& values) {
  auto buffer = DeviceBuffer<T>::uninitialized(stream, values.size());
  upload_blocking<T>(stream, values, buffer.span());
  return buffer;
}

/// Device memory that holds what no result does, so that what a kernel leaves out shows.
template <typename T>
[[nodiscard]] DeviceBuffer<T> marked(const Stream& stream, std::size_t count) {
  auto buffer = DeviceBuffer<T>::uninitialized(stream, count);
  fill_bytes(stream, buffer.span(), 0xEE);
  return buffer;
}

/// A picture of noise in device memory.
struct DevicePicture {
  DeviceBuffer<std::uint8_t> bytes;
  ImageView view;

  DevicePicture(const Stream& stream, Size size, PixelFormat format, std::uint64_t seed)
      : bytes(to_device(stream, random_bytes(packed_bytes(size, format), seed))),
        view(ImageView::packed(stream.device(), std::as_const(bytes).span().data(), size, format)) {}
};

}  // namespace vrt::selftest
