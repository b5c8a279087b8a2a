#include "vrt/models/rfdetr/rfdetr_network.h"

#include "vrt/base/fail.h"
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
    return recognise_rfdetr(engine.outputs(), extra, options, read_onnx_metadata(engine.model()));
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
    : stream_(stream),
      options_(checked(options)),
      format_(format_of(engine, extra, options)),
      names_(std::make_shared<const ClassNames>(format_.names)),
      session_(engine, stream),
      picture_(stream, rfdetr_preprocessing(picture_input_of(engine, "RF-DETR"), options.interpolation),
               session_.input(0).as<float>()),
      decoder_(stream, format_, options) {}

DetectionBuffers RfDetrNetwork::allocate_objects(std::int32_t keypoints) const {
  return {stream_, options_.max_detections, keypoints, names_};
}

ResizeMapping RfDetrNetwork::submit(const ImageView& image, DetectionBuffers& objects) {
  require(objects.device() == stream_.device() && objects.most() == static_cast<std::size_t>(options_.max_detections),
          "the result is for {} objects on {}, this detector gives {} on {}", objects.most(),
          to_string(objects.device()), options_.max_detections, to_string(stream_.device()));
  const ResizeMapping mapping = picture_.submit(image);
  session_.submit();
  decoder_.submit(output(format_.boxes), output(format_.logits), mapping, objects);
  return mapping;
}

}  // namespace vrt
