// For tests: memory with guard zones on both sides, which emulate() checks after each block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "vrt/device/memory.h"

namespace vrt {

/// Bytes between two zones of a known pattern; registered as long as it lives. AddressSanitizer traps any use of a zone.
class GuardedMemory {
 public:
  /// Aligned to 256 bytes, filled with a pattern that is NaN as float and no plausible number otherwise.
  explicit GuardedMemory(std::size_t bytes);
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_; }
  void poison() noexcept;

  /// Empty if both zones are untouched; else how far outside the first changed byte lies.
  [[nodiscard]] std::string describe_damage() const;
  /// That of any buffer in the process.
  [[nodiscard]] static std::string describe_any_damage();

 private:
  std::size_t bytes_;
  std::byte* allocation_;
  std::byte* data_;
};

/// Fills memory with the pattern of GuardedMemory.
void poison(std::span<std::byte> memory) noexcept;

/// Elements for a kernel under test. Until written they hold the pattern.
template <typename T>
class GuardedBuffer {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>);

 public:
  explicit GuardedBuffer(std::size_t count) : memory_(count * sizeof(T)) {}
  explicit GuardedBuffer(const std::vector<T>& values) : GuardedBuffer(values.size()) {
    std::copy(values.begin(), values.end(), host().begin());
  }

  [[nodiscard]] DeviceSpan<T> device() noexcept { return DeviceSpan<T>::from_raw(raw(), size()); }
  [[nodiscard]] DeviceSpan<const T> device() const noexcept { return DeviceSpan<const T>::from_raw(raw(), size()); }
  [[nodiscard]] std::span<T> host() noexcept { return {raw(), size()}; }
  [[nodiscard]] std::span<const T> host() const noexcept { return {raw(), size()}; }
  [[nodiscard]] std::vector<T> values() const { return {raw(), raw() + size()}; }
  [[nodiscard]] std::size_t size() const noexcept { return memory_.size() / sizeof(T); }
  /// Empty if nothing was written outside.
  [[nodiscard]] std::string damage() const { return memory_.describe_damage(); }

 private:
  [[nodiscard]] T* raw() const noexcept { return reinterpret_cast<T*>(memory_.data()); }

  GuardedMemory memory_;
};

}  // namespace vrt
