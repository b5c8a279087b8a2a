// vrt: the command-line tool. Reads the arguments; the commands are in files of their own.
#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/vrt/commands.h"
#include "apps/vrt/printable.h"
#include "apps/vrt/values.h"
#include "vrt/base/error.h"
#include "vrt/models/osnet/osnet.h"

namespace vrt::cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  vrt run clip.mp4 --model centerface --save annotated.mp4\n"
    "  vrt run photos/ --model centerface --save annotated/ --json faces.jsonl\n"
    "  vrt run clip.mp4 --model centerface --json - | head -n 1\n"
    "  vrt run clip.mp4 --model rfdetr-small --model osnet-x0.25 --json people.jsonl\n"
    "  vrt run clip.mp4 --model relative-depth:depth.onnx --save depth.mp4\n";

/// A command, and what it does once its arguments are read.
struct Command {
  CLI::App* app;
  std::function<int()> run;
};

void add_device(CLI::App& command, std::string& device) {
  command.add_option("--device", device, "auto, cpu or cuda:N")->capture_default_str();
}

void add_engine(CLI::App& command, std::string& engine) {
  command.add_option("--engine", engine, "auto, or a backend of `vrt doctor`")->capture_default_str();
}

void add_max_difference(CLI::App& command, double& percent) {
  command.add_option("--max-difference", percent, "How far from float32 an output may be, in percent of its range (2)")
      ->check(CLI::Range(0.0, 100.0));
}

void add_fp16(CLI::App& command, bool& fp16, double& max_difference) {
  command.add_flag("--fp16", fp16, "Compute in float16 where that is accurate enough (docs/fp16.md)");
  add_max_difference(command, max_difference);
}

/// Models, and what belongs to the model before it.
struct ModelOptions {
  CLI::Option* model;
  CLI::Option* names;
};

ModelOptions add_models(CLI::App& command, std::vector<std::string>& models, std::vector<std::string>& names) {
  auto* model = command.add_option(
      "--model", models,
      "A name of `vrt models` or an ONNX file, behind FAMILY: where the file does not say what it is. May be "
      "repeated: all look at the same frames");
  model->type_name("[FAMILY:]FILE")->allow_extra_args(false)->check(refuse_empty);
  auto* of_classes = command.add_option(
      "--names", names, "A text file of class names, one a line, for the --model before it; else its own");
  of_classes->type_name("FILE")->allow_extra_args(false)->check(refuse_empty);
  return {model, of_classes};
}

/// Makes of the files in the order in which they were given one for each model, empty where it has none.
void give_to_models(const CLI::App& command, const ModelOptions& options, std::vector<std::string>& names) {
  std::vector<std::string> of_models;
  auto next = names.begin();
  for (const CLI::Option* option : command.parse_order()) {
    if (option == options.model) of_models.emplace_back();
    if (option != options.names) continue;
    if (of_models.empty() || !of_models.back().empty())
      throw CLI::ValidationError("--names " + *next, "it belongs behind a --model, one file for each");
    of_models.back() = *next++;
  }
  names = std::move(of_models);
}

Command add_run(CLI::App& app, RunArguments& arguments) {
  CLI::App& run = *app.add_subcommand("run", "Run a model on a video, a picture or a folder of pictures");
  run.add_option("SOURCE", arguments.source, "A video, a picture, or a folder of pictures")
      ->required()
      ->check(refuse_empty);
  const ModelOptions models = add_models(run, arguments.models, arguments.names);
  models.model->required();
  run.parse_complete_callback([&run, models, &arguments] { give_to_models(run, models, arguments.names); });
  run.add_option("--save", arguments.save,
                 "Write annotated: FILE.mp4 for a video, FILE.png or FILE.jpg for a picture, a folder")
      ->check(refuse_empty);
  auto* json = run.add_option("--json", arguments.json, "Write JSON to this file; - is the standard output");
  json->check(refuse_empty);
  run.add_option("--json-format", arguments.json_format, "lines: one a frame; coco: one array of COCO results")
      ->check(CLI::IsMember({"lines", "coco"}))
      ->needs(json)
      ->capture_default_str();
  run.add_option("--threshold", arguments.threshold,
                 "Least score of a detection, 0 to 1, of all models; else each one's own")
      ->check(CLI::Range(0.0F, 1.0F));
  run.add_option("--max-embeddings", arguments.max_embeddings,
                 "Boxes of a frame that are embedded, the best first; else as many as one run of the network takes")
      ->check(CLI::Range(1, OsNet::kMaxBoxes));
  add_device(run, arguments.device);
  add_engine(run, arguments.engine);
  add_fp16(run, arguments.fp16, arguments.max_difference);
  run.add_option("--max-frames", arguments.max_frames, "Stop after so many frames")->check(refuse_other_than_count);
  run.add_flag("-v,--verbose", arguments.verbosity, "Say more on the standard error; twice for everything");
  run.footer(kExamples);
  return {&run, [&arguments] { return run_command(arguments); }};
}

