// Internal: a model file as a compiled network, with vrt's rules on shapes, types and precision.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vrt/engine/onnxruntime/layers.h"
#include "vrt/engine/onnxruntime/library.h"
#include "vrt/engine/onnxruntime/settings.h"
#include "vrt/engine/onnxruntime/signature.h"

namespace vrt::onnxruntime {

struct Network {
  const Library* library;
  Settings settings;
  std::string model;  ///< The file's bytes: sessions are compiled from what was checked, whatever becomes of the file.
  Signature signature;
  Handle<OrtSession> shared_session;         ///< On the CPU, of all sessions; a GPU's session is bound to its stream.
  std::optional<std::vector<Layer>> layers;  ///< Where they were recorded when it was opened: on a GPU.
};

/// Reads a model and compiles it. On a GPU that is done to check it, and again by each session. Throws backend::Failure as
/// make_session, read_signature, settle_outputs and require_on_gpu do; CANCELLED where the progress callback asks for it.
[[nodiscard]] Network open_network(const Library& library, const VrtBackendEngineOptions& options);

/// The layers that run, and what they compute in.
[[nodiscard]] std::vector<Layer> layers_of(const Network& network);

}  // namespace vrt::onnxruntime
