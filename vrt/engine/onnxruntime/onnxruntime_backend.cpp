// The bridge's functions over ONNX Runtime: nothing of it, no exception and no allocation passes them.
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "vrt/engine/backend_abi.h"
#include "vrt/engine/backend_functions.h"
#include "vrt/engine/backend_support.h"
#include "vrt/engine/onnxruntime/cuda_provider.h"
#include "vrt/engine/onnxruntime/layers.h"
#include "vrt/engine/onnxruntime/library.h"
#include "vrt/engine/onnxruntime/network.h"
#include "vrt/engine/onnxruntime/network_blob.h"
#include "vrt/engine/onnxruntime/session.h"

namespace {

using vrt::backend::checked;
using vrt::backend::guarded;
using vrt::backend::hand_out;
using vrt::backend::Logger;
using vrt::backend::tensor_at;
using vrt::onnxruntime::Library;
using vrt::onnxruntime::LogSubscription;
using vrt::onnxruntime::Network;
using vrt::onnxruntime::Session;
using vrt::onnxruntime::Tensor;

}  // namespace

struct VrtBackendContext {
  explicit VrtBackendContext(const VrtBackendContextOptions& options) : logger(options) {}

  Logger logger;
  LogSubscription subscription{logger};
  const Library& library = vrt::onnxruntime::load_library();
};

struct VrtBackendEngine {
  Network network;
  std::mutex layers_mutex;  // Its layers are looked at when somebody first asks for them, from any thread.
};

struct VrtBackendSession {
  Session session;
};

namespace {

void describe(const Tensor& tensor, VrtBackendTensor* out) {
  vrt::backend::describe_tensor(tensor.name, tensor.dtype, tensor.shape, tensor.batched, out);
}

/// The engine's layers, found out once.
const std::vector<vrt::onnxruntime::Layer>& layers_of(VrtBackendEngine& engine) {
  const std::lock_guard lock(engine.layers_mutex);
  if (!engine.network.layers) engine.network.layers = vrt::onnxruntime::record_layers(engine.network);
  return *engine.network.layers;
}

}  // namespace

extern "C" {

std::int32_t context_create(const VrtBackendContextOptions* options, VrtBackendContext** out, VrtBackendError* error) {
  return guarded(error, [&] { *out = new VrtBackendContext(checked(options, "the context's options")); });
}

void context_destroy(VrtBackendContext* context) { vrt::backend::destroy(context); }
const char* context_version(const VrtBackendContext* context) { return context->library.version.c_str(); }
const char* context_library(const VrtBackendContext* context) { return context->library.path.c_str(); }

std::int32_t context_supports(VrtBackendContext* context, std::int32_t device_kind, std::int32_t,
                              VrtBackendError* error) {
  return guarded(error, [&] {
    if (device_kind == 1) vrt::onnxruntime::require_cuda_provider(context->library);
  });
}

std::int32_t engine_create(VrtBackendContext* context, const VrtBackendEngineOptions* options, VrtBackendEngine** out,
                           VrtBackendError* error) {
  return guarded(error, [&] {
    const VrtBackendEngineOptions& asked = checked(options, "the engine's options");
    *out = new VrtBackendEngine{vrt::onnxruntime::open_network(context->library, asked), {}};
  });
}

std::int32_t engine_load(VrtBackendContext* context, const VrtBackendEngineOptions* options, const void* data,
                         std::uint64_t bytes, VrtBackendEngine** out, VrtBackendError* error) {
  return guarded(error, [&] {
    const VrtBackendEngineOptions& asked = checked(options, "the engine's options");
    const std::string_view blob(static_cast<const char*>(data), bytes);
    *out = new VrtBackendEngine{vrt::onnxruntime::load_network(context->library, asked, blob), {}};
  });
}

std::int32_t engine_serialize(VrtBackendEngine* engine, VrtBackendWrite write, void* user, VrtBackendError* error) {
  return guarded(error, [&] {
    const std::string model = vrt::onnxruntime::optimized_model(engine->network, layers_of(*engine));
    hand_out(write, user,
             vrt::onnxruntime::blob_header(engine->network.signature, layers_of(*engine),
                                           vrt::onnxruntime::target_of(engine->network), model));
    hand_out(write, user, model);
  });
}

std::int32_t engine_describe(VrtBackendEngine* engine, VrtBackendWrite write, void* user, VrtBackendError* error) {
  return guarded(error, [&] { hand_out(write, user, vrt::onnxruntime::describe(layers_of(*engine))); });
}

void engine_destroy(VrtBackendEngine* engine) { vrt::backend::destroy(engine); }
std::uint64_t engine_input_count(const VrtBackendEngine* engine) { return engine->network.signature.inputs.size(); }
std::uint64_t engine_output_count(const VrtBackendEngine* engine) { return engine->network.signature.outputs.size(); }

std::int32_t engine_input(const VrtBackendEngine* engine, std::uint64_t index, VrtBackendTensor* out,
                          VrtBackendError* error) {
  return guarded(error, [&] { describe(tensor_at(engine->network.signature.inputs, index), out); });
}

std::int32_t engine_output(const VrtBackendEngine* engine, std::uint64_t index, VrtBackendTensor* out,
                           VrtBackendError* error) {
  return guarded(error, [&] { describe(tensor_at(engine->network.signature.outputs, index), out); });
}

std::int32_t session_create(VrtBackendEngine* engine, const VrtBackendSessionOptions* options, VrtBackendSession** out,
                            VrtBackendError* error) {
  return guarded(error, [&] {
    void* const native_stream = checked(options, "the session's options").native_stream;
    *out = new VrtBackendSession{Session(engine->network, native_stream)};
  });
}

void session_destroy(VrtBackendSession* session) { vrt::backend::destroy(session); }

std::int32_t session_bind_input(VrtBackendSession* session, std::uint64_t index, void* data, std::uint64_t bytes,
                                VrtBackendError* error) {
  return guarded(error, [&] { session->session.bind_input(index, data, bytes); });
}

std::int32_t session_bind_output(VrtBackendSession* session, std::uint64_t index, void* data, std::uint64_t bytes,
                                 VrtBackendError* error) {
  return guarded(error, [&] { session->session.bind_output(index, data, bytes); });
}

std::int32_t session_enqueue(VrtBackendSession* session, std::int64_t batch, VrtBackendError* error) {
  return guarded(error, [&] { session->session.enqueue(batch); });
}

}  // extern "C"

namespace {

/// It takes no other shapes than a file's.
constexpr VrtBackendTable kTable = vrt::backend::make_table("onnxruntime", VRT_BACKEND_SERIALIZES);

}  // namespace

extern "C" __attribute__((visibility("default"))) const VrtBackendTable* vrt_backend_entry(std::uint32_t abi_version) {
  return abi_version == VRT_BACKEND_ABI_VERSION ? &kTable : nullptr;
}
