#include "apps/vrt/bench_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "apps/vrt/machine.h"
#include "apps/vrt/printable.h"

namespace vrt::cli {
namespace {

using Json = nlohmann::ordered_json;
using Out = std::back_insert_iterator<std::string>;

/// A field where there is a value, else its reason among those of `absent`.
template <typename T>
void put(Json& to, Json& absent, const char* name, const Reading<T>& reading) {
  if (reading.value)
    to[name] = *reading.value;
  else
    absent[name] = reading.problem;
}

Json names_of(const std::vector<ClockLimit>& limits) {
  Json names = Json::array();
  for (const ClockLimit& limit : limits) names.push_back(limit.name);
  return names;
}

Json json_of(const GpuState& state, Json& absent) {
  Json json = Json::object();
  put(json, absent, "sm_clock_mhz", state.sm_clock_mhz);
  put(json, absent, "memory_clock_mhz", state.memory_clock_mhz);
  put(json, absent, "temperature_celsius", state.temperature_celsius);
  put(json, absent, "power_watts", state.power_watts);
  if (state.limits.value)
    json["limits"] = names_of(*state.limits.value);
  else
    absent["limits"] = state.limits.problem;
  return json;
}

Json json_of(const GpuReport& gpu) {
  Json absent = Json::object();
  Json json = {{"reader", gpu.facts.reader}};
  put(json, absent, "driver", gpu.facts.driver_version);
  put(json, absent, "cuda", gpu.facts.cuda_version);
  put(json, absent, "nvrtc", gpu.facts.nvrtc);
  put(json, absent, "power_mode", gpu.facts.power_mode);
  put(json, absent, "clock_lock", gpu.facts.clock_lock);
  json["before"] = json_of(gpu.before, absent);
  json["during"] = Json::array();
  for (const GpuState& state : gpu.during) json["during"].push_back(json_of(state, absent));
  json["after"] = json_of(gpu.after, absent);
  put(json, absent, "throttling", gpu.throttling);
  json["not_measured"] = absent;
  return json;
}

Json json_of(const Machine& machine) {
  return {{"cpu", machine.cpu}, {"threads", machine.threads}, {"system", machine.system}, {"kernel", machine.kernel}};
}

Json json_of(Size size) { return {size.width, size.height}; }

std::string frames_of(const BenchArguments& arguments) {
  return arguments.synthetic.empty() ? arguments.source : "synthetic " + arguments.synthetic;
}

std::string models_of(const BenchArguments& arguments) { return fmt::format("{}", fmt::join(arguments.models, " + ")); }

Json subject_of(const Benchmark& benchmark) {
  const BenchmarkReport& report = benchmark.report;
  Json json = {{"source", frames_of(benchmark.arguments)},
               {"picture", json_of(report.picture)},
               {"format", to_string(report.format)},
               {"model", models_of(benchmark.arguments)},
               {"network", benchmark.arguments.without_network ? "left out" : "run"},
               {"network_input", json_of(report.network_input)},
               {"submission", report.graph_nodes > 0 ? "graph" : "launches"}};
  if (!report.backend.empty()) json["backend"] = report.backend;
  if (report.graph_nodes > 0) json["graph_nodes"] = report.graph_nodes;
  return json;
}

Json json_of(const Distribution& times) {
  return {{"count", times.count}, {"mean", times.mean}, {"p50", times.p50},
          {"p95", times.p95},     {"p99", times.p99},   {"max", times.maximum}};
}

Json run_of(const Benchmark& benchmark) {
  return {{"warm_up", benchmark.arguments.warm_up},          {"frames", benchmark.arguments.frames},
          {"source_restarts", benchmark.report.restarts},    {"detections", benchmark.report.detections},
          {"setup_seconds", benchmark.report.setup_seconds}, {"frames_per_second", benchmark.report.frames_per_second}};
}

/// "once", "3 times".
std::string times(std::int64_t count) { return count == 1 ? "once" : fmt::format("{} times", count); }

void add_head(Out out, const Benchmark& benchmark) {
  const BenchmarkReport& report = benchmark.report;
  const BenchArguments& arguments = benchmark.arguments;
  const std::string network = report.backend.empty() ? std::string("without its network") : "with " + report.backend;
  fmt::format_to(out, "vrt {}: {} {} on {} ({}, {})\n", VRT_VERSION, printable(models_of(arguments)), network,
                 to_string(benchmark.device), report.device.name, report.device.architecture);
  const Machine machine = this_machine();
  fmt::format_to(out, "{}, {} threads, {}, {}, {}\n", machine.cpu, machine.threads, machine.system, machine.kernel,
                 utc_now());
  fmt::format_to(out, "{}: {}x{} {}, network input {}x{}", printable(frames_of(arguments)), report.picture.width,
                 report.picture.height, to_string(report.format), report.network_input.width,
                 report.network_input.height);
  if (report.restarts > 0) fmt::format_to(out, "; source repeated {}", times(report.restarts));
  if (report.graph_nodes > 0) fmt::format_to(out, "; each frame is one graph of {} nodes", report.graph_nodes);
  fmt::format_to(out, "\n{} frames one after the other, behind {} of warm-up: {:.1f} frames/s, {} detections\n",
                 arguments.frames, arguments.warm_up, report.frames_per_second, report.detections);
}

void add_stages(Out out, const Benchmark& benchmark) {
  fmt::format_to(out, "{:<8} {:>10} {:>10} {:>10} {:>10} {:>10}\n", "stage", "mean ms", "p50 ms", "p95 ms", "p99 ms",
                 "max ms");
  std::size_t row = 0;
  for (std::size_t i = 0; i < kFrameStages; ++i) {
    const auto stage = static_cast<FrameStage>(i);
    const auto& rows = benchmark.report.stages;
    const std::string_view name = stage_name(stage, benchmark.device);
    if (row == rows.size() || rows[row].stage != stage) {
      fmt::format_to(out, "{:<8} not measured: {}\n", name, benchmark.report.problems[i]);
      continue;
    }
    const Distribution& t = rows[row++].times;
    fmt::format_to(out, "{:<8} {:>10.4f} {:>10.4f} {:>10.4f} {:>10.4f} {:>10.4f}\n", name, t.mean, t.p50, t.p95, t.p99,
                   t.maximum);
  }
}

/// "1980", "1755 to 1980", or that nothing is known and why: one reading over all samples.
std::string range_of(std::span<const GpuState> samples, Reading<double> GpuState::*field, std::string_view unit) {
  std::vector<double> values;
  for (const GpuState& sample : samples) {
    if ((sample.*field).value) values.push_back(*(sample.*field).value);
  }
  if (values.empty()) return "not measured: " + (samples.front().*field).problem;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (*least == *most) return fmt::format("{:.1f} {}", *least, unit);
  return fmt::format("{:.1f} to {:.1f} {}", *least, *most, unit);
}

std::string text_of(const Reading<std::string>& reading) {
  return reading.value ? *reading.value : "not known: " + reading.problem;
}

std::string throttling_text(const Reading<std::vector<std::string>>& throttling) {
  if (!throttling.value) return "not known: " + throttling.problem;
  return throttling.value->empty() ? "none noticed" : fmt::format("NOTICED: {}", fmt::join(*throttling.value, ", "));
}

void add_gpu(Out out, const GpuReport& gpu) {
  std::vector<GpuState> measured = gpu.during;
  measured.push_back(gpu.after);
  std::vector<GpuState> all = measured;
  all.insert(all.begin(), gpu.before);
  const auto line = [&](std::string_view name, const std::string& text) {
    fmt::format_to(out, "{:<14} {}\n", name, text);
  };
  line("SM clock", range_of(measured, &GpuState::sm_clock_mhz, "MHz"));
  line("memory clock", range_of(measured, &GpuState::memory_clock_mhz, "MHz"));
  line("temperature", range_of(all, &GpuState::temperature_celsius, "C"));
  line("power", range_of(measured, &GpuState::power_watts, "W"));
  line("throttling", throttling_text(gpu.throttling));
  line("driver", text_of(gpu.facts.driver_version));
  line("CUDA", text_of(gpu.facts.cuda_version));
  line("NVRTC", text_of(gpu.facts.nvrtc));
  line("power mode", text_of(gpu.facts.power_mode));
  line("clock lock", text_of(gpu.facts.clock_lock));
}

}  // namespace

std::string bench_table(const Benchmark& benchmark) {
  std::string text;
  const Out out(text);
  add_head(out, benchmark);
  add_stages(out, benchmark);
  if (benchmark.report.gpu) add_gpu(out, *benchmark.report.gpu);
  return text;
}

std::string bench_json(const Benchmark& benchmark) {
  const BenchmarkReport& report = benchmark.report;
  Json json = {{"format", "vrt-benchmark"}, {"version", 1}, {"date", utc_now()}, {"vrt", VRT_VERSION}};
  json["machine"] = json_of(this_machine());
  json["device"] = {{"name", to_string(benchmark.device)},
                    {"model", report.device.name},
                    {"architecture", report.device.architecture}};
  if (report.gpu) json["gpu"] = json_of(*report.gpu);
  json["subject"] = subject_of(benchmark);
  json["run"] = run_of(benchmark);
  json["stages"] = Json::object();
  for (const StageDistribution& row : report.stages)
    json["stages"][std::string(stage_name(row.stage, benchmark.device))] = json_of(row.times);
  json["not_measured"] = Json::object();
  for (std::size_t i = 0; i < kFrameStages; ++i) {
    const std::string name(stage_name(static_cast<FrameStage>(i), benchmark.device));
    if (!report.problems[i].empty()) json["not_measured"][name] = report.problems[i];
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace vrt::cli
