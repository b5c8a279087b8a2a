#include "bench/gpu_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <span>

#include "vrt/base/atomic_file.h"

namespace vrt {
namespace {

using Value = decltype(ReportField::value);

std::string shown(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{:.2f}", *number);
  return fmt::format("{}", std::get<std::int64_t>(value));
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result + '"';
}

std::string json_of(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return quoted(*text);
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  return fmt::format("{}", std::get<std::int64_t>(value));
}

std::string json_of(const ReportRow& row) {
  std::string result;
  for (const ReportField& field : row)
    result += fmt::format("{}{}: {}", result.empty() ? "" : ", ", quoted(field.name), json_of(field.value));
  return '{' + result + '}';
}

std::vector<std::string> column_names(std::span<const ReportRow> rows) {
  std::vector<std::string> names;
  for (const ReportRow& row : rows) {
    for (const ReportField& field : row)
      if (std::find(names.begin(), names.end(), field.name) == names.end()) names.push_back(field.name);
  }
  return names;
}

std::string cell(const ReportRow& row, const std::string& name) {
  const auto is_it = [&](const ReportField& field) { return field.name == name; };
  const auto found = std::find_if(row.begin(), row.end(), is_it);
  return found == row.end() ? "-" : shown(found->value);
}

// To the first line the name, to the others the rows' cells; numbers end below each other.
void append_column(std::vector<std::string>& lines, std::span<const ReportRow> rows, const std::string& name) {
  std::vector<std::string> cells{name};
  for (const ReportRow& row : rows) cells.push_back(cell(row, name));
  const auto shorter = [](const std::string& a, const std::string& b) { return a.size() < b.size(); };
  const std::size_t width = std::max_element(cells.begin(), cells.end(), shorter)->size();
  const bool is_first = lines.front().empty();
  for (std::size_t i = 0; i < cells.size(); ++i)
    lines[i] += is_first ? fmt::format("{:<{}}", cells[i], width) : fmt::format("  {:>{}}", cells[i], width);
}

std::string clock_text(const Reading<double>& clock) {
  return clock.value ? fmt::format("{:.0f}", *clock.value) : "not measured: " + clock.problem;
}

std::string throttling_text(std::span<const GpuState> states) {
  const auto throttling = throttling_in(states, states.subspan(1, states.size() - 2));
  if (!throttling.value) return "not measured: " + throttling.problem;
  return throttling.value->empty() ? "none seen" : fmt::format("{}", fmt::join(*throttling.value, ", "));
}

}  // namespace

GpuReport::GpuReport(const std::string& mode, Device device) : monitor_(GpuMonitor::open(device)) {
  const DeviceInfo info = describe(device);
  add_fact({"mode", mode});
  add_fact({"gpu", info.name});
  add_fact({"architecture", info.architecture});
  states_.push_back(monitor_->sample());
}

void GpuReport::add_row(ReportRow row) {
  states_.push_back(monitor_->sample());
  rows_.push_back(std::move(row));
}

void GpuReport::finish() {
  states_.push_back(monitor_->sample());
  const GpuFacts gpu = monitor_->facts();
  add_fact({"driver", gpu.driver_version.value.value_or("not measured: " + gpu.driver_version.problem)});
  add_fact({"nvrtc", gpu.nvrtc.value.value_or("not measured: " + gpu.nvrtc.problem)});
  add_fact({"sm_clock_mhz_begin", clock_text(states_.front().sm_clock_mhz)});
  add_fact({"sm_clock_mhz_end", clock_text(states_.back().sm_clock_mhz)});
  add_fact({"throttling", throttling_text(states_)});
}

void GpuReport::print() const {
  for (const ReportField& fact : facts_) fmt::print("{}: {}\n", fact.name, shown(fact.value));
  std::vector<std::string> lines(rows_.size() + 1);
  for (const std::string& name : column_names(rows_)) append_column(lines, rows_, name);
  fmt::print("\n{}\n", fmt::join(lines, "\n"));
  std::fflush(stdout);
}

void GpuReport::write_json(const std::filesystem::path& path) const {
  std::string rows;
  for (const ReportRow& row : rows_) rows += fmt::format("{}\n    {}", rows.empty() ? "" : ",", json_of(row));
  AtomicFile file(path);
  file.write(fmt::format("{{\n  \"facts\": {},\n  \"rows\": [{}\n  ]\n}}\n", json_of(facts_), rows));
  file.commit();
}

}  // namespace vrt
