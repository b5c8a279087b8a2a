#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "apps/vrt/commands.h"
#include "vrt/base/error.h"
#include "vrt/device/device.h"
#include "vrt/hub/registry.h"
#include "vrt/pipeline/selftest.h"

namespace vrt::cli {
namespace {

SelfTestOptions find_options() {
  SelfTestOptions options;
  try {
    options.model = locate_model(find_model("centerface"));
  } catch (const Error& error) {
    options.model_problem = error.what();
  }
  return options;
}

void print_row(const CheckReport& report) {
  fmt::print("{:<24} {:<8} {:>9.1f} ms  {}\n", report.name, to_string(report.result), report.time.count(),
             report.detail);
  std::fflush(stdout);  // Some checks take seconds.
}

std::ptrdiff_t count_of(const std::vector<CheckReport>& reports, CheckResult result) {
  return std::ranges::count(reports, result, &CheckReport::result);
}

std::string json_of(Device device, const std::vector<CheckReport>& reports) {
  nlohmann::ordered_json json = {{"device", to_string(device)},
                                 {"passed", count_of(reports, CheckResult::kPassed)},
                                 {"failed", count_of(reports, CheckResult::kFailed)},
                                 {"not_run", count_of(reports, CheckResult::kNotRun)}};
  json["checks"] = nlohmann::ordered_json::array();
  for (const CheckReport& report : reports) {
    json["checks"].push_back({{"name", report.name},
                              {"result", to_string(report.result)},
                              {"milliseconds", report.time.count()},
                              {"detail", report.detail}});
  }
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

int selftest_command(const SelfTestArguments& arguments) {
  const Device device = Device::parse(arguments.device);
  const auto checks = selftest_checks(find_options());
  if (!arguments.json) fmt::print("{}: {}\n", to_string(device), describe(device).name);
  const auto reports = run_selftest(device, checks, arguments.json ? nullptr : &print_row);
  if (arguments.json) {
    fmt::print("{}", json_of(device, reports));
  } else {
    fmt::print("{} passed, {} failed, {} not run\n", count_of(reports, CheckResult::kPassed),
               count_of(reports, CheckResult::kFailed), count_of(reports, CheckResult::kNotRun));
  }
  switch (verdict_of(reports)) {
    case CheckResult::kPassed: return kSuccess;
    case CheckResult::kNotRun: return kIncomplete;
    default: return kFailure;
  }
}

}  // namespace vrt::cli
