#include <cstdio>

#include "apps/vrt/commands.h"
#include "apps/vrt/logging.h"
#include "apps/vrt/model_arguments.h"
#include "apps/vrt/progress.h"
#include "apps/vrt/signals.h"
#include "vrt/base/error.h"
#include "vrt/pipeline/run.h"

namespace vrt::cli {
namespace {

RunOptions options_of(const RunArguments& arguments) {
  RunOptions options;
  options.source = arguments.source;
  options.engine = checked_engine(arguments.engine);
  options.precision = precision_of(arguments.fp16);
  options.largest_difference = largest_difference_of(arguments.max_difference);
  options.device = device_for_models(arguments.device, arguments.engine);
  options.models = model_choices(arguments.models, arguments.names);
  options.score_threshold = arguments.threshold;
  options.most_embeddings = arguments.max_embeddings;
  options.save = arguments.save;
  options.json = arguments.json;
  options.json_format = arguments.json_format == "coco" ? JsonFormat::kCoco : JsonFormat::kLines;
  options.max_frames = arguments.max_frames;
  return options;
}

}  // namespace

int run_command(const RunArguments& arguments) {
  Logging logging(arguments.verbosity);
  const RunOptions options = options_of(arguments);
  const StopOnSignal stop;
  RunReport report;
  try {
    BuildLine line(stderr);
    ProgressBar bar(stderr);
    report = run_detection(options, {[&](const RunProgress& progress) { bar.show(progress); }, stop.flag(),
                                     [&](const BuildProgress& progress) { line.show(progress); }});
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kCancelled && stop.signal() != 0) return 128 + stop.signal();
    throw;
  }
  logging.print_held();
  std::fputs(summary_of(report).c_str(), stderr);
  return report.stopped_early ? 128 + stop.signal() : static_cast<int>(kSuccess);
}

}  // namespace vrt::cli
