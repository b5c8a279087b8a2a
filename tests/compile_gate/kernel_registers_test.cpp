// What every kernel takes, for every architecture: a table for people, and a check that no kernel spills unseen.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

#include "tests/compile_gate/targets.h"
#include "vrt/device/cuda/kernel_resources.h"
#include "vrt/pipeline/kernel_list.h"

namespace vrt {
namespace {

// Kernels that may spill, each with the reason. Registers that go to memory cost time that no test sees otherwise.
const std::set<std::string> kMaySpill{
    // A few registers that wait for the end of a row while the loops over source rows run; none within these.
    "preprocess_antialiased", "preprocess_antialiased_yuv", "preprocess_crops_antialiased",
    "preprocess_crops_antialiased_yuv",
    // Three registers on sm_120, outside the loop over columns: half as many warps would cost more.
    "match_best_half"};

std::string row_of(const Target& target, const cuda::KernelResources& kernel) {
  return fmt::format("{:<6} {:<7} {:<30} {:>9} {:>6} {:>6} {:>12} {:>12}\n", target.nvrtc_major,
                     fmt::format("sm_{}", target.architecture), kernel.kernel, kernel.registers, kernel.shared_bytes,
                     kernel.stack_bytes, kernel.spill_store_bytes, kernel.spill_load_bytes);
}

TEST(KernelRegistersTest, NoProductionKernelSpillsUnlessItIsNamed) {
  std::string table = fmt::format("{:<6} {:<7} {:<30} {:>9} {:>6} {:>6} {:>12} {:>12}\n", "nvrtc", "arch", "kernel",
                                  "registers", "shared", "stack", "spill stores", "spill loads");
  std::set<std::string> spilled;
  std::size_t rows = 0;
  std::size_t kernels = 0;
  for (const Target& target : kTargets) {
    for (const KernelSource* source : all_kernel_sources()) {
      kernels += source->host_baseline.size();
      const auto build = cuda::production_build(source->file, source->text);
      for (const auto& kernel : cuda::measure_resources(compiler(target.nvrtc_major), build, target.architecture)) {
        ++rows;
        table += row_of(target, kernel);
        if (kernel.spill_store_bytes + kernel.spill_load_bytes > 0) spilled.insert(kernel.kernel);
      }
    }
  }
  std::ofstream(VRT_KERNEL_REGISTERS) << table;
  fmt::print("{}", table);
  EXPECT_EQ(rows, kernels) << "a kernel is missing in the compiler's report";
  EXPECT_EQ(spilled, kMaySpill) << "registers spill; name the kernel with a reason, or mend it. The table is in "
                                << VRT_KERNEL_REGISTERS;
}

}  // namespace
}  // namespace vrt
