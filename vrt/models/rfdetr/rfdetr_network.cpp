#include "vrt/models/rfdetr/rfdetr_network.h"

#include "vrt/base/fail.h"
#include "vrt/device/format_device.h"
#include "vrt/engine/onnx_metadata.h"
#include "vrt/models/common/engine_tensors.h"

namespace vrt {
namespace {

const RfDetrOptions& checked(const RfDetrOptions& options) {
  require(options.score_threshold >= 0 && options.score_threshold <= 1, "score_threshold must be in [0, 1], not {}",
          options.score_threshold);
  require(options.max_detections >= 1 && options.max_detections <= RfDetr::kMostDetections,
          "max_detections must be in [1, {}], not {}", RfDetr::kMostDetections, options.max_detections);
  return options;
}

RfDetrFormat format_of(const Engine& engine, RfDetrExtra extra, const RfDetrOptions& options) {
  try {
    return recognise_rfdetr(outputs_of_a_picture(engine), extra, options, read_onnx_metadata(engine.model()));
  } catch (const Error& error) {
    fail(error.code(), "{}: {}", engine.model().string(), error.what());
  }
}

}  // namespace

PreprocessOptions rfdetr_preprocessing(Size input, Interpolation interpolation) {
  PreprocessOptions options;
  options.target = input;
  options.mode = ResizeMode::kStretch;
  options.interpolation = interpolation;
  options.order = ChannelOrder::kRgb;
  options.scale = 1.0F / 255.0F;
  options.mean = {0.485F, 0.456F, 0.406F};
  options.standard_deviation = {0.229F, 0.224F, 0.225F};
  return options;
}

RfDetrNetwork::RfDetrNetwork(const Engine& engine, const Stream& stream, RfDetrExtra extra,
                             const RfDetrOptions& options)
    : options_(checked(options)),
      format_(format_of(engine, extra, options)),
      names_(std::make_shared<const ClassNames>(format_.names)),
      network_(engine, stream, rfdetr_preprocessing(picture_input_of(engine, "RF-DETR"), format_.interpolation)),
      decoder_(stream, format_, options) {}

DetectionBuffers RfDetrNetwork::allocate_objects(std::int32_t keypoints) const {
  return {stream(), options_.max_detections, keypoints, names_};
}

void RfDetrNetwork::check(const DetectionBuffers& objects) const {
  require(objects.device() == stream().device() && objects.most() == static_cast<std::size_t>(options_.max_detections),
          "the result is for {} objects on {}, this detector gives {} on {}", objects.most(), objects.device(),
          options_.max_detections, stream().device());
}

ResizeMapping RfDetrNetwork::decode(std::size_t picture, DetectionBuffers& objects) {
  const ResizeMapping& mapping = network_.mapping(picture);
  decoder_.submit(output(format_.boxes, picture), output(format_.logits, picture), mapping, objects);
  return mapping;
}

}  // namespace vrt
