// Internal (not installed): ONNX files, read with suspicion and written in one piece.
#pragma once

#include <cstdint>
#include <filesystem>

#include "vrt/engine/onnx/model.h"

namespace vrt::onnx {

/// A model as the file has it: external data is not loaded, and nothing is checked but that it is a model and that its names are
/// UTF-8. Throws kNotFound, kIo, kCorrupt.
[[nodiscard]] Model parse_model(const std::filesystem::path& file);

/// A model that can be worked on: all tensors are loaded and have the values that their extents promise, names are
/// made once, nodes are in order, initialisers are no inputs, and what only training needs is gone. Throws as
/// parse_model and load_external_data.
[[nodiscard]] Model read_model(const std::filesystem::path& file);

/// Before version 4 of the format each initialiser was an input too, its value a default. Takes them out of the inputs, and
/// raises an older model's version to 4.
void remove_initializers_from_inputs(Model& model);

/// Protobuf's messages end at 2 GB; what lies beside the weights needs room too.
inline constexpr std::int64_t kMostEmbeddedBytes = 1'900'000'000;

/// Writes the model, or where its tensors hold more than `most_embedded_bytes`, the model and "<target>.data". Files appear whole or
/// not at all. Throws kIo.
void write_model(Model& model, const std::filesystem::path& target,
                 std::int64_t most_embedded_bytes = kMostEmbeddedBytes);

}  // namespace vrt::onnx
