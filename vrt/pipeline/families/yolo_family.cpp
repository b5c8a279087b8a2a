#include <algorithm>
#include <iterator>
#include <memory>

#include "vrt/base/fail.h"
#include "vrt/models/common/engine_tensors.h"
#include "vrt/models/yolo/yolo.h"
#include "vrt/models/yolo/yolo_format.h"
#include "vrt/models/yolo/yolo_input.h"
#include "vrt/pipeline/families/family.h"
#include "vrt/pipeline/families/network_input.h"
#include "vrt/pipeline/families/picture_model.h"

namespace vrt {
namespace {

using Frame = InstanceFrame<YoloResult>;
constexpr std::int64_t kOpen = Shape::kDynamic;
/// What Ultralytics trains with and exports by default.
constexpr Size kInput{640, 640};
/// In place of a number of cells that the file leaves open with its input: that of an input of 640×640, of strides 8, 16 and 32.
constexpr std::int64_t kCells = 80 * 80 + 40 * 40 + 20 * 20;

class YoloModel final : public PictureModel<Yolo, Frame> {
 public:
  YoloModel(Yolo payload, std::int32_t masks)
      : PictureModel(std::move(payload)), masks_(this->payload().task() == YoloTask::kSegment ? masks : 0) {}

  [[nodiscard]] std::unique_ptr<FrameResult> allocate_result(Size picture) const override {
    YoloResultOptions options;
    if (masks_ > 0) options.masks = {.size = picture, .most = masks_, .read_back = true};
    return std::make_unique<Frame>(payload().allocate_result(options), names(), static_cast<std::size_t>(masks_));
  }
  [[nodiscard]] bool results_have_picture_size() const noexcept override { return masks_ > 0; }

 private:
  // Of no class where the file names none.
  [[nodiscard]] const ClassNames* names() const { return payload().names().size() > 0 ? &payload().names() : nullptr; }

  std::int32_t masks_;  ///< For how many there is room; 0: none are made.
};

// An extent that the file leaves open is the batch, or it goes with the size of the input.
std::vector<TensorInfo> settled(const std::vector<TensorInfo>& outputs) {
  std::vector<TensorInfo> result = outputs;
  for (TensorInfo& output : result) {
    std::vector<std::int64_t> extents(output.shape.extents().begin(), output.shape.extents().end());
    for (std::size_t axis = 0; axis < extents.size(); ++axis)
      if (extents[axis] == kOpen) extents[axis] = axis == 0 ? 1 : kCells;
    output.shape = Shape(extents);
  }
  return result;
}

// Rows and columns of the input, or both open: a map of the picture.
bool is_map(const TensorInfo& output, const Shape& input) {
  return output.shape.rank() == 3 && output.shape[1] == input[2] && output.shape[2] == input[3];
}

// Values and number of the objects cannot both be open.
bool says_nothing(const TensorInfo& output) {
  return output.shape.rank() == 3 && output.shape[1] == kOpen && output.shape[2] == kOpen;
}

// The sides of an input [1, 3, rows, columns]; of one that is open, those that it is opened with.
Size size_of(const Shape& input) {
  if (input[2] == kOpen || input[3] == kOpen) return kInput;
  return {static_cast<std::int32_t>(input[3]), static_cast<std::int32_t>(input[2])};
}

// Objects, and perhaps prototypes. Only then the metadata is YOLO's to read: others write their own kinds of names.
bool could_be_objects(const std::vector<TensorInfo>& outputs) {
  const auto of_rank = [&](std::size_t rank) {
    return std::ranges::count_if(outputs, [&](const TensorInfo& output) { return output.shape.rank() == rank; });
  };
  return of_rank(3) == 1 && of_rank(3) + of_rank(4) == std::ssize(outputs);
}

YoloFormat format_of(const ModelFacts& facts) {
  YoloFacts known = yolo_facts_of(facts.metadata);
  known.input = size_of(facts.inputs[0].shape);
  return recognise_yolo(settled(facts.outputs), known);
}

bool fits(const ModelFacts& file) {
  const ModelFacts facts = facts_of_a_picture(file);
  if (!is_only(facts.inputs, {1, 3, kOpen, kOpen}) || !could_be_objects(facts.outputs)) return false;
  for (const TensorInfo& output : facts.outputs)
    if (is_map(output, facts.inputs[0].shape) || says_nothing(output)) return false;
  return is_recognised([&] { (void)format_of(facts); });
}

Engine open(const std::filesystem::path& model, Device device, Size input, const EngineOptions& options) {
  return open_picture_network(model, device, input, kInput, options);
}

PreprocessOptions preprocessing(const std::filesystem::path& model, Size input) {
  const ModelFacts facts = facts_of_a_picture(read_facts(model));
  require(is_only(facts.inputs, {1, 3, kOpen, kOpen}), "{}: not YOLO's input: expected one, float32 [B, 3, H, W]",
          model.string());
  return yolo_preprocessing(picture_input_size(model, input, kInput), format_of(facts).layout);
}

std::unique_ptr<FrameModel> make(const Engine& engine, const Stream& stream, const FrameModelOptions& wanted) {
  YoloOptions options;
  options.score_threshold = wanted.score_threshold.value_or(options.score_threshold);
  options.names = wanted.names;
  return std::make_unique<YoloModel>(Yolo(engine, stream, options), masks_wanted(wanted, options.max_detections));
}

}  // namespace

const ModelFamily& yolo_family() noexcept {
  static constexpr ModelFamily kFamily{.name = "yolo",
                                       .title = "YOLO",
                                       .gives_boxes = true,
                                       .names_classes = true,
                                       .tasks = {"detect", "segment", "pose"},
                                       .fits = fits,
                                       .open = open,
                                       .preprocessing = preprocessing,
                                       .make = make};
  return kFamily;
}

}  // namespace vrt
