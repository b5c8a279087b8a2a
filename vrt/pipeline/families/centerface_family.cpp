#include <memory>

#include "vrt/models/centerface/centerface.h"
#include "vrt/models/centerface/centerface_format.h"
#include "vrt/models/centerface/centerface_input.h"
#include "vrt/models/common/engine_tensors.h"
#include "vrt/pipeline/families/family.h"
#include "vrt/pipeline/families/network_input.h"
#include "vrt/pipeline/families/picture_model.h"

namespace vrt {
namespace {

using Frame = DetectionFrame<CenterFaceResult>;
constexpr std::int64_t kOpen = Shape::kDynamic;

class CenterFaceModel final : public PictureModel<CenterFace, Frame> {
 public:
  using PictureModel::PictureModel;
  [[nodiscard]] std::unique_ptr<FrameResult> allocate_result(Size /*picture*/) const override {
    return std::make_unique<Frame>(payload().allocate_result());
  }
};

// The public file says [10, 3, 32, 32], and runs at any size: neither counts.
bool fits(const ModelFacts& facts) {
  return is_only(facts.inputs, {kOpen, 3, kOpen, kOpen}) &&
         find_centerface_outputs(facts.outputs, {kOpen, kOpen, kOpen, kOpen});
}

std::unique_ptr<FrameModel> make(const Engine& engine, const Stream& stream, const FrameModelOptions& wanted) {
  CenterFaceOptions options;
  options.score_threshold = wanted.score_threshold.value_or(options.score_threshold);
  return std::make_unique<CenterFaceModel>(CenterFace(engine, stream, options));
}

Engine open(const std::filesystem::path& model, Device device, Size input, const EngineOptions& options) {
  return CenterFace::open_engine(model, device, input, options);
}

PreprocessOptions preprocessing(const std::filesystem::path& model, Size input) {
  return centerface_preprocessing(picture_input_size(model, input, {}));
}

}  // namespace

const ModelFamily& centerface_family() noexcept {
  static constexpr ModelFamily kFamily{.name = "centerface",
                                       .title = "CenterFace",
                                       .gives_boxes = true,
                                       .tasks = {"detect"},
                                       .fits = fits,
                                       .input_size_for = CenterFace::input_size_for,
                                       .open = open,
                                       .preprocessing = preprocessing,
                                       .make = make};
  return kFamily;
}

}  // namespace vrt
