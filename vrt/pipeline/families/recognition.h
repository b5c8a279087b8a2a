// Internal (not installed): the family of a network, told from its file.
#pragma once

#include <filesystem>

#include "vrt/base/export.h"
#include "vrt/pipeline/families/family.h"

namespace vrt {

/// The file's metadata decides where it names a family's task; else its inputs and outputs, by each family's own rules. Nothing is
/// compiled. Throws kInvalidArgument, listing inputs, outputs, metadata and families, if no family fits or several do;
/// kCorrupt for damaged metadata of the family that inputs and outputs are of; kUnsupported for a task that vrt has no family for; kUnavailable if this build cannot read ONNX files and the metadata says
/// nothing; else as read_onnx_metadata and detail::read_signature.
[[nodiscard]] VRT_API const ModelFamily& recognise_family(const std::filesystem::path& model);

/// False for a network that is of none of vrt's families. Where it could be of several, recognise_family asks which. Throws as that for
/// files that cannot be read.
[[nodiscard]] VRT_API bool has_family(const std::filesystem::path& model);

}  // namespace vrt
