#include "vrt/engine/manifest.h"

#include <nlohmann/json.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "vrt/base/fail.h"
#include "vrt/base/sha256.h"

namespace vrt::detail {
namespace {

using Json = nlohmann::ordered_json;

// Raised whenever the manifest's form, what is in the key, or what vrt does to a model before it is built changes.
constexpr std::string_view kSchema = "vrt-engine-1";
constexpr std::size_t kMostBytes = std::size_t{1} << 24;
constexpr int kMostDepth = 8;

[[noreturn]] void refuse(const std::string& where, const std::string& reason) {
  fail(ErrorCode::kCorrupt, "the manifest is damaged: {} {}", where, reason);
}

/// An object whose members are all asked for: one that is missing, of another type or unknown is refused by name.
class Members {
 public:
  Members(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is_object()) refuse(where_, "is no object");
  }

  const Json& get(const char* key) {
    const auto found = object_.find(key);
    if (found == object_.end()) refuse(name(key), "is missing");
    taken_.insert(key);
    return *found;
  }
  const Json* find(const char* key) { return object_.contains(key) ? &get(key) : nullptr; }
  [[nodiscard]] std::string name(const char* key) const { return where_.empty() ? key : where_ + "." + key; }

  Members object(const char* key) { return {get(key), name(key)}; }
  const Json& array(const char* key) {
    const Json& value = get(key);
    if (!value.is_array()) refuse(name(key), "is no array");
    return value;
  }
  std::string text(const char* key) {
    const Json& value = get(key);
    if (!value.is_string()) refuse(name(key), "is no text");
    return value.get<std::string>();
  }
  std::string digest(const char* key) { return checked_digest(text(key), name(key)); }
  std::uint64_t count(const char* key) { return checked_count(get(key), name(key)); }
  std::optional<std::uint64_t> optional_count(const char* key) {
    return object_.contains(key) ? std::optional(count(key)) : std::nullopt;
  }
  std::int64_t integer(const char* key, std::int64_t least) {
    const Json& value = get(key);
    const bool fits =
        value.is_number_integer() &&
        (!value.is_number_unsigned() ||
         value.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
    if (!fits || value.get<std::int64_t>() < least)
      refuse(name(key), fmt::format("is no whole number from {} up", least));
    return value.get<std::int64_t>();
  }
  double number(const char* key) {
    const Json& value = get(key);
    if (!value.is_number() || !std::isfinite(value.get<double>())) refuse(name(key), "is no number");
    return value.get<double>();
  }
  bool flag(const char* key) {
    const Json& value = get(key);
    if (!value.is_boolean()) refuse(name(key), "is neither true nor false");
    return value.get<bool>();
  }
  void finish() const {
    for (const auto& [key, value] : object_.items()) {
      if (taken_.count(key) == 0) refuse(name(key.c_str()), "is not known");
    }
  }

  static std::uint64_t checked_count(const Json& value, const std::string& where) {
    if (!value.is_number_unsigned()) refuse(where, "is no count");
    return value.get<std::uint64_t>();
  }
  static std::string checked_digest(std::string text, const std::string& where) {
    if (text.size() != 64 || text.find_first_not_of("0123456789abcdef") != std::string::npos)
      refuse(where, "is no SHA-256");
    return text;
  }

 private:
  const Json& object_;
  std::string where_;
  std::set<std::string> taken_;
};

Json json_of(const EngineSettings& settings) {
  Json shapes = Json::object();
  for (const auto& [name, shape] : settings.input_shapes) shapes[name] = shape.extents();
  return {{"input_shapes", shapes},
          {"precision", settings.precision},
          {"batch_smallest", settings.batch_smallest},
          {"batch_typical", settings.batch_typical},
          {"batch_largest", settings.batch_largest},
          {"workspace_bytes", settings.workspace_bytes},
          {"optimization_level", settings.optimization_level},
          {"hardware_compatible", settings.hardware_compatible},
          {"throughput", settings.throughput},
          {"concurrent_sessions", settings.concurrent_sessions},
          {"threads", settings.threads}};
}

Json json_of(const EngineBuilder& builder) {
  return {{"name", builder.name}, {"version", builder.version}, {"module", builder.module}, {"vrt", builder.vrt}};
}

Json json_of(const EngineTarget& target) {
  return {{"name", target.name}, {"architecture", target.architecture}, {"driver", target.driver}};
}

Json json_of(const EngineIdentity& identity) {
  return {{"sources", identity.sources},
          {"settings", json_of(identity.settings)},
          {"builder", json_of(identity.builder)},
          {"target", json_of(identity.target)}};
}

Json json_of(const ManifestFile& file) { return {{"path", file.path}, {"bytes", file.bytes}, {"sha256", file.sha256}}; }

Json json_of(const AccuracyReport& accuracy, const std::string& samples) {
  Json outputs = Json::array();
  for (const OutputAccuracy& output : accuracy.outputs) {
    outputs.push_back({{"name", output.name},
                       {"largest_difference", output.largest_difference},
                       {"share_of_range", output.share_of_range},
                       {"cosine", output.cosine}});
  }
  return {{"reference", accuracy.reference}, {"runs", accuracy.runs}, {"samples", samples}, {"outputs", outputs}};
}

Json json_of(const std::vector<KeptNode>& nodes) {
  Json kept = Json::array();
  for (const KeptNode& node : nodes) {
    kept.push_back({{"name", node.name}, {"type", node.type}, {"reason", node.reason}});
  }
  return kept;
}

Shape read_shape(const Json& value, const std::string& where) {
  if (!value.is_array() || value.size() > Shape::kMaxRank) refuse(where, "is no shape");
  std::vector<std::int64_t> extents;
  for (const Json& extent : value) {
    if (extent == Shape::kDynamic) {  // The batch's.
      extents.push_back(Shape::kDynamic);
      continue;
    }
    const std::uint64_t count = Members::checked_count(extent, where);
    if (count > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) refuse(where, "is no shape");
    extents.push_back(static_cast<std::int64_t>(count));
  }
  return Shape(std::span<const std::int64_t>(extents));
}

EngineSettings read_settings(Members members) {
  EngineSettings settings;
  Members shapes = members.object("input_shapes");
  for (const auto& [name, shape] : members.get("input_shapes").items())
    settings.input_shapes[name] = read_shape(shape, shapes.name(name.c_str()));
  settings.precision = members.text("precision");
  settings.batch_smallest = members.integer("batch_smallest", 0);
  settings.batch_typical = members.integer("batch_typical", 0);
  settings.batch_largest = members.integer("batch_largest", 0);
  settings.workspace_bytes = members.count("workspace_bytes");
  settings.optimization_level = members.integer("optimization_level", -1);
  settings.hardware_compatible = members.flag("hardware_compatible");
  settings.throughput = members.flag("throughput");
  settings.concurrent_sessions = members.integer("concurrent_sessions", 1);
  settings.threads = members.integer("threads", 0);
  members.finish();
  return settings;
}

EngineBuilder read_builder(Members members) {
  EngineBuilder builder{members.text("name"), members.text("version"), members.text("module"), members.text("vrt")};
  members.finish();
  return builder;
}

EngineTarget read_target(Members members) {
  EngineTarget target{members.text("name"), members.text("architecture"), members.text("driver")};
  members.finish();
  return target;
}

EngineIdentity read_identity(Members members) {
  EngineIdentity identity;
  for (const Json& digest : members.array("sources")) {
    if (!digest.is_string()) refuse(members.name("sources"), "holds no text");
    identity.sources.push_back(Members::checked_digest(digest.get<std::string>(), members.name("sources")));
  }
  identity.settings = read_settings(members.object("settings"));
  identity.builder = read_builder(members.object("builder"));
  identity.target = read_target(members.object("target"));
  members.finish();
  return identity;
}

ManifestFile read_file_entry(Members& members) {
  ManifestFile file{members.text("path"), members.count("bytes"), members.digest("sha256")};
  members.finish();
  return file;
}

ManifestFile read_source(Members members) { return read_file_entry(members); }

/// A file of the entry's own folder: no manifest leads elsewhere.
ManifestFile read_own_file(Members members) {
  ManifestFile file = read_file_entry(members);
  const bool is_plain = !file.path.empty() && file.path.front() != '.' && file.path.find('/') == std::string::npos;
  if (!is_plain || file.path == "manifest.json") refuse(members.name("path"), "is no file of an entry");
  return file;
}

OutputAccuracy read_output(Members members) {
  OutputAccuracy output{members.text("name"), members.number("largest_difference"), members.number("share_of_range"),
                        members.number("cosine")};
  members.finish();
  return output;
}

void read_accuracy(Members members, Manifest& manifest) {
  AccuracyReport& accuracy = manifest.accuracy.emplace();
  accuracy.reference = members.text("reference");
  accuracy.runs = members.integer("runs", 1);
  manifest.samples = members.text("samples");
  accuracy.on_noise = manifest.samples.empty();
  for (const Json& output : members.array("outputs"))
    accuracy.outputs.push_back(read_output({output, "accuracy.outputs"}));
  members.finish();
}

KeptNode read_kept(Members members) {
  KeptNode node{members.text("name"), members.text("type"), members.text("reason")};
  members.finish();
  return node;
}

void read_preparation(Members members, Manifest& manifest) {
  manifest.converted_nodes = members.integer("converted_nodes", 0);
  manifest.kept_count = members.count("kept_count");
  for (const Json& node : members.array("kept")) manifest.kept.push_back(read_kept({node, "preparation.kept"}));
  members.finish();
}

void read_built(Members members, Manifest& manifest) {
  manifest.library = members.text("library");
  manifest.device = members.text("device");
  manifest.driver_version = members.text("driver");
  manifest.created = members.text("created");
  manifest.build_seconds = members.number("seconds");
  members.finish();
}

void read_layers(Members members, Manifest& manifest) {
  static_cast<void>(members.object("precisions"));  // Refuses what is no object.
  for (const auto& [precision, count] : members.get("precisions").items())
    manifest.layers[precision] = Members::checked_count(count, members.name("precisions"));
  manifest.weights_bytes = members.optional_count("weights_bytes");
  manifest.activation_bytes = members.optional_count("activation_bytes");
  members.finish();
}

Json layers_json(const Manifest& manifest) {
  Json layers{{"precisions", Json::object()}};
  for (const auto& [precision, count] : manifest.layers) layers["precisions"][precision] = count;
  if (manifest.weights_bytes) layers["weights_bytes"] = *manifest.weights_bytes;
  if (manifest.activation_bytes) layers["activation_bytes"] = *manifest.activation_bytes;
  return layers;
}

/// Refuses what nests deeper than a manifest: damaged files must cost neither stack nor time.
Json parse_shallow(std::string_view text) {
  if (text.size() > kMostBytes) refuse("it", fmt::format("has {} bytes", text.size()));
  try {
    return Json::parse(text, [](int depth, Json::parse_event_t, Json&) {
      if (depth > kMostDepth) refuse("it", "nests too deeply");
      return true;
    });
  } catch (const Json::exception& problem) {
    throw Error(ErrorCode::kCorrupt, "the manifest is damaged: it is no JSON", problem.what());
  }
}

void require_consistent(const Manifest& manifest) {
  std::vector<std::string> digests;
  for (const ManifestFile& source : manifest.sources) digests.push_back(source.sha256);
  if (digests.empty() || digests != manifest.identity.sources) refuse("sources", "are not those of the key");
  if (manifest.files.empty()) refuse("files", "are none");
}

std::string dump(const Json& json, int indent) { return json.dump(indent, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string key_of(const EngineIdentity& identity) {
  Sha256 digest;
  digest.update(kSchema);
  digest.update(dump(json_of(identity), -1));
  return digest.finish();
}

std::string to_json(const Manifest& manifest) {
  Json sources = Json::array();
  for (const ManifestFile& file : manifest.sources) sources.push_back(json_of(file));
  Json json{{"schema", kSchema},
            {"sources", sources},
            {"key", json_of(manifest.identity)},
            {"built",
             {{"library", manifest.library},
              {"device", manifest.device},
              {"driver", manifest.driver_version},
              {"created", manifest.created},
              {"seconds", manifest.build_seconds}}},
            {"layers", layers_json(manifest)},
            {"preparation",
             {{"converted_nodes", manifest.converted_nodes},
              {"kept_count", manifest.kept_count},
              {"kept", json_of(manifest.kept)}}}};
  for (const ManifestFile& file : manifest.files) json["files"].push_back(json_of(file));
  if (manifest.accuracy) json["accuracy"] = json_of(*manifest.accuracy, manifest.samples);
  return dump(json, 2) + "\n";
}

Manifest parse_manifest(std::string_view text) {
  const Json json = parse_shallow(text);
  Members members(json, "");
  if (members.text("schema") != kSchema) refuse("schema", fmt::format("is not {}", kSchema));
  Manifest manifest;
  for (const Json& file : members.array("sources")) manifest.sources.push_back(read_source({file, "sources"}));
  manifest.identity = read_identity(members.object("key"));
  read_built(members.object("built"), manifest);
  read_layers(members.object("layers"), manifest);
  read_preparation(members.object("preparation"), manifest);
  for (const Json& file : members.array("files")) manifest.files.push_back(read_own_file({file, "files"}));
  if (const Json* accuracy = members.find("accuracy")) read_accuracy({*accuracy, "accuracy"}, manifest);
  members.finish();
  require_consistent(manifest);
  return manifest;
}

}  // namespace vrt::detail
