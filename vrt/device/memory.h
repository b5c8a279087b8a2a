// Memory of a device, page-locked memory of the host, and copies between them.
//
//   auto input  = vrt::DeviceBuffer<float>::uninitialized(stream, n);
//   auto answer = vrt::PinnedBuffer<float>(stream.device(), n);
//   vrt::read_back(stream, input.span(), answer.span());        // enqueued
//   stream.synchronize();
//   use(answer[0]);
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "vrt/base/export.h"
#include "vrt/device/stream.h"

namespace vrt {

namespace detail {
class Allocation;  // A block of device memory; freed in stream order when its last owner lets go.
class PinnedAllocation;

/// Throws kOutOfMemory if the product overflows.
[[nodiscard]] VRT_API std::size_t bytes_of(std::size_t count, std::size_t element_bytes);
VRT_API std::shared_ptr<Allocation> allocate_device(const Stream& stream, std::size_t bytes);
[[nodiscard]] VRT_API void* data_of(const Allocation& allocation) noexcept;
[[nodiscard]] VRT_API Stream stream_of(const Allocation& allocation);
VRT_API std::shared_ptr<PinnedAllocation> allocate_pinned(Device device, std::size_t bytes);
[[nodiscard]] VRT_API void* data_of(const PinnedAllocation& allocation) noexcept;
/// Where the device reads that memory without a copy; nullptr if it cannot.
[[nodiscard]] VRT_API void* device_data_of(const PinnedAllocation& allocation) noexcept;

enum class CopyKind { kUpload, kReadBack, kDeviceToDevice };
VRT_API void copy_bytes(const Stream& stream, CopyKind kind, const void* from, void* to, std::size_t bytes);
VRT_API void copy_bytes_blocking(const Stream& stream, CopyKind kind, const void* from, void* to, std::size_t bytes);
VRT_API void fill_bytes(const Stream& stream, void* to, std::uint8_t value, std::size_t bytes);
VRT_API void require_equal_counts(std::size_t from, std::size_t to, const char* operation);

/// What DeviceSpan and PinnedSpan share; `Tag` keeps the two apart, and both apart from std::span.
template <typename T, typename Tag>
class TaggedSpan {
 public:
  using element_type = T;

  constexpr TaggedSpan() noexcept = default;
  /// Claims that `count` elements at `data` are memory of this kind. The caller keeps them alive.
  [[nodiscard]] static constexpr TaggedSpan from_raw(T* data, std::size_t count) noexcept { return {data, count}; }

  /// A view of mutable elements is also a view of const ones.
  template <typename U>
    requires(std::is_same_v<const U, T> && !std::is_const_v<U>)
  constexpr TaggedSpan(TaggedSpan<U, Tag> other) noexcept  // NOLINT(google-explicit-constructor)
      : data_(other.data()), count_(other.size()) {}

  [[nodiscard]] constexpr T* data() const noexcept { return data_; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return count_; }
  [[nodiscard]] constexpr std::size_t size_bytes() const noexcept { return count_ * sizeof(T); }
  [[nodiscard]] constexpr bool empty() const noexcept { return count_ == 0; }
  /// `count` elements from `offset`; both are the caller's to keep inside the view.
  [[nodiscard]] constexpr TaggedSpan subspan(std::size_t offset, std::size_t count) const noexcept {
    return {data_ + offset, count};
  }

 private:
  constexpr TaggedSpan(T* data, std::size_t count) noexcept : data_(data), count_(count) {}

  T* data_ = nullptr;
  std::size_t count_ = 0;
};

struct DeviceTag {};
struct PinnedTag {};
}  // namespace detail

/// A view of device memory. Host pointers and std::span do not convert to it. Owns nothing.
template <typename T>
using DeviceSpan = detail::TaggedSpan<T, detail::DeviceTag>;

/// A view of page-locked host memory, the only host memory that asynchronous copies take. Owns nothing.
template <typename T>
using PinnedSpan = detail::TaggedSpan<T, detail::PinnedTag>;

/// Owns device memory. Holds its stream; when the last owner lets go (a graph may be one), the memory is freed in stream
/// order, after the work that was enqueued before. Movable. Allocation may be slow and may block: not for the hot path.
template <typename T>
class DeviceBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// Owns nothing.
  DeviceBuffer() = default;
  DeviceBuffer(DeviceBuffer&&) noexcept = default;
  DeviceBuffer& operator=(DeviceBuffer&&) noexcept = default;
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer() = default;

  /// Memory with unspecified content, aligned to 256 bytes. Throws kOutOfMemory naming the sizes involved.
  [[nodiscard]] static DeviceBuffer uninitialized(const Stream& stream, std::size_t count) {
    return DeviceBuffer(detail::allocate_device(stream, detail::bytes_of(count, sizeof(T))), count);
  }
  /// As `uninitialized`, with an enqueued fill by zero bytes.
  [[nodiscard]] static DeviceBuffer zeros(const Stream& stream, std::size_t count) {
    DeviceBuffer buffer = uninitialized(stream, count);
    detail::fill_bytes(stream, buffer.span().data(), 0, count * sizeof(T));
    return buffer;
  }

  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] DeviceSpan<T> span() noexcept { return DeviceSpan<T>::from_raw(raw(), count_); }
  [[nodiscard]] DeviceSpan<const T> span() const noexcept { return DeviceSpan<const T>::from_raw(raw(), count_); }
  /// The stream that the memory is freed on. Only for a buffer that owns memory.
  [[nodiscard]] Stream stream() const { return detail::stream_of(*allocation_); }

 private:
  DeviceBuffer(std::shared_ptr<detail::Allocation> allocation, std::size_t count) noexcept
      : allocation_(std::move(allocation)), count_(count) {}
  [[nodiscard]] T* raw() const noexcept {
    return allocation_ ? static_cast<T*>(detail::data_of(*allocation_)) : nullptr;
  }

  std::shared_ptr<detail::Allocation> allocation_;
  std::size_t count_ = 0;
};

