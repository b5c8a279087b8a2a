#include <memory>

#include "vrt/models/common/engine_tensors.h"
#include "vrt/models/xfeat/xfeat.h"
#include "vrt/models/xfeat/xfeat_format.h"
#include "vrt/pipeline/families/family.h"
#include "vrt/pipeline/families/network_input.h"
#include "vrt/pipeline/families/picture_model.h"

namespace vrt {
namespace {

constexpr std::int64_t kOpen = Shape::kDynamic;

class FeatureFrame final : public FrameResult {
 public:
  explicit FeatureFrame(XFeatResult made) : result(std::move(made)) {}

  [[nodiscard]] ModelFindings findings() override {
    ModelFindings found;
    found.features = result.keypoints();
    return found;
  }
  [[nodiscard]] std::int64_t count() override { return static_cast<std::int64_t>(result.keypoints().size()); }

  XFeatResult result;  ///< The payload's.
};

class XFeatModel final : public PictureModel<XFeat, FeatureFrame> {
 public:
  using PictureModel::PictureModel;
  [[nodiscard]] std::unique_ptr<FrameResult> allocate_result(Size /*picture*/) const override {
    return std::make_unique<FeatureFrame>(payload().allocate_result());
  }
};

bool fits(const ModelFacts& facts) {
  return is_only(facts.inputs, {kOpen, 3, kOpen, kOpen}) && find_xfeat_outputs(facts.outputs, kOpen, kOpen, kOpen);
}

Engine open(const std::filesystem::path& model, Device device, Size input, const EngineOptions& options) {
  return XFeat::open_engine(model, device, input, options);
}

std::unique_ptr<FrameModel> make(const Engine& engine, const Stream& stream, const FrameModelOptions& /*wanted*/) {
  return std::make_unique<XFeatModel>(XFeat(engine, stream));
}

PreprocessOptions preprocessing(const std::filesystem::path& model, Size input) {
  return xfeat_preprocessing(picture_input_size(model, input, {}));
}

}  // namespace

const ModelFamily& xfeat_family() noexcept {
  static constexpr ModelFamily kFamily{.name = "xfeat",
                                       .title = "XFeat",
                                       .tasks = {"features"},
                                       .fits = fits,
                                       .input_size_for = XFeat::input_size_for,
                                       .keeps_stated_input = true,
                                       .open = open,
                                       .preprocessing = preprocessing,
                                       .make = make};
  return kFamily;
}

}  // namespace vrt
