// Internal (not installed): the values of an ONNX tensor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vrt/base/dtype.h"
#include "vrt/engine/onnx/model.h"

namespace vrt::onnx {

/// Bits of one element of a TensorProto::DataType; 0 for strings, and for types that vrt does not know.
[[nodiscard]] std::int32_t bits_of(std::int32_t data_type);

/// vrt's element type for ONNX's, where there is one.
[[nodiscard]] std::optional<DType> to_dtype(std::int32_t data_type);

/// ONNX's name of an element type, "FLOAT16"; "element type 99" for an unknown one.
[[nodiscard]] std::string type_name(std::int32_t data_type);

/// The product of the extents. Throws kCorrupt naming the tensor for a negative extent or a product past 2^62.
[[nodiscard]] std::int64_t element_count(const Tensor& tensor);

/// The bytes that the elements take when they are packed. Throws as element_count.
[[nodiscard]] std::int64_t packed_bytes(const Tensor& tensor);

/// Throws kCorrupt naming the tensor unless its type is known and its values are there and as many as its extents say.
/// External data has to be loaded before.
void check_tensor(const Tensor& tensor);

/// The values of a FLOAT tensor that check_tensor has passed.
[[nodiscard]] std::vector<float> float_values(const Tensor& tensor);

}  // namespace vrt::onnx
