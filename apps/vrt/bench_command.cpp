#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "apps/vrt/bench_report.h"
#include "apps/vrt/commands.h"
#include "apps/vrt/logging.h"
#include "apps/vrt/model_arguments.h"
#include "apps/vrt/progress.h"
#include "apps/vrt/signals.h"
#include "vrt/base/atomic_file.h"
#include "vrt/base/fail.h"
#include "vrt/pipeline/benchmark.h"
#include "vrt/pipeline/outputs.h"

namespace vrt::cli {
namespace {

void require_complete(const BenchArguments& arguments) {
  require(arguments.source.empty() != arguments.synthetic.empty(),
          "bench measures one thing: a SOURCE, or made frames by --synthetic WIDTHxHEIGHT");
  require(!arguments.models.empty(), "--model is required: it says whose work is measured");
}

/// Nothing but a name says whose work it is, and only CenterFace's can be done without its network.
void require_work_without_network(const BenchArguments& arguments) {
  const std::vector<std::string>& models = arguments.models;
  require(std::ranges::all_of(arguments.names, &std::string::empty),
          "--names: --without-network finds objects of no class that could be named; leave one of the two out");
  for (const std::string& model : models) {
    require_model_name_or_path(model);
    require(!is_model_path(model),
            "--model {}: --without-network reads no file, so that nothing says whose work this is; take a name that "
            "`vrt models` lists",
            model);
  }
  require(models.size() == 1 && models[0] == "centerface",
          "--without-network: vrt can leave out the network of one model alone, centerface; there is {}",
          fmt::join(models, ", "));
}

BenchmarkOptions options_of(const BenchArguments& arguments) {
  require_complete(arguments);
  BenchmarkOptions options;
  options.source = arguments.source;
  if (!arguments.synthetic.empty()) options.synthetic = SyntheticFrames::parse(arguments.synthetic);
  options.without_network = arguments.without_network;
  options.warm_up = arguments.warm_up;
  options.frames = arguments.frames;
  options.graph = arguments.graph;
  check_options(options);
  if (arguments.without_network) require_work_without_network(arguments);
  options.engine = checked_engine(arguments.engine);
  options.precision = precision_of(arguments.fp16);
  options.largest_difference = largest_difference_of(arguments.max_difference);
  options.device = arguments.without_network ? Device::parse(arguments.device)
                                             : device_for_models(arguments.device, arguments.engine);
  if (!arguments.without_network) options.models = model_choices(arguments.models, arguments.names);
  return options;
}

/// The place of the JSON document, claimed before the measurement: it would be lost.
std::optional<AtomicFile> open_output(const BenchArguments& arguments, const BenchmarkOptions& options) {
  if (arguments.json.empty() || arguments.json == "-") return std::nullopt;
  std::vector<Place> read{{"the source", options.source}};
  for (const ModelChoice& model : options.models) add_places_of(model, read);
  require_places_of_their_own(read, {{"the report", arguments.json}});
  std::error_code ignored;  // A source that cannot be looked at is refused where it is opened.
  if (std::filesystem::is_directory(options.source, ignored))
    require_beside_pictures(arguments.json, options.source, picture_files(options.source, SourceKind::kFolder), {});
  return AtomicFile(arguments.json);
}

/// The table goes where the document does not.
void print(const Benchmark& benchmark, const BenchArguments& arguments, std::optional<AtomicFile>& file) {
  if (arguments.json == "-") {
    std::fputs(bench_json(benchmark).c_str(), stdout);
    std::fputs(bench_table(benchmark).c_str(), stderr);
    return;
  }
  if (file) {
    file->write(bench_json(benchmark));
    file->commit();
  }
  std::fputs(bench_table(benchmark).c_str(), stdout);
}

/// Stopped, too, where a signal ended the compilation of a network.
BenchmarkReport measure_or_stop(const BenchmarkOptions& options, const StopOnSignal& stop) {
  BuildLine line(stderr);
  try {
    return run_benchmark(options, {stop.flag(), [&](const BuildProgress& progress) { line.show(progress); }});
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kCancelled || stop.signal() == 0) throw;
    BenchmarkReport report;
    report.stopped = true;
    return report;
  }
}

int measure(const BenchArguments& arguments) {
  Logging logging(0);
  const BenchmarkOptions options = options_of(arguments);
  const StopOnSignal stop;  // Before the file: where file systems have no nameless ones, one would stay behind.
  std::optional<AtomicFile> file = open_output(arguments, options);
  const BenchmarkReport report = measure_or_stop(options, stop);
  if (report.stopped) return 128 + stop.signal();
  logging.print_held();
  print({arguments, options.device, report}, arguments, file);
  return kSuccess;
}

}  // namespace

int bench_command(const BenchArguments& arguments) {
  if (arguments.compare.empty()) return measure(arguments);
  std::fputs(bench_comparison(arguments.compare[0], arguments.compare[1]).c_str(), stdout);
  return kSuccess;
}

}  // namespace vrt::cli
