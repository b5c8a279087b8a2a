#include "vrt/engine/onnxruntime/cuda_provider.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <system_error>

#include "vrt/engine/backend_support.h"
#include "vrt/engine/onnxruntime/ort.h"

namespace vrt::onnxruntime {
namespace {

namespace fs = std::filesystem;
using backend::Failure;

constexpr std::string_view kProvider = "CUDAExecutionProvider";

bool offers_cuda(const OrtApi& api) {
  char** names = nullptr;
  int count = 0;
  check(api, api.GetAvailableProviders(&names, &count), Stage::kCall);
  const bool found = std::any_of(names, names + count, [](const char* name) { return name == kProvider; });
  check(api, api.ReleaseAvailableProviders(names, count), Stage::kCall);
  return found;
}

/// The file that the loader did not find, by its complaint "libx.so.1: cannot open shared object file: …"; empty for
/// other complaints.
std::string missing_file(std::string_view complaint) {
  const std::size_t end = complaint.find(": cannot open shared object file");
  if (end == std::string_view::npos) return {};
  const std::size_t blank = complaint.find_last_of(" \t\n", end);
  const std::size_t begin = blank == std::string_view::npos ? 0 : blank + 1;
  return std::string(complaint.substr(begin, end - begin));
}

fs::path find_in(const std::vector<fs::path>& folders, const std::string& name) {
  std::error_code ignored;
  for (const fs::path& folder : folders) {
    if (fs::exists(folder / name, ignored)) return folder / name;
  }
  return {};
}

/// Loads a library that another one needs, and before it what it needs itself. The loader then takes it for that name,
/// though its folder is not on the loader's path. Returns the file that is missing; empty if none is.
std::string preload(const std::vector<fs::path>& folders, const std::string& name, int depth = 0) {
  constexpr int kMostInARow = 16;
  const fs::path path = find_in(folders, name);
  if (path.empty() || depth == kMostInARow) return name;
  std::string needed_before = name;
  while (dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) == nullptr) {
    const char* const reason = dlerror();
    const std::string needed = missing_file(reason != nullptr ? reason : "");
    if (needed.empty() || needed == needed_before) return name;
    if (std::string missing = preload(folders, needed, depth + 1); !missing.empty()) return missing;
    needed_before = needed;
  }
  return {};
}

/// cuDNN compiles some of its kernels when they are first used, and looks for NVRTC by name then: that of the CUDA that was
/// loaded, where a wheel has brought it.
void preload_compiler(const std::vector<fs::path>& folders) {
  for (const std::string major : {"12", "13", "14"}) {
    void* const runtime = dlopen(("libcudart.so." + major).c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (runtime == nullptr) continue;
    static_cast<void>(preload(folders, "libnvrtc.so." + major));
    dlclose(runtime);
  }
}

Handle<OrtCUDAProviderOptionsV2> provider_options(const OrtApi& api, std::int32_t ordinal, void* native_stream) {
  auto options = make<OrtCUDAProviderOptionsV2>(
      api, api.ReleaseCUDAProviderOptions, Stage::kCall,
      [&](OrtCUDAProviderOptionsV2** out) { return api.CreateCUDAProviderOptions(out); });
  const std::string device = std::to_string(ordinal);
  constexpr std::size_t kCount = 5;
  const std::array<const char*, kCount> keys = {"device_id", "use_tf32", "arena_extend_strategy",
                                                "cudnn_conv_algo_search", "enable_cuda_graph"};
  const std::array<const char*, kCount> values = {
      device.c_str(),
      // Float32 means float32.
      "0",
      // No more than what is needed: memory is shared with other networks and, on a Jetson, with the host.
      "kSameAsRequested",
      // The same algorithm in every session and every start, so the same bits. An exhaustive search decides by the clock.
      "HEURISTIC",
      // A run is captured in vrt's graph, not in one of ONNX Runtime's.
      "0"};
  check(api, api.UpdateCUDAProviderOptions(options.get(), keys.data(), values.data(), kCount), Stage::kCall);
  if (native_stream != nullptr) {
    check(api, api.UpdateCUDAProviderOptionsWithValue(options.get(), "user_compute_stream", native_stream),
          Stage::kCall);
  }
  return options;
}

[[noreturn]] void refuse(const Library& library, const std::string& reason) {
  throw Failure(VRT_BACKEND_UNAVAILABLE, reason + " (ONNX Runtime " + library.version + ", " + library.path + ")");
}

/// Appends the provider; where a library is missing, with that one loaded from NVIDIA's wheels, as often as it takes.
void append(const Library& library, OrtSessionOptions& options, const OrtCUDAProviderOptionsV2& cuda) {
  const std::vector<fs::path> folders = cuda_library_folders(library.path);
  std::string loaded;
  for (;;) {
    std::string reason;
    try {
      check(*library.api, library.api->SessionOptionsAppendExecutionProvider_CUDA_V2(&options, &cuda), Stage::kCall);
      return preload_compiler(folders);
    } catch (const Failure& failure) {
      reason = failure.what();
    }
    std::string missing = missing_file(reason);
    if (missing.empty() || missing == loaded) {
      refuse(library, "the CUDA provider of ONNX Runtime does not start: " + reason);
    }
    loaded = missing;
    missing = preload(folders, missing);
    if (!missing.empty()) {
      refuse(library, "the CUDA provider of ONNX Runtime needs " + missing +
                          ", which is missing: install onnxruntime-gpu with the extras [cuda,cudnn], or set "
                          "LD_LIBRARY_PATH to the folder that holds it");
    }
  }
}

}  // namespace

void append_cuda_provider(const Library& library, OrtSessionOptions& options, std::int32_t ordinal,
                          void* native_stream) {
  const Handle<OrtCUDAProviderOptionsV2> cuda = provider_options(*library.api, ordinal, native_stream);
  append(library, options, *cuda);
}

void require_cuda_provider(const Library& library) {
  const OrtApi& api = *library.api;
  if (!offers_cuda(api)) {
    refuse(library, "this ONNX Runtime is built for CPUs only: install the wheel onnxruntime-gpu in its place");
  }
  const auto options = make<OrtSessionOptions>(api, api.ReleaseSessionOptions, Stage::kCall,
                                               [&](OrtSessionOptions** out) { return api.CreateSessionOptions(out); });
  append_cuda_provider(library, *options, 0, nullptr);
}

}  // namespace vrt::onnxruntime
