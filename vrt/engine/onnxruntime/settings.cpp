#include "vrt/engine/onnxruntime/settings.h"

#include <onnxruntime_session_options_config_keys.h>

#include <algorithm>

#include "vrt/base/dtype.h"
#include "vrt/engine/backend_support.h"
#include "vrt/engine/onnxruntime/cuda_provider.h"

namespace vrt::onnxruntime {
namespace {

using backend::Failure;

/// Sessions on the CPU share one pool. A run's caller works with the pool's threads, so with several callers at once the
/// pool gives up one thread for each: all run, and none has to wait for a core.
std::int32_t threads_of(const VrtBackendEngineOptions& options) {
  const std::int32_t allowed = backend::allowed_processors();
  const std::int32_t wanted = options.threads > 0 ? std::min(options.threads, allowed) : allowed;
  const std::int32_t callers = options.throughput != 0 ? std::max(options.concurrent_sessions, 1) : 1;
  return std::max(wanted - callers + 1, 1);
}

GraphOptimizationLevel level_of(std::int32_t level) {
  switch (level) {
    case 0: return ORT_DISABLE_ALL;
    case 1: return ORT_ENABLE_BASIC;
    case 2: return ORT_ENABLE_EXTENDED;
    default: return ORT_ENABLE_ALL;
  }
}

/// ONNX Runtime computes in the types that the model's tensors have: float32 stays float32, and what vrt has converted to
/// float16 runs in it on a GPU. On a CPU it casts most float16 layers to float32, which is not what was asked for.
bool wants_float16(const VrtBackendEngineOptions& options) {
  const auto asked = static_cast<DType>(options.precision);
  if (asked != DType::kFloat32 && asked != DType::kFloat16) {
    throw Failure(VRT_BACKEND_UNSUPPORTED, "networks are compiled to float32 or float16");
  }
  if (asked == DType::kFloat16 && options.device_kind == 0) {
    throw Failure(
        VRT_BACKEND_UNSUPPORTED,
        "float16 was asked for, but ONNX Runtime computes float16 layers in float32 on a CPU: open the engine "
        "in float32, or on a GPU");
  }
  return asked == DType::kFloat16;
}

void add_config(const OrtApi& api, OrtSessionOptions& options, const char* key, const char* value) {
  check(api, api.AddSessionConfigEntry(&options, key, value), Stage::kCall);
}

Handle<OrtSessionOptions> session_options(const Library& library, const Settings& settings, const SessionPlan& plan) {
  const OrtApi& api = *library.api;
  Handle<OrtSessionOptions> options =
      make<OrtSessionOptions>(api, api.ReleaseSessionOptions, Stage::kCall,
                              [&](OrtSessionOptions** out) { return api.CreateSessionOptions(out); });
  check(api, api.SetSessionGraphOptimizationLevel(options.get(), settings.level), Stage::kCall);
  if (!plan.optimized_path.empty()) {
    check(api, api.SetOptimizedModelFilePath(options.get(), plan.optimized_path.c_str()), Stage::kCall);
  }
  check(api, api.SetIntraOpNumThreads(options.get(), settings.threads), Stage::kCall);
  add_config(api, *options, kOrtSessionOptionsConfigAllowIntraOpSpinning, settings.spins ? "1" : "0");
  add_config(api, *options, kOrtSessionOptionsModelExternalInitializersFileFolderPath, settings.model_folder.c_str());
  if (!plan.profile_prefix.empty()) {
    check(api, api.EnableProfiling(options.get(), plan.profile_prefix.c_str()), Stage::kCall);
  }
  if (!settings.on_gpu) return options;
  // A pattern is allocated by the second run. Without one, all that later runs need is there after the first.
  check(api, api.DisableMemPattern(options.get()), Stage::kCall);
  append_cuda_provider(library, *options, settings.ordinal, plan.native_stream);
  return options;
}

}  // namespace

Settings settings_of(const VrtBackendEngineOptions& options) {
  Settings settings;
  settings.model_folder = std::filesystem::absolute(options.model_path).parent_path();
  settings.float16 = wants_float16(options);
  settings.on_gpu = options.device_kind == 1;
  settings.ordinal = options.device_ordinal;
  settings.threads = settings.on_gpu ? 1 : threads_of(options);
  settings.spins = options.throughput == 0;
  settings.level = level_of(options.optimization_level);
  settings.batch_smallest = options.batch_smallest;
  settings.batch_largest = options.batch_largest;
  return settings;
}

Handle<OrtSession> make_session(const Library& library, const Settings& settings, std::string_view model,
                                const SessionPlan& plan) {
  const OrtApi& api = *library.api;
  const Handle<OrtSessionOptions> options = session_options(library, settings, plan);
  return make<OrtSession>(api, api.ReleaseSession, Stage::kOpen, [&](OrtSession** out) {
    return api.CreateSessionFromArray(library.environment, model.data(), model.size(), options.get(), out);
  });
}

}  // namespace vrt::onnxruntime
