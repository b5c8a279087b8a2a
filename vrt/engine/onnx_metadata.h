// What an exporter wrote about a model into its ONNX file.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "vrt/base/export.h"

namespace vrt {

/// The metadata_props of an ONNX file, e.g. "names", "task" and "stride" of Ultralytics' export. Reads the file's outer
/// structure alone, whatever the size of its graph. Empty for files whose name does not end in ".onnx". Throws kNotFound or kIo
/// if the file cannot be read, kCorrupt if it is no ONNX file, or no file at all (a folder, a pipe).
[[nodiscard]] VRT_API std::map<std::string, std::string> read_onnx_metadata(const std::filesystem::path& model);

}  // namespace vrt
