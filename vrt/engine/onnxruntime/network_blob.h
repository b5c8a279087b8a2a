// Internal: a compiled network as bytes: what was found out about it when it was first opened, and the model as ONNX Runtime
// optimised it, so that the next start tries nothing out.
//
//   vrt ONNX Runtime network 1 <16 digits: checksum of all that follows this line>
//   {"library": "1.32.0", "device": "cuda", "inputs": […], "outputs": […], "layers": […], "model_bytes": 7304518}
//   <the model>
//
// A tensor is {"name": "x", "type": 1, "shape": [4, 3], "batched": true}: type is ONNX's element type, the shape that of the
// largest batch. Layers are as engine_describe tells them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vrt/engine/onnxruntime/layers.h"
#include "vrt/engine/onnxruntime/signature.h"

namespace vrt::onnxruntime {

/// What a network was optimised with and for: it holds for nothing else.
struct BlobTarget {
  std::string library;  ///< "1.32.0"
  bool on_gpu = false;
};

/// What stands before the model. Throws backend::Failure UNSUPPORTED where a name is no UTF-8 text.
[[nodiscard]] std::string blob_header(const Signature& signature, const std::vector<Layer>& layers,
                                      const BlobTarget& target, std::string_view model);

/// The first line for what follows it, the description's end of line included.
[[nodiscard]] std::string first_line(std::string_view description, std::string_view model);

struct ParsedBlob {
  Signature signature;
  std::vector<Layer> layers;
  std::string_view model;  ///< Within the bytes that were parsed.
};

/// `largest_batch` is that of the options, 0 without a changing batch. Throws backend::Failure CORRUPT: bytes that are no such
/// blob or were damaged, and a blob of another version or device, naming both sides.
[[nodiscard]] ParsedBlob parse_blob(std::string_view bytes, const BlobTarget& target, std::int64_t largest_batch);

}  // namespace vrt::onnxruntime
