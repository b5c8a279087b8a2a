// Kernels: CUDA C, compiled for the device at hand, launched with arguments that the compiler checks.
//
//   // scale.cu, listed in vrt_add_kernels(): extern "C" __global__ void scale(const float* in, float* out, float k, int32_t n)
//   // vrt/image/scale_cu.h, which the build makes, declares vrt::kernels::scale_cu.
//   using Scale = void(vrt::DeviceSpan<const float>, vrt::DeviceSpan<float>, float, std::int32_t);
//   auto scale = vrt::KernelModule::load(stream.device(), vrt::kernels::scale_cu).get<Scale>("scale");
//   scale.launch(stream, vrt::grid_1d(n), input, output, 2.0F, n);       // enqueued; a wrong argument does not compile
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "vrt/base/export.h"
#include "vrt/device/device.h"
#include "vrt/device/host_kernel.h"
#include "vrt/device/memory.h"
#include "vrt/device/stream.h"

namespace vrt {

/// Blocks of `block` threads that cover `count` items in x.
[[nodiscard]] constexpr LaunchShape grid_1d(std::uint64_t count, std::uint32_t block = 256) noexcept {
  return {{static_cast<std::uint32_t>((count + block - 1) / block), 1, 1}, {block, 1, 1}, 0};
}
/// Blocks of 32×8 threads that cover `width` × `height` items; `depth` layers in z.
[[nodiscard]] constexpr LaunchShape grid_2d(std::uint32_t width, std::uint32_t height,
                                            std::uint32_t depth = 1) noexcept {
  return {{(width + 31) / 32, (height + 7) / 8, depth}, {32, 8, 1}, 0};
}
/// One block of `threads` threads for each of `items`.
[[nodiscard]] constexpr LaunchShape grid_per_item(std::uint32_t items, std::uint32_t threads,
                                                  std::uint32_t shared_bytes = 0) noexcept {
  return {{items, 1, 1}, {threads, 1, 1}, shared_bytes};
}

/// The text of one .cu file with what the build compiled from it for the host. Made by vrt_add_kernels() in CMake.
struct KernelSource {
  std::string_view file;                      ///< "vrt/image/preprocess.cu"
  std::string_view text;                      ///< CUDA C, without the prelude.
  std::span<const HostKernel> host_baseline;  ///< For any processor of the architecture.
  std::span<const HostKernel> host_v3;        ///< For x86-64-v3; empty elsewhere.
};

/// A node of a graph under capture, to change its arguments later.
struct GraphNode {
  std::size_t index = 0;
  friend bool operator==(const GraphNode&, const GraphNode&) = default;
};

class Graph;

namespace detail {
class ModuleBackend;

/// A kernel found in a module.
struct KernelFunction {
  std::shared_ptr<const ModuleBackend> module;  // Keeps the code loaded.
  const HostKernel* host = nullptr;             // On the CPU.
  void* native = nullptr;                       // On CUDA: the CUfunction.
  const char* name = "";
};

/// One launch argument: the bytes that the kernel receives, and, for spans, the memory they refer to.
struct KernelArgument {
  const void* value = nullptr;
  std::uint32_t bytes = 0;
  const void* memory = nullptr;  // The span's first byte; nullptr for plain values and empty spans.
  std::size_t memory_bytes = 0;
};

VRT_API void launch(const Stream& stream, const KernelFunction& function, const LaunchShape& shape,
                    std::span<const KernelArgument> arguments);
VRT_API void update_node(Graph& graph, GraphNode node, const KernelFunction& function, const LaunchShape& shape,
                         std::span<const KernelArgument> arguments);

/// How a parameter of a kernel's C++ signature is passed: spans as pointers, everything else by value.
template <typename P>
struct Passing {
  static_assert(std::is_trivially_copyable_v<P> && !std::is_pointer_v<P>, "pass memory as DeviceSpan<T>");
  static_assert(alignof(P) <= alignof(std::max_align_t), "arguments are stored aligned to 16 bytes");
  using Device = P;
  static constexpr Device lower(const P& value) noexcept { return value; }
  static constexpr std::size_t memory_bytes(const P&) noexcept { return 0; }
};
template <typename T>
struct Passing<DeviceSpan<T>> {
  using Device = T*;
  static constexpr Device lower(const DeviceSpan<T>& span) noexcept { return span.data(); }
  static constexpr std::size_t memory_bytes(const DeviceSpan<T>& span) noexcept { return span.size_bytes(); }
};

template <typename A, typename P>
struct IsSpanFor : std::false_type {};
template <typename T, typename U>
struct IsSpanFor<DeviceSpan<U>, DeviceSpan<T>> : std::is_same<const U, T> {};

/// An argument fits a parameter if it is exactly its type, or a span of mutable elements where const ones are taken.
template <typename A, typename P>
concept ArgumentFor = std::is_same_v<std::remove_cvref_t<A>, P> || IsSpanFor<std::remove_cvref_t<A>, P>::value;
}  // namespace detail

template <typename Signature>
class Kernel;

/// A typed kernel. `Parameters` are DeviceSpan<T> for pointers, and fixed-width numbers or plain structs. Copyable; keeps
/// its module loaded; safe to launch from several threads.
template <typename... Parameters>
class Kernel<void(Parameters...)> {
  static_assert(sizeof...(Parameters) <= 64, "a kernel has at most 64 parameters");

 public:
  explicit Kernel(detail::KernelFunction function) : function_(std::move(function)) {}

