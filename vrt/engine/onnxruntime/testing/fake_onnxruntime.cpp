// Stand-ins for ONNX Runtime's library: an old release, and one with a CUDA provider whose libraries are missing. The second
// has the few functions that are called before a network is opened.
#include <onnxruntime_c_api.h>

#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <string>

namespace {

#ifdef VRT_FAKE_ONNXRUNTIME_OLD
constexpr const char* kVersion = "1.16.3";
constexpr std::uint32_t kApiVersion = 16;
#else
constexpr const char* kVersion = "1.31.1";
constexpr std::uint32_t kApiVersion = 31;
#endif

/// Every handle but a status, which is a text, is the address of this.
int something = 0;

template <typename Handle>
OrtStatus* create(Handle** out) {
  *out = reinterpret_cast<Handle*>(&something);
  return nullptr;
}

OrtStatus* fail(const std::string& text) { return reinterpret_cast<OrtStatus*>(new std::string(text)); }
void release_status(OrtStatus* status) { delete reinterpret_cast<std::string*>(status); }
const char* error_message(const OrtStatus* status) { return reinterpret_cast<const std::string*>(status)->c_str(); }

OrtStatus* providers(char*** names, int* count) {
  static char cuda[] = "CUDAExecutionProvider";
  static char* list[] = {cuda};
  *names = list;
  *count = 1;
  return nullptr;
}

/// As the real one: its provider's library needs another, which the loader does not find by itself.
OrtStatus* append_cuda(OrtSessionOptions*, const OrtCUDAProviderOptionsV2*) {
  if (dlopen("libvrt_test_cublas.so.13", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD) != nullptr) return nullptr;
  return fail(
      "/onnxruntime_src/onnxruntime/core/session/provider_bridge_ort.cc:2195 void "
      "onnxruntime::ProviderLibrary::Ensure() "
      "[ONNXRuntimeError] : 1 : FAIL : Failed to load library /wheel/libonnxruntime_providers_cuda.so with error: "
      "libvrt_test_cublas.so.13: cannot open shared object file: No such file or directory");
}

OrtApi make_api() {
  OrtApi api{};
  api.GetErrorCode = [](const OrtStatus*) noexcept { return ORT_FAIL; };
  api.GetErrorMessage = [](const OrtStatus* status) noexcept { return error_message(status); };
  api.ReleaseStatus = [](OrtStatus* status) noexcept { release_status(status); };
  api.CreateEnvWithCustomLogger = [](OrtLoggingFunction, void*, OrtLoggingLevel, const char*, OrtEnv** out) noexcept {
    return create(out);
  };
  api.DisableTelemetryEvents = [](const OrtEnv*) noexcept -> OrtStatus* { return nullptr; };
  api.GetAvailableProviders = [](char*** names, int* count) noexcept { return providers(names, count); };
  api.ReleaseAvailableProviders = [](char**, int) noexcept -> OrtStatus* { return nullptr; };
  api.CreateSessionOptions = [](OrtSessionOptions** out) noexcept { return create(out); };
  api.ReleaseSessionOptions = [](OrtSessionOptions*) noexcept {};
  api.CreateCUDAProviderOptions = [](OrtCUDAProviderOptionsV2** out) noexcept { return create(out); };
  api.ReleaseCUDAProviderOptions = [](OrtCUDAProviderOptionsV2*) noexcept {};
  api.UpdateCUDAProviderOptions = [](OrtCUDAProviderOptionsV2*, const char* const*, const char* const*,
                                     std::size_t) noexcept -> OrtStatus* { return nullptr; };
  api.SessionOptionsAppendExecutionProvider_CUDA_V2 = [](OrtSessionOptions* options,
                                                         const OrtCUDAProviderOptionsV2* cuda) noexcept {
    return append_cuda(options, cuda);
  };
  return api;
}

/// The real one prints, too, where it is asked for a version that it has not.
const OrtApi* get_api(std::uint32_t version) noexcept {
  static const OrtApi api = make_api();
  if (version <= kApiVersion) return &api;
  std::fprintf(stderr, "The requested API version [%u] is not available\n", version);
  return nullptr;
}

const char* version() noexcept { return kVersion; }

}  // namespace

extern "C" __attribute__((visibility("default"))) const OrtApiBase* OrtGetApiBase() noexcept {
  static const OrtApiBase base{&get_api, &version};
  return &base;
}
