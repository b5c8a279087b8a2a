// A whole run: a source, networks of any families, and what becomes of their results.
//
//   vrt::RunOptions options{.source = "clip.mp4", .models = {{.file = "rfdetr.onnx"}, {.file = "osnet.onnx"}}};
//   vrt::RunReport report = vrt::run_detection(options);
//
// All networks of a frame are enqueued on one stream, and waited for once.
// Three threads: the source decodes ahead, the caller's thread submits and waits, a third draws and writes. The queues between
// them are bounded; every frame goes through, in order.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "vrt/base/export.h"
#include "vrt/device/device.h"
#include "vrt/engine/engine.h"
#include "vrt/image/image.h"
#include "vrt/media/source.h"
#include "vrt/pipeline/json_format.h"
#include "vrt/pipeline/model_choice.h"
#include "vrt/pipeline/stage_times.h"

namespace vrt {

/// What to run, on what, and where results go.
struct RunOptions {
  std::string source;  ///< A video, a picture or a folder of pictures.
  std::vector<ModelChoice>
      models;  ///< At least one; those that look at boxes take the first earlier one's that gives some.
  Device device;
  std::string engine = "auto";  ///< As EngineOptions::backend.
  Precision precision = Precision::kFloat32;
  double largest_difference = AccuracyOptions{}.largest_difference;  ///< With kFloat16: as AccuracyOptions.
  std::optional<float> score_threshold;  ///< Of detections; where not given each family's own.
  /// Boxes of a frame that an OSNet embeds, the best first, in [1, OsNet::kMaxBoxes]; where not given as many as one run of its network
  /// takes, and 16 at least. With more each frame has as many runs as that takes, whatever was found.
  std::optional<std::int32_t> most_embeddings = {};
  std::filesystem::path save;  ///< Annotated video, picture or folder; empty: none.
  std::string json;            ///< A file, "-" for the standard output; empty: none.
  JsonFormat json_format = JsonFormat::kLines;
  std::int64_t max_frames = 0;  ///< Stops after so many; 0: all.
};

/// How far a run has come.
struct RunProgress {
  std::int64_t frames = 0;            ///< Done: drawn and written.
  std::optional<std::int64_t> total;  ///< If the source tells.
  double seconds = 0;                 ///< Since the first frame was asked for.
};

/// What a caller of run_detection is told, and how it ends a run early.
struct RunHooks {
  /// Called after each frame, one call at a time, from the writing thread. What it throws ends the run.
  std::function<void(const RunProgress&)> progress;
  /// Where a signal handler asks for an early end: frames that are in flight are finished, then the files.
  const std::atomic<bool>* stop = nullptr;
  /// Told how the compilation of a network goes, from any thread.
  std::function<void(const BuildProgress&)> building = {};
};

/// What one network of a run was, and found.
struct ModelReport {
  std::string name;
  std::string family;
  std::string backend;        ///< Name and version, "openvino 2026.4.1".
  Size input;                 ///< Of the network, for the last frame.
  std::int64_t findings = 0;  ///< Detections, features, classes, embeddings; of a depth network, maps.
  std::int64_t left_out =
      0;  ///< Boxes that an OSNet did not embed, since there were more than RunOptions::most_embeddings.
};

/// What a run has done.
struct RunReport {
  SourceInfo source;
  std::int64_t frames = 0;
  std::int64_t detections = 0;  ///< Of all networks.
  bool stopped_early = false;   ///< By RunHooks::stop.
  double setup_seconds = 0;     ///< Opening the source and compiling the network.
  double seconds = 0;           ///< From the first frame asked for to the last file finished.
  Device device;
  std::vector<ModelReport> models;
  std::vector<StageSummary> stages;
};

/// BLOCKS until the source is at its end, `stop` is set or something fails. Files appear under their names when they are complete
/// (after an early end: with the frames that were done, if there are any); after a failure none is left, but for the finished pictures of a folder.
/// Throws the first failure of any thread; kCancelled where `stop` is set while a network is compiled; kInvalidArgument for a network
/// whose family cannot be told from its file, or that looks at boxes where no earlier one gives any.
VRT_API RunReport run_detection(const RunOptions& options, const RunHooks& hooks = {});

}  // namespace vrt
