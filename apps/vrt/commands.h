// The commands of the tool. Each returns an exit code; what goes wrong is thrown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vrt::cli {

/// An end by a signal is 128 + the signal's number, as a shell reports it. kIncomplete is `selftest`'s: nothing failed, but not
/// every check could be run.
enum ExitCode : int { kSuccess = 0, kFailure = 1, kWrongUsage = 2, kIncomplete = 3 };

struct RunArguments {
  std::string source;
  std::vector<std::string> models;
  std::vector<std::string> names;  ///< A file of class names for each model; empty: none.
  std::string save;
  std::string json;
  std::string json_format = "lines";  ///< Or "coco".
  std::optional<float> threshold;
  std::string device = "auto";
  std::string engine = "auto";
  bool fp16 = false;
  double max_difference = -1;  ///< Percent of an output's range; -1: the default.
  std::optional<std::int32_t> max_embeddings;
  std::int64_t max_frames = 0;
  int verbosity = 0;  ///< 0 warnings, 1 information, 2 everything.
};

struct BenchArguments {
  std::string source;     ///< Or
  std::string synthetic;  ///< "1920x1080:nv12", in its place.
  std::vector<std::string> models;
  std::vector<std::string> names;  ///< A file of class names for each model; empty: none.
  std::string device = "auto";
  std::string engine = "auto";
  bool fp16 = false;
  double max_difference = -1;  ///< Percent of an output's range; -1: the default.
  std::int64_t frames = 300;
  std::int64_t warm_up = 50;
  bool without_network = false;
  bool graph = false;
  std::string json;
  std::vector<std::string> compare;  ///< Two reports; then nothing else counts.
};

struct KernelsCompileArguments {
  std::string device;  ///< "cuda:N", or
  std::string arch;    ///< "sm_87".
  std::string into;    ///< A folder instead of the cache, or empty.
};

struct SelfTestArguments {
  std::string device = "auto";
  bool json = false;
};

struct EngineBuildArguments {
  std::string model;
  std::string device = "auto";
  std::string engine = "auto";
  bool fp16 = false;
  std::vector<std::string> inputs;  ///< "image=1x3x480x640", or "1x3x480x640" for the only input.
  std::string batch;                ///< "1:4:8", or empty.
  std::string samples;              ///< A source of frames, or empty.
  double max_difference = -1;       ///< Percent of an output's range; -1: the default.
  std::int64_t workspace_mb = 0;    ///< 0: the backend's choice.
  std::int32_t optimization_level = -1;
  bool hardware_compatible = false;
  bool json = false;
  int verbosity = 0;
};

struct EnginePruneArguments {
  bool all = false;
  std::int64_t keep_mb = -1;  ///< -1: not given.
};

/// Runs a model on a video, a picture or a folder.
int run_command(const RunArguments& arguments);
/// Measures a model frame by frame, or compares two measurements.
int bench_command(const BenchArguments& arguments);
/// Lists what was found on this machine.
int doctor_command();
/// Lists the models known by name and where their files are.
int models_command();
/// Lists the kernels of vrt and what is compiled of them for a device: auto, cpu or cuda:N.
int kernels_list_command(const std::string& device);
/// Compiles all kernels for a GPU or an architecture, and stores them.
int kernels_compile_command(const KernelsCompileArguments& arguments);
/// Removes all compiled kernels from the cache.
int kernels_clear_command();
/// Builds an engine and keeps it in the cache.
int engine_build_command(const EngineBuildArguments& arguments);
/// Prints the manifests of a key (its first digits are enough), or of a model's file.
int engine_info_command(const std::string& what, bool json);
/// Lists the engines of the cache.
int engine_list_command(bool json);
/// Removes engines from the cache.
int engine_prune_command(const EnginePruneArguments& arguments);
/// Checks every engine of the cache against its manifest.
int engine_verify_command(bool json);
/// Checks whether vrt can be trusted on a device.
int selftest_command(const SelfTestArguments& arguments);

}  // namespace vrt::cli
