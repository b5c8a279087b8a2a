// A whole run: a source, a detector, and what becomes of its results.
//
//   vrt::RunReport report = vrt::run_detection({.source = "clip.mp4", .model = "centerface.onnx", .save = "out.mp4"});
//
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
#include "vrt/pipeline/stage_times.h"

namespace vrt {

/// What to run, on what, and where results go.
struct RunOptions {
  std::string source;           ///< A video, a picture or a folder of pictures.
  std::filesystem::path model;  ///< An ONNX file of the CenterFace family.
  Device device;
  std::string engine = "auto";  ///< As EngineOptions::backend.
  Precision precision = Precision::kFloat32;
  double largest_difference = AccuracyOptions{}.largest_difference;  ///< With kFloat16: as AccuracyOptions.
  float score_threshold = 0.5F;
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
};

/// What a run has done.
struct RunReport {
  SourceInfo source;
  std::int64_t frames = 0;
  std::int64_t detections = 0;
  bool stopped_early = false;  ///< By RunHooks::stop.
  double setup_seconds = 0;    ///< Opening the source and compiling the network.
  double seconds = 0;          ///< From the first frame asked for to the last file finished.
  Device device;
  std::string backend;  ///< Name and version, "openvino 2026.4.1".
  Size network_input;   ///< Of the last frame.
  std::vector<StageSummary> stages;
};

/// BLOCKS until the source is at its end, `stop` is set or something fails. Files appear under their names when they are complete
/// (after an early end: with the frames that were done, if there are any); after a failure none is left, but for the finished pictures of a folder.
/// Throws the first failure of any thread; kCancelled where `stop` is set while a network is compiled.
VRT_API RunReport run_detection(const RunOptions& options, const RunHooks& hooks = {});

}  // namespace vrt
