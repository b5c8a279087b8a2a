#include "vrt/pipeline/allocation_counter.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <thread>

namespace {

thread_local std::uint64_t allocations = 0;

void* counted(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  // aligned_alloc wants a whole number of alignments.
  void* memory = std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return counted(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) { return counted(bytes, std::size_t(alignment)); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace vrt::test {

std::uint64_t allocations_of_this_thread() noexcept { return allocations; }

namespace {

TEST(AllocationCounterTest, SeesThisThreadsAllocationsOnly) {
  const auto before = allocations_of_this_thread();
  const auto one = std::make_unique<int>(1);
  const auto many = std::make_unique<std::string[]>(100);
  EXPECT_EQ(allocations_of_this_thread() - before, 2U);
  std::uint64_t of_other = 0;
  std::thread other([&] {
    const auto start = allocations_of_this_thread();
    const auto text = std::make_unique<std::string>(1000, 'x');
    of_other = allocations_of_this_thread() - start;
  });
  const auto after_start = allocations_of_this_thread();
  other.join();
  EXPECT_EQ(of_other, 2U);
  EXPECT_EQ(allocations_of_this_thread(), after_start);
}

}  // namespace
}  // namespace vrt::test
