// For tests: runs a kernel with barriers as a GPU would see it, each thread of a block being a thread of the system.
//
//   vrt::GuardedBuffer<float> in(values), out(1);
//   vrt::emulate<void(vrt::DeviceSpan<const float>, vrt::DeviceSpan<float>, std::int32_t)>(
//       vrt::kernels::emulated::reduce_cu, "reduce", vrt::grid_1d(n, 64), {.seed = 7}, in.device(), out.device(), n);
//
// What it finds, as a vrt::Error that names the kernel, the block, the line and the lanes: barriers and warp operations that
// not all live lanes reach or whose masks leave a live lane out; lanes that wait for each other; writes outside GuardedBuffers
// and dynamic shared memory; misaligned __ldg; arguments that overlap. Shared memory is poisoned before each block, and blocks
// run in an order shuffled by the seed, so that what relies on either shows in the result. ThreadSanitizer sees races in shared
// memory, AddressSanitizer also sees reads outside. What it cannot show: memory order between blocks, launch limits, speed.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <span>

#include "vrt/device/emulator/emulated_source.h"
#include "vrt/device/emulator/guarded_buffer.h"
#include "vrt/device/kernel.h"

namespace vrt {

struct EmulationOptions {
  std::uint64_t seed = 1;  ///< Decides the order of the blocks.
  /// A block in which nothing happens for so long is stopped. Lanes that only wait for each other are found at once.
  std::chrono::milliseconds stall_after{30000};
};

namespace detail {
/// One argument as the emulator checks it.
struct EmulatedArgument {
  const void* value = nullptr;
  const void* memory = nullptr;  // A span's; nullptr for plain values.
  std::size_t memory_bytes = 0;
  bool is_written = false;
};

void emulate(const EmulatedSource& source, const char* name, const KernelSignature& signature, const LaunchShape& shape,
             const EmulationOptions& options, std::span<const EmulatedArgument> arguments);

template <typename P>
struct EmulatedPassing {
  explicit EmulatedPassing(const P& parameter) : value(Passing<P>::lower(parameter)) {}
  [[nodiscard]] EmulatedArgument argument() const { return {&value, nullptr, 0, false}; }
  typename Passing<P>::Device value;
};
template <typename T>
struct EmulatedPassing<DeviceSpan<T>> {
  explicit EmulatedPassing(const DeviceSpan<T>& span) : value(span.data()), bytes(span.size_bytes()) {}
  [[nodiscard]] EmulatedArgument argument() const { return {&value, value, bytes, !std::is_const_v<T>}; }
  T* value;
  std::size_t bytes;
};

template <typename... Parameters, typename... Arguments>
  requires(sizeof...(Arguments) == sizeof...(Parameters) && (ArgumentFor<Arguments, Parameters> && ...))
void emulate_typed(void (*)(Parameters...), const EmulatedSource& source, const char* name, const LaunchShape& shape,
                   const EmulationOptions& options, const Arguments&... arguments) {
  const KernelSignature& signature = host_signature<typename Passing<Parameters>::Device...>();
  const auto run = [&](const auto&... passed) {
    const std::array<EmulatedArgument, sizeof...(passed)> packed{passed.argument()...};
    emulate(source, name, signature, shape, options, packed);
  };
  run(EmulatedPassing<Parameters>(Parameters(arguments))...);
}
}  // namespace detail

/// BLOCKS: runs all blocks of a launch. `Signature` and the arguments are as for vrt::Kernel; spans refer to ordinary memory,
/// best that of GuardedBuffers. Throws Error: kNotFound for an unknown kernel, kInvalidArgument for a wrong signature, shape
/// or overlapping spans, kInternal for what the kernel did wrong, after which results are unspecified. A kernel that never
/// returns and waits for nobody ends the process, with its lanes' states on standard error.
template <typename Signature, typename... Arguments>
void emulate(const EmulatedSource& source, const char* name, const LaunchShape& shape, const EmulationOptions& options,
             const Arguments&... arguments) {
  detail::emulate_typed(static_cast<Signature*>(nullptr), source, name, shape, options, arguments...);
}

}  // namespace vrt
