#include <memory>
#include <string_view>

#include "vrt/models/common/engine_tensors.h"
#include "vrt/models/depth_anything/depth_anything.h"
#include "vrt/models/depth_anything/depth_format.h"
#include "vrt/pipeline/families/family.h"
#include "vrt/pipeline/families/network_input.h"
#include "vrt/pipeline/families/picture_model.h"

namespace vrt {
namespace {

constexpr std::int64_t kOpen = Shape::kDynamic;
/// What the networks were trained with.
constexpr Size kInput{518, 518};

template <DepthKind kKind>
class DepthFrame final : public FrameResult {
 public:
  DepthFrame(BasicDepthResult<kKind> made, bool on_host) : result(std::move(made)), on_host_(on_host) {}

  [[nodiscard]] ModelFindings findings() override {
    ModelFindings found;
    if (!on_host_) return found;
    if constexpr (kKind == DepthKind::kMetric) {
      found.depth = result.metres();
    } else {
      found.nearness = result.nearness();
    }
    return found;
  }
  [[nodiscard]] std::int64_t count() override { return 1; }

  BasicDepthResult<kKind> result;  ///< The payload's.

 private:
  bool on_host_;
};

template <DepthKind kKind>
class DepthModel final : public PictureModel<BasicDepthAnything<kKind>, DepthFrame<kKind>> {
 public:
  DepthModel(BasicDepthAnything<kKind> payload, bool on_host)
      : PictureModel<BasicDepthAnything<kKind>, DepthFrame<kKind>>(std::move(payload)), on_host_(on_host) {}

  [[nodiscard]] std::unique_ptr<FrameResult> allocate_result(Size picture) const override {
    DepthResultOptions options;
    if (on_host_) options = {.size = picture, .read_back = true};
    return std::make_unique<DepthFrame<kKind>>(this->payload().allocate_result(options), on_host_);
  }
  [[nodiscard]] bool results_have_picture_size() const noexcept override { return on_host_; }

 private:
  bool on_host_;
};

// A map of the input's own size, as far as it is known.
bool is_depth_network(const ModelFacts& file) {
  const ModelFacts facts = facts_of_a_picture(file);
  if (!is_only(facts.inputs, {1, 3, kOpen, kOpen}) || !is_depth_output(facts.outputs)) return false;
  const Shape& map = facts.outputs[0].shape;
  const auto fits = [&](std::ptrdiff_t axis) { return map[axis] == kOpen || map[axis] == facts.inputs[0].shape[axis]; };
  return fits(-2) && fits(-1);
}

// Metres and inverse depth look the same: only the metadata of vrt's own export tells ("depth": "metric" or "relative"). Where it says
// nothing, both fit, so that the user has to say it.
bool could_be(const ModelFacts& facts, std::string_view kind) {
  const auto said = facts.metadata.find("depth");
  return is_depth_network(facts) && (said == facts.metadata.end() || said->second == kind);
}

Engine open(const std::filesystem::path& model, Device device, Size input, const EngineOptions& options) {
  return open_picture_network(model, device, input, kInput, options);
}

PreprocessOptions preprocessing(const std::filesystem::path& model, Size input) {
  return depth_preprocessing(picture_input_size(model, input, kInput));
}

template <DepthKind kKind>
std::unique_ptr<FrameModel> make(const Engine& engine, const Stream& stream, const FrameModelOptions& wanted) {
  return std::make_unique<DepthModel<kKind>>(BasicDepthAnything<kKind>(engine, stream), wanted.read_back_dense);
}

}  // namespace

const ModelFamily& depth_family() noexcept {
  static constexpr ModelFamily kFamily{.name = "depth",
                                       .title = "Depth Anything, metric",
                                       .tasks = {"depth"},
                                       .fits = [](const ModelFacts& facts) { return could_be(facts, "metric"); },
                                       .open = open,
                                       .preprocessing = preprocessing,
                                       .make = make<DepthKind::kMetric>};
  return kFamily;
}
const ModelFamily& relative_depth_family() noexcept {
  static constexpr ModelFamily kFamily{.name = "relative-depth",
                                       .title = "Depth Anything, relative",
                                       .tasks = {"depth"},
                                       .fits = [](const ModelFacts& facts) { return could_be(facts, "relative"); },
                                       .open = open,
                                       .preprocessing = preprocessing,
                                       .make = make<DepthKind::kRelative>};
  return kFamily;
}

}  // namespace vrt
