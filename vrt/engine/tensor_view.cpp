#include "vrt/engine/tensor_view.h"

#include "vrt/base/fail.h"

namespace vrt::detail {

void throw_tensor_type_mismatch(const TensorInfo& info, DType requested) {
  fail(ErrorCode::kInvalidArgument, "tensor '{}' {} holds {}, it was asked for as {}", info.name, to_string(info.shape),
       to_string(info.type), to_string(requested));
}

}  // namespace vrt::detail