constexpr const char* kBenchExamples =
    "Examples:\n"
    "  vrt bench clip.mp4 --model centerface --json before.json\n"
    "  vrt bench --synthetic 1920x1080:nv12 --model centerface --without-network --device cuda:0 --graph\n"
    "  vrt bench --compare before.json after.json\n";

/// An option that leaves nothing for the others to do. As CLI11's own `excludes`, which says so at each of them in the help.
void refuse_beside(const CLI::App& command, const CLI::Option& alone) {
  if (alone.count() == 0) return;
  for (const CLI::Option* option : command.get_options()) {
    if (option != &alone && option->count() > 0) throw CLI::ExcludesError(alone.get_name(), option->get_name());
  }
}

ModelOptions add_bench_subject(CLI::App& bench, BenchArguments& arguments) {
  bench
      .add_option("SOURCE", arguments.source,
                  "A video, a picture, or a folder of pictures; begins again where it is too short")
      ->check(refuse_empty);
  bench.add_option("--synthetic", arguments.synthetic, "Made frames in place of SOURCE, resident on the device")
      ->check(refuse_empty)
      ->type_name("WxH[:i420|nv12|rgb8]");
  const ModelOptions models = add_models(bench, arguments.models, arguments.names);
  add_device(bench, arguments.device);
  add_engine(bench, arguments.engine);
  add_fp16(bench, arguments.fp16, arguments.max_difference);
  return models;
}

Command add_bench(CLI::App& app, BenchArguments& arguments) {
  CLI::App& bench = *app.add_subcommand("bench", "Measure a model frame by frame, or compare two measurements");
  const auto* compare =
      bench.add_option("--compare", arguments.compare, "Two reports of --json side by side; measures nothing")
          ->type_name("A.json B.json")
          ->expected(2)
          ->check(refuse_empty);
  const ModelOptions models = add_bench_subject(bench, arguments);
  bench.add_option("--frames", arguments.frames, "Frames that are measured, 100 at least")
      ->capture_default_str()
      ->check(refuse_other_than_count);
  bench.add_option("--warm-up", arguments.warm_up, "Frames before them that are not")
      ->capture_default_str()
      ->check(refuse_other_than_count_or_zero);
  bench.add_flag("--without-network", arguments.without_network,
                 "Only the model's own kernels, before and behind its network, whose outputs stay as they are");
  bench.add_flag("--graph", arguments.graph, "A frame's work is one launch of a captured graph (with --synthetic)");
  bench.add_option("--json", arguments.json, "Write the report as JSON to this file; - is the standard output")
      ->check(refuse_empty);
  bench.parse_complete_callback([&bench, compare, models, &arguments] {
    refuse_beside(bench, *compare);
    give_to_models(bench, models, arguments.names);
  });
  bench.footer(kBenchExamples);
  return {&bench, [&arguments] { return bench_command(arguments); }};
}

/// Prints "vrt: …" as one line, whatever the text holds.
void print_failure(const std::string& text) { std::fprintf(stderr, "vrt: %s\n", printable(text).c_str()); }

Command add_kernels_list(CLI::App& kernels, std::string& device) {
  CLI::App& list = *kernels.add_subcommand("list", "List every kernel, and whether it is compiled for a device");
  add_device(list, device);
  return {&list, [&device] { return kernels_list_command(device); }};
}

Command add_kernels_compile(CLI::App& kernels, KernelsCompileArguments& arguments) {
  CLI::App& compile = *kernels.add_subcommand("compile", "Compile every kernel and store it; needs no GPU");
  compile.add_option("--device", arguments.device, "For this GPU, as cuda:N")->check(refuse_empty);
  compile.add_option("--arch", arguments.arch, "For GPUs of this architecture, as sm_87")
      ->check(refuse_other_than_architecture);
  compile.add_option("--into", arguments.into, "Store in this folder, for VRT_KERNEL_SEED, not in the cache")
      ->check(refuse_empty);
  return {&compile, [&arguments] { return kernels_compile_command(arguments); }};
}

