// Internal: a model file as a compiled network, with vrt's rules on shapes, types and precision.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vrt/engine/onnxruntime/layers.h"
#include "vrt/engine/onnxruntime/library.h"
#include "vrt/engine/onnxruntime/network_blob.h"
#include "vrt/engine/onnxruntime/settings.h"
#include "vrt/engine/onnxruntime/signature.h"

namespace vrt::onnxruntime {

struct Network {
  const Library* library;
  Settings settings;
  std::string model;  ///< What sessions are compiled from, whatever becomes of the file. Empty where no more are made.
  Signature signature;
  Handle<OrtSession> shared_session;         ///< On the CPU, of all sessions; a GPU's session is bound to its stream.
  std::optional<std::vector<Layer>> layers;  ///< Where they are known: on a GPU, and of a network that was loaded.
};

/// Reads a model and compiles it. On a GPU that is done to check it, and again by each session. Throws backend::Failure as
/// make_session, read_signature, settle_outputs and require_on_gpu do; CANCELLED where the progress callback asks for it.
[[nodiscard]] Network open_network(const Library& library, const VrtBackendEngineOptions& options);

/// The layers that run, and what they compute in, by a session of its own that is run once.
[[nodiscard]] std::vector<Layer> record_layers(const Network& network);

/// What is kept for the next start: the model as ONNX Runtime optimised it for this device, with all of its weights. A session
/// of it was made and run, and has the layers given. Throws backend::Failure UNSUPPORTED where ONNX Runtime cannot write the model
/// (above 2 GB) or takes it otherwise.
[[nodiscard]] std::string optimized_model(const Network& network, const std::vector<Layer>& layers);

/// What a blob has to be for.
[[nodiscard]] BlobTarget target_of(const Network& network);

/// Takes a blob of blob_header and optimized_model. Runs nothing; on the CPU it makes the session that all share, on a GPU none. Throws
/// backend::Failure CORRUPT for other bytes, and those of another version or device.
[[nodiscard]] Network load_network(const Library& library, const VrtBackendEngineOptions& options,
                                   std::string_view blob);

}  // namespace vrt::onnxruntime
