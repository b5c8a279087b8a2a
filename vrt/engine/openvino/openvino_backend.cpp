// The bridge's functions over OpenVINO: nothing of OpenVINO, no exception and no allocation passes them.
#include <dlfcn.h>

#include <openvino/core/log.hpp>
#include <openvino/openvino.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "vrt/engine/backend_abi.h"
#include "vrt/engine/backend_support.h"
#include "vrt/engine/openvino/message.h"
#include "vrt/engine/openvino/network.h"

namespace {

using vrt::backend::checked;
using vrt::backend::Failure;
using vrt::backend::guarded;
using vrt::backend::Logger;
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

  void add(const Logger* logger) {
    const std::lock_guard lock(mutex_);
    loggers_.push_back(logger);
  }
  void remove(const Logger* logger) {
    const std::lock_guard lock(mutex_);
    loggers_.erase(std::remove(loggers_.begin(), loggers_.end(), logger), loggers_.end());
  }

 private:
  static constexpr std::int32_t kInfo = 1;

  LogRelay() { ov::util::set_log_callback(callback_); }

  void send(std::string_view message) {
    const std::lock_guard lock(mutex_);
    const std::string text(message.substr(0, message.find_last_not_of(" \r\n") + 1));
    for (const Logger* logger : loggers_) (*logger)(kInfo, text.c_str());
  }

  std::mutex mutex_;
  std::vector<const Logger*> loggers_;
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
    LogRelay::instance().add(&logger);
  }
  ~VrtBackendContext() { LogRelay::instance().remove(&logger); }
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
  std::transform(tensor.shape.begin(), tensor.shape.end(), out->extents,
                 [](std::size_t extent) { return static_cast<std::int64_t>(extent); });
}

/// A tensor over the caller's memory.
ov::Tensor wrap(const Tensor& tensor, void* data, std::uint64_t bytes) {
  ov::Tensor wrapped(tensor.type, tensor.shape, data);
  if (wrapped.get_byte_size() == bytes) return wrapped;
  throw Failure(VRT_BACKEND_INVALID_ARGUMENT, "tensor '" + tensor.name + "' has " +
                                                  std::to_string(wrapped.get_byte_size()) +
                                                  " bytes, the memory for it " + std::to_string(bytes));
}

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

std::int32_t engine_create(VrtBackendContext* context, const VrtBackendEngineOptions* options, VrtBackendEngine** out,
                           VrtBackendError* error) {
  return call(error, [&] {
    auto engine = std::make_unique<VrtBackendEngine>();
    engine->network = vrt::openvino::open_network(context->core, checked(options, "the engine's options"));
    *out = engine.release();
  });
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

std::int32_t session_create(VrtBackendEngine* engine, VrtBackendSession** out, VrtBackendError* error) {
  return call(error, [&] { *out = new VrtBackendSession{engine, engine->network.compiled.create_infer_request()}; });
}

void session_destroy(VrtBackendSession* session) { vrt::backend::destroy(session); }

std::int32_t session_bind_input(VrtBackendSession* session, std::uint64_t index, void* data, std::uint64_t bytes,
                                VrtBackendError* error) {
  return call(error, [&] {
    session->request.set_input_tensor(index, wrap(tensor_at(session->engine->network.inputs, index), data, bytes));
  });
}

std::int32_t session_bind_output(VrtBackendSession* session, std::uint64_t index, void* data, std::uint64_t bytes,
                                 VrtBackendError* error) {
  return call(error, [&] {
    session->request.set_output_tensor(index, wrap(tensor_at(session->engine->network.outputs, index), data, bytes));
  });
}

std::int32_t session_enqueue(VrtBackendSession* session, void* native_stream, VrtBackendError* error) {
  return call(error, [&] {
    if (native_stream != nullptr) throw Failure(VRT_BACKEND_INVALID_ARGUMENT, "the CPU has no native streams");
    session->request.infer();
  });
}

}  // extern "C"

constexpr VrtBackendTable kTable = {
    sizeof(VrtBackendTable), VRT_BACKEND_ABI_VERSION, "openvino",          context_create,
    context_destroy,         context_version,         context_library,     engine_create,
    engine_destroy,          engine_input_count,      engine_output_count, engine_input,
    engine_output,           session_create,          session_destroy,     session_bind_input,
    session_bind_output,     session_enqueue,
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const VrtBackendTable* vrt_backend_v1(std::uint32_t abi_version) {
  return abi_version == VRT_BACKEND_ABI_VERSION ? &kTable : nullptr;
}
