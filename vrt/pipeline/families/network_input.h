// Internal (not installed): the input of networks that have a size of their own, or leave it open.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "vrt/base/shape.h"
#include "vrt/engine/engine.h"
#include "vrt/image/image.h"
#include "vrt/pipeline/families/family.h"

namespace vrt {

/// Opens a network that takes one picture, float32 [1, 3, H, W]. `input` is its size, if that is not empty; else the file's own, where
/// the file leaves it open `fallback` (empty: it cannot be left open). A batch that the file leaves open becomes 1. BLOCKS. Throws
/// as Engine::open. Where this build cannot read ONNX files, the file's own input is taken as it is.
[[nodiscard]] Engine open_picture_network(const std::filesystem::path& model, Device device, Size input, Size fallback,
                                          EngineOptions options);

/// The size of such a network's input, as open_picture_network has it. Throws kInvalidArgument where nothing says it.
[[nodiscard]] Size picture_input_size(const std::filesystem::path& model, Size input, Size fallback);

/// How many pictures one run of a file's network takes that is opened so: 1 unless the file states another number and `input` is empty.
[[nodiscard]] std::int64_t pictures_of_a_run(const std::filesystem::path& model, Size input);

/// What the file says of its network. Throws as read_onnx_metadata and detail::read_signature.
[[nodiscard]] ModelFacts read_facts(const std::filesystem::path& model);
/// The same where the file's metadata has been read.
[[nodiscard]] ModelFacts read_facts(const std::filesystem::path& model, std::map<std::string, std::string> metadata);

/// The shape that the file gives its only input; nothing where it has several or none, or where this build cannot read ONNX files.
[[nodiscard]] std::optional<Shape> stated_input(const std::filesystem::path& model);

}  // namespace vrt
