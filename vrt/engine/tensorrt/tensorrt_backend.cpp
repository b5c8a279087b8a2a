// The bridge's functions over TensorRT: nothing of TensorRT, no exception and no allocation passes them.
//
// Who needs whom: a session its engine, an engine its runtime and the libraries. Each handle shares what it needs, so
// that the order in which they are destroyed does not matter; the libraries and the one logger stay until the process
// ends.
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vrt/engine/backend_abi.h"
#include "vrt/engine/backend_functions.h"
#include "vrt/engine/backend_support.h"
#include "vrt/engine/tensorrt/builder.h"
#include "vrt/engine/tensorrt/driver.h"
#include "vrt/engine/tensorrt/library.h"
#include "vrt/engine/tensorrt/log_relay.h"
#include "vrt/engine/tensorrt/network.h"
#include "vrt/engine/tensorrt/plan_header.h"

namespace {

using vrt::backend::checked;
using vrt::backend::Failure;
using vrt::backend::guarded;
using vrt::backend::hand_out;
using vrt::backend::Logger;
using vrt::backend::tensor_at;
using vrt::tensorrt::ComputeCapability;
using vrt::tensorrt::ErrorNotes;
using vrt::tensorrt::kIsRtx;
using vrt::tensorrt::kProduct;
using vrt::tensorrt::Library;
using vrt::tensorrt::LogRelay;
using vrt::tensorrt::Network;
using vrt::tensorrt::PlanHeader;
using vrt::tensorrt::Tensor;

/// The host's logger, known to TensorRT's for as long as this lives.
class Registration {
 public:
  explicit Registration(const VrtBackendContextOptions& options) : logger_(options) {
    LogRelay::instance().loggers().add(&logger_);
  }
  ~Registration() { LogRelay::instance().loggers().remove(&logger_); }
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;
  [[nodiscard]] const Logger& logger() const noexcept { return logger_; }

 private:
  Logger logger_;
};

}  // namespace

struct VrtBackendContext {
  explicit VrtBackendContext(const VrtBackendContextOptions& options) : registration(options) {}

  Registration registration;  // First: opening the library logs.
  Library library = Library::open();
  std::string version = to_text(library.version());
};

struct VrtBackendEngine {
  std::shared_ptr<const Network> network;
  PlanHeader header;
};

struct VrtBackendSession {
  std::shared_ptr<const Network> network;
  std::unique_ptr<nvinfer1::IExecutionContext> context;
  cudaStream_t stream = nullptr;
  std::int64_t batch = 0;  // That the inputs' shapes are set to.
};

