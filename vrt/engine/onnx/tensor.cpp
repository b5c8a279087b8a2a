#include "vrt/engine/onnx/tensor.h"

#include <cstring>
#include <map>

#include "vrt/base/fail.h"

namespace vrt::onnx {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 62;

/// How many entries the field has that holds this type's elements where raw_data does not; -1 where none does.
std::int64_t typed_count(const Tensor& tensor) {
  switch (tensor.data_type()) {
    case Tensor::FLOAT: return tensor.float_data_size();
    case Tensor::COMPLEX64: return tensor.float_data_size() / 2;
    case Tensor::INT64: return tensor.int64_data_size();
    case Tensor::DOUBLE: return tensor.double_data_size();
    case Tensor::COMPLEX128: return tensor.double_data_size() / 2;
    case Tensor::UINT32:
    case Tensor::UINT64: return tensor.uint64_data_size();
    case Tensor::STRING: return tensor.string_data_size();
    default: return tensor.int32_data_size();
  }
}

/// Entries that `count` elements take in a typed field: types below a byte share one.
std::int64_t typed_entries(std::int64_t count, std::int32_t bits) {
  return bits == 0 || bits >= 8 ? count : (count * bits + 7) / 8;
}

void check_typed(const Tensor& tensor) {
  const std::int64_t expected = typed_entries(element_count(tensor), bits_of(tensor.data_type()));
  if (typed_count(tensor) == expected) return;
  fail(ErrorCode::kCorrupt, "tensor '{}' holds {} values, its extents say {}", tensor.name(), typed_count(tensor),
       expected);
}

}  // namespace

std::int32_t bits_of(std::int32_t data_type) {
  static const std::map<std::int32_t, std::int32_t> bits = {{Tensor::FLOAT, 32},
                                                            {Tensor::UINT8, 8},
                                                            {Tensor::INT8, 8},
                                                            {Tensor::UINT16, 16},
                                                            {Tensor::INT16, 16},
                                                            {Tensor::INT32, 32},
                                                            {Tensor::INT64, 64},
                                                            {Tensor::BOOL, 8},
                                                            {Tensor::FLOAT16, 16},
                                                            {Tensor::DOUBLE, 64},
                                                            {Tensor::UINT32, 32},
                                                            {Tensor::UINT64, 64},
                                                            {Tensor::COMPLEX64, 64},
                                                            {Tensor::COMPLEX128, 128},
                                                            {Tensor::BFLOAT16, 16},
                                                            {Tensor::FLOAT8E4M3FN, 8},
                                                            {Tensor::FLOAT8E4M3FNUZ, 8},
                                                            {Tensor::FLOAT8E5M2, 8},
                                                            {Tensor::FLOAT8E5M2FNUZ, 8},
                                                            {Tensor::UINT4, 4},
                                                            {Tensor::INT4, 4},
                                                            {Tensor::FLOAT4E2M1, 4},
                                                            {Tensor::FLOAT8E8M0, 8},
                                                            {Tensor::UINT2, 2},
                                                            {Tensor::INT2, 2}};
  const auto found = bits.find(data_type);
  return found == bits.end() ? 0 : found->second;
}

std::optional<DType> to_dtype(std::int32_t data_type) {
  switch (data_type) {
    case Tensor::FLOAT: return DType::kFloat32;
    case Tensor::FLOAT16: return DType::kFloat16;
    case Tensor::BFLOAT16: return DType::kBFloat16;
    case Tensor::INT8: return DType::kInt8;
    case Tensor::UINT8: return DType::kUInt8;
    case Tensor::INT32: return DType::kInt32;
    case Tensor::INT64: return DType::kInt64;
    case Tensor::BOOL: return DType::kBool;
    default: return std::nullopt;
  }
}

std::string type_name(std::int32_t data_type) {
  const std::string& name = vrt_onnx::TensorProto_DataType_IsValid(data_type)
                                ? vrt_onnx::TensorProto_DataType_Name(static_cast<Tensor::DataType>(data_type))
                                : std::string();
  return name.empty() ? fmt::format("element type {}", data_type) : name;
}

std::int64_t element_count(const Tensor& tensor) {
  std::int64_t count = 1;
  for (const std::int64_t extent : tensor.dims()) {
    if (extent < 0) fail(ErrorCode::kCorrupt, "tensor '{}' has the extent {}", tensor.name(), extent);
    if (extent > 0 && count > kMostElements / extent) {
      fail(ErrorCode::kCorrupt, "tensor '{}' has more elements than can be counted", tensor.name());
    }
    count *= extent;
  }
  return count;
}

std::int64_t packed_bytes(const Tensor& tensor) {
  const std::int64_t count = element_count(tensor);
  const std::int64_t bits = bits_of(tensor.data_type());
  if (bits >= 8 && count > kMostElements / (bits / 8)) {
    fail(ErrorCode::kCorrupt, "tensor '{}' has more bytes than can be counted", tensor.name());
  }
  return bits >= 8 ? count * (bits / 8) : count / 8 * bits + (count % 8 * bits + 7) / 8;
}

void check_tensor(const Tensor& tensor) {
  if (tensor.has_segment()) fail(ErrorCode::kUnsupported, "tensor '{}' is stored in segments", tensor.name());
  if (tensor.data_type() != Tensor::STRING && bits_of(tensor.data_type()) == 0) {
    fail(ErrorCode::kCorrupt, "tensor '{}' has an element type that vrt does not know: {}", tensor.name(),
         type_name(tensor.data_type()));
  }
  if (!tensor.has_raw_data() || tensor.data_type() == Tensor::STRING) return check_typed(tensor);
  if (static_cast<std::int64_t>(tensor.raw_data().size()) == packed_bytes(tensor)) return;
  fail(ErrorCode::kCorrupt, "tensor '{}' holds {} bytes, its extents say {}", tensor.name(), tensor.raw_data().size(),
       packed_bytes(tensor));
}

std::vector<float> float_values(const Tensor& tensor) {
  if (!tensor.has_raw_data()) return {tensor.float_data().begin(), tensor.float_data().end()};
  std::vector<float> values(tensor.raw_data().size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), tensor.raw_data().data(), values.size() * sizeof(float));
  return values;
}

}  // namespace vrt::onnx
