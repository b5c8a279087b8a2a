// Internal: which live vrt allocation a pointer belongs to. Asked only while graphs are captured or changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace vrt::detail {

class AllocationRegistry {
 public:
  /// The process's registry, never destroyed.
  [[nodiscard]] static AllocationRegistry& instance();

  void add(const void* data, std::size_t bytes, std::weak_ptr<const void> owner);
  void remove(const void* data) noexcept;
  /// The owner of the allocation that contains all of [data, data + bytes); nullptr if there is none.
  [[nodiscard]] std::shared_ptr<const void> owner_of(const void* data, std::size_t bytes) const;

 private:
  struct Entry {
    std::size_t bytes = 0;
    std::weak_ptr<const void> owner;
  };

  mutable std::mutex mutex_;
  std::map<std::uintptr_t, Entry> entries_;
};

}  // namespace vrt::detail
