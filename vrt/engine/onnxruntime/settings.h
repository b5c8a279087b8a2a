// Internal: the bridge's options of an engine, kept for the sessions that are made later, and as ONNX Runtime's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "vrt/engine/backend_abi.h"
#include "vrt/engine/onnxruntime/library.h"
#include "vrt/engine/onnxruntime/ort.h"

namespace vrt::onnxruntime {

struct Settings {
  std::filesystem::path model_folder;  ///< Where a model's external data lies.
  bool on_gpu = false;
  std::int32_t ordinal = 0;
  std::int32_t threads = 1;  ///< Of one ONNX Runtime session, the caller's included.
  bool spins = true;         ///< Its threads look for work for a while before they sleep.
  GraphOptimizationLevel level = ORT_ENABLE_ALL;
  bool float16 = false;
  std::int64_t batch_smallest = 0;  ///< Both 0 without a changing batch.
  std::int64_t batch_largest = 0;
};

/// Throws backend::Failure UNSUPPORTED where the precision would not be kept.
[[nodiscard]] Settings settings_of(const VrtBackendEngineOptions& options);

/// What one OrtSession is made with.
struct SessionPlan {
  void* native_stream = nullptr;  ///< On a GPU, the stream of its runs; nullptr: one of ONNX Runtime's own.
  std::filesystem::path
      profile_prefix{};  ///< Not empty: its first runs are written down in a file whose name begins so.
  std::filesystem::path optimized_path{};  ///< Not empty: the model as it was optimised is written to that file.
};

/// Compiles a model, given as a file's bytes. Throws backend::Failure: CORRUPT, UNSUPPORTED, NOT_FOUND (external data),
/// INVALID_ARGUMENT (shapes that do not go together), OUT_OF_MEMORY, FAILED.
[[nodiscard]] Handle<OrtSession> make_session(const Library& library, const Settings& settings, std::string_view model,
                                              const SessionPlan& plan);

}  // namespace vrt::onnxruntime
