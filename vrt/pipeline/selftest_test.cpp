#include "vrt/pipeline/selftest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <list>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/device/cpu/host_build.h"
#include "vrt/pipeline/kernel_list.h"
#include "vrt/pipeline/selftest_kernels.h"

namespace vrt {
namespace {

using ::testing::HasSubstr;

// The kernel to break: which argument is its output, and which byte of it gets other bits. The byte is one that the kernel's
// first block writes and that later kernels can take for a result.
struct Fault {
  const char* kernel;
  std::size_t argument;
  std::size_t byte;
  unsigned char flip;
};
constexpr std::array<Fault, 28> kFaults{{{"preprocess_bilinear", 3, 0, 1},
                                         {"preprocess_bilinear_nv12", 3, 0, 1},
                                         {"preprocess_antialiased", 3, 0, 1},
                                         {"preprocess_antialiased_yuv", 3, 0, 1},
                                         {"preprocess_crops_bilinear", 5, 0, 1},
                                         {"preprocess_crops_bilinear_nv12", 5, 0, 1},
                                         {"preprocess_crops_antialiased", 5, 0, 1},
                                         {"preprocess_crops_antialiased_yuv", 5, 0, 1},
                                         {"centerface_collect", 3, 6, 0x80},
                                         {"centerface_decode_boxes", 5, 2, 0x40},
                                         {"centerface_gather", 10, 0, 1},
                                         {"nms_mask", 4, 0, 2},
                                         {"nms_reduce", 3, 0, 1},
                                         {"rank_candidates", 4, 0, 1},
                                         {"select_candidates", 2, 6, 0x40},
                                         {"merge_candidates", 3, 0, 1},
                                         {"rank_tiles", 5, 0, 1},
                                         {"find_few", 5, 3, 0x40},
                                         {"suppress_ranked", 9, 0, 1},
                                         {"upsample_masks", 5, 0, 1},
                                         {"yolo_gather_points", 4, 3, 0x40},
                                         {"yolo_mask_logits", 7, 3, 0x80},
                                         {"yolo_take_rows", 5, 0, 1},
                                         {"yolo_score_cells", 2, 3, 0x80},
                                         {"rfdetr_gather_points", 6, 3, 0x40},
                                         {"rfdetr_token_weights", 4, 3, 0x40},
                                         {"rfdetr_pool_tokens", 4, 3, 0x80},
                                         {"rfdetr_normalise", 3, 3, 0x80}}};

// Of the kernels behind dense results: XFeat and its matcher, depth, embeddings, classes.
constexpr std::array<Fault, 16> kDenseFaults{{{"match_best", 6, 0, 1},
                                              {"match_best_half", 8, 0, 1},
                                              {"match_halves", 6, 1, 0x40},
                                              {"match_collect", 5, 0, 1},
                                              {"xfeat_peaks", 5, 7, 0x40},
                                              {"xfeat_select", 7, 8189, 0x10},  // 4096 keys in the greatest bin.
                                              {"xfeat_survivors", 6, 7, 0x40},
                                              {"xfeat_rank", 4, 7, 0x40},
                                              {"xfeat_describe", 4, 0, 1},
                                              {"depth_resample", 1, 0, 1},
                                              {"depth_range", 3, 3, 0x80},
                                              {"depth_colors", 5, 0, 1},
                                              {"osnet_counts", 4, 0, 1},
                                              {"osnet_embed", 3, 0, 1},
                                              {"classify_keys", 2, 7, 0x40},
                                              {"classify_scores", 6, 0, 1}}};

std::vector<Fault> all_faults() {
  std::vector<Fault> faults(kFaults.begin(), kFaults.end());
  faults.insert(faults.end(), kDenseFaults.begin(), kDenseFaults.end());
  return faults;
}

// The host builds of the kernels with one of them broken.
class BrokenKernel {
 public:
  explicit BrokenKernel(const Fault& fault) : scope_([this](const KernelSource& source) { return build_of(source); }) {
    fault_ = fault;
  }
  [[nodiscard]] bool was_loaded() const { return was_loaded_; }

 private:
  static void run_broken(const HostBlocks& blocks, const void* const* arguments) {
    real_(blocks, arguments);
    if (blocks.first != 0) return;
    unsigned char* output = nullptr;
    std::memcpy(&output, arguments[fault_.argument], sizeof output);
    output[fault_.byte] ^= fault_.flip;
  }
  std::span<const HostKernel> build_of(const KernelSource& source) {
    kernels_.push_back({source.host_baseline.begin(), source.host_baseline.end()});
    for (HostKernel& kernel : kernels_.back()) {
      if (std::string(kernel.name) != fault_.kernel) continue;
      real_ = kernel.run;
      kernel.run = &run_broken;
      was_loaded_ = true;
    }
    return kernels_.back();
  }

