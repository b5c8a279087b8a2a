// The bridge's functions over OpenVINO: nothing of OpenVINO, no exception and no allocation passes them.
#include <dlfcn.h>

#include <openvino/core/log.hpp>
#include <openvino/openvino.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vrt/engine/backend_abi.h"
#include "vrt/engine/backend_functions.h"
#include "vrt/engine/backend_support.h"
#include "vrt/engine/openvino/message.h"
#include "vrt/engine/openvino/network.h"

namespace {

using vrt::backend::checked;
using vrt::backend::Failure;
using vrt::backend::guarded;
using vrt::backend::hand_out;
using vrt::backend::Logger;
using vrt::backend::LoggerList;
using vrt::backend::tensor_at;
using vrt::openvino::essence;
using vrt::openvino::Network;
using vrt::openvino::Tensor;

/// OpenVINO has one log for the process, which it prints unless it is given another place: here, all open contexts.
class LogRelay {
 public:
  static LogRelay& instance() {
    static auto& relay = *new LogRelay;
    return relay;
  }

  LoggerList& loggers() { return loggers_; }

 private:
  static constexpr std::int32_t kInfo = 1;

  LogRelay() { ov::util::set_log_callback(callback_); }

  void send(std::string_view message) {
    const std::string text(message.substr(0, message.find_last_not_of(" \r\n") + 1));
    loggers_.send(kInfo, text.c_str());
  }

  LoggerList loggers_;
  // OpenVINO keeps a reference to it.
  std::function<void(std::string_view)> callback_ = [this](std::string_view message) { send(message); };
};

std::string version_text() {
  const std::string_view build = ov::get_openvino_version().buildNumber;
  return std::string(build.substr(0, build.find('-')));
}

std::string library_path() {
  Dl_info info{};
  const bool found = dladdr(reinterpret_cast<const void*>(&ov::get_openvino_version), &info) != 0;
  return found && info.dli_fname != nullptr ? info.dli_fname : "";
}

}  // namespace

struct VrtBackendContext {
  explicit VrtBackendContext(const VrtBackendContextOptions& options) : logger(options) {
    LogRelay::instance().loggers().add(&logger);
  }
  ~VrtBackendContext() { LogRelay::instance().loggers().remove(&logger); }
  VrtBackendContext(const VrtBackendContext&) = delete;
  VrtBackendContext& operator=(const VrtBackendContext&) = delete;

  Logger logger;
  ov::Core core;
  std::string version = version_text();
  std::string library = library_path();
};

struct VrtBackendEngine {
  Network network;
};

struct VrtBackendSession {
  VrtBackendEngine* engine;
  ov::InferRequest request;
  std::vector<void*> inputs;
  std::vector<void*> outputs;
  std::int64_t bound_batch;  // What the request's tensors are for.
};

namespace {

/// As `guarded`, with OpenVINO's messages condensed.
template <typename Function>
std::int32_t call(VrtBackendError* error, const Function& function) noexcept {
  return guarded(error, [&] {
    try {
      function();
    } catch (const ov::Exception& exception) {
      throw Failure(VRT_BACKEND_FAILED, essence(exception.what()));
    }
  });
}

constexpr std::int64_t kUnbound = -1;

void describe(const Tensor& tensor, VrtBackendTensor* out) {
  vrt::backend::describe_tensor(tensor.name, tensor.dtype, tensor.shape, tensor.batched, out);
}

/// The tensor of a run over the caller's memory.
ov::Tensor wrap(const Tensor& tensor, void* data, std::int64_t batch) {
  ov::Shape shape = tensor.shape;
  if (tensor.batched) shape[0] = static_cast<std::size_t>(batch);
  return {tensor.type, shape, data};
}

void check_size(const Tensor& tensor, std::uint64_t bytes) {
  vrt::backend::require_bytes(tensor.name, ov::shape_size(tensor.shape) * tensor.type.size(), bytes);
}

/// Gives the request the tensors of a batch, where it is another one than before.
void bind_for(VrtBackendSession& session, std::int64_t batch) {
  if (session.bound_batch == batch) return;
  const Network& network = session.engine->network;
  for (std::size_t i = 0; i < session.inputs.size(); ++i)
    session.request.set_input_tensor(i, wrap(network.inputs[i], session.inputs[i], batch));
  for (std::size_t i = 0; i < session.outputs.size(); ++i)
    session.request.set_output_tensor(i, wrap(network.outputs[i], session.outputs[i], batch));
  session.bound_batch = batch;
}

/// What OpenVINO says that it took, not what it was asked for.
void log_threads(const Logger& logger, const Network& network) {
  constexpr std::int32_t kInfo = 1;
  const std::string text = "OpenVINO runs the network in " +
                           std::to_string(network.compiled.get_property(ov::num_streams).num) + " streams on " +
                           std::to_string(network.compiled.get_property(ov::inference_num_threads)) + " threads";
  logger(kInfo, text.c_str());
}

}  // namespace

