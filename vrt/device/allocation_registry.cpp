#include "vrt/device/allocation_registry.h"

#include <iterator>
#include <utility>

namespace vrt::detail {

AllocationRegistry& AllocationRegistry::instance() {
  static auto* const registry = new AllocationRegistry;
  return *registry;
}

void AllocationRegistry::add(const void* data, std::size_t bytes, std::weak_ptr<const void> owner) {
  const std::lock_guard lock(mutex_);
  entries_[reinterpret_cast<std::uintptr_t>(data)] = {bytes, std::move(owner)};
}

void AllocationRegistry::remove(const void* data) noexcept {
  const std::lock_guard lock(mutex_);
  entries_.erase(reinterpret_cast<std::uintptr_t>(data));
}

std::shared_ptr<const void> AllocationRegistry::owner_of(const void* data, std::size_t bytes) const {
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  const std::lock_guard lock(mutex_);
  auto next = entries_.upper_bound(address);
  if (next == entries_.begin()) return nullptr;
  const auto& [start, entry] = *std::prev(next);
  const std::size_t offset = address - start;
  if (offset > entry.bytes || bytes > entry.bytes - offset) return nullptr;
  return entry.owner.lock();
}

}  // namespace vrt::detail