struct EngineInfoArguments {
  std::string what;
  bool json = false;
};

struct EngineArguments {
  EngineBuildArguments build;
  EngineInfoArguments info;
  EnginePruneArguments prune;
  bool list_json = false;
  bool verify_json = false;
};

constexpr const char* kEngineExamples =
    "Examples:\n"
    "  vrt engine build centerface --device cuda:0 --fp16 --input 1x3x480x640 --samples clip.mp4\n"
    "  vrt engine info centerface.onnx\n";

Command add_engine_build(CLI::App& engine, EngineBuildArguments& arguments) {
  CLI::App& build = *engine.add_subcommand("build", "Build an engine, check it, and keep it for the next start");
  build
      .add_option("MODEL", arguments.model,
                  "A name of `vrt models`, or an ONNX file, behind FAMILY: where --samples needs it")
      ->type_name("[FAMILY:]FILE")
      ->required()
      ->check(refuse_empty);
  add_device(build, arguments.device);
  add_engine(build, arguments.engine);
  add_fp16(build, arguments.fp16, arguments.max_difference);
  build
      .add_option("--input", arguments.inputs,
                  "A static shape for an input; without a name for the only one. May be repeated")
      ->type_name("[NAME=]1x3xHxW")
      ->check(refuse_empty);
  build
      .add_option("--batch", arguments.batch,
                  "A changing batch, for inputs whose first dimension the model leaves open")
      ->type_name("LEAST:TYPICAL:MOST")
      ->check(refuse_empty);
  build
      .add_option("--samples", arguments.samples,
                  "Compare with float32 on eight frames of this video, picture or folder, not on noise")
      ->check(refuse_empty);
  build.add_option("--workspace-mb", arguments.workspace_mb, "Scratch memory that the backend may use")
      ->check(refuse_other_than_count);
  build.add_option("--optimization-level", arguments.optimization_level, "0 (fast build) to 5 (fast engine)")
      ->check(CLI::Range(0, 5));
  build.add_flag("--hardware-compatible", arguments.hardware_compatible,
                 "The engine runs on other GPUs of the same or a newer generation too");
  build.add_flag("--json", arguments.json, "Print the manifest of the engine");
  build.add_flag("-v,--verbose", arguments.verbosity, "Say more on the standard error; twice for everything");
  build.footer(kEngineExamples);
  return {&build, [&arguments] { return engine_build_command(arguments); }};
}

Command add_engine_info(CLI::App& engine, EngineInfoArguments& arguments) {
  CLI::App& info = *engine.add_subcommand("info", "Print what kept engines were built from and with");
  info.add_option("WHAT", arguments.what,
                  "A key of `vrt engine list` (its first digits are enough), a model or its file")
      ->required()
      ->check(refuse_empty);
  info.add_flag("--json", arguments.json, "Print the manifests as a JSON array");
  return {&info, [&arguments] { return engine_info_command(arguments.what, arguments.json); }};
}

Command add_engine_prune(CLI::App& engine, EnginePruneArguments& arguments) {
  CLI::App& prune = *engine.add_subcommand("prune", "Remove damaged engines, and those used longest ago above a limit");
  const auto* all = prune.add_flag("--all", arguments.all, "Remove every engine");
  prune.add_option("--keep-mb", arguments.keep_mb, "The limit; VRT_ENGINE_CACHE_MB without it")
      ->check(refuse_other_than_count_or_zero);
  prune.parse_complete_callback([&prune, all] { refuse_beside(prune, *all); });
  return {&prune, [&arguments] { return engine_prune_command(arguments); }};
}

/// Those below `engine` before itself, as in add_commands.
void add_engine_commands(CLI::App& app, EngineArguments& arguments, std::vector<Command>& commands) {
  CLI::App& engine =
      *app.add_subcommand("engine", "Build, list, check and remove engines that are kept for the next start");
  engine.require_subcommand(0, 1);
  commands.push_back(add_engine_build(engine, arguments.build));
  commands.push_back(add_engine_info(engine, arguments.info));
  CLI::App& list = *engine.add_subcommand("list", "List the kept engines, used last first");
  list.add_flag("--json", arguments.list_json, "Print a JSON array");
  commands.push_back({&list, [&arguments] { return engine_list_command(arguments.list_json); }});
  commands.push_back(add_engine_prune(engine, arguments.prune));
  CLI::App& verify = *engine.add_subcommand("verify", "Check every kept engine against its manifest");
  verify.add_flag("--json", arguments.verify_json, "Print a JSON array");
  commands.push_back({&verify, [&arguments] { return engine_verify_command(arguments.verify_json); }});
  commands.push_back(
      {&engine, [] {
         print_failure("engine: a command is required: build, info, list, prune or verify (see vrt engine --help)");
         return kWrongUsage;
       }});
}

