#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/vrt/bench_report.h"
#include "apps/vrt/printable.h"
#include "vrt/base/fail.h"
#include "vrt/base/read_file.h"

namespace vrt::cli {
namespace {

using Json = nlohmann::ordered_json;
using Out = std::back_insert_iterator<std::string>;

/// What must be the same for two numbers to tell of a change in vrt alone.
constexpr const char* kConditions[] = {"/vrt",
                                       "/machine/cpu",
                                       "/machine/threads",
                                       "/machine/system",
                                       "/machine/kernel",
                                       "/device/name",
                                       "/device/model",
                                       "/device/architecture",
                                       "/gpu/reader",
                                       "/gpu/driver",
                                       "/gpu/cuda",
                                       "/gpu/nvrtc",
                                       "/gpu/power_mode",
                                       "/gpu/clock_lock",
                                       "/subject/source",
                                       "/subject/picture",
                                       "/subject/format",
                                       "/subject/model",
                                       "/subject/network",
                                       "/subject/network_input",
                                       "/subject/backend",
                                       "/subject/submission",
                                       "/run/warm_up",
                                       "/run/frames"};

[[noreturn]] void refuse(const std::filesystem::path& path, std::string_view reason) {
  fail(ErrorCode::kCorrupt, "{} is no report that `vrt bench --json` wrote: {}", path.string(), reason);
}

/// Far above any report, so that an endless file (a device, a pipe) does not take all memory.
constexpr std::size_t kLargestReport = std::size_t{16} << 20;

std::string read_text(const std::filesystem::path& path) {
  std::string text;
  const bool exists = detail::for_each_part(path, [&](std::span<const std::byte> part) {
    text.append(reinterpret_cast<const char*>(part.data()), part.size());
    if (text.size() > kLargestReport) refuse(path, "it is larger than any report");
  });
  if (!exists) fail(ErrorCode::kNotFound, "cannot compare {}: no such file", path.string());
  return text;
}

/// Refuses what is nested deeper than any report: copies and texts of such values recurse, and the stack ends.
Json parse(const std::string& text, const std::filesystem::path& path) {
  constexpr int kDeepest = 16;
  return Json::parse(text, [&](int depth, Json::parse_event_t, const Json&) {
    if (depth > kDeepest) refuse(path, "it is nested too deeply");
    return true;
  });
}

/// A time in milliseconds or a rate that can have been measured.
bool is_measured(const Json& value) {
  constexpr double kMost = 1e12;
  return value.is_number() && value.get<double>() >= 0 && value.get<double>() <= kMost;
}

/// Reads what the comparison needs, so that a wrong file is told before anything is printed.
void check(const Json& report, const std::filesystem::path& path) {
  if (!report.is_object() || report.value("format", Json()) != "vrt-benchmark")
    refuse(path, "its field 'format' is not \"vrt-benchmark\"");
  if (report.value("version", Json()) != 1) refuse(path, "it is of another version; measure both with one vrt");
  if (!is_measured(report.at("run").at("frames_per_second"))) refuse(path, "its frames_per_second are no rate");
  if (!report.at("stages").is_object() || report.at("stages").empty()) refuse(path, "it has no stages");
  for (const auto& [name, times] : report.at("stages").items()) {
    for (const char* field : {"p50", "p95"}) {
      if (!is_measured(times.at(field))) refuse(path, fmt::format("{} of {} is no time", field, name));
    }
  }
}

Json read_report(const std::filesystem::path& path) {
  const std::string text = read_text(path);
  try {
    Json report = parse(text, path);
    check(report, path);
    return report;
  } catch (const nlohmann::json::exception& error) {
    refuse(path, error.what());
  }
}

std::string text_at(const Json& report, const char* pointer) {
  const Json::json_pointer where(pointer);
  if (!report.contains(where)) return "-";
  const Json& value = report.at(where);
  return printable(value.is_string() ? value.get<std::string>() : value.dump());
}

void add_differences(Out out, const Json& a, const Json& b) {
  std::size_t found = 0;
  for (const char* condition : kConditions) {
    const std::string in_a = text_at(a, condition);
    const std::string in_b = text_at(b, condition);
    if (in_a == in_b) continue;
    if (found++ == 0) fmt::format_to(out, "not the same in both:\n");
    fmt::format_to(out, "  {:<22} {}  |  {}\n", condition + 1, in_a, in_b);
  }
  if (found == 0) fmt::format_to(out, "the same machine, device, versions, model and frames\n");
}

void add_throttling(Out out, std::string_view name, const Json& report) {
  const Json::json_pointer where("/gpu/throttling");
  if (!report.contains(where) || !report.at(where).is_array()) return;
  std::vector<std::string> reasons;
  for (const Json& reason : report.at(where))
    reasons.push_back(printable(reason.is_string() ? reason.get<std::string>() : "?"));
  if (!reasons.empty()) fmt::format_to(out, "{} was throttled: {}\n", name, fmt::join(reasons, ", "));
}

std::optional<double> time_of(const Json& report, const std::string& stage, const char* percentile) {
  const auto found = report.at("stages").find(stage);
  if (found == report.at("stages").end()) return std::nullopt;
  return found->at(percentile).get<double>();
}

std::string ratio_of(std::optional<double> a, std::optional<double> b) {
  return a && b && *a > 0 ? fmt::format("{:.3f}", *b / *a) : "-";
}

/// Milliseconds of one percentile in both reports and their ratio; "-" for what one of them did not measure.
void add_pair(Out out, const Json& a, const Json& b, const std::string& stage, const char* percentile) {
  const auto in_a = time_of(a, stage, percentile);
  const auto in_b = time_of(b, stage, percentile);
  const auto cell = [](std::optional<double> time) { return time ? fmt::format("{:.4f}", *time) : "-"; };
  fmt::format_to(out, " {:>10} {:>10} {:>7}", cell(in_a), cell(in_b), ratio_of(in_a, in_b));
}

/// Those of A in its order, then those that only B has.
std::vector<std::string> stages_of(const Json& a, const Json& b) {
  std::vector<std::string> names;
  for (const auto& [name, times] : a.at("stages").items()) names.push_back(name);
  for (const auto& [name, times] : b.at("stages").items()) {
    if (!a.at("stages").contains(name)) names.push_back(name);
  }
  return names;
}

void add_stages(Out out, const Json& a, const Json& b) {
  fmt::format_to(out, "{:<8} {:>10} {:>10} {:>7} {:>10} {:>10} {:>7}\n", "stage", "A p50 ms", "B p50 ms", "B/A",
                 "A p95 ms", "B p95 ms", "B/A");
  for (const std::string& name : stages_of(a, b)) {
    fmt::format_to(out, "{:<8}", printable(name));
    add_pair(out, a, b, name, "p50");
    add_pair(out, a, b, name, "p95");
    fmt::format_to(out, "\n");
  }
}

void add_rates(Out out, const Json& a, const Json& b) {
  const auto rate = [](const Json& report) { return report.at("run").at("frames_per_second").get<double>(); };
  fmt::format_to(out, "frames/s {:>10.1f} {:>10.1f} {:>7}\n", rate(a), rate(b), ratio_of(rate(a), rate(b)));
}

}  // namespace

std::string bench_comparison(const std::filesystem::path& path_a, const std::filesystem::path& path_b) {
  const Json a = read_report(path_a);
  const Json b = read_report(path_b);
  std::string text;
  const Out out(text);
  fmt::format_to(out, "A: {}, {}\nB: {}, {}\n", printable(path_a.string()), text_at(a, "/date"),
                 printable(path_b.string()), text_at(b, "/date"));
  add_differences(out, a, b);
  add_throttling(out, "A", a);
  add_throttling(out, "B", b);
  add_stages(out, a, b);
  add_rates(out, a, b);
  return text;
}

}  // namespace vrt::cli