  /// Enqueues one launch. Arguments must have the signature's types exactly: no numeric conversion. Their values are
  /// copied before this returns. Throws kInvalidArgument for an empty or oversized shape and for a stream of another device
  /// than the module's; kUnsupported on the CPU for more than 1 KiB of arguments (a GPU takes CUDA's 4 KiB): tables belong into
  /// device memory. A fault inside the kernel is thrown by the next wait.
  template <typename... Arguments>
    requires(sizeof...(Arguments) == sizeof...(Parameters) && (detail::ArgumentFor<Arguments, Parameters> && ...))
  void launch(const Stream& stream, const LaunchShape& shape, const Arguments&... arguments) const {
    pack([&](std::span<const detail::KernelArgument> packed) { detail::launch(stream, function_, shape, packed); },
         Parameters(arguments)...);
  }

  /// Gives a captured launch of this kernel new arguments and shape, for the graph's next launches.
  template <typename... Arguments>
    requires(sizeof...(Arguments) == sizeof...(Parameters) && (detail::ArgumentFor<Arguments, Parameters> && ...))
  void update(Graph& graph, GraphNode node, const LaunchShape& shape, const Arguments&... arguments) const {
    pack(
        [&](std::span<const detail::KernelArgument> packed) {
          detail::update_node(graph, node, function_, shape, packed);
        },
        Parameters(arguments)...);
  }

  [[nodiscard]] const char* name() const noexcept { return function_.name; }

 private:
  template <typename Use>
  static void pack(const Use& use, const Parameters&... parameters) {
    pack_lowered(
        use, std::array<std::size_t, sizeof...(Parameters)>{detail::Passing<Parameters>::memory_bytes(parameters)...},
        detail::Passing<Parameters>::lower(parameters)...);
  }
  template <typename Use, typename... Lowered>
  static void pack_lowered(const Use& use, const std::array<std::size_t, sizeof...(Parameters)>& memory_bytes,
                           const Lowered&... lowered) {
    std::size_t index = 0;
    const std::array<detail::KernelArgument, sizeof...(Parameters)> packed{argument(lowered, memory_bytes[index++])...};
    use(std::span<const detail::KernelArgument>(packed));
  }
  template <typename L>
  static detail::KernelArgument argument(const L& lowered, std::size_t memory_bytes) {
    const void* memory = nullptr;
    if constexpr (std::is_pointer_v<L>) memory = memory_bytes == 0 ? nullptr : lowered;
    // NOLINTNEXTLINE(bugprone-sizeof-expression): L is a pointer where a span is passed
    return {&lowered, sizeof(L), memory, memory_bytes};
  }

  detail::KernelFunction function_;
};

/// How run-time CUDA C is compiled. The defaults are those of vrt's own kernels.
struct CompileOptions {
  std::vector<std::string> extra;  ///< Appended to NVRTC's options as they are.
};

class KernelModule;

/// Kernels that are being compiled in the background. Copyable; copies share one result. Letting go of it neither waits nor
/// stops the work: the device keeps the result for the next who loads the source. A thread that has called `load_async` waits
/// at its end for what is being compiled; at the end of the process, by exit() or by the return of main, what has not begun is
/// dropped (kCancelled). To exit() while another thread is inside vrt is an error, as with any library.
class VRT_API PendingKernels {
 public:
  /// BLOCKS until they are ready. Throws what KernelModule::load would have thrown.
  [[nodiscard]] KernelModule get() const;
  /// True if `get` returns, or throws, at once. Never blocks.
  [[nodiscard]] bool is_ready() const;

 private:
  friend class KernelModule;
  using Module = std::shared_future<std::shared_ptr<const detail::ModuleBackend>>;
  explicit PendingKernels(Module module) noexcept;

  Module module_;
};

/// The compiled kernels of one source, for one device. Copyable; loading the same source again is cheap (cached).
class VRT_API KernelModule {
 public:
  /// On CUDA compiles the source for the device's architecture, or takes the result from the cache; on the CPU picks the
  /// best host build that this processor can run. May block: not for the hot path. Throws kUnavailable if CUDA or NVRTC are
  /// missing, kInvalidArgument with NVRTC's numbered log if the source does not compile.
  [[nodiscard]] static KernelModule load(Device device, const KernelSource& source);

  /// As `load`, in the background; several sources at once, each of them once however often it is asked for. `source.text`
  /// must outlive the work, as vrt_add_kernels()'s does. Throws only if the device cannot be used (kUnavailable, kDeviceLost);
  /// all else arrives at PendingKernels::get. On the CPU nothing is compiled: the result is ready.
  [[nodiscard]] static PendingKernels load_async(Device device, const KernelSource& source);

  /// Compiles CUDA C given at run time. CUDA only: on the CPU throws kUnsupported naming `name`.
  [[nodiscard]] static KernelModule compile(Device device, const std::string& name, const std::string& cuda_c,
                                            const CompileOptions& options = {});

  /// The kernel called `name`, whose C parameters must correspond to `Signature` (checked where the device can: sizes on
  /// CUDA, types on the CPU). Throws kNotFound listing the names there are.
  template <typename Signature>
  [[nodiscard]] Kernel<Signature> get(const char* name) const {
    return Kernel<Signature>(find(name, signature_of(static_cast<Signature*>(nullptr))));
  }

 private:
  friend class PendingKernels;
  explicit KernelModule(std::shared_ptr<const detail::ModuleBackend> backend) noexcept;
  template <typename... Parameters>
  static const KernelSignature& signature_of(void (*)(Parameters...)) {
    return host_signature<typename detail::Passing<Parameters>::Device...>();
  }
  [[nodiscard]] detail::KernelFunction find(const char* name, const KernelSignature& expected) const;

  std::shared_ptr<const detail::ModuleBackend> backend_;
};

}  // namespace vrt
