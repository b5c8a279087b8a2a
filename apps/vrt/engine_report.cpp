#include "apps/vrt/engine_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <chrono>
#include <filesystem>
#include <iterator>

#include "apps/vrt/printable.h"

namespace vrt::cli {
namespace {

using detail::Manifest;

constexpr std::size_t kShownDigits = 12;
constexpr std::size_t kShownKept = 10;

double megabytes(std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

std::string name_of(const Manifest& manifest) {
  return std::filesystem::path(manifest.sources.front().path).filename().string();
}

std::string shapes_of(const Manifest& manifest) {
  std::string text;
  for (const auto& [name, shape] : manifest.identity.settings.input_shapes)
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", name.empty() ? "" : name + " ", to_string(shape));
  const auto& settings = manifest.identity.settings;
  if (settings.batch_largest > 0) {
    text += fmt::format("{}batch {} to {}, typically {}", text.empty() ? "" : ", ", settings.batch_smallest,
                        settings.batch_largest, settings.batch_typical);
  }
  return text.empty() ? "as the model has them" : text;
}

/// What a CPU's engine is tuned for; nothing of a GPU's.
std::string use_of(const Manifest& manifest) {
  const auto& settings = manifest.identity.settings;
  return settings.throughput ? fmt::format(", {} sessions at once", settings.concurrent_sessions) : "";
}

std::string layers_of(const Manifest& manifest) {
  std::string text;
  for (const auto& [precision, count] : manifest.layers)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, precision.empty() ? "not told" : precision);
  return text.empty() ? "not told" : text;
}

void add_kept(std::string& text, const Manifest& manifest) {
  if (manifest.kept_count == 0) return;
  fmt::format_to(std::back_inserter(text), "  in float32: {} of {} nodes\n", manifest.kept_count,
                 manifest.kept_count + static_cast<std::uint64_t>(manifest.converted_nodes));
  for (std::size_t i = 0; i < std::min(manifest.kept.size(), kShownKept); ++i) {
    const detail::KeptNode& node = manifest.kept[i];
    fmt::format_to(std::back_inserter(text), "              {} ({}): {}\n", node.name, node.type, node.reason);
  }
  if (manifest.kept_count > kShownKept)
    fmt::format_to(std::back_inserter(text), "              and {} more\n", manifest.kept_count - kShownKept);
}

void add_accuracy(std::string& text, const Manifest& manifest) {
  if (!manifest.accuracy) return;
  const AccuracyReport& accuracy = *manifest.accuracy;
  fmt::format_to(std::back_inserter(text), "  accuracy:   {} runs of {} against float32 of {}\n", accuracy.runs,
                 accuracy.on_noise ? "noise" : "samples", accuracy.reference);
  for (const OutputAccuracy& output : accuracy.outputs) {
    fmt::format_to(std::back_inserter(text),
                   "              {}: off by {:.4g} at most, {:.4g} % of its range, cosine {:.6f}\n", output.name,
                   output.largest_difference, 100 * output.share_of_range, output.cosine);
  }
}

std::string printable_lines(const std::string& text) {
  std::string result;
  std::size_t start = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; start = end + 1, end = text.find('\n', start))
    result += printable(text.substr(start, end - start)) + "\n";
  return result;
}

void add_manifest(std::string& text, const Manifest& manifest) {
  const auto out = std::back_inserter(text);
  const auto& identity = manifest.identity;
  for (const auto& source : manifest.sources)
    fmt::format_to(out, "  from:       {}, {} bytes, SHA-256 {}\n", source.path, source.bytes, source.sha256);
  fmt::format_to(out, "  by:         {} {}, {}\n", identity.builder.name, identity.builder.version, manifest.library);
  fmt::format_to(out, "  for:        {}, {}{}{}\n", identity.target.name, identity.target.architecture,
                 manifest.driver_version.empty() ? "" : ", driver ", manifest.driver_version);
  fmt::format_to(out, "  inputs:     {}{}\n", shapes_of(manifest), use_of(manifest));
  fmt::format_to(out, "  precision:  {}; layers: {}\n", identity.settings.precision, layers_of(manifest));
  add_kept(text, manifest);
  add_accuracy(text, manifest);
  fmt::format_to(out, "  built:      {}, in {:.1f} s\n", manifest.created, manifest.build_seconds);
}

std::string age_of(std::filesystem::file_time_type used) {
  const auto age = std::filesystem::file_time_type::clock::now() - used;
  const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(age).count();
  if (minutes < 2 * 60) return fmt::format("{} min", minutes);
  if (minutes < 2 * 24 * 60) return fmt::format("{} h", minutes / 60);
  return fmt::format("{} days", minutes / (24 * 60));
}

}  // namespace

std::string engine_text(const EngineEntry& entry) {
  std::string text = fmt::format("{}\n  in:         {}, {} bytes\n", entry.key, entry.path.string(), entry.bytes);
  if (entry.manifest) add_manifest(text, *entry.manifest);
  if (!entry.problem.empty()) text += fmt::format("  not taken:  {}\n", entry.problem);
  return printable_lines(text);
}

std::string engine_table(const std::vector<EngineEntry>& entries) {
  std::string text = fmt::format("{:<12} {:>9} {:>8}  {:<9} {:<12} {:<24} {}\n", "key", "MB", "used", "precision",
                                 "backend", "device", "model and inputs");
  for (const EngineEntry& entry : entries) {
    const std::string key = entry.key.substr(0, kShownDigits);
    const double size = megabytes(entry.bytes);
    if (!entry.manifest) {
      text += fmt::format("{} {:>9.1f} {:>8}  not taken: {}\n", key, size, "", printable(entry.problem));
      continue;
    }
    const auto& identity = entry.manifest->identity;
    text += printable(fmt::format("{} {:>9.1f} {:>8}  {:<9} {:<12} {:<24.24} {}, {}{}", key, size, age_of(entry.used),
                                  identity.settings.precision, identity.builder.name, identity.target.name,
                                  name_of(*entry.manifest), shapes_of(*entry.manifest), use_of(*entry.manifest))) +
            "\n";
  }
  return text;
}

std::string engine_json(const std::vector<EngineEntry>& entries) {
  using Json = nlohmann::ordered_json;
  Json array = Json::array();
  for (const EngineEntry& entry : entries) {
    Json object{{"entry", entry.key}, {"path", entry.path.string()}, {"bytes", entry.bytes}};
    if (!entry.problem.empty()) object["problem"] = entry.problem;
    if (entry.manifest) object["manifest"] = Json::parse(detail::to_json(*entry.manifest));
    array.push_back(std::move(object));
  }
  return array.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace vrt::cli
