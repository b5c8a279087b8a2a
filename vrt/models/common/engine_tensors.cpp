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
  require(engine.inputs().size() == 1, "{}: {} has 1 input, this network has {}", engine.model().string(), family,
          engine.inputs().size());
  const TensorInfo& input = engine.inputs()[0];
  const Shape& shape = input.shape;
  require(input.type == DType::kFloat32 && shape.rank() == 4 && shape[0] > 0 && shape[1] == 3 && shape[2] > 0 &&
              shape[3] > 0,
          "{}: input '{}' is {} {}, {} takes float32 [1, 3, H, W], or [B, 3, H, W] for B pictures at a time",
          engine.model().string(), input.name, to_string(input.type), to_string(shape), family);
  return {static_cast<std::int32_t>(shape[3]), static_cast<std::int32_t>(shape[2])};
}

void set_picture_input(EngineOptions& options, Size input) {
  const std::int64_t batch = options.batch.largest > 0 ? Shape::kDynamic : 1;
  options.input_shapes[""] = Shape{batch, 3, input.height, input.width};
}

std::vector<std::size_t> outputs_of_shape(std::span<const TensorInfo> outputs, const Shape& shape) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i].type == DType::kFloat32 && outputs[i].shape.is_compatible_with(shape)) found.push_back(i);
  return found;
}

bool is_only(std::span<const TensorInfo> tensors, const Shape& shape) {
  return tensors.size() == 1 && outputs_of_shape(tensors, shape).size() == 1;
}

}  // namespace vrt
