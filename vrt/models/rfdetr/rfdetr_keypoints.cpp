#include "vrt/models/rfdetr/rfdetr_keypoints.h"

#include "vrt/models/common/detection_buffers.h"
#include "vrt/models/rfdetr/keypoint_gathering.h"
#include "vrt/models/rfdetr/rfdetr_network.h"

namespace vrt {

struct RfDetrKeypointsResult::State {
  DetectionBuffers objects;
};

RfDetrKeypointsResult::RfDetrKeypointsResult(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
RfDetrKeypointsResult::~RfDetrKeypointsResult() = default;
RfDetrKeypointsResult::RfDetrKeypointsResult(RfDetrKeypointsResult&&) noexcept = default;
RfDetrKeypointsResult& RfDetrKeypointsResult::operator=(RfDetrKeypointsResult&&) noexcept = default;

std::span<const Detection> RfDetrKeypointsResult::detections() const { return state_->objects.detections(); }
std::int32_t RfDetrKeypointsResult::candidate_count() const { return state_->objects.candidate_count(); }
DeviceSpan<const CropBox> RfDetrKeypointsResult::device_boxes() const { return state_->objects.device_boxes(); }
DeviceSpan<const std::int32_t> RfDetrKeypointsResult::device_count() const { return state_->objects.device_count(); }

struct RfDetrKeypoints::State {
  State(const Engine& engine, const Stream& stream, const RfDetrOptions& options)
      : network(engine, stream, RfDetrExtra::kKeypoints, options), gathering(stream, network.format().class_points) {}

  RfDetrNetwork network;
  KeypointGathering gathering;
};

Engine RfDetrKeypoints::open_engine(const std::filesystem::path& model, Device device, const EngineOptions& options) {
  return Engine::open(model, device, options);
}

RfDetrKeypoints::RfDetrKeypoints(const Engine& engine, const Stream& stream, const RfDetrOptions& options)
    : state_(std::make_unique<State>(engine, stream, options)) {}
RfDetrKeypoints::~RfDetrKeypoints() = default;
RfDetrKeypoints::RfDetrKeypoints(RfDetrKeypoints&&) noexcept = default;
RfDetrKeypoints& RfDetrKeypoints::operator=(RfDetrKeypoints&&) noexcept = default;

const ClassNames& RfDetrKeypoints::names() const noexcept { return state_->network.names(); }

RfDetrKeypointsResult RfDetrKeypoints::allocate_result() const {
  return RfDetrKeypointsResult(std::make_unique<RfDetrKeypointsResult::State>(
      RfDetrKeypointsResult::State{state_->network.allocate_objects(state_->network.format().points)}));
}

void RfDetrKeypoints::submit(const ImageView& image, RfDetrKeypointsResult& result) {
  RfDetrKeypointsResult* const only = &result;
  submit(std::span(&image, 1), std::span(&only, 1));
}

void RfDetrKeypoints::submit(std::span<const ImageView> images, std::span<RfDetrKeypointsResult* const> results) {
  require_results(images, results);
  RfDetrNetwork& network = state_->network;
  for (const RfDetrKeypointsResult* result : results) network.check(result->state_->objects);
  network.submit(images);
  for (std::size_t i = 0; i < results.size(); ++i) {
    DetectionBuffers& objects = results[i]->state_->objects;
    const ResizeMapping mapping = network.decode(i, objects);
    state_->gathering.submit(network.output(*network.format().keypoints, i), mapping.source, objects);
    objects.enqueue_read_back(network.stream());
  }
}

GraphNode RfDetrKeypoints::input_node() const { return state_->network.pictures().input_node(); }

void RfDetrKeypoints::update(Graph& graph, GraphNode input, const ImageView& image) {
  state_->network.pictures().update(graph, input, image);
}

}  // namespace vrt
