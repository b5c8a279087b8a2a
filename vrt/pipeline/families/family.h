// Internal (not installed): the families of networks that a run knows. Each has a file of its own in this folder.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vrt/base/error.h"
#include "vrt/base/export.h"
#include "vrt/device/stream.h"
#include "vrt/engine/engine.h"
#include "vrt/image/image.h"
#include "vrt/image/preprocessor.h"
#include "vrt/pipeline/families/frame_model.h"
#include "vrt/scene/class_names.h"

namespace vrt {

/// What a file says of its network without being compiled. Extents that it leaves open are Shape::kDynamic.
struct ModelFacts {
  std::vector<TensorInfo> inputs;
  std::vector<TensorInfo> outputs;
  std::map<std::string, std::string> metadata;
};

/// The facts of one picture of a network that takes a fixed number of them: the first extents of the input and of the outputs that
/// have it, too, become 1. Others as they are. As a detector's class looks at its engine.
[[nodiscard]] ModelFacts facts_of_a_picture(const ModelFacts& facts);

/// Whether `recognise`, a family's own rule, takes what it looks at. Damaged metadata is not taken for another family's: throws kCorrupt.
template <typename Recognise>
[[nodiscard]] bool is_recognised(const Recognise& recognise) {
  try {
    recognise();
    return true;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kCorrupt) throw;
    return false;
  }
}

/// What a run wants of a network.
struct FrameModelOptions {
  std::optional<float> score_threshold;  ///< Of detections, in [0, 1]; where not given the family's own.
  bool read_back_dense = false;          ///< Whether masks and depth maps come to the host, at the picture's size.
  /// Whether there is room for the masks of all objects, not only of as many as MaskOptions::most says.
  bool masks_of_all = false;
  /// Of the classes, by their ids, in place of what the file says. As many as the network has classes, where its outputs tell how many;
  /// of RF-DETR not more than columns.
  std::optional<ClassNames> names = {};
  /// Boxes of a picture that are embedded, the best first; where not given as many as one run of the network takes, and 16 at least. The
  /// network runs for all that there is room for, whatever was found: how many runs a frame has is fixed, and a graph can hold them.
  std::optional<std::int32_t> most_embeddings = {};
};

/// How a run tells, opens and runs the networks of a family. Text has static storage.
struct ModelFamily {
  std::string_view name;   ///< What a user types before a colon: "yolo".
  std::string_view title;  ///< "YOLO"
  bool gives_boxes = false;
  bool takes_boxes = false;    ///< Looks at boxes that another network found in the same frame.
  bool names_classes = false;  ///< Takes FrameModelOptions::names.
  /// What exporters write of such networks under `task` into their metadata: vrt's own, and of detectors Ultralytics'.
  std::array<std::string_view, 3> tasks = {};

  /// Whether a network with these facts could be of this family. Throws kCorrupt for metadata that is damaged, where inputs and outputs
  /// are this family's.
  bool (*fits)(const ModelFacts& facts) = nullptr;
  /// The network's input size for pictures of a size; nullptr where the input does not depend on the picture. Throws
  /// kInvalidArgument for pictures that have none.
  Size (*input_size_for)(Size picture) = nullptr;
  bool keeps_stated_input =
      false;  ///< A file that states its input's size is run at that, whatever input_size_for says.
  /// Compiles. BLOCKS. `input` is the network's input size; empty: the file's own, or the family's default where the file leaves it open.
  /// Throws as Engine::open.
  Engine (*open)(const std::filesystem::path& model, Device device, Size input, const EngineOptions& options) = nullptr;
  /// How a picture becomes the input of that file's network; `input` as with `open`. nullptr where it does not look at whole pictures. Throws
  /// kInvalidArgument where the file says no size, or is of another family; as read_onnx_metadata and detail::read_signature.
  PreprocessOptions (*preprocessing)(const std::filesystem::path& model, Size input) = nullptr;
  /// Throws kInvalidArgument with what was met if the network is of another family, or has another number of classes than there are
  /// names. Allocates; may block.
  std::unique_ptr<FrameModel> (*make)(const Engine& engine, const Stream& stream,
                                      const FrameModelOptions& options) = nullptr;
};

/// All of them, in the order in which messages name them.
[[nodiscard]] VRT_API std::span<const ModelFamily* const> model_families() noexcept;

/// Throws kInvalidArgument listing the names.
[[nodiscard]] VRT_API const ModelFamily& find_family(std::string_view name);

[[nodiscard]] VRT_API const ModelFamily& centerface_family() noexcept;
[[nodiscard]] VRT_API const ModelFamily& yolo_family() noexcept;
[[nodiscard]] VRT_API const ModelFamily& rfdetr_family() noexcept;
[[nodiscard]] VRT_API const ModelFamily& rfdetr_seg_family() noexcept;
[[nodiscard]] VRT_API const ModelFamily& rfdetr_keypoints_family() noexcept;
[[nodiscard]] VRT_API const ModelFamily& depth_family() noexcept;
[[nodiscard]] VRT_API const ModelFamily& relative_depth_family() noexcept;
[[nodiscard]] VRT_API const ModelFamily& xfeat_family() noexcept;
[[nodiscard]] VRT_API const ModelFamily& osnet_family() noexcept;
[[nodiscard]] VRT_API const ModelFamily& classifier_family() noexcept;

}  // namespace vrt
