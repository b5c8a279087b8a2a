// What the build makes of a kernel for the host: a function that runs a range of a launch's blocks.
// Includes nothing heavy: generated files and *_host.cpp files, built for several instruction sets, include it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <typeinfo>

namespace vrt {

struct Dim3 {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;
  friend bool operator==(const Dim3&, const Dim3&) = default;
};

/// A launch: blocks, threads in each, dynamic shared memory in each.
struct LaunchShape {
  Dim3 grid;
  Dim3 block;
  std::uint32_t shared_bytes = 0;

  [[nodiscard]] constexpr std::uint64_t block_count() const noexcept { return std::uint64_t{grid.x} * grid.y * grid.z; }
  friend bool operator==(const LaunchShape&, const LaunchShape&) = default;
};

/// The part of a launch that one call runs: blocks [first, first + count) in x-fastest order.
struct HostBlocks {
  LaunchShape shape;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

/// A kernel's parameter types, as the host sees them; compared by identity of the types.
struct KernelSignature {
  const std::type_info* function = nullptr;  ///< typeid(void(Parameters...))
  std::size_t parameter_count = 0;
  const std::uint32_t* parameter_bytes = nullptr;
};

template <typename... Parameters>
[[nodiscard]] const KernelSignature& host_signature() {
  // NOLINTNEXTLINE(bugprone-sizeof-expression): parameters are pointers, too
  static constexpr std::uint32_t kBytes[] = {static_cast<std::uint32_t>(sizeof(Parameters))..., 0};
  static const KernelSignature signature{&typeid(void(Parameters...)), sizeof...(Parameters), kBytes};
  return signature;
}

/// A kernel compiled for the host.
struct HostKernel {
  const char* name = "";
  const KernelSignature& (*signature)() = nullptr;
  /// Runs the blocks in the calling thread. `arguments[i]` points to the value of parameter i.
  void (*run)(const HostBlocks& blocks, const void* const* arguments) = nullptr;
};

}  // namespace vrt
