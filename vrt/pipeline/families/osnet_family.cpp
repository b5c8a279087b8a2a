#include <algorithm>
#include <memory>

#include "vrt/base/fail.h"
#include "vrt/models/common/engine_tensors.h"
#include "vrt/models/osnet/osnet.h"
#include "vrt/models/osnet/osnet_format.h"
#include "vrt/pipeline/families/family.h"
#include "vrt/pipeline/families/network_input.h"

namespace vrt {
namespace {

/// Boxes a run of the network, where the file leaves it open: as the public export has it.
constexpr std::int32_t kBatch = 16;

class EmbeddingFrame final : public FrameResult {
 public:
  EmbeddingFrame(EmbeddingResult made, std::size_t channels) : result(std::move(made)), channels_(channels) {}

  /// `of` is the caller's to fill in, who knows whose boxes these are.
  [[nodiscard]] ModelFindings findings() override {
    ModelFindings found;
    found.embeddings = EmbeddingFindings{.of = 0, .size = channels_, .values = result.embeddings()};
    return found;
  }
  [[nodiscard]] std::int64_t count() override { return result.count(); }

  EmbeddingResult result;  ///< The payload's.

 private:
  std::size_t channels_;
};

/// As many boxes as the network embeds in one run, kLeastBoxes at least.
std::int32_t boxes_of_a_run(const Engine& engine) {
  constexpr std::int64_t kLeastBoxes = 16;
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(engine.inputs()[0].shape[0], kLeastBoxes, OsNet::kMaxBoxes));
}

/// The best boxes of another network, `most` of them. The host does not know how many there are, so that the network runs for all that there
/// is room for.
class OsNetModel final : public FrameModel {
 public:
  OsNetModel(const Engine& engine, const Stream& stream, std::int32_t most)
      : most_(static_cast<std::size_t>(most)), payload_(engine, stream, {.max_boxes = most}) {}

  [[nodiscard]] std::unique_ptr<FrameResult> allocate_result(Size /*picture*/) const override {
    return std::make_unique<EmbeddingFrame>(payload_.allocate_result({.read_back = true}),
                                            static_cast<std::size_t>(payload_.channels()));
  }
  void submit(const ImageView& image, FrameResult& result, const FrameResult* boxes) override {
    const DeviceBoxes found = best_of(boxes);
    payload_.submit(image, found.boxes, found.count, static_cast<EmbeddingFrame&>(result).result);
  }
  [[nodiscard]] std::vector<GraphNode> input_nodes() const override { return payload_.input_nodes(); }
  void update(Graph& graph, std::span<const GraphNode> nodes, const ImageView& image,
              const FrameResult* boxes) override {
    payload_.update(graph, nodes, image, best_of(boxes).boxes);
  }

 private:
  [[nodiscard]] DeviceBoxes best_of(const FrameResult* boxes) const {
    const auto found = boxes != nullptr ? boxes->device_boxes() : std::nullopt;
    if (!found) fail(ErrorCode::kInternal, "OSNet looks at boxes, and was given none");
    const std::size_t most = std::min(found->boxes.size(), most_);
    return {found->boxes.subspan(0, most), found->count};
  }

  std::size_t most_;
  OsNet payload_;
};

bool fits(const ModelFacts& facts) {
  return is_osnet_input(facts.inputs) && is_osnet_output(facts.outputs, facts.inputs[0].shape[0]);
}

Engine open(const std::filesystem::path& model, Device device, Size /*input*/, const EngineOptions& options) {
  const auto stated = stated_input(model);
  const bool is_open = !stated || stated->rank() != 4 || (*stated)[0] == Shape::kDynamic;
  return OsNet::open_engine(model, device, is_open ? kBatch : static_cast<std::int32_t>((*stated)[0]), options);
}

std::unique_ptr<FrameModel> make(const Engine& engine, const Stream& stream, const FrameModelOptions& wanted) {
  return std::make_unique<OsNetModel>(engine, stream, wanted.most_embeddings.value_or(boxes_of_a_run(engine)));
}

}  // namespace

const ModelFamily& osnet_family() noexcept {
  static constexpr ModelFamily kFamily{.name = "osnet",
                                       .title = "OSNet",
                                       .takes_boxes = true,
                                       .tasks = {"reid"},
                                       .fits = fits,
                                       .open = open,
                                       .make = make};
  return kFamily;
}

}  // namespace vrt
