#include "vrt/base/dtype.h"

#include "vrt/base/fail.h"

namespace vrt {
namespace {

struct Facts {
  std::size_t bytes;
  std::string_view name;
};

Facts facts_of(DType type) {
  switch (type) {
    case DType::kFloat32: return {4, "float32"};
    case DType::kFloat16: return {2, "float16"};
    case DType::kBFloat16: return {2, "bfloat16"};
    case DType::kInt8: return {1, "int8"};
    case DType::kUInt8: return {1, "uint8"};
    case DType::kInt32: return {4, "int32"};
    case DType::kInt64: return {8, "int64"};
    case DType::kBool: return {1, "bool"};
  }
  fail(ErrorCode::kInvalidArgument, "{} is not the number of an element type; expected 1 (float32) to 8 (bool)",
       static_cast<std::int32_t>(type));
}

}  // namespace

std::size_t size_bytes(DType type) { return facts_of(type).bytes; }

std::string_view to_string(DType type) { return facts_of(type).name; }

}  // namespace vrt