extern "C" {

std::int32_t context_create(const VrtBackendContextOptions* options, VrtBackendContext** out, VrtBackendError* error) {
  return call(error, [&] {
    auto context = std::make_unique<VrtBackendContext>(checked(options, "the context's options"));
    try {
      static_cast<void>(context->core.get_versions("CPU"));
    } catch (const ov::Exception& exception) {
      throw Failure(VRT_BACKEND_UNAVAILABLE, "OpenVINO's CPU plugin does not load: " + essence(exception.what()));
    }
    *out = context.release();
  });
}

void context_destroy(VrtBackendContext* context) { vrt::backend::destroy(context); }
const char* context_version(const VrtBackendContext* context) { return context->version.c_str(); }
const char* context_library(const VrtBackendContext* context) { return context->library.c_str(); }

std::int32_t context_supports(VrtBackendContext*, std::int32_t device_kind, std::int32_t, VrtBackendError* error) {
  if (device_kind == 0) return VRT_BACKEND_OK;
  return vrt::backend::report(error, VRT_BACKEND_UNSUPPORTED, "OpenVINO runs networks on the CPU only here");
}

std::int32_t engine_create(VrtBackendContext* context, const VrtBackendEngineOptions* options, VrtBackendEngine** out,
                           VrtBackendError* error) {
  return call(error, [&] {
    auto engine = std::make_unique<VrtBackendEngine>();
    engine->network = vrt::openvino::open_network(context->core, checked(options, "the engine's options"));
    log_threads(context->logger, engine->network);
    *out = engine.release();
  });
}

std::int32_t engine_load(VrtBackendContext* context, const VrtBackendEngineOptions* options, const void* data,
                         std::uint64_t bytes, VrtBackendEngine** out, VrtBackendError* error) {
  return call(error, [&] {
    auto engine = std::make_unique<VrtBackendEngine>();
    const std::string_view text(static_cast<const char*>(data), bytes);
    engine->network = vrt::openvino::load_network(context->core, checked(options, "the engine's options"), text);
    log_threads(context->logger, engine->network);
    *out = engine.release();
  });
}

std::int32_t engine_serialize(VrtBackendEngine* engine, VrtBackendWrite write, void* user, VrtBackendError* error) {
  return call(error, [&] { hand_out(write, user, vrt::openvino::serialize(engine->network)); });
}

std::int32_t engine_describe(VrtBackendEngine* engine, VrtBackendWrite write, void* user, VrtBackendError* error) {
  return call(error, [&] { hand_out(write, user, vrt::openvino::describe_network(engine->network)); });
}

void engine_destroy(VrtBackendEngine* engine) { vrt::backend::destroy(engine); }
std::uint64_t engine_input_count(const VrtBackendEngine* engine) { return engine->network.inputs.size(); }
std::uint64_t engine_output_count(const VrtBackendEngine* engine) { return engine->network.outputs.size(); }

std::int32_t engine_input(const VrtBackendEngine* engine, std::uint64_t index, VrtBackendTensor* out,
                          VrtBackendError* error) {
  return call(error, [&] { describe(tensor_at(engine->network.inputs, index), out); });
}

std::int32_t engine_output(const VrtBackendEngine* engine, std::uint64_t index, VrtBackendTensor* out,
                           VrtBackendError* error) {
  return call(error, [&] { describe(tensor_at(engine->network.outputs, index), out); });
}

std::int32_t session_create(VrtBackendEngine* engine, const VrtBackendSessionOptions* options, VrtBackendSession** out,
                            VrtBackendError* error) {
  return call(error, [&] {
    if (checked(options, "the session's options").native_stream != nullptr)
      throw Failure(VRT_BACKEND_INVALID_ARGUMENT, "the CPU has no native streams");
    *out = new VrtBackendSession{engine, engine->network.compiled.create_infer_request(),
                                 std::vector<void*>(engine->network.inputs.size()),
                                 std::vector<void*>(engine->network.outputs.size()), kUnbound};
  });
}

void session_destroy(VrtBackendSession* session) { vrt::backend::destroy(session); }

std::int32_t session_bind_input(VrtBackendSession* session, std::uint64_t index, void* data, std::uint64_t bytes,
                                VrtBackendError* error) {
  return call(error, [&] {
    check_size(tensor_at(session->engine->network.inputs, index), bytes);
    session->inputs[index] = data;
    session->bound_batch = kUnbound;
  });
}

std::int32_t session_bind_output(VrtBackendSession* session, std::uint64_t index, void* data, std::uint64_t bytes,
                                 VrtBackendError* error) {
  return call(error, [&] {
    check_size(tensor_at(session->engine->network.outputs, index), bytes);
    session->outputs[index] = data;
    session->bound_batch = kUnbound;
  });
}

std::int32_t session_enqueue(VrtBackendSession* session, std::int64_t batch, VrtBackendError* error) {
  return call(error, [&] {
    bind_for(*session, batch);
    session->request.infer();
  });
}

}  // extern "C"

namespace {

constexpr VrtBackendTable kTable = vrt::backend::make_table("openvino", VRT_BACKEND_RESHAPES | VRT_BACKEND_SERIALIZES);

}  // namespace

extern "C" __attribute__((visibility("default"))) const VrtBackendTable* vrt_backend_entry(std::uint32_t abi_version) {
  return abi_version == VRT_BACKEND_ABI_VERSION ? &kTable : nullptr;
}