namespace {

/// That both flavours and every version of TensorRT from 10 on need.
constexpr ComputeCapability kLeast{7, 5};

bool runs_rtx(const ComputeCapability& gpu) {
  return gpu.major == 12 || (gpu.major == 8 && (gpu.minor == 0 || gpu.minor == 6 || gpu.minor == 9));
}

void require_support(std::int32_t device_kind, const ComputeCapability& gpu) {
  const std::string shown = "compute capability " + std::to_string(gpu.major) + "." + std::to_string(gpu.minor);
  if (device_kind == 1 && kIsRtx && !runs_rtx(gpu))
    throw Failure(VRT_BACKEND_UNSUPPORTED,
                  "TensorRT-RTX runs networks on GPUs of compute capability 8.0, 8.6, 8.9 and 12.x, this one has " +
                      shown + "; use TensorRT or ONNX Runtime on it");
  if (gpu.major < kLeast.major || (gpu.major == kLeast.major && gpu.minor < kLeast.minor))
    throw Failure(VRT_BACKEND_UNSUPPORTED,
                  std::string(kProduct) + " needs a GPU of compute capability 7.5 or more, this one has " + shown);
}

/// The GPU's architecture. Throws UNSUPPORTED for the CPU and for GPUs that the library does not run on.
ComputeCapability require_gpu(std::int32_t device_kind, std::int32_t ordinal) {
  if (device_kind != 1)
    throw Failure(VRT_BACKEND_UNSUPPORTED, std::string(kProduct) + " runs networks on NVIDIA's GPUs only");
  const ComputeCapability gpu = vrt::tensorrt::compute_capability(ordinal);
  require_support(device_kind, gpu);
  return gpu;
}

void describe(const Tensor& tensor, VrtBackendTensor* out) {
  vrt::backend::describe_tensor(tensor.name, tensor.dtype, tensor.extents, tensor.batched, out);
}

void bind(VrtBackendSession& session, const Tensor& tensor, void* data, std::uint64_t bytes) {
  vrt::backend::require_bytes(tensor.name, tensor.bytes, bytes);
  const ErrorNotes notes;
  if (!session.context->setTensorAddress(tensor.name.c_str(), data))
    throw notes.failure("the memory for '" + tensor.name + "' is not taken");
}

/// Gives the inputs the shapes of a batch, where it is another one than before.
void set_batch(VrtBackendSession& session, std::int64_t batch) {
  const Network& network = *session.network;
  if (batch == session.batch) return;
  if (batch < network.smallest_batch || batch > network.largest_batch) {
    throw Failure(VRT_BACKEND_INVALID_ARGUMENT, "the batch is " + std::to_string(batch) + ", the engine takes " +
                                                    std::to_string(network.smallest_batch) + " to " +
                                                    std::to_string(network.largest_batch));
  }
  const ErrorNotes notes;
  session.batch = 0;  // Should an input refuse, none is of a batch any more.
  for (const Tensor& input : network.inputs) {
    if (!input.batched) continue;
    nvinfer1::Dims shape{};
    shape.nbDims = static_cast<std::int32_t>(input.extents.size());
    std::copy(input.extents.begin(), input.extents.end(), shape.d);
    shape.d[0] = batch;
    if (!session.context->setInputShape(input.name.c_str(), shape))
      throw notes.failure("input '" + input.name + "' does not take the batch " + std::to_string(batch));
  }
  session.batch = batch;
}

}  // namespace

