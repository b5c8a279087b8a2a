// Internal (not installed): what the handles Engine and Session own. Order of destruction by ownership: session,
// engine, context, module.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vrt/device/backend.h"
#include "vrt/device/device.h"
#include "vrt/device/event.h"
#include "vrt/device/memory.h"
#include "vrt/device/stream.h"
#include "vrt/engine/backend_context.h"
#include "vrt/engine/engine.h"

namespace vrt::detail {

/// Destroys a handle of the bridge with the device's context current.
template <typename Handle>
struct HandleDeleter {
  void (*destroy)(Handle*);
  Device device;

  void operator()(Handle* handle) const noexcept;
};
using EngineHandle = std::unique_ptr<VrtBackendEngine, HandleDeleter<VrtBackendEngine>>;
using SessionHandle = std::unique_ptr<VrtBackendSession, HandleDeleter<VrtBackendSession>>;

class EngineState {
 public:
  /// Throws kBackend where the backend describes tensors that vrt cannot hold.
  EngineState(std::shared_ptr<BackendContext> context, std::filesystem::path model, const BatchRange& batch,
              EngineHandle handle);

  [[nodiscard]] const VrtBackendTable& table() const noexcept { return context_->table(); }
  [[nodiscard]] VrtBackendEngine* handle() const noexcept { return handle_.get(); }
  [[nodiscard]] const BackendContext& context() const noexcept { return *context_; }
  [[nodiscard]] const std::filesystem::path& model() const noexcept { return model_; }
  [[nodiscard]] Device device() const noexcept { return device_; }
  [[nodiscard]] const std::vector<TensorInfo>& inputs() const noexcept { return inputs_; }
  [[nodiscard]] const std::vector<TensorInfo>& outputs() const noexcept { return outputs_; }
  /// "network 'centerface'", with static storage: names the runs in errors.
  [[nodiscard]] const char* operation_name() const noexcept { return operation_name_; }
  /// "openvino 2026.4.1", for messages.
  [[nodiscard]] std::string backend_text() const;
  /// The range of the changing batch; `largest` is 0 without one.
  [[nodiscard]] const BatchRange& batch() const noexcept { return batch_; }
  [[nodiscard]] EngineDetails describe() const;
  [[nodiscard]] const std::optional<AccuracyReport>& accuracy() const noexcept { return accuracy_; }
  /// Only before others see the engine.
  void set_accuracy(std::optional<AccuracyReport> accuracy) { accuracy_ = std::move(accuracy); }

 private:
  std::shared_ptr<BackendContext> context_;
  std::filesystem::path model_;
  Device device_;
  const char* operation_name_;
  EngineHandle handle_;
  std::vector<TensorInfo> inputs_;
  std::vector<TensorInfo> outputs_;
  BatchRange batch_;
  std::optional<AccuracyReport> accuracy_;
};

/// Makes the public handle.
struct EngineMaker {
  [[nodiscard]] static Engine make(std::shared_ptr<EngineState> state) { return Engine(std::move(state)); }
};

class SessionState {
 public:
  SessionState(Engine engine, const Stream& stream);
  /// Waits for this session's runs.
  ~SessionState();
  SessionState(const SessionState&) = delete;
  SessionState& operator=(const SessionState&) = delete;

  void set_batch(std::int64_t batch);
  void submit();
  [[nodiscard]] const Engine& engine() const noexcept { return engine_; }
  [[nodiscard]] const Stream& stream() const noexcept { return stream_; }
  [[nodiscard]] TensorView input(std::size_t index) { return view(engine_.inputs(), inputs_, index); }
  [[nodiscard]] TensorView output(std::size_t index) { return view(engine_.outputs(), outputs_, index); }

 private:
  using Memory = std::vector<DeviceBuffer<std::byte>>;
  [[nodiscard]] static TensorView view(std::span<const TensorInfo> infos, Memory& memory, std::size_t index) {
    return {&infos[index], memory[index].span().data()};
  }
  [[nodiscard]] Memory allocate(std::span<const TensorInfo> infos) const;
  void bind();
  /// One run on the calling thread, which is the stream's worker on the CPU.
  void run(std::int64_t batch) const;
  void enqueue_on_gpu() const;

  Engine engine_;
  Stream stream_;
  Event last_run_;
  Memory inputs_;
  Memory outputs_;
  std::int64_t batch_;
  SessionHandle handle_;
};

template <typename Handle>
void HandleDeleter<Handle>::operator()(Handle* handle) const noexcept {
  try {
    backend_of(device).with_context([&] { destroy(handle); });
  } catch (const std::exception&) {
    destroy(handle);  // The device is lost: what the backend holds on the host goes all the same.
  }
}

}  // namespace vrt::detail
