// Stands before the real ONNX Runtime, which VRT_COUNTED_ONNXRUNTIME names, and counts the sessions that are made of it and the runs of
// them. Of its calls those are replaced, all others are the real ones.
#include <onnxruntime_c_api.h>

#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

namespace {

std::atomic<int> sessions{0};
std::atomic<int> runs{0};

const OrtApiBase& real_base() {
  static const OrtApiBase& base = [&]() -> const OrtApiBase& {
    void* const library = dlopen(std::getenv("VRT_COUNTED_ONNXRUNTIME"), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    return *reinterpret_cast<const OrtApiBase*(ORT_API_CALL*)()>(dlsym(library, "OrtGetApiBase"))();
  }();
  return base;
}

const OrtApi& real_api() {
  static const OrtApi& api = *real_base().GetApi(ORT_API_VERSION);
  return api;
}

OrtStatus* ORT_API_CALL create_session(const OrtEnv* environment, const void* model, std::size_t bytes,
                                       const OrtSessionOptions* options, OrtSession** out) noexcept {
  ++sessions;
  return real_api().CreateSessionFromArray(environment, model, bytes, options, out);
}

OrtStatus* ORT_API_CALL run(OrtSession* session, const OrtRunOptions* options, const char* const* input_names,
                            const OrtValue* const* inputs, std::size_t input_count, const char* const* output_names,
                            std::size_t output_count, OrtValue** outputs) noexcept {
  ++runs;
  return real_api().Run(session, options, input_names, inputs, input_count, output_names, output_count, outputs);
}

OrtStatus* ORT_API_CALL run_with_binding(OrtSession* session, const OrtRunOptions* options,
                                         const OrtIoBinding* binding) noexcept {
  ++runs;
  return real_api().RunWithBinding(session, options, binding);
}

const OrtApi* get_api(std::uint32_t version) noexcept {
  static const OrtApi api = [] {
    OrtApi counted = real_api();
    counted.CreateSessionFromArray = create_session;
    counted.Run = run;
    counted.RunWithBinding = run_with_binding;
    return counted;
  }();
  return version == ORT_API_VERSION ? &api : nullptr;
}

const char* version() noexcept { return real_base().GetVersionString(); }

}  // namespace

extern "C" __attribute__((visibility("default"))) const OrtApiBase* OrtGetApiBase() noexcept {
  static const OrtApiBase base{&get_api, &version};
  return &base;
}

/// Gives how often either happened since the last call.
extern "C" __attribute__((visibility("default"))) void vrt_take_counts(int* made, int* ran) noexcept {
  *made = sessions.exchange(0);
  *ran = runs.exchange(0);
}
