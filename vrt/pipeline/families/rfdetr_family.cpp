#include <memory>

#include "vrt/models/common/engine_tensors.h"
#include "vrt/models/rfdetr/rfdetr.h"
#include "vrt/models/rfdetr/rfdetr_format.h"
#include "vrt/models/rfdetr/rfdetr_keypoints.h"
#include "vrt/models/rfdetr/rfdetr_network.h"
#include "vrt/models/rfdetr/rfdetr_seg.h"
#include "vrt/pipeline/families/family.h"
#include "vrt/pipeline/families/network_input.h"
#include "vrt/pipeline/families/picture_model.h"

namespace vrt {
namespace {

constexpr std::int64_t kOpen = Shape::kDynamic;

/// Nothing where neither the file nor its shapes name any.
template <typename Detector>
const ClassNames* names_of(const Detector& detector) {
  return detector.names().size() > 0 ? &detector.names() : nullptr;
}

/// Detectors whose results do not depend on the picture's size.
template <typename Detector, typename Result>
class BoxModel final : public PictureModel<Detector, DetectionFrame<Result>> {
 public:
  using PictureModel<Detector, DetectionFrame<Result>>::PictureModel;
  [[nodiscard]] std::unique_ptr<FrameResult> allocate_result(Size /*picture*/) const override {
    return std::make_unique<DetectionFrame<Result>>(this->payload().allocate_result(), names_of(this->payload()));
  }
};

using SegFrame = InstanceFrame<RfDetrSegResult>;

class SegModel final : public PictureModel<RfDetrSeg, SegFrame> {
 public:
  SegModel(RfDetrSeg payload, std::int32_t masks) : PictureModel(std::move(payload)), masks_(masks) {}

  [[nodiscard]] std::unique_ptr<FrameResult> allocate_result(Size picture) const override {
    RfDetrSegResultOptions options;
    if (masks_ > 0) options.masks = {.size = picture, .most = masks_, .read_back = true};
    return std::make_unique<SegFrame>(payload().allocate_result(options), names_of(payload()),
                                      static_cast<std::size_t>(masks_));
  }
  [[nodiscard]] bool results_have_picture_size() const noexcept override { return masks_ > 0; }

 private:
  std::int32_t masks_;  ///< For how many there is room; 0: none are made.
};

// A batch that the file leaves open becomes 1.
std::vector<TensorInfo> settled(const std::vector<TensorInfo>& outputs) {
  std::vector<TensorInfo> result = outputs;
  for (TensorInfo& output : result) {
    std::vector<std::int64_t> extents(output.shape.extents().begin(), output.shape.extents().end());
    if (!extents.empty() && extents[0] == kOpen) extents[0] = 1;
    output.shape = Shape(extents);
  }
  return result;
}

bool has(const ModelFacts& file, RfDetrExtra extra) {
  const ModelFacts facts = facts_of_a_picture(file);
  if (!is_only(facts.inputs, {1, 3, kOpen, kOpen})) return false;
  return is_recognised([&] { (void)recognise_rfdetr(settled(facts.outputs), extra, {}, facts.metadata); });
}

// Keypoints, also of a schema that RfDetrKeypoints does not decode, could be masks of 8 columns; no network has so few.
bool has_keypoint_slots(const ModelFacts& facts) {
  constexpr std::int64_t kSlotValues = 8;
  return !outputs_of_shape(facts.outputs, {kOpen, kOpen, kOpen, kSlotValues}).empty();
}

// A network is what it gives most of: one for keypoints or masks has all that one for boxes has.
bool fits_keypoints(const ModelFacts& facts) { return has(facts, RfDetrExtra::kKeypoints); }
bool fits_masks(const ModelFacts& facts) { return !has_keypoint_slots(facts) && has(facts, RfDetrExtra::kMasks); }
bool fits_boxes(const ModelFacts& facts) {
  return !has_keypoint_slots(facts) && !fits_masks(facts) && has(facts, RfDetrExtra::kNone);
}

Engine open(const std::filesystem::path& model, Device device, Size input, const EngineOptions& options) {
  return open_picture_network(model, device, input, {}, options);
}

template <RfDetrExtra kExtra>
PreprocessOptions preprocessing(const std::filesystem::path& model, Size input) {
  const ModelFacts facts = facts_of_a_picture(read_facts(model));
  const RfDetrFormat format = recognise_rfdetr(settled(facts.outputs), kExtra, {}, facts.metadata);
  return rfdetr_preprocessing(picture_input_size(model, input, {}), format.interpolation);
}

RfDetrOptions options_of(const FrameModelOptions& wanted) {
  RfDetrOptions options;
  options.score_threshold = wanted.score_threshold.value_or(options.score_threshold);
  options.names = wanted.names;
  return options;
}

template <typename Detector, typename Result>
std::unique_ptr<FrameModel> make(const Engine& engine, const Stream& stream, const FrameModelOptions& wanted) {
  return std::make_unique<BoxModel<Detector, Result>>(Detector(engine, stream, options_of(wanted)));
}

std::unique_ptr<FrameModel> make_seg(const Engine& engine, const Stream& stream, const FrameModelOptions& wanted) {
  const RfDetrOptions options = options_of(wanted);
  return std::make_unique<SegModel>(RfDetrSeg(engine, stream, options), masks_wanted(wanted, options.max_detections));
}

}  // namespace

const ModelFamily& rfdetr_family() noexcept {
  static constexpr ModelFamily kFamily{.name = "rfdetr",
                                       .title = "RF-DETR",
                                       .gives_boxes = true,
                                       .names_classes = true,
                                       .tasks = {"detect"},
                                       .fits = fits_boxes,
                                       .open = open,
                                       .preprocessing = preprocessing<RfDetrExtra::kNone>,
                                       .make = make<RfDetr, RfDetrResult>};
  return kFamily;
}
const ModelFamily& rfdetr_seg_family() noexcept {
  static constexpr ModelFamily kFamily{.name = "rfdetr-seg",
                                       .title = "RF-DETR with masks",
                                       .gives_boxes = true,
                                       .names_classes = true,
                                       .tasks = {"segment"},
                                       .fits = fits_masks,
                                       .open = open,
                                       .preprocessing = preprocessing<RfDetrExtra::kMasks>,
                                       .make = make_seg};
  return kFamily;
}
const ModelFamily& rfdetr_keypoints_family() noexcept {
  static constexpr ModelFamily kFamily{.name = "rfdetr-keypoints",
                                       .title = "RF-DETR with keypoints",
                                       .gives_boxes = true,
                                       .names_classes = true,
                                       .tasks = {"pose"},
                                       .fits = fits_keypoints,
                                       .open = open,
                                       .preprocessing = preprocessing<RfDetrExtra::kKeypoints>,
                                       .make = make<RfDetrKeypoints, RfDetrKeypointsResult>};
  return kFamily;
}

}  // namespace vrt
