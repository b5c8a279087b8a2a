#include "vrt/device/memory.h"

#include <limits>

#include "vrt/base/fail.h"
#include "vrt/device/allocation_registry.h"
#include "vrt/device/backend.h"

namespace vrt::detail {

class Allocation {
 public:
  Allocation(const Stream& stream, std::size_t bytes)
      : stream_(stream), data_(stream.backend().allocate(bytes)), bytes_(bytes) {}
  ~Allocation() {
    AllocationRegistry::instance().remove(data_);
    stream_.backend().free(data_, bytes_);
  }
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;

  [[nodiscard]] void* data() const noexcept { return data_; }
  [[nodiscard]] const Stream& stream() const noexcept { return stream_; }

 private:
  Stream stream_;
  void* data_;
  std::size_t bytes_;
};

class PinnedAllocation {
 public:
  PinnedAllocation(Device device, std::size_t bytes)
      : backend_(backend_of(device)), memory_(backend_.allocate_pinned(bytes)), bytes_(bytes) {}
  ~PinnedAllocation() {
    AllocationRegistry::instance().remove(memory_.host);
    backend_.free_pinned(memory_.host, bytes_);
  }
  PinnedAllocation(const PinnedAllocation&) = delete;
  PinnedAllocation& operator=(const PinnedAllocation&) = delete;

  [[nodiscard]] const DeviceBackend::Pinned& memory() const noexcept { return memory_; }

 private:
  DeviceBackend& backend_;
  DeviceBackend::Pinned memory_;
  std::size_t bytes_;
};

namespace {

const char* name_of(CopyKind kind) {
  switch (kind) {
    case CopyKind::kUpload: return "upload";
    case CopyKind::kReadBack: return "read-back";
    case CopyKind::kDeviceToDevice: return "copy";
  }
  return "copy";
}

bool overlap(const void* a, const void* b, std::size_t bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(a);
  const auto second = reinterpret_cast<std::uintptr_t>(b);
  return (first > second ? first - second : second - first) < bytes;
}

void require_copyable(CopyKind kind, const void* from, const void* to, std::size_t bytes) {
  require(from != nullptr && to != nullptr, "{} of {} bytes: the {} is null", name_of(kind), bytes,
          from == nullptr ? "source" : "destination");
  require(!overlap(from, to, bytes), "{} of {} bytes: source and destination overlap", name_of(kind), bytes);
}

}  // namespace

std::size_t bytes_of(std::size_t count, std::size_t element_bytes) {
  if (count > std::numeric_limits<std::size_t>::max() / element_bytes) {
    fail(ErrorCode::kOutOfMemory, "could not allocate {} elements of {} bytes: more than can be addressed", count,
         element_bytes);
  }
  return count * element_bytes;
}

std::shared_ptr<Allocation> allocate_device(const Stream& stream, std::size_t bytes) {
  auto allocation = std::make_shared<Allocation>(stream, bytes);
  AllocationRegistry::instance().add(allocation->data(), bytes, allocation);
  return allocation;
}

void* data_of(const Allocation& allocation) noexcept { return allocation.data(); }
Stream stream_of(const Allocation& allocation) { return allocation.stream(); }

std::shared_ptr<PinnedAllocation> allocate_pinned(Device device, std::size_t bytes) {
  auto allocation = std::make_shared<PinnedAllocation>(device, bytes);
  AllocationRegistry::instance().add(allocation->memory().host, bytes, allocation);
  return allocation;
}

void* data_of(const PinnedAllocation& allocation) noexcept { return allocation.memory().host; }
void* device_data_of(const PinnedAllocation& allocation) noexcept { return allocation.memory().device; }

void copy_bytes(const Stream& stream, CopyKind kind, const void* from, void* to, std::size_t bytes) {
  if (bytes == 0) return;
  require_copyable(kind, from, to, bytes);
  stream.backend().copy(kind, from, to, bytes);
}

void copy_bytes_blocking(const Stream& stream, CopyKind kind, const void* from, void* to, std::size_t bytes) {
  if (bytes == 0) return;
  require_copyable(kind, from, to, bytes);
  stream.backend().copy_blocking(kind, from, to, bytes);
}

void fill_bytes(const Stream& stream, void* to, std::uint8_t value, std::size_t bytes) {
  if (bytes == 0) return;
  require(to != nullptr, "fill of {} bytes: the destination is null", bytes);
  stream.backend().fill(to, value, bytes);
}

void require_equal_counts(std::size_t from, std::size_t to, const char* operation) {
  require(from == to, "{}: the source has {} elements, the destination {}; they must be equal", operation, from, to);
}

}  // namespace vrt::detail
