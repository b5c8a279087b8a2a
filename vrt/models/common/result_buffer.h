// Internal (not installed): memory of a result that kernels write and, where it is asked for, the host reads.
#pragma once

#include <cstddef>
#include <span>

#include "vrt/device/memory.h"
#include "vrt/device/stream.h"

namespace vrt {

enum class ReadBack { kNone, kWanted };

/// Memory on the device and, with ReadBack::kWanted, a copy on the host. Where the device is the CPU the two are one, and nothing is copied:
/// masks and maps of large pictures are most of a run's memory. (A GPU that shares the host's memory keeps two: what its kernels lose by
/// writing past its cache was not measured.)
template <typename T>
class ResultBuffer {
 public:
  /// Owns nothing.
  ResultBuffer() = default;
  /// Zeros; with ReadBack::kNone and on a GPU in stream order.
  ResultBuffer(const Stream& stream, std::size_t count, ReadBack wanted) {
    if (wanted == ReadBack::kWanted) host_ = PinnedBuffer<T>(stream.device(), count);
    if (wanted == ReadBack::kWanted && stream.device().is_cpu()) {
      shared_ = *host_.device_view();
    } else {
      device_ = DeviceBuffer<T>::zeros(stream, count);
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return span().size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] DeviceSpan<T> span() noexcept { return device_.empty() ? shared_ : device_.span(); }
  [[nodiscard]] DeviceSpan<const T> span() const noexcept {
    return device_.empty() ? DeviceSpan<const T>(shared_) : device_.span();
  }

  /// Enqueues the copy to the host, if it was asked for and there are two.
  void enqueue_read_back(const Stream& stream) {
    if (!host_.empty() && !device_.empty()) read_back(stream, device_.span(), host_.span());
  }
  [[nodiscard]] bool is_read_back() const noexcept { return !host_.empty(); }
  /// After the wait for the work behind which `enqueue_read_back` was called. Only where it is_read_back.
  [[nodiscard]] std::span<const T> host() const noexcept { return host_.host(); }

 private:
  DeviceBuffer<T> device_;
  PinnedBuffer<T> host_;
  DeviceSpan<T> shared_;  // Of `host_`, where there is no `device_`.
};

}  // namespace vrt
