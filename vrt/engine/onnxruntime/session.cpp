#include "vrt/engine/onnxruntime/session.h"

#include <onnxruntime_run_options_config_keys.h>

#include "vrt/engine/backend_support.h"
#include "vrt/engine/onnxruntime/capture_check.h"

namespace vrt::onnxruntime {
namespace {

using backend::Failure;

Handle<OrtSession> make_own(const Network& network, void* native_stream) {
  if (network.settings.on_gpu) {
    return make_session(*network.library, network.settings, network.model, {.native_stream = native_stream});
  }
  if (native_stream != nullptr) throw Failure(VRT_BACKEND_INVALID_ARGUMENT, "the CPU has no native streams");
  return {nullptr, {network.library->api->ReleaseSession}};
}

Handle<OrtMemoryInfo> memory_of(const Network& network) {
  const OrtApi& api = *network.library->api;
  const Settings& settings = network.settings;
  return make<OrtMemoryInfo>(api, api.ReleaseMemoryInfo, Stage::kCall, [&](OrtMemoryInfo** out) {
    return api.CreateMemoryInfo(settings.on_gpu ? "Cuda" : "Cpu", OrtDeviceAllocator, settings.ordinal,
                                OrtMemTypeDefault, out);
  });
}

Handle<OrtRunOptions> run_options(const OrtApi& api) {
  Handle<OrtRunOptions> options = make<OrtRunOptions>(api, api.ReleaseRunOptions, Stage::kCall,
                                                      [&](OrtRunOptions** out) { return api.CreateRunOptions(out); });
  // On a GPU a run would otherwise end with a wait for its stream. The CPU knows no such wait.
  check(api, api.AddRunConfigEntry(options.get(), kOrtRunOptionsConfigDisableSynchronizeExecutionProviders, "1"),
        Stage::kCall);
  return options;
}

void require_fit(const std::vector<Tensor>& tensors, std::uint64_t index, std::uint64_t bytes) {
  const Tensor& tensor = backend::tensor_at(tensors, index);
  backend::require_bytes(tensor.name, tensor.bytes(), bytes);
}

}  // namespace

Session::Session(const Network& network, void* native_stream)
    : network_(network),
      native_stream_(native_stream),
      own_session_(make_own(network, native_stream)),
      memory_(memory_of(network)),
      run_options_(run_options(*network.library->api)),
      inputs_(network.signature.inputs.size()),
      outputs_(network.signature.outputs.size()) {}

OrtSession& Session::session() const { return own_session_ ? *own_session_ : *network_.shared_session; }

void Session::bind_input(std::uint64_t index, void* data, std::uint64_t bytes) {
  require_fit(network_.signature.inputs, index, bytes);
  inputs_[index] = data;
  bindings_.clear();
}

void Session::bind_output(std::uint64_t index, void* data, std::uint64_t bytes) {
  require_fit(network_.signature.outputs, index, bytes);
  outputs_[index] = data;
  bindings_.clear();
}

Handle<OrtValue> Session::wrap(const Tensor& tensor, void* data, std::int64_t batch) const {
  const OrtApi& api = *network_.library->api;
  const std::vector<std::int64_t> shape = tensor.shape_at(batch);
  if (data == nullptr) throw Failure(VRT_BACKEND_INVALID_ARGUMENT, "tensor '" + tensor.name + "' is not bound");
  return make<OrtValue>(api, api.ReleaseValue, Stage::kCall, [&](OrtValue** out) {
    return api.CreateTensorWithDataAsOrtValue(memory_.get(), data, element_count(shape) * element_bytes(tensor.type),
                                              shape.data(), shape.size(), tensor.type, out);
  });
}

Session::Binding Session::make_binding(std::int64_t batch) {
  const OrtApi& api = *network_.library->api;
  const Signature& signature = network_.signature;
  Binding binding;
  binding.handle = make<OrtIoBinding>(api, api.ReleaseIoBinding, Stage::kCall,
                                      [&](OrtIoBinding** out) { return api.CreateIoBinding(&session(), out); });
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const Tensor& tensor = signature.inputs[i];
    const Handle<OrtValue>& value = binding.values.emplace_back(wrap(tensor, inputs_[i], batch));
    check(api, api.BindInput(binding.handle.get(), tensor.name.c_str(), value.get()), Stage::kCall);
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const Tensor& tensor = signature.outputs[i];
    const Handle<OrtValue>& value = binding.values.emplace_back(wrap(tensor, outputs_[i], batch));
    check(api, api.BindOutput(binding.handle.get(), tensor.name.c_str(), value.get()), Stage::kCall);
  }
  return binding;
}

void Session::run(const OrtIoBinding& binding) const {
  const OrtApi& api = *network_.library->api;
  check(api, api.RunWithBinding(&session(), run_options_.get(), &binding), Stage::kRun);
}

void Session::enqueue(std::int64_t batch) {
  auto binding = bindings_.find(batch);
  if (binding == bindings_.end()) binding = bindings_.emplace(batch, make_binding(batch)).first;
  if (!network_.settings.on_gpu) return run(*binding->second.handle);
  enqueue_on_gpu(*binding->second.handle, batch);
}

void Session::enqueue_on_gpu(const OrtIoBinding& binding, std::int64_t batch) {
  // With another batch ONNX Runtime drops cuDNN's plans for the last one, and with them the kernels that a graph would launch.
  if (captured_batch_ != 0 && batch != captured_batch_) {
    throw Failure(VRT_BACKEND_UNSUPPORTED, "this session's run of " + std::to_string(captured_batch_) +
                                               " was captured into a graph, which a run of " + std::to_string(batch) +
                                               " with ONNX Runtime would break: use another session for other batches");
  }
  const bool is_for_graph = is_captured(native_stream_);
  const std::size_t before = host_functions_captured(native_stream_);
  run(binding);
  if (is_for_graph) captured_batch_ = batch;
  // ONNX Runtime gives pinned memory back by a host function behind the run. A replay would give it back again.
  if (host_functions_captured(native_stream_) == before) return;
  throw Failure(
      VRT_BACKEND_UNSUPPORTED,
      "ONNX Runtime enqueues functions of the host with this network, which a graph would repeat: run it outside "
      "of graphs");
}

}  // namespace vrt::onnxruntime
