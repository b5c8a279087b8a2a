// Tensors of other libraries in vrt, and vrt's memory in other libraries, without a copy: DLPack, which PyTorch, NumPy, CuPy and JAX
// speak.
//
//   auto tensor = vrt::from_dlpack(stream, managed);                       // a DLManagedTensorVersioned* out of a capsule
//   kernel.launch(stream, grid, tensor.as<float>(), output.span(), n);     // in stream order
//   DLManagedTensorVersioned* out = vrt::to_dlpack(stream, output.span(), {1, n}, consumer);
//
// In Python a consumer passes its stream to the producer's `__dlpack__(stream=…)`, and the producer makes that stream wait. So vrt as
// the consumer gives dlpack_stream(stream) away and calls from_dlpack with what comes back; as the producer it hands the number that
// it was given to to_dlpack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>

#include "vrt/base/dtype.h"
#include "vrt/base/export.h"
#include "vrt/base/shape.h"
#include "vrt/device/device.h"
#include "vrt/device/memory.h"
#include "vrt/device/stream.h"

// As dlpack.h declares them, which need not be there.
struct DLManagedTensor;
struct DLManagedTensorVersioned;

namespace vrt {

/// A stream as `__dlpack__(stream=…)` counts: nothing (None) is the CPU's only value and CUDA's legacy default stream, 1 that stream by
/// name, 2 the calling thread's default stream, -1 "order nothing", anything larger a CUstream. 0 is not allowed.
using DlpackStream = std::optional<std::int64_t>;

/// What a consumer that works on `stream` passes to `__dlpack__(stream=…)`: the CUstream, nothing on the CPU.
[[nodiscard]] VRT_API DlpackStream dlpack_stream(const Stream& stream);

namespace detail {
struct ExportedSpan {
  void* data = nullptr;
  std::size_t count = 0;
  DType type = DType::kFloat32;
  bool read_only = false;
};
template <typename T>
[[nodiscard]] ExportedSpan exported_span(DeviceSpan<T> span) {
  return {const_cast<std::remove_const_t<T>*>(span.data()), span.size(), dtype_of<T>(), std::is_const_v<T>};
}
[[nodiscard]] VRT_API DLManagedTensorVersioned* to_dlpack(const Stream& stream, const ExportedSpan& span,
                                                          const Shape& shape, DlpackStream consumer);
[[nodiscard]] VRT_API DLManagedTensor* to_dlpack_unversioned(const Stream& stream, const ExportedSpan& span,
                                                             const Shape& shape, DlpackStream consumer);
struct ImportedTensor;
}  // namespace detail

/// Lends memory of a vrt buffer as a row-major tensor. The caller of the result's deleter, from any thread, ends the loan; until then
/// the memory stays alive, whatever becomes of the buffer. A span of const elements is marked read-only.
///
/// On CUDA nothing blocks: the consumer's stream waits for what `stream` was given so far, and, when the loan ends, `stream` waits for
/// what the consumer's stream was given until then, so that the memory is not freed or used again too early; with -1 both are the
/// consumer's business. The consumer's stream must outlive the loan. `stream` should be the one the buffer was made on.
/// On the CPU, whose consumers have no stream, this BLOCKS until `stream` is done and throws the failure of its work.
///
/// Throws kInvalidArgument if the shape is dynamic or has another number of elements, no vrt buffer owns the memory, or
/// `consumer` is not a stream of the device; kUnsupported while `stream` is captured.
template <typename T>
[[nodiscard]] DLManagedTensorVersioned* to_dlpack(const Stream& stream, DeviceSpan<T> span, const Shape& shape,
                                                  DlpackStream consumer = {}) {
  return detail::to_dlpack(stream, detail::exported_span(span), shape, consumer);
}

/// As `to_dlpack`, for consumers from before DLPack 1.0. That format cannot say "read-only": a span of const elements does not compile.
template <typename T>
  requires(!std::is_const_v<T>)
[[nodiscard]] DLManagedTensor* to_dlpack_unversioned(const Stream& stream, DeviceSpan<T> span, const Shape& shape,
                                                     DlpackStream consumer = {}) {
  return detail::to_dlpack_unversioned(stream, detail::exported_span(span), shape, consumer);
}

/// A borrowed tensor. Its end gives the memory back, calling the producer's deleter exactly once, after the work that its stream was
/// given until then: on CUDA, if the producer's stream is known, that stream is made to wait and nothing blocks (its allocator must
/// free in stream order, as PyTorch's does); else the destructor BLOCKS until that work is done. It must not end in a host task of its
/// stream, nor while that stream is captured. What the deleter does must not throw. Work on other streams is the caller's to order.
/// A tensor that was moved from can only be assigned to or destroyed.
class VRT_API DlpackTensor {
 public:
  DlpackTensor(DlpackTensor&&) noexcept;
  DlpackTensor& operator=(DlpackTensor&&) noexcept;
  ~DlpackTensor();

