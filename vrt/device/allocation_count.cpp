#include "vrt/device/allocation_count.h"

#include <cstdlib>
#include <new>

namespace {
thread_local std::uint64_t allocations = 0;  // By operator new, on this thread.

std::size_t count_and_size(std::size_t bytes) {
  ++allocations;
  return bytes == 0 ? 1 : bytes;
}
void* allocate_counted(std::size_t bytes) {
  void* const data = std::malloc(count_and_size(bytes));
  if (data == nullptr) throw std::bad_alloc();
  return data;
}
void* allocate_counted(std::size_t bytes, std::align_val_t alignment) {
  void* data = nullptr;
  if (posix_memalign(&data, static_cast<std::size_t>(alignment), count_and_size(bytes)) != 0) throw std::bad_alloc();
  return data;
}
}  // namespace

// The whole binary allocates through these.
void* operator new(std::size_t bytes) { return allocate_counted(bytes); }
void* operator new[](std::size_t bytes) { return allocate_counted(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment) { return allocate_counted(bytes, alignment); }
void* operator new[](std::size_t bytes, std::align_val_t alignment) { return allocate_counted(bytes, alignment); }
// Sanitizers bring nothrow versions of their own, whose memory free() may not take: these keep new and delete a pair.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return std::malloc(count_and_size(bytes)); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return std::malloc(count_and_size(bytes)); }
void operator delete(void* data) noexcept { std::free(data); }
void operator delete[](void* data) noexcept { std::free(data); }
void operator delete(void* data, std::size_t) noexcept { std::free(data); }
void operator delete[](void* data, std::size_t) noexcept { std::free(data); }
void operator delete(void* data, std::align_val_t) noexcept { std::free(data); }
void operator delete[](void* data, std::align_val_t) noexcept { std::free(data); }
void operator delete(void* data, std::size_t, std::align_val_t) noexcept { std::free(data); }
void operator delete[](void* data, std::size_t, std::align_val_t) noexcept { std::free(data); }

// In a file of its own: inlined into callers, GCC takes free() for a mismatch of their new.
std::uint64_t vrt::test::allocation_count() noexcept { return allocations; }
