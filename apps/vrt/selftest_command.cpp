#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>
#include <vector>

#include "apps/vrt/commands.h"
#include "vrt/base/error.h"
#include "vrt/device/device.h"
#include "vrt/hub/registry.h"
#include "vrt/pipeline/json_line.h"
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
  std::string text = fmt::format("{{\"device\": \"{}\", \"passed\": {}, \"failed\": {}, \"not_run\": {}, \"checks\": [",
                                 to_string(device), count_of(reports, CheckResult::kPassed),
                                 count_of(reports, CheckResult::kFailed), count_of(reports, CheckResult::kNotRun));
  const char* separator = "";
  for (const CheckReport& report : reports) {
    text += separator;
    text += "{\"name\": ";
    append_json_string(text, report.name);
    fmt::format_to(std::back_inserter(text),
                   ", \"result\": \"{}\", \"milliseconds\": {:.3f}, \"detail\": ", to_string(report.result),
                   report.time.count());
    append_json_string(text, report.detail);
    text += '}';
    separator = ", ";
  }
  return text + "]}\n";
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
