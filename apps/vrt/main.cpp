// vrt: the command-line tool. Reads the arguments; the commands are in files of their own.
#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include "apps/vrt/commands.h"
#include "apps/vrt/printable.h"
#include "apps/vrt/values.h"
#include "vrt/base/error.h"

namespace vrt::cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  vrt run clip.mp4 --model centerface --save annotated.mp4\n"
    "  vrt run photos/ --model centerface --save annotated/ --json faces.jsonl\n"
    "  vrt run clip.mp4 --model centerface --json - | head -n 1\n";

void add_run_options(CLI::App& run, RunArguments& arguments) {
  run.add_option("SOURCE", arguments.source, "A video, a picture, or a folder of pictures")
      ->required()
      ->check(refuse_empty);
  run.add_option("--model", arguments.model, "A name of `vrt models`, or an ONNX file")
      ->required()
      ->check(refuse_empty);
  run.add_option("--save", arguments.save,
                 "Write annotated: FILE.mp4 for a video, FILE.png or FILE.jpg for a picture, a folder")
      ->check(refuse_empty);
  run.add_option("--json", arguments.json, "Write one line of JSON a frame to this file; - is the standard output")
      ->check(refuse_empty);
  run.add_option("--threshold", arguments.threshold, "Least score of a detection, 0 to 1")
      ->check(CLI::Range(0.0F, 1.0F))
      ->capture_default_str();
  run.add_option("--device", arguments.device, "auto, cpu or cuda:N")->capture_default_str();
  run.add_option("--engine", arguments.engine, "auto, or a backend of `vrt doctor`")->capture_default_str();
  run.add_option("--max-frames", arguments.max_frames, "Stop after so many frames")->check(refuse_other_than_count);
  run.add_flag("-v,--verbose", arguments.verbosity, "Say more on the standard error; twice for everything");
  run.footer(kExamples);
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

void add_bench_options(CLI::App& bench, BenchArguments& arguments) {
  auto* compare =
      bench.add_option("--compare", arguments.compare, "Two reports of --json side by side; measures nothing")
          ->type_name("A.json B.json")
          ->expected(2)
          ->check(refuse_empty);
  const auto add = [&](const char* name, std::string& value, const char* help) {
    return bench.add_option(name, value, help)->check(refuse_empty);
  };
  add("SOURCE", arguments.source, "A video, a picture, or a folder of pictures; begins again where it is too short");
  add("--synthetic", arguments.synthetic, "Made frames in place of SOURCE, resident on the device")
      ->type_name("WxH[:i420|nv12|rgb8]");
  add("--model", arguments.model, "A name of `vrt models`, or an ONNX file");
  add("--device", arguments.device, "auto, cpu or cuda:N")->capture_default_str();
  add("--engine", arguments.engine, "auto, or a backend of `vrt doctor`")->capture_default_str();
  const auto add_count = [&](const char* name, std::int64_t& value, const char* help) {
    return bench.add_option(name, value, help)->capture_default_str();
  };
  add_count("--frames", arguments.frames, "Frames that are measured, 100 at least")->check(refuse_other_than_count);
  add_count("--warm-up", arguments.warm_up, "Frames before them that are not")->check(refuse_other_than_count_or_zero);
  bench.add_flag("--without-network", arguments.without_network,
                 "Only the model's own kernels, before and behind its network, whose outputs stay as they are");
  bench.add_flag("--graph", arguments.graph, "A frame's work is one launch of a captured graph (with --synthetic)");
  add("--json", arguments.json, "Write the report as JSON to this file; - is the standard output");
  bench.parse_complete_callback([&bench, compare] { refuse_beside(bench, *compare); });
  bench.footer(kBenchExamples);
}

/// Prints "vrt: …" as one line, whatever the text holds.
void print_failure(const std::string& text) { std::fprintf(stderr, "vrt: %s\n", printable(text).c_str()); }

/// `vrt kernels` and its three commands.
struct KernelsCommands {
  KernelsArguments arguments;
  CLI::App* kernels;
  CLI::App* list;
  CLI::App* compile;
  CLI::App* clear;

  explicit KernelsCommands(CLI::App& app) {
    kernels = app.add_subcommand("kernels", "List, compile and clear away kernels for GPUs");
    kernels->require_subcommand(0, 1);  // None has a message of its own below.
    list = kernels->add_subcommand("list", "List every kernel, and whether it is compiled for a device");
    list->add_option("--device", list_device_, "auto, cpu or cuda:N")->capture_default_str();
    compile = kernels->add_subcommand("compile", "Compile every kernel and store it; needs no GPU");
    compile->add_option("--device", arguments.device, "For this GPU, as cuda:N")->check(refuse_empty);
    compile->add_option("--arch", arguments.arch, "For GPUs of this architecture, as sm_87")
        ->check(refuse_other_than_architecture);
    compile->add_option("--into", arguments.into, "Store in this folder, for VRT_KERNEL_SEED, not in the cache")
        ->check(refuse_empty);
    clear = kernels->add_subcommand("clear", "Remove every compiled kernel from the cache");
  }
  KernelsCommands(const KernelsCommands&) = delete;
  KernelsCommands& operator=(const KernelsCommands&) = delete;

  [[nodiscard]] int run() const {
    if (list->parsed()) return kernels_list_command({list_device_, {}, {}});
    if (compile->parsed()) return kernels_compile_command(arguments);
    if (clear->parsed()) return kernels_clear_command();
    print_failure("kernels: a command is required: list, compile or clear (see vrt kernels --help)");
    return kWrongUsage;
  }

 private:
  std::string list_device_ = "auto";
};

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

int run_tool(int argc, char** argv) {
  CLI::App app("vrt, a real-time vision runtime: finds things in videos and pictures.", "vrt");
  app.set_version_flag("--version", "vrt " VRT_VERSION);
  app.set_help_flag("-h,--help", "Print this help and exit");
  RunArguments arguments;
  CLI::App* run = app.add_subcommand("run", "Run a model on a video, a picture or a folder of pictures");
  add_run_options(*run, arguments);
  BenchArguments bench_arguments;
  CLI::App* bench = app.add_subcommand("bench", "Measure a model frame by frame, or compare two measurements");
  add_bench_options(*bench, bench_arguments);
  CLI::App* doctor = app.add_subcommand("doctor", "List what vrt found on this machine, and what to install");
  CLI::App* models = app.add_subcommand("models", "List the models that vrt knows by name");
  const KernelsCommands kernels(app);
  SelfTestArguments selftest_arguments;
  CLI::App* selftest = app.add_subcommand("selftest", "Check that vrt computes what it should on this machine");
  selftest->add_option("--device", selftest_arguments.device, "auto, cpu or cuda:N")->capture_default_str();
  selftest->add_flag("--json", selftest_arguments.json, "Print the result as one JSON object");
  try {
    app.parse(argc, argv);
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
  if (models->parsed()) return models_command();
  if (doctor->parsed()) return doctor_command();
  if (run->parsed()) return run_command(arguments);
  if (bench->parsed()) return bench_command(bench_arguments);
  if (kernels.kernels->parsed()) return kernels.run();
  if (selftest->parsed()) return selftest_command(selftest_arguments);
  print_failure("a command is required: run, bench, doctor, models, kernels or selftest (see vrt --help)");
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
