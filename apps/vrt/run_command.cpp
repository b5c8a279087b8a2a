#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "apps/vrt/commands.h"
#include "apps/vrt/logging.h"
#include "apps/vrt/progress.h"
#include "apps/vrt/signals.h"
#include "vrt/base/fail.h"
#include "vrt/engine/engine.h"
#include "vrt/hub/registry.h"
#include "vrt/pipeline/run.h"

namespace vrt::cli {
namespace {

/// A path (it has a separator or ends in .onnx) or a name of the registry.
std::filesystem::path resolve_model(const std::string& model) {
  std::filesystem::path path(model);
  if (path.has_parent_path() || path.extension() == ".onnx") return path;
  const auto known = known_models();
  const bool is_known =
      std::any_of(known.begin(), known.end(), [&](const ModelEntry& entry) { return entry.name == model; });
  require(is_known, "--model {}: neither a file (….onnx) nor a model that `vrt models` lists", model);
  return locate_model(find_model(model));
}

std::string checked_engine(const std::string& engine) {
  if (engine == "auto") return engine;
  std::string known = "auto";
  for (const BackendInfo& backend : list_backends()) {
    if (backend.name == engine) return engine;
    known += ", " + backend.name;
  }
  fail(ErrorCode::kInvalidArgument, "--engine {}: not one of {}", engine, known);
}

RunOptions options_of(const RunArguments& arguments) {
  RunOptions options;
  options.source = arguments.source;
  options.device = Device::parse(arguments.device);
  options.engine = checked_engine(arguments.engine);
  options.model = resolve_model(arguments.model);
  options.score_threshold = arguments.threshold;
  options.save = arguments.save;
  options.json = arguments.json;
  options.max_frames = arguments.max_frames;
  return options;
}

}  // namespace

int run_command(const RunArguments& arguments) {
  Logging logging(arguments.verbosity);
  const RunOptions options = options_of(arguments);
  const StopOnSignal stop;
  RunReport report;
  {
    ProgressBar bar(stderr);
    report = run_detection(options, {[&](const RunProgress& progress) { bar.show(progress); }, stop.flag()});
  }
  logging.print_held();
  std::fputs(summary_of(report).c_str(), stderr);
  return report.stopped_early ? 128 + stop.signal() : static_cast<int>(kSuccess);
}

}  // namespace vrt::cli
