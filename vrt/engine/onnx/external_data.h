// Internal (not installed): weights that lie in files beside an ONNX model.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "vrt/engine/onnx/model.h"

namespace vrt::onnx {

/// The files that the model's tensors refer to, sorted; `folder` is the model's. Throws kCorrupt for a place that is not
/// inside the folder by its name: absolute, or with "..". (A symbolic link in the folder is its owner's choice and followed.)
[[nodiscard]] std::vector<std::filesystem::path> external_files(Model& model, const std::filesystem::path& folder);

/// Reads all external data into the tensors. Throws kCorrupt as above, and where a place lies past the file's end or has
/// another length than the tensor's extents say; kNotFound, kIo.
void load_external_data(Model& model, const std::filesystem::path& folder);

}  // namespace vrt::onnx
