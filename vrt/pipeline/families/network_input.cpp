#include "vrt/pipeline/families/network_input.h"

#include <cstdint>
#include <utility>

#include "vrt/base/fail.h"
#include "vrt/engine/model_preparation.h"
#include "vrt/engine/onnx_metadata.h"

namespace vrt {
namespace {

constexpr std::int64_t kOpen = Shape::kDynamic;

/// What the network is opened with; nothing where the file says all.
std::optional<Shape> shape_for(const std::optional<Shape>& stated, Size input, Size fallback) {
  if (input != Size{}) return Shape{1, 3, input.height, input.width};
  if (!stated || stated->is_static() || !stated->is_compatible_with({1, 3, kOpen, kOpen})) return std::nullopt;
  const auto settled = [](std::int64_t extent, std::int32_t otherwise) {
    return extent == kOpen ? std::int64_t{otherwise} : extent;
  };
  const Shape shape{1, 3, settled((*stated)[2], fallback.height), settled((*stated)[3], fallback.width)};
  // Without a fallback an open side stays open: the engine says which.
  return shape[2] > 0 && shape[3] > 0 ? std::optional(shape) : std::nullopt;
}

}  // namespace

std::optional<Shape> stated_input(const std::filesystem::path& model) {
  try {
    const detail::ModelSignature signature = detail::read_signature(model);
    if (signature.inputs.size() == 1) return signature.inputs[0].shape;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kUnavailable) throw;
  }
  return std::nullopt;
}

Size picture_input_size(const std::filesystem::path& model, Size input, Size fallback) {
  if (input != Size{}) return input;
  const auto stated = stated_input(model);
  const auto shape = stated && stated->is_static() ? stated : shape_for(stated, input, fallback);
  require(shape && shape->rank() == 4, "{}: the size of the network's input is not known: its file leaves it open",
          model.string());
  return {static_cast<std::int32_t>((*shape)[3]), static_cast<std::int32_t>((*shape)[2])};
}

std::int64_t pictures_of_a_run(const std::filesystem::path& model, Size input) {
  if (input != Size{}) return 1;
  const auto stated = stated_input(model);
  return stated && stated->is_static() && stated->rank() == 4 ? (*stated)[0] : 1;
}

ModelFacts read_facts(const std::filesystem::path& model) { return read_facts(model, read_onnx_metadata(model)); }

ModelFacts read_facts(const std::filesystem::path& model, std::map<std::string, std::string> metadata) {
  detail::ModelSignature signature = detail::read_signature(model);
  return {std::move(signature.inputs), std::move(signature.outputs), std::move(metadata)};
}

Engine open_picture_network(const std::filesystem::path& model, Device device, Size input, Size fallback,
                            EngineOptions options) {
  const auto stated = input == Size{} ? stated_input(model) : std::nullopt;
  if (const auto shape = shape_for(stated, input, fallback)) options.input_shapes[""] = *shape;
  return Engine::open(model, device, options);
}

}  // namespace vrt