Command add_selftest(CLI::App& app, SelfTestArguments& arguments) {
  CLI::App& selftest = *app.add_subcommand("selftest", "Check that vrt computes what it should on this machine");
  add_device(selftest, arguments.device);
  selftest.add_flag("--json", arguments.json, "Print the result as one JSON object");
  return {&selftest, [&arguments] { return selftest_command(arguments); }};
}

/// What the command line gave to each command.
struct Arguments {
  EngineArguments engine;
  RunArguments run;
  BenchArguments bench;
  std::string kernels_list_device = "auto";
  KernelsCompileArguments kernels_compile;
  SelfTestArguments selftest;
};

/// In the order of the help; those of a command before the command itself, which is there where none of them was named.
std::vector<Command> add_commands(CLI::App& app, Arguments& arguments) {
  std::vector<Command> commands{add_run(app, arguments.run), add_bench(app, arguments.bench)};
  commands.push_back(
      {app.add_subcommand("doctor", "List what vrt found on this machine, and what to install"), doctor_command});
  commands.push_back({app.add_subcommand("models", "List the models that vrt knows by name"), models_command});
  CLI::App& kernels = *app.add_subcommand("kernels", "List, compile and clear away kernels for GPUs");
  kernels.require_subcommand(0, 1);  // None has a message of its own below.
  commands.push_back(add_kernels_list(kernels, arguments.kernels_list_device));
  commands.push_back(add_kernels_compile(kernels, arguments.kernels_compile));
  commands.push_back(
      {kernels.add_subcommand("clear", "Remove every compiled kernel from the cache"), kernels_clear_command});
  commands.push_back({&kernels, [] {
                        print_failure(
                            "kernels: a command is required: list, compile or clear (see vrt kernels --help)");
                        return kWrongUsage;
                      }});
  add_engine_commands(app, arguments.engine, commands);
  commands.push_back(add_selftest(app, arguments.selftest));
  return commands;
}

/// Where a standard stream is closed, the next file that is opened would take its place and what is printed would go into it.
void occupy_standard_descriptors() {
  int descriptor = 0;
  do descriptor = open("/dev/null", O_RDONLY);  // Reading only: what is printed to a closed stream stays a failure.
  while (descriptor >= 0 && descriptor <= STDERR_FILENO);
  if (descriptor > STDERR_FILENO) close(descriptor);
}

/// What was printed is out only now; a full disk shows here.
void require_printed() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw vrt::Error(ErrorCode::kIo, "cannot write to the standard output", std::strerror(errno));
}

/// Nothing where a command is to run; else the exit code, and what there was to say is said.
std::optional<int> read_arguments(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return kSuccess;
  } catch (const CLI::CallForVersion& version) {
    std::printf("%s\n", version.what());
    return kSuccess;
  } catch (const CLI::ParseError& error) {
    print_failure(std::string(error.what()) + " (see vrt --help)");
    return kWrongUsage;
  }
}

int run_tool(int argc, char** argv) {
  CLI::App app("vrt, a real-time vision runtime: finds things in videos and pictures.", "vrt");
  app.set_version_flag("--version", "vrt " VRT_VERSION, "Print the version and exit");
  app.set_help_flag("-h,--help", "Print this help and exit");
  Arguments arguments;
  const std::vector<Command> commands = add_commands(app, arguments);
  if (const auto code = read_arguments(app, argc, argv)) return *code;
  for (const Command& command : commands) {
    if (command.app->parsed()) return command.run();
  }
  print_failure("a command is required: run, bench, doctor, models, kernels, engine or selftest (see vrt --help)");
  return kWrongUsage;
}

}  // namespace
}  // namespace vrt::cli

int main(int argc, char** argv) try {
  vrt::cli::occupy_standard_descriptors();
  const int code = vrt::cli::run_tool(argc, argv);
  vrt::cli::require_printed();
  return code;
} catch (const vrt::Error& error) {
  vrt::cli::print_failure(error.what());
  return error.code() == vrt::ErrorCode::kInvalidArgument ? vrt::cli::kWrongUsage : vrt::cli::kFailure;
} catch (const std::exception& error) {
  vrt::cli::print_failure(error.what());
  return vrt::cli::kFailure;
}
