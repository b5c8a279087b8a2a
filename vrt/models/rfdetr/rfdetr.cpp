#include "vrt/models/rfdetr/rfdetr.h"

#include <span>

#include "vrt/models/common/detection_buffers.h"
#include "vrt/models/rfdetr/rfdetr_network.h"

namespace vrt {

struct RfDetrResult::State {
  DetectionBuffers objects;
};

RfDetrResult::RfDetrResult(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
RfDetrResult::~RfDetrResult() = default;
RfDetrResult::RfDetrResult(RfDetrResult&&) noexcept = default;
RfDetrResult& RfDetrResult::operator=(RfDetrResult&&) noexcept = default;

std::span<const Detection> RfDetrResult::detections() const { return state_->objects.detections(); }
std::int32_t RfDetrResult::candidate_count() const { return state_->objects.candidate_count(); }
DeviceSpan<const CropBox> RfDetrResult::device_boxes() const { return state_->objects.device_boxes(); }
DeviceSpan<const std::int32_t> RfDetrResult::device_count() const { return state_->objects.device_count(); }

struct RfDetr::State : RfDetrNetwork {
  using RfDetrNetwork::RfDetrNetwork;
};

Engine RfDetr::open_engine(const std::filesystem::path& model, Device device, const EngineOptions& options) {
  return Engine::open(model, device, options);
}

RfDetr::RfDetr(const Engine& engine, const Stream& stream, const RfDetrOptions& options)
    : state_(std::make_unique<State>(engine, stream, RfDetrExtra::kNone, options)) {}
RfDetr::~RfDetr() = default;
RfDetr::RfDetr(RfDetr&&) noexcept = default;
RfDetr& RfDetr::operator=(RfDetr&&) noexcept = default;

const ClassNames& RfDetr::names() const noexcept { return state_->names(); }

RfDetrResult RfDetr::allocate_result() const {
  return RfDetrResult(std::make_unique<RfDetrResult::State>(RfDetrResult::State{state_->allocate_objects()}));
}

void RfDetr::submit(const ImageView& image, RfDetrResult& result) {
  RfDetrResult* const only = &result;
  submit(std::span(&image, 1), std::span(&only, 1));
}

void RfDetr::submit(std::span<const ImageView> images, std::span<RfDetrResult* const> results) {
  require_results(images, results);
  for (const RfDetrResult* result : results) state_->check(result->state_->objects);
  state_->submit(images);
  for (std::size_t i = 0; i < results.size(); ++i) {
    state_->decode(i, results[i]->state_->objects);
    results[i]->state_->objects.enqueue_read_back(state_->stream());
  }
}

GraphNode RfDetr::input_node() const { return state_->pictures().input_node(); }

void RfDetr::update(Graph& graph, GraphNode input, const ImageView& image) {
  state_->pictures().update(graph, input, image);
}

}  // namespace vrt
