#include "vrt/device/emulator/guarded_buffer.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>

#include <fmt/format.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace vrt {

namespace {
constexpr std::size_t kZoneBytes = 256;  // Also the alignment.
constexpr std::byte kZoneByte{0xA5};
// As a float a NaN, as an int 2144194509, as bytes 0xCD and 0x7F.
constexpr std::array<std::uint8_t, 4> kPattern{0xCD, 0xCD, 0xCD, 0x7F};

struct Registry {
  std::mutex mutex;
  std::vector<const GuardedMemory*> buffers;
};
Registry& registry() {
  static Registry instance;
  return instance;
}

void forbid(const std::byte* zone, std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  ASAN_POISON_MEMORY_REGION(zone, bytes);
#else
  static_cast<void>(zone);
  static_cast<void>(bytes);
#endif
}
void allow(const std::byte* zone, std::size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  ASAN_UNPOISON_MEMORY_REGION(zone, bytes);
#else
  static_cast<void>(zone);
  static_cast<void>(bytes);
#endif
}

/// The index of the zone's first changed byte, or kZoneBytes.
std::size_t first_change(const std::byte* zone) {
  allow(zone, kZoneBytes);
  const auto* found = std::find_if(zone, zone + kZoneBytes, [](std::byte b) { return b != kZoneByte; });
  forbid(zone, kZoneBytes);
  return static_cast<std::size_t>(found - zone);
}
}  // namespace

void poison(std::span<std::byte> memory) noexcept {
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = std::byte{kPattern[i % kPattern.size()]};
}

GuardedMemory::GuardedMemory(std::size_t bytes)
    : bytes_(bytes),
      allocation_(static_cast<std::byte*>(::operator new(bytes + 2 * kZoneBytes, std::align_val_t{kZoneBytes}))),
      data_(allocation_ + kZoneBytes) {
  std::memset(allocation_, static_cast<int>(kZoneByte), kZoneBytes);
  std::memset(data_ + bytes_, static_cast<int>(kZoneByte), kZoneBytes);
  poison();
  forbid(allocation_, kZoneBytes);
  forbid(data_ + bytes_, kZoneBytes);
  const std::lock_guard lock(registry().mutex);
  registry().buffers.push_back(this);
}

GuardedMemory::~GuardedMemory() {
  {
    const std::lock_guard lock(registry().mutex);
    std::erase(registry().buffers, this);
  }
  allow(allocation_, kZoneBytes);
  allow(data_ + bytes_, kZoneBytes);
  ::operator delete(allocation_, std::align_val_t{kZoneBytes});
}

void GuardedMemory::poison() noexcept { vrt::poison({data_, bytes_}); }

std::string GuardedMemory::describe_damage() const {
  const std::size_t after = first_change(data_ + bytes_);
  if (after < kZoneBytes) return fmt::format("a write {} bytes behind the end of a buffer of {} bytes", after, bytes_);
  const std::size_t before = first_change(allocation_);
  if (before < kZoneBytes) {
    return fmt::format("a write {} bytes before a buffer of {} bytes", kZoneBytes - before, bytes_);
  }
  return {};
}

std::string GuardedMemory::describe_any_damage() {
  const std::lock_guard lock(registry().mutex);
  for (const GuardedMemory* buffer : registry().buffers) {
    if (std::string damage = buffer->describe_damage(); !damage.empty()) return damage;
  }
  return {};
}

}  // namespace vrt
