// Internal (not installed): what an entry of the engine cache says of itself, as JSON that people read (docs/engine-cache.md).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vrt/base/export.h"
#include "vrt/engine/engine.h"
#include "vrt/engine/model_preparation.h"

namespace vrt::detail {

/// A file and what it held.
struct ManifestFile {
  std::string path;
  std::uint64_t bytes = 0;
  std::string sha256;

  friend bool operator==(const ManifestFile&, const ManifestFile&) = default;
};

/// The options that decide what is built. Not among them: samples and bounds of the accuracy check, which decide whether it is kept.
struct EngineSettings {
  std::map<std::string, Shape> input_shapes;
  std::string precision;  ///< As to_string(DType).
  std::int64_t batch_smallest = 0;
  std::int64_t batch_typical = 0;
  std::int64_t batch_largest = 0;  ///< All 0 without a changing batch.
  std::uint64_t workspace_bytes = 0;
  std::int64_t optimization_level = -1;
  bool hardware_compatible = false;
  bool throughput = false;  ///< This and the next two are the defaults on a GPU, where they change nothing.
  std::int64_t concurrent_sessions = 1;
  std::int64_t threads = 0;

  friend bool operator==(const EngineSettings&, const EngineSettings&) = default;
};

/// What built it, as found at run time.
struct EngineBuilder {
  std::string name;     ///< "openvino"
  std::string version;  ///< Of the vendor's library that was loaded, never of the headers.
  std::string module;   ///< Tells builds of vrt's module apart.
  std::string vrt;      ///< vrt's version, whose conversion of the model is part of the result.

  friend bool operator==(const EngineBuilder&, const EngineBuilder&) = default;
};

/// What it was built for.
struct EngineTarget {
  std::string name;          ///< "NVIDIA H200"
  std::string architecture;  ///< "sm_90"; of a CPU its instruction sets, too.
  std::string driver;        ///< Only where the engine holds for one version of it.

  friend bool operator==(const EngineTarget&, const EngineTarget&) = default;
};

/// Everything that decides what is built: an entry is used where all of it is equal.
struct EngineIdentity {
  std::vector<std::string> sources;  ///< SHA-256 of the model and its external files, in order.
  EngineSettings settings;
  EngineBuilder builder;
  EngineTarget target;

  friend bool operator==(const EngineIdentity&, const EngineIdentity&) = default;
};

/// 64 hexadecimal digits: the name of the entry.
[[nodiscard]] VRT_API std::string key_of(const EngineIdentity& identity);

struct Manifest {
  EngineIdentity identity;
  std::vector<ManifestFile> sources;  ///< As identity.sources, with the paths that they had.
  std::string library;                ///< Paths of the module and the vendor's library.
  std::string device;                 ///< "cuda:0"
  std::string driver_version;         ///< Empty where none was found.
  std::string created;                ///< "2026-11-30T12:53:30Z"
  double build_seconds = 0;
  std::vector<ManifestFile>
      files;  ///< Of the entry's folder: "engine.bin", which the backend serialised, or "model.onnx", the
              ///< prepared ONNX file where it did not, and what that refers to.
  std::map<std::string, std::uint64_t>
      layers;  ///< How many compute in what, read back from the engine; "" is not told.
  std::optional<std::uint64_t> weights_bytes;
  std::optional<std::uint64_t> activation_bytes;
  std::int64_t converted_nodes = 0;
  std::uint64_t kept_count = 0;
  std::vector<KeptNode> kept;  ///< The first kMostKept of them.
  std::optional<AccuracyReport> accuracy;
  std::string samples;  ///< Digest of the inputs that it was measured on; empty for noise or without a measurement.

  static constexpr std::size_t kMostKept = 200;
};

[[nodiscard]] VRT_API std::string to_json(const Manifest& manifest);

/// Reads what to_json wrote. Strict: a text that is too long or no JSON, a member that is missing, unknown, of another type or out of
/// range, a schema of another version, throw kCorrupt naming it.
[[nodiscard]] VRT_API Manifest parse_manifest(std::string_view text);

}  // namespace vrt::detail