extern "C" {

std::int32_t context_create(const VrtBackendContextOptions* options, VrtBackendContext** out, VrtBackendError* error) {
  return guarded(
      error, [&] { *out = std::make_unique<VrtBackendContext>(checked(options, "the context's options")).release(); });
}

void context_destroy(VrtBackendContext* context) { vrt::backend::destroy(context); }
const char* context_version(const VrtBackendContext* context) { return context->version.c_str(); }
const char* context_library(const VrtBackendContext* context) { return context->library.path().c_str(); }

std::int32_t context_supports(VrtBackendContext*, std::int32_t device_kind, std::int32_t ordinal,
                              VrtBackendError* error) {
  return guarded(error, [&] { require_gpu(device_kind, ordinal); });
}

std::int32_t engine_create(VrtBackendContext* context, const VrtBackendEngineOptions* options, VrtBackendEngine** out,
                           VrtBackendError* error) {
  return guarded(error, [&] {
    const VrtBackendEngineOptions& asked = checked(options, "the engine's options");
    auto engine = std::make_unique<VrtBackendEngine>();
    engine->header.architecture = require_gpu(asked.device_kind, asked.device_ordinal);
    engine->header.library = context->library.version();
    engine->header.hardware_compatible = asked.hardware_compatible != 0;
    const auto plan = vrt::tensorrt::build_plan(context->library, asked, context->registration.logger());
    engine->network =
        std::make_shared<Network>(vrt::tensorrt::load_network(context->library, plan->data(), plan->size()));
    *out = engine.release();
  });
}

std::int32_t engine_load(VrtBackendContext* context, const VrtBackendEngineOptions* options, const void* data,
                         std::uint64_t bytes, VrtBackendEngine** out, VrtBackendError* error) {
  return guarded(error, [&] {
    const VrtBackendEngineOptions& asked = checked(options, "the engine's options");
    const ComputeCapability gpu = require_gpu(asked.device_kind, asked.device_ordinal);
    const auto found =
        vrt::tensorrt::check_plan({static_cast<const char*>(data), bytes}, context->library.version(), gpu);
    auto engine = std::make_unique<VrtBackendEngine>();
    engine->header = found.header;
    engine->network =
        std::make_shared<Network>(vrt::tensorrt::load_network(context->library, found.plan.data(), found.plan.size()));
    *out = engine.release();
  });
}

std::int32_t engine_serialize(VrtBackendEngine* engine, VrtBackendWrite write, void* user, VrtBackendError* error) {
  return guarded(error, [&] {
    const auto plan = vrt::tensorrt::serialize(*engine->network);
    PlanHeader header = engine->header;
    header.plan_bytes = plan->size();
    hand_out(write, user, to_text(header));
    hand_out(write, user, {static_cast<const char*>(plan->data()), plan->size()});
  });
}

std::int32_t engine_describe(VrtBackendEngine* engine, VrtBackendWrite write, void* user, VrtBackendError* error) {
  return guarded(error, [&] { hand_out(write, user, vrt::tensorrt::describe_network(*engine->network)); });
}

void engine_destroy(VrtBackendEngine* engine) { vrt::backend::destroy(engine); }
std::uint64_t engine_input_count(const VrtBackendEngine* engine) { return engine->network->inputs.size(); }
std::uint64_t engine_output_count(const VrtBackendEngine* engine) { return engine->network->outputs.size(); }

std::int32_t engine_input(const VrtBackendEngine* engine, std::uint64_t index, VrtBackendTensor* out,
                          VrtBackendError* error) {
  return guarded(error, [&] { describe(tensor_at(engine->network->inputs, index), out); });
}

std::int32_t engine_output(const VrtBackendEngine* engine, std::uint64_t index, VrtBackendTensor* out,
                           VrtBackendError* error) {
  return guarded(error, [&] { describe(tensor_at(engine->network->outputs, index), out); });
}

std::int32_t session_create(VrtBackendEngine* engine, const VrtBackendSessionOptions* options, VrtBackendSession** out,
                            VrtBackendError* error) {
  return guarded(error, [&] {
    const ErrorNotes notes;
    auto session = std::make_unique<VrtBackendSession>();
    session->stream = static_cast<cudaStream_t>(checked(options, "the session's options").native_stream);
    session->network = engine->network;
    session->context.reset(engine->network->engine->createExecutionContext());
    if (session->context == nullptr) throw notes.failure("no execution context is made");
    *out = session.release();
  });
}

void session_destroy(VrtBackendSession* session) { vrt::backend::destroy(session); }

std::int32_t session_bind_input(VrtBackendSession* session, std::uint64_t index, void* data, std::uint64_t bytes,
                                VrtBackendError* error) {
  return guarded(error, [&] { bind(*session, tensor_at(session->network->inputs, index), data, bytes); });
}

std::int32_t session_bind_output(VrtBackendSession* session, std::uint64_t index, void* data, std::uint64_t bytes,
                                 VrtBackendError* error) {
  return guarded(error, [&] { bind(*session, tensor_at(session->network->outputs, index), data, bytes); });
}

std::int32_t session_enqueue(VrtBackendSession* session, std::int64_t batch, VrtBackendError* error) {
  return guarded(error, [&] {
    set_batch(*session, batch);
    const ErrorNotes notes;
    if (!session->context->enqueueV3(session->stream)) throw notes.failure("the network is not enqueued");
  });
}

}  // extern "C"

namespace {

constexpr VrtBackendTable kTable =
    vrt::backend::make_table(vrt::tensorrt::kBackendName, VRT_BACKEND_SERIALIZES | VRT_BACKEND_MOVES_TO_OTHER_GPUS |
                                                              (kIsRtx ? VRT_BACKEND_BOUND_TO_DRIVER : 0));

}  // namespace

extern "C" __attribute__((visibility("default"))) const VrtBackendTable* vrt_backend_entry(std::uint32_t abi_version) {
  return abi_version == VRT_BACKEND_ABI_VERSION ? &kTable : nullptr;
}