/// Owns page-locked, cacheable host memory that a device copies from and to asynchronously. Zero-initialised. The caller
/// keeps it alive until the copies that use it are done (a wait). Movable.
template <typename T>
class PinnedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  PinnedBuffer() = default;
  /// Throws kOutOfMemory naming the sizes involved.
  PinnedBuffer(Device device, std::size_t count)
      : allocation_(detail::allocate_pinned(device, detail::bytes_of(count, sizeof(T)))), count_(count) {}
  PinnedBuffer(PinnedBuffer&&) noexcept = default;
  PinnedBuffer& operator=(PinnedBuffer&&) noexcept = default;
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;
  ~PinnedBuffer() = default;

  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] T* data() noexcept { return raw(); }
  [[nodiscard]] const T* data() const noexcept { return raw(); }
  [[nodiscard]] T& operator[](std::size_t index) noexcept { return raw()[index]; }
  [[nodiscard]] const T& operator[](std::size_t index) const noexcept { return raw()[index]; }
  /// For asynchronous copies.
  [[nodiscard]] PinnedSpan<T> span() noexcept { return PinnedSpan<T>::from_raw(raw(), count_); }
  [[nodiscard]] PinnedSpan<const T> span() const noexcept { return PinnedSpan<const T>::from_raw(raw(), count_); }
  /// For host code.
  [[nodiscard]] std::span<T> host() noexcept { return {raw(), count_}; }
  [[nodiscard]] std::span<const T> host() const noexcept { return {raw(), count_}; }
  /// The same memory as the device sees it, where it reads host memory without a copy (the CPU, an integrated GPU);
  /// nothing elsewhere.
  [[nodiscard]] std::optional<DeviceSpan<T>> device_view() const noexcept {
    void* view = allocation_ ? detail::device_data_of(*allocation_) : nullptr;
    if (view == nullptr) return std::nullopt;
    return DeviceSpan<T>::from_raw(static_cast<T*>(view), count_);
  }
  /// The same memory on any device, for a kernel that writes a few numbers, which the host reads after a wait: sooner there than by a copy
  /// behind the kernel. Every access of a GPU with memory of its own goes over its bus: not for much, nor for kernels that read.
  [[nodiscard]] DeviceSpan<T> kernel_view() noexcept {
    return device_view().value_or(DeviceSpan<T>::from_raw(raw(), count_));
  }

 private:
  [[nodiscard]] T* raw() const noexcept {
    return allocation_ ? static_cast<T*>(detail::data_of(*allocation_)) : nullptr;
  }

  std::shared_ptr<detail::PinnedAllocation> allocation_;
  std::size_t count_ = 0;
};

/// Enqueues a copy from page-locked host memory to the device. Counts must be equal (kInvalidArgument). `from` must stay
/// alive and unchanged until the copy is done.
template <typename T>
void upload(const Stream& stream, std::type_identity_t<PinnedSpan<const T>> from, DeviceSpan<T> to) {
  detail::require_equal_counts(from.size(), to.size(), "upload");
  detail::copy_bytes(stream, detail::CopyKind::kUpload, from.data(), to.data(), to.size_bytes());
}

/// Enqueues a copy from the device to page-locked host memory, readable after a wait. Counts must be equal.
template <typename T>
void read_back(const Stream& stream, std::type_identity_t<DeviceSpan<const T>> from, PinnedSpan<T> to) {
  detail::require_equal_counts(from.size(), to.size(), "read-back");
  detail::copy_bytes(stream, detail::CopyKind::kReadBack, from.data(), to.data(), to.size_bytes());
}

/// Enqueues a copy within the device. Counts must be equal; the two must not overlap.
template <typename T>
void copy(const Stream& stream, std::type_identity_t<DeviceSpan<const T>> from, DeviceSpan<T> to) {
  detail::require_equal_counts(from.size(), to.size(), "copy");
  detail::copy_bytes(stream, detail::CopyKind::kDeviceToDevice, from.data(), to.data(), to.size_bytes());
}

/// Enqueues setting every byte to `value`.
template <typename T>
void fill_bytes(const Stream& stream, DeviceSpan<T> to, std::uint8_t value) {
  detail::fill_bytes(stream, to.data(), value, to.size_bytes());
}

/// BLOCKS: copies ordinary host memory to the device behind the stream's earlier work. For set-up, not for frames.
template <typename T>
void upload_blocking(const Stream& stream, std::type_identity_t<std::span<const T>> from, DeviceSpan<T> to) {
  detail::require_equal_counts(from.size(), to.size(), "upload");
  detail::copy_bytes_blocking(stream, detail::CopyKind::kUpload, from.data(), to.data(), to.size_bytes());
}

/// BLOCKS: waits for the stream's earlier work and returns a copy of device memory. For tests and tools.
template <typename T>
[[nodiscard]] std::vector<std::remove_const_t<T>> read_back_blocking(const Stream& stream, DeviceSpan<T> from) {
  std::vector<std::remove_const_t<T>> result(from.size());
  detail::copy_bytes_blocking(stream, detail::CopyKind::kReadBack, from.data(), result.data(), from.size_bytes());
  return result;
}

}  // namespace vrt
