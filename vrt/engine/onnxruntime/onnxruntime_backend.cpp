// The bridge's functions over ONNX Runtime: nothing of it, no exception and no allocation passes them.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "vrt/engine/backend_abi.h"
#include "vrt/engine/backend_support.h"
#include "vrt/engine/onnxruntime/cuda_provider.h"
#include "vrt/engine/onnxruntime/layers.h"
#include "vrt/engine/onnxruntime/library.h"
#include "vrt/engine/onnxruntime/network.h"
#include "vrt/engine/onnxruntime/session.h"

namespace {

using vrt::backend::checked;
using vrt::backend::Failure;
using vrt::backend::guarded;
using vrt::backend::Logger;
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
};

struct VrtBackendSession {
  Session session;
};

namespace {

const Tensor& tensor_at(const std::vector<Tensor>& tensors, std::uint64_t index) {
  if (index < tensors.size()) return tensors[index];
  throw Failure(VRT_BACKEND_INVALID_ARGUMENT,
                "there is no tensor " + std::to_string(index) + " of " + std::to_string(tensors.size()));
}

void describe(const Tensor& tensor, VrtBackendTensor* out) {
  checked(out, "the tensor description");
  out->name = tensor.name.c_str();
  out->dtype = tensor.dtype;
  out->rank = tensor.shape.size();
  out->batched = tensor.batched ? 1 : 0;
  std::copy(tensor.shape.begin(), tensor.shape.end(), out->extents);
}

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
    *out = new VrtBackendEngine{vrt::onnxruntime::open_network(context->library, asked)};
  });
}

std::int32_t engine_load(VrtBackendContext*, const VrtBackendEngineOptions*, const void*, std::uint64_t,
                         VrtBackendEngine**, VrtBackendError* error) {
  return vrt::backend::report(error, VRT_BACKEND_UNSUPPORTED, "ONNX Runtime compiles models from their files");
}

std::int32_t engine_serialize(VrtBackendEngine*, VrtBackendWrite, void*, VrtBackendError* error) {
  return vrt::backend::report(error, VRT_BACKEND_UNSUPPORTED, "ONNX Runtime compiles models from their files");
}

std::int32_t engine_describe(VrtBackendEngine* engine, VrtBackendWrite write, void* user, VrtBackendError* error) {
  return guarded(error, [&] {
    const std::string text = vrt::onnxruntime::describe(vrt::onnxruntime::layers_of(engine->network));
    if (write(user, text.data(), text.size()) != 0) throw Failure(VRT_BACKEND_FAILED, "the bytes were not taken");
  });
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

constexpr VrtBackendTable make_table() {
  VrtBackendTable table{};
  table.struct_bytes = sizeof(table);
  table.abi_version = VRT_BACKEND_ABI_VERSION;
  table.name = "onnxruntime";
  // It takes no other shapes than a file's, and compiles as fast as it loads what it compiled: CenterFace, on two cores, in 9 ms
  // from the ONNX file and in 8 ms from ONNX Runtime's optimised model, which holds for one version and processor alone.
  table.capabilities = 0;
  table.context_create = context_create;
  table.context_destroy = context_destroy;
  table.context_version = context_version;
  table.context_library = context_library;
  table.context_supports = context_supports;
  table.engine_create = engine_create;
  table.engine_load = engine_load;
  table.engine_serialize = engine_serialize;
  table.engine_describe = engine_describe;
  table.engine_destroy = engine_destroy;
  table.engine_input_count = engine_input_count;
  table.engine_output_count = engine_output_count;
  table.engine_input = engine_input;
  table.engine_output = engine_output;
  table.session_create = session_create;
  table.session_destroy = session_destroy;
  table.session_bind_input = session_bind_input;
  table.session_bind_output = session_bind_output;
  table.session_enqueue = session_enqueue;
  return table;
}

constexpr VrtBackendTable kTable = make_table();

}  // namespace

extern "C" __attribute__((visibility("default"))) const VrtBackendTable* vrt_backend_entry(std::uint32_t abi_version) {
  return abi_version == VRT_BACKEND_ABI_VERSION ? &kTable : nullptr;
}
