#include "vrt/pipeline/kernel_list.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

namespace vrt {
namespace {

namespace fs = std::filesystem;

std::set<std::string> files_of_the_repository() {
  const fs::path root(VRT_SOURCE_DIR);
  std::set<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(root / "vrt")) {
    const bool is_of_tests = entry.path().string().find("/test_kernels/") != std::string::npos;
    if (entry.path().extension() == ".cu" && !is_of_tests) files.insert(fs::relative(entry.path(), root).string());
  }
  return files;
}

TEST(KernelListTest, HoldsEveryKernelFileOfTheRepositoryOnce) {
  std::set<std::string> listed;
  for (const KernelSource* source : all_kernel_sources()) {
    EXPECT_TRUE(listed.emplace(source->file).second) << source->file;
    EXPECT_FALSE(source->text.empty());
    EXPECT_FALSE(source->host_baseline.empty());
  }
  EXPECT_EQ(listed, files_of_the_repository());
  EXPECT_GE(listed.size(), 6U);
}

}  // namespace
}  // namespace vrt
