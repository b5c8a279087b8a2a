#include "vrt/engine/model_preparation.h"

#include "vrt/base/fail.h"
#include "vrt/engine/float16_ranges.h"
#include "vrt/engine/onnx/external_data.h"
#include "vrt/engine/onnx/float16_convert.h"
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
    throw Error(error.code(), fmt::format("model '{}': {}", file.string(), error.message()),
                std::string(error.cause()));
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::kOutOfMemory, fmt::format("model '{}' does not fit into memory", file.string()));
  }
}

PreparationReport to_float16(onnx::Model& network, const EngineOptions& options, std::span<const SampleInputs> samples,
                             const fs::path& target) {
  if (options.progress && !options.progress({"converting to float16", 0, 0})) {
    fail(ErrorCode::kCancelled, "cancelled before the conversion to float16");
  }
  onnx::prepare_for_float16(network);
  const fs::path scratch = target.parent_path() / (target.stem().string() + ".ranges.onnx");
  return onnx::convert_to_float16(network, measure_magnitudes(network, samples, scratch, options));
}

}  // namespace

PreparationReport prepare_model(const fs::path& model, const EngineOptions& options,
                                std::span<const SampleInputs> samples, const fs::path& target) {
  return naming(model, [&] {
    onnx::Model network = onnx::read_model(model);
    onnx::set_input_shapes(network, options);
    PreparationReport report;
    if (options.precision == Precision::kFloat16) report = to_float16(network, options, samples, target);
    onnx::write_model(network, target);
    return report;
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
