// Internal (not installed): what is done to an ONNX file before a backend compiles it. docs/fp16.md tells of the float16
// part.
//
//   const PreparationReport report = prepare_model("model.onnx", options, samples, folder / "prepared.onnx");
//
// Files come from anywhere: what is wrong with one is kCorrupt, with the file's name and a reason, never a crash. A build
// without protobuf has the same functions, which throw kUnavailable.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "vrt/engine/engine.h"

namespace vrt::detail {

/// A node that stays in float32 when the network is converted to float16.
struct KeptNode {
  std::string name;    ///< The node's; where it has none, its first output's.
  std::string type;    ///< "Softmax"
  std::string reason;  ///< A phrase, e.g. "sums of exponentials", "range 1.2e+06 of 'x'".
};

struct PreparationReport {
  std::int64_t converted_nodes = 0;  ///< That compute in float16; 0 without a conversion.
  std::vector<KeptNode> kept;        ///< Those that touch floats and stay in float32; empty without a conversion.
};

/// The inputs and outputs of a graph.
struct ModelSignature {
  std::vector<TensorInfo> inputs;  ///< Without the initialisers that old files list among them.
  std::vector<TensorInfo> outputs;
};

/// Writes `model`, an ONNX file and its external data, to `target` as one file (above about 1.9 GB the weights lie beside
/// it in "<target>.data"; the two belong together). Of `options` it uses:
/// - input_shapes: the inputs' new extents; what the file says of other tensors' shapes is dropped where one changed;
/// - batch: the first extent of each input that leaves it open becomes the symbol "batch";
/// - precision: kFloat16 converts all but the nodes of `kept`; inputs and outputs keep their types;
/// - progress: told of what takes long; may cancel.
/// `samples` (may be empty) run once through the float32 network on the CPU, to find what leaves float16's range.
///
/// Initialisers are taken out of the inputs; operator sets stay; the IR version becomes 4 where it was older. Blocks.
/// Throws kNotFound, kIo, kCorrupt, kUnsupported (element types and operator sets that cannot be converted),
/// kInvalidArgument (an input that is not there or stays open: named, with its dimensions; samples of another size),
/// kCancelled, kUnavailable.
PreparationReport prepare_model(const std::filesystem::path& model, const EngineOptions& options,
                                std::span<const SampleInputs> samples, const std::filesystem::path& target);

/// The files beside an ONNX model that hold its external data, sorted, whether or not they are there. Throws as
/// prepare_model for a model that cannot be read or that points outside its folder.
[[nodiscard]] std::vector<std::filesystem::path> external_files(const std::filesystem::path& model);

/// What the file says of its inputs and outputs, without compiling: extents that it leaves open are Shape::kDynamic, and a
/// tensor for which it gives no shape at all has rank 0. Throws as prepare_model; kUnsupported for element types
/// and ranks that vrt has not.
[[nodiscard]] ModelSignature read_signature(const std::filesystem::path& model);

}  // namespace vrt::detail
