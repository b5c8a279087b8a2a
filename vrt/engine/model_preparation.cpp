#include "vrt/engine/model_preparation.h"

#include "vrt/base/fail.h"
#include "vrt/engine/onnx/external_data.h"
#include "vrt/engine/onnx/model_file.h"
#include "vrt/engine/onnx/signature.h"

namespace vrt::detail {
namespace {

namespace fs = std::filesystem;

/// What `action` returns; its errors name the file.
template <typename Action>
auto naming(const fs::path& file, const Action& action) {
  try {
    return action();
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("model '{}': {}", file.string(), error.message()), std::string(error.cause()));
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::kOutOfMemory, fmt::format("model '{}' does not fit into memory", file.string()));
  }
}

}  // namespace

PreparationReport prepare_model(const fs::path& model, const EngineOptions& options, std::span<const SampleInputs>,
                                const fs::path& target) {
  return naming(model, [&] {
    onnx::Model network = onnx::read_model(model);
    onnx::set_input_shapes(network, options);
    if (options.precision == Precision::kFloat16) fail(ErrorCode::kUnsupported, "float16 is not converted to yet");
    onnx::write_model(network, target);
    return PreparationReport{};
  });
}

std::vector<fs::path> external_files(const fs::path& model) {
  return naming(model, [&] {
    onnx::Model network = onnx::parse_model(model);
    return onnx::external_files(network, model.parent_path());
  });
}

ModelSignature read_signature(const fs::path& model) {
  return naming(model, [&] {
    onnx::Model network = onnx::parse_model(model);
    onnx::remove_initializers_from_inputs(network);
    return ModelSignature{onnx::describe_values(network.graph().input(), "input"),
                          onnx::describe_values(network.graph().output(), "output")};
  });
}

}  // namespace vrt::detail
