#include "vrt/device/cuda/kernel_cache.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "vrt/base/testing/scoped.h"

namespace vrt::cuda {
namespace {

namespace fs = std::filesystem;

class KernelCacheTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kRoomy = 1U << 20U;
  const CompiledKernels kernels_{std::string("\x7f"
                                             "ELF\0machine code",
                                             17),
                                 "sm_90",
                                 {}};
  vrt::testing::ScopedFolder root_;
  fs::path folder_ = root_.path() / "kernels";
};

TEST_F(KernelCacheTest, WhatWasStoredIsFound) {
  const KernelCache cache(folder_, {}, kRoomy);
  EXPECT_FALSE(cache.find("a").has_value());
  cache.store("a", kernels_);
  const auto found = cache.find("a");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->image, kernels_.image);
  EXPECT_EQ(found->target, "sm_90");
}

TEST_F(KernelCacheTest, ADamagedEntryIsAsGoodAsNone) {
  const KernelCache cache(folder_, {}, kRoomy);
  cache.store("a", kernels_);
  const fs::path entry = fs::directory_iterator(folder_)->path();
  const auto bytes = fs::file_size(entry);
  for (std::uintmax_t at = 0; at < bytes; ++at) {
    std::fstream file(entry, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const int original = file.get();
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(original ^ 1));
    file.close();
    EXPECT_FALSE(cache.find("a").has_value()) << "byte " << at;
    std::fstream repair(entry, std::ios::in | std::ios::out | std::ios::binary);
    repair.seekp(static_cast<std::streamoff>(at));
    repair.put(static_cast<char>(original));
  }
  EXPECT_TRUE(cache.find("a").has_value());
  fs::resize_file(entry, bytes / 2);
  EXPECT_FALSE(cache.find("a").has_value());
}

TEST_F(KernelCacheTest, TheOldestEntriesGoWhenTheLimitIsReached) {
  const KernelCache cache(folder_, {}, 300);
  for (int i = 0; i < 6; ++i) {
    cache.store(std::to_string(i), kernels_);
    fs::last_write_time(folder_ / (std::to_string(i) + ".kernels"),
                        fs::file_time_type::clock::now() - std::chrono::minutes(10 - i));
  }
  EXPECT_LE(cache.usage().bytes, 300U);
  EXPECT_FALSE(cache.find("0").has_value());
  EXPECT_TRUE(cache.find("5").has_value());
}

TEST_F(KernelCacheTest, TheSeedFolderIsOnlyRead) {
  KernelCache(folder_ / "seed", {}, kRoomy).store("a", kernels_);
  const KernelCache cache(folder_ / "own", folder_ / "seed", kRoomy);
  EXPECT_TRUE(cache.find("a").has_value());
  EXPECT_EQ(cache.clear().entry_count, 0U);
  EXPECT_TRUE(cache.find("a").has_value());
}

TEST_F(KernelCacheTest, AFolderThatCannotBeMadeIsNoFailure) {
  std::ofstream(folder_).put('x');  // A file where the folder should be.
  const KernelCache cache(folder_ / "below", {}, kRoomy);
  EXPECT_NO_THROW(cache.store("a", kernels_));
  EXPECT_FALSE(cache.find("a").has_value());
}

TEST_F(KernelCacheTest, ManyWritersOfOneEntryLeaveASoundOne) {
  const KernelCache cache(folder_, {}, kRoomy);
  std::vector<std::thread> writers;
  for (int i = 0; i < 8; ++i) writers.emplace_back([&] { cache.store("a", kernels_); });
  for (std::thread& writer : writers) writer.join();
  EXPECT_TRUE(cache.find("a").has_value());
  EXPECT_EQ(cache.usage().entry_count, 1U);
}

TEST(KernelCacheKeyTest, EverythingThatDecidesTheResultChangesTheDigest) {
  const std::vector<std::string> options{"--fmad=false"};
  const std::vector<std::string> others{"--fmad=true"};
  const std::vector<std::string> split{"--fmad", "=false"};
  const KernelCacheKey key{"source", options, 90, "build"};
  std::set<std::string> digests{digest_of(key)};
  for (KernelCacheKey changed :
       {KernelCacheKey{"Source", options, 90, "build"}, KernelCacheKey{"source", others, 90, "build"},
        KernelCacheKey{"source", split, 90, "build"}, KernelCacheKey{"source", options, 80, "build"},
        KernelCacheKey{"source", options, 90, "other"}}) {
    EXPECT_TRUE(digests.insert(digest_of(changed)).second);
  }
}

}  // namespace
}  // namespace vrt::cuda
