// Internal: a network bound to one stream and to the caller's memory.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "vrt/engine/onnxruntime/network.h"
#include "vrt/engine/onnxruntime/ort.h"

namespace vrt::onnxruntime {

/// Not thread-safe; several sessions of one network run at once. On the CPU they share the compiled network. On a GPU each has
/// its own, weights included: ONNX Runtime binds a compiled network to the stream that it runs on.
class Session {
 public:
  /// `network` outlives it. Throws backend::Failure as make_session, INVALID_ARGUMENT for a stream on the CPU.
  Session(const Network& network, void* native_stream);

  /// Memory of the engine's device, which stays the caller's. Throws INVALID_ARGUMENT for another size than the tensor has.
  void bind_input(std::uint64_t index, void* data, std::uint64_t bytes);
  void bind_output(std::uint64_t index, void* data, std::uint64_t bytes);

  /// One run. On the CPU it runs to completion; on a GPU it is enqueued and nothing waits. What the first run with a batch needs stays
  /// for those that follow. Throws FAILED, OUT_OF_MEMORY; UNSUPPORTED under a capture that could not be replayed, and for another batch
  /// than one that was captured.
  void enqueue(std::int64_t batch);

 private:
  /// The tensors of runs with one batch.
  struct Binding {
    std::vector<Handle<OrtValue>> values;
    Handle<OrtIoBinding> handle;
  };

  [[nodiscard]] OrtSession& session() const;
  [[nodiscard]] Binding make_binding(std::int64_t batch);
  [[nodiscard]] Handle<OrtValue> wrap(const Tensor& tensor, void* data, std::int64_t batch) const;
  void run(const OrtIoBinding& binding) const;
  void enqueue_on_gpu(const OrtIoBinding& binding, std::int64_t batch);

  const Network& network_;
  void* native_stream_;
  Handle<OrtSession> own_session_;
  Handle<OrtMemoryInfo> memory_;
  Handle<OrtRunOptions> run_options_;
  std::vector<void*> inputs_;
  std::vector<void*> outputs_;
  std::map<std::int64_t, Binding> bindings_;
  std::int64_t captured_batch_ = 0;  ///< Of the runs that graphs have; 0 before the first.
};

}  // namespace vrt::onnxruntime