  static inline Fault fault_{};
  static inline decltype(HostKernel::run) real_ = nullptr;
  std::list<std::vector<HostKernel>> kernels_;
  bool was_loaded_ = false;
  cpu::ScopedHostBuild scope_;
};

std::vector<std::string> failed_of(const std::vector<CheckReport>& reports) {
  std::vector<std::string> names;
  for (const CheckReport& report : reports) {
    if (report.result == CheckResult::kFailed) names.push_back(report.name);
  }
  return names;
}

TEST(SelfTestTest, ABrokenKernelIsFoundWhicheverItIs) {
  for (const Fault& fault : all_faults()) {
    const BrokenKernel broken(fault);
    const auto reports = run_selftest(Device::cpu(), kernel_checks());
    EXPECT_TRUE(broken.was_loaded()) << fault.kernel;
    EXPECT_FALSE(failed_of(reports).empty()) << fault.kernel << " is broken, and no check says so";
    EXPECT_EQ(verdict_of(reports), CheckResult::kFailed) << fault.kernel;
  }
}

TEST(SelfTestTest, EveryKernelIsAmongThoseBroken) {
  std::set<std::string> all;
  for (const KernelSource* source : all_kernel_sources()) {
    for (const HostKernel& kernel : source->host_baseline) all.insert(kernel.name);
  }
  std::set<std::string> broken;
  for (const Fault& fault : all_faults()) broken.insert(fault.kernel);
  EXPECT_EQ(broken, all) << "a new kernel needs a check in selftest_kernels.cpp and a line here";
}

// The same builds under another address, so that there is something to compare: all is well.
TEST(SelfTestTest, SoundKernelsPass) {
  std::list<std::vector<HostKernel>> copies;
  const cpu::ScopedHostBuild copied([&](const KernelSource& source) {
    copies.emplace_back(source.host_baseline.begin(), source.host_baseline.end());
    return std::span<const HostKernel>(copies.back());
  });
  const auto reports = run_selftest(Device::cpu(), kernel_checks());
  for (const CheckReport& report : reports)
    EXPECT_EQ(report.result, CheckResult::kPassed) << report.name << report.detail;
  EXPECT_EQ(reports.size(), kernel_checks().size());
}

TEST(SelfTestTest, TheReferenceIsNotComparedWithItself) {
  const cpu::ScopedHostBuild baseline([](const KernelSource& source) { return source.host_baseline; });
  for (const CheckReport& report : run_selftest(Device::cpu(), kernel_checks())) {
    EXPECT_EQ(report.result, CheckResult::kNotRun) << report.name;
    EXPECT_THAT(report.detail, HasSubstr("baseline"));
  }
}

class SelfTestDevicesTest : public ::testing::TestWithParam<Device> {};

TEST_P(SelfTestDevicesTest, EveryCheckPassesOrSaysWhyNot) {
  const auto reports = run_selftest(GetParam(), selftest_checks({VRT_TEST_CENTERFACE, {}}));
  for (const CheckReport& report : reports) {
    EXPECT_NE(report.result, CheckResult::kFailed) << report.name << ": " << report.detail;
    EXPECT_FALSE(report.detail.empty()) << report.name;
    EXPECT_GT(report.time.count(), 0) << report.name;
    if (report.name == "network") {
      EXPECT_EQ(report.result == CheckResult::kPassed, GetParam().is_cpu()) << report.detail;
    }
  }
  EXPECT_NE(verdict_of(reports), CheckResult::kFailed);
}

INSTANTIATE_TEST_SUITE_P(Devices, SelfTestDevicesTest, ::testing::ValuesIn(Device::all()), [](const auto& tested) {
  return tested.param.is_cpu() ? std::string("cpu") : "cuda" + std::to_string(tested.param.ordinal());
});

TEST(SelfTestTest, WithoutAModelTheNetworkIsNotRun) {
  const auto reports = run_selftest(Device::cpu(), selftest_checks({{}, "no file of that name"}));
  EXPECT_EQ(reports.back().name, "network");
  EXPECT_EQ(reports.back().result, CheckResult::kNotRun);
  EXPECT_EQ(reports.back().detail, "no file of that name");
  EXPECT_EQ(verdict_of(reports), CheckResult::kNotRun);
}

TEST(SelfTestTest, TheVerdictIsTheWorst) {
  const auto verdict = [](std::vector<CheckResult> results) {
    std::vector<CheckReport> reports;
    for (const CheckResult result : results) reports.push_back({"check", result, {}, {}});
    return verdict_of(reports);
  };
  using enum CheckResult;
  EXPECT_EQ(verdict({}), kNotRun) << "nothing was shown";
  EXPECT_EQ(verdict({kPassed, kPassed}), kPassed);
  EXPECT_EQ(verdict({kPassed, kNotRun}), kNotRun);
  EXPECT_EQ(verdict({kNotRun, kFailed, kPassed}), kFailed);
}

TEST(SelfTestTest, WhatACheckThrowsIsItsDetailAndTheNextOneRuns) {
  const std::vector<SelfTestCheck> checks{
      {"throws", [](Device) -> std::string { throw Error(ErrorCode::kBackend, "wrong bits"); }},
      {"cannot", [](Device) -> std::string { throw CheckNotRun("no camera"); }},
      {"holds", [](Device) { return std::string("3 of 3"); }}};
  std::vector<std::string> said;
  const auto reports =
      run_selftest(Device::cpu(), checks, [&](const CheckReport& report) { said.push_back(report.name); });
  EXPECT_EQ(said, (std::vector<std::string>{"throws", "cannot", "holds"}));
  EXPECT_EQ(reports[0].detail, "wrong bits");
  EXPECT_EQ(reports[1].detail, "no camera");
  EXPECT_EQ(reports[2].detail, "3 of 3");
}

}  // namespace
}  // namespace vrt
