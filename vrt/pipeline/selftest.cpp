#include "vrt/pipeline/selftest.h"

#include <algorithm>
#include <exception>
#include <iterator>

#include "vrt/pipeline/selftest_contract.h"
#include "vrt/pipeline/selftest_kernels.h"

namespace vrt {

namespace {

CheckReport run_one(Device device, const SelfTestCheck& check) {
  CheckReport report{check.name, CheckResult::kPassed, {}, {}};
  const auto start = std::chrono::steady_clock::now();
  try {
    report.detail = check.run(device);
  } catch (const CheckNotRun& reason) {
    report.result = CheckResult::kNotRun;
    report.detail = reason.what();
  } catch (const std::exception& failure) {
    report.result = CheckResult::kFailed;
    report.detail = failure.what();
  }
  report.time = std::chrono::steady_clock::now() - start;
  return report;
}

}  // namespace

std::string_view to_string(CheckResult result) noexcept {
  switch (result) {
    case CheckResult::kPassed: return "ok";
    case CheckResult::kFailed: return "FAILED";
    case CheckResult::kNotRun: return "not run";
  }
  return "unknown";
}

std::vector<SelfTestCheck> selftest_checks(const SelfTestOptions& options) {
  std::vector<SelfTestCheck> checks = kernel_checks();
  std::ranges::move(contract_checks(options), std::back_inserter(checks));
  return checks;
}

std::vector<CheckReport> run_selftest(Device device, std::span<const SelfTestCheck> checks,
                                      const std::function<void(const CheckReport&)>& done) {
  std::vector<CheckReport> reports;
  for (const SelfTestCheck& check : checks) {
    reports.push_back(run_one(device, check));
    if (done) done(reports.back());
  }
  return reports;
}

CheckResult verdict_of(std::span<const CheckReport> reports) noexcept {
  const auto any = [&](CheckResult result) {
    return std::ranges::any_of(reports, [&](const CheckReport& report) { return report.result == result; });
  };
  if (any(CheckResult::kFailed)) return CheckResult::kFailed;
  return any(CheckResult::kNotRun) || reports.empty() ? CheckResult::kNotRun : CheckResult::kPassed;
}

}  // namespace vrt
