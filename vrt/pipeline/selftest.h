// Internal: Whether vrt can be trusted on this machine: what a device computes against the CPU's baseline build, its clock
// against the host's, its counts against the contract.
//
//   const auto reports = vrt::run_selftest(device, vrt::selftest_checks({.model = "centerface.onnx"}), print_one);
//   return vrt::verdict_of(reports) == vrt::CheckResult::kPassed ? 0 : 1;
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "vrt/device/device.h"

namespace vrt {

enum class CheckResult {
  kPassed,
  kFailed,  ///< What was found is not what was expected, or something was thrown.
  kNotRun,  ///< This machine lacks what the check needs; says nothing good or bad.
};

/// "ok", "FAILED", "not run". Static storage.
[[nodiscard]] std::string_view to_string(CheckResult result) noexcept;

/// Thrown by a check that cannot run here; the text says why.
class CheckNotRun : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One check. `run` returns what was compared and throws if it does not hold: anything for a failure, CheckNotRun.
struct SelfTestCheck {
  std::string name;
  std::function<std::string(Device)> run;
};

/// What became of one.
struct CheckReport {
  std::string name;
  CheckResult result = CheckResult::kNotRun;
  std::string detail;  ///< What was compared, what is wrong, or why it was not run.
  std::chrono::duration<double, std::milli> time{};
};

/// What the machine has for checks of networks.
struct SelfTestOptions {
  std::filesystem::path model;  ///< A CenterFace network; empty if there is none.
  std::string model_problem;    ///< Then: why.
};

/// Every check, in the order in which they are best run.
[[nodiscard]] std::vector<SelfTestCheck> selftest_checks(const SelfTestOptions& options);

/// BLOCKS: runs one after the other and calls `done` behind each. Throws only what `done` throws.
std::vector<CheckReport> run_selftest(Device device, std::span<const SelfTestCheck> checks,
                                      const std::function<void(const CheckReport&)>& done = {});

/// kFailed if any check failed; else kNotRun if any was not run, or there is none; else kPassed.
[[nodiscard]] CheckResult verdict_of(std::span<const CheckReport> reports) noexcept;

}  // namespace vrt
