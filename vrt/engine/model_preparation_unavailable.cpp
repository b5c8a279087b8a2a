// Stands in for model_preparation.cpp where the build found no protobuf or no onnx-ml.proto.
#include "vrt/base/fail.h"
#include "vrt/engine/model_preparation.h"
#include "vrt/engine/onnx/exposed_values.h"

namespace vrt::detail {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& model) {
  fail(ErrorCode::kUnavailable,
       "model '{}': this build of vrt cannot read or change ONNX files; build it with protobuf (libprotobuf-dev, "
       "protobuf-compiler) and onnx-ml.proto of the Python package onnx (the CMake variable VRT_ONNX_PROTO)",
       model.string());
}

}  // namespace

PreparationReport prepare_model(const std::filesystem::path& model, const EngineOptions&, std::span<const SampleInputs>,
                                const std::filesystem::path&) {
  refuse(model);
}

std::vector<std::filesystem::path> external_files(const std::filesystem::path& model) { refuse(model); }

ModelSignature read_signature(const std::filesystem::path& model) { refuse(model); }

}  // namespace vrt::detail

namespace vrt::onnx {

std::vector<NodeValue> list_node_values(const std::filesystem::path& model) { detail::refuse(model); }

void expose_values(const std::filesystem::path& model, std::span<const std::string>, const std::filesystem::path&) {
  detail::refuse(model);
}

}  // namespace vrt::onnx
