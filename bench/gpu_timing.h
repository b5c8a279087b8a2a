// How vrt_gpu_benchmark takes times: always many, of which the middle one is reported.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "vrt/device/event.h"
#include "vrt/device/memory.h"
#include "vrt/device/stream.h"

namespace vrt {

/// The nearest rank: the least of `values` that `share` of them do not exceed. `values` is not empty.
inline double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  return values[rank];
}

inline double median(const std::vector<double>& values) { return quantile(values, 0.5); }

/// Microseconds that the device needs for what `enqueue` submits, by its own clock. Each time the same work runs in front of the
/// first event: while the device is busy with that, the host has the measured part in the queue, so that no wait for the host is
/// in it unless the host is slower than the device.
template <typename Enqueue>
std::vector<double> gpu_times_us(const Stream& stream, int samples, const Enqueue& enqueue) {
  TimedEvent start(stream.device());
  TimedEvent end(stream.device());
  for (int i = 0; i < 2; ++i) enqueue();  // Clocks rise, memory is touched.
  std::vector<double> times;
  for (int i = 0; i < samples; ++i) {
    enqueue();
    start.record(stream);
    enqueue();
    end.record(stream);
    stream.synchronize();
    times.push_back(std::chrono::duration<double, std::micro>(elapsed(start, end)).count());
  }
  return times;
}

/// Bytes read and written in a second by copies of 1 GiB within the device.
inline double copy_speed(const Stream& stream) {
  constexpr std::size_t kBytes = std::size_t{1} << 30U;
  constexpr int kCopies = 5;
  constexpr int kCopySamples = 31;
  auto from = DeviceBuffer<std::uint8_t>::zeros(stream, kBytes);
  auto to = DeviceBuffer<std::uint8_t>::zeros(stream, kBytes);
  const auto times = gpu_times_us(stream, kCopySamples, [&] {
    for (int i = 0; i < kCopies; ++i) copy(stream, from.span(), to.span());
  });
  return 2.0 * kBytes * kCopies / (median(times) * 1e-6);
}

/// Nanoseconds of the host for one call of `work`.
template <typename Work>
double host_ns(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace vrt
