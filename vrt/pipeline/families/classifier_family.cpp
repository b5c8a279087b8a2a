#include <memory>

#include "vrt/engine/onnx_metadata.h"
#include "vrt/models/classifier/classifier_format.h"
#include "vrt/models/classifier/image_classifier.h"
#include "vrt/models/common/class_name_text.h"
#include "vrt/models/common/engine_tensors.h"
#include "vrt/pipeline/families/family.h"
#include "vrt/pipeline/families/network_input.h"
#include "vrt/pipeline/families/picture_model.h"

namespace vrt {
namespace {

constexpr std::int64_t kOpen = Shape::kDynamic;
/// What networks for ImageNet take.
constexpr Size kInput{224, 224};

class ClassFrame final : public FrameResult {
 public:
  explicit ClassFrame(ImageClassifierResult made) : result(std::move(made)) {}

  [[nodiscard]] ModelFindings findings() override {
    ModelFindings found;
    found.classes = result.classes();
    return found;
  }
  [[nodiscard]] std::int64_t count() override { return static_cast<std::int64_t>(result.classes().size()); }

  ImageClassifierResult result;  ///< The payload's.
};

class ClassifierModel final : public PictureModel<ImageClassifier, ClassFrame> {
 public:
  using PictureModel::PictureModel;
  [[nodiscard]] std::unique_ptr<FrameResult> allocate_result(Size /*picture*/) const override {
    return std::make_unique<ClassFrame>(payload().allocate_result());
  }
};

bool fits(const ModelFacts& facts) {
  return is_only(facts.inputs, {1, 3, kOpen, kOpen}) && is_classifier_output(facts.outputs);
}

Engine open(const std::filesystem::path& model, Device device, Size input, const EngineOptions& options) {
  return open_picture_network(model, device, input, kInput, options);
}

ClassNames names_in(const std::filesystem::path& model) {
  const auto metadata = read_onnx_metadata(model);
  const auto names = metadata.find("names");
  return names != metadata.end() ? parse_class_names(names->second) : ClassNames();
}

PreprocessOptions preprocessing(const std::filesystem::path& model, Size input) {
  PreprocessOptions options = imagenet_preprocessing();
  options.target = picture_input_size(model, input, kInput);
  return options;
}

std::unique_ptr<FrameModel> make(const Engine& engine, const Stream& stream, const FrameModelOptions& wanted) {
  return std::make_unique<ClassifierModel>(
      ImageClassifier(engine, stream, {.names = wanted.names ? *wanted.names : names_in(engine.model())}));
}

}  // namespace

const ModelFamily& classifier_family() noexcept {
  static constexpr ModelFamily kFamily{.name = "classifier",
                                       .title = "a classifier",
                                       .names_classes = true,
                                       .tasks = {"classify"},
                                       .fits = fits,
                                       .open = open,
                                       .preprocessing = preprocessing,
                                       .make = make};
  return kFamily;
}

}  // namespace vrt
