#include "vrt/models/common/engine_tensors.h"

#include "vrt/base/fail.h"

namespace vrt {

std::string describe_tensors(std::span<const TensorInfo> tensors) {
  std::string text;
  for (const TensorInfo& tensor : tensors) {
    text += fmt::format("{}'{}' {} {}", text.empty() ? "" : ", ", tensor.name, to_string(tensor.type),
                        to_string(tensor.shape));
  }
  return text.empty() ? "none" : text;
}

Size picture_input_of(const Engine& engine, std::string_view family) {
  const bool has_one = engine.inputs().size() == 1;
  const Shape shape = has_one ? engine.inputs()[0].shape : Shape{};
  require(has_one && engine.inputs()[0].type == DType::kFloat32 && shape.rank() == 4 && shape[0] == 1 &&
              shape[1] == 3 && shape[2] > 0 && shape[3] > 0,
          "{}: {} has one input, float32 [1, 3, H, W], found {}", engine.model().string(), family,
          describe_tensors(engine.inputs()));
  return {static_cast<std::int32_t>(shape[3]), static_cast<std::int32_t>(shape[2])};
}

std::vector<std::size_t> outputs_of_shape(const Engine& engine, const Shape& shape) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < engine.outputs().size(); ++i) {
    const TensorInfo& output = engine.outputs()[i];
    if (output.type == DType::kFloat32 && output.shape == shape) found.push_back(i);
  }
  return found;
}

}  // namespace vrt