  [[nodiscard]] Device device() const noexcept;
  [[nodiscard]] const Stream& stream() const noexcept;
  [[nodiscard]] DType dtype() const noexcept;
  [[nodiscard]] const Shape& shape() const noexcept;
  /// Distances between neighbours along each axis, in elements.
  [[nodiscard]] std::span<const std::int64_t> strides() const noexcept;
  /// True if elements follow each other in row-major order without gaps.
  [[nodiscard]] bool is_contiguous() const noexcept;
  [[nodiscard]] bool is_read_only() const noexcept;
  /// Address of the first element, in memory of the device; nullptr is possible if there is none.
  [[nodiscard]] const void* data() const noexcept;

  /// All elements in order. Throws kInvalidArgument naming both types if T is not the tensor's, kUnsupported for gaps or another order.
  template <typename T>
  [[nodiscard]] DeviceSpan<const T> as() const {
    return DeviceSpan<const T>::from_raw(static_cast<const T*>(checked(dtype_of<T>(), Access::kRead)), count());
  }
  /// As `as`, to write to. Throws kInvalidArgument for a read-only tensor too.
  template <typename T>
  [[nodiscard]] DeviceSpan<T> as_mutable() {
    return DeviceSpan<T>::from_raw(static_cast<T*>(checked(dtype_of<T>(), Access::kWrite)), count());
  }

 private:
  enum class Access { kRead, kWrite };
  explicit DlpackTensor(std::unique_ptr<detail::ImportedTensor> imported) noexcept;
  [[nodiscard]] void* checked(DType type, Access access) const;
  [[nodiscard]] std::size_t count() const;
  friend VRT_API DlpackTensor from_dlpack(const Stream&, DLManagedTensorVersioned*, const std::optional<Stream>&);
  friend VRT_API DlpackTensor from_dlpack(const Stream&, DLManagedTensor*, const std::optional<Stream>&);

  std::unique_ptr<detail::ImportedTensor> imported_;
};

/// Borrows a tensor for work on `stream`. Takes it over at once: when this throws, the deleter has been called. With `producer` given,
/// `stream` first waits for what that stream was given so far; without, the tensor is ready for `stream` already, as it is after
/// `__dlpack__(stream=dlpack_stream(stream))`. Never blocks.
///
/// Takes CPU and page-locked memory for streams of the CPU, CUDA memory of the stream's device and managed memory for streams of a GPU.
/// Throws kInvalidArgument for memory of another device, a null tensor and one that contradicts itself; kUnsupported for a major version
/// other than 1, device and element types that vrt has not, more than Shape::kMaxRank axes and elements that are not aligned.
[[nodiscard]] VRT_API DlpackTensor from_dlpack(const Stream& stream, DLManagedTensorVersioned* tensor,
                                               const std::optional<Stream>& producer = std::nullopt);
/// The same for producers from before DLPack 1.0.
[[nodiscard]] VRT_API DlpackTensor from_dlpack(const Stream& stream, DLManagedTensor* tensor,
                                               const std::optional<Stream>& producer = std::nullopt);

}  // namespace vrt
