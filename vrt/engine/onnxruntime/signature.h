// Internal: the inputs and outputs of a compiled network, with vrt's rules on types and on dimensions that are not known.
#pragma once

#include <onnxruntime_c_api.h>

#include <cstdint>
#include <string>
#include <vector>

#include "vrt/engine/backend_abi.h"
#include "vrt/engine/onnxruntime/settings.h"

namespace vrt::onnxruntime {

/// An input or output as the bridge describes it.
struct Tensor {
  std::string name;
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  std::vector<std::int64_t> shape;  ///< At the largest batch; -1 where it is not known.
  std::int32_t dtype = 0;
  bool batched = false;  ///< The first extent follows the batch.

  /// The shape of a run with that batch.
  [[nodiscard]] std::vector<std::int64_t> shape_at(std::int64_t batch) const;
  /// At the largest batch.
  [[nodiscard]] std::uint64_t bytes() const;
};

struct Signature {
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
};

/// "[1,3,?,?]"
[[nodiscard]] std::string text_of(const std::vector<std::int64_t>& shape);
[[nodiscard]] std::uint64_t element_count(const std::vector<std::int64_t>& shape);

/// Reads what a session takes and gives. Every input's shape is static then, but for the first extent of those that follow a
/// changing batch; those of outputs are as far as ONNX Runtime knows them. Throws backend::Failure: INVALID_ARGUMENT (an open
/// dimension of an input, by name; shapes asked for that the file does not have), UNSUPPORTED (types that vrt has not).
[[nodiscard]] Signature read_signature(const OrtApi& api, const OrtSession& session, const Settings& settings,
                                       const VrtBackendEngineOptions& options);

}  // namespace vrt::onnxruntime
