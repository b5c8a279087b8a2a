// Internal (not installed): what RF-DETR's payloads share: the network with what goes into it and what it gives.
#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "vrt/device/stream.h"
#include "vrt/engine/engine.h"
#include "vrt/image/preprocessor.h"
#include "vrt/models/common/detection_buffers.h"
#include "vrt/models/common/picture_network.h"
#include "vrt/models/rfdetr/rfdetr.h"
#include "vrt/models/rfdetr/rfdetr_decoder.h"
#include "vrt/models/rfdetr/rfdetr_format.h"
#include "vrt/scene/class_names.h"

namespace vrt {

/// How a picture becomes an input of that size: stretched, normalised as ImageNet's pictures are.
[[nodiscard]] PreprocessOptions rfdetr_preprocessing(Size input, Interpolation interpolation);

/// Session, preprocessor and decoder for one stream. Contracts of RfDetr.
class RfDetrNetwork {
 public:
  RfDetrNetwork(const Engine& engine, const Stream& stream, RfDetrExtra extra, const RfDetrOptions& options);

  [[nodiscard]] const Stream& stream() const noexcept { return network_.stream(); }
  [[nodiscard]] const RfDetrFormat& format() const noexcept { return format_; }
  [[nodiscard]] const ClassNames& names() const noexcept { return *names_; }
  [[nodiscard]] std::int32_t most() const noexcept { return options_.max_detections; }
  /// The part of an output that is a picture's.
  [[nodiscard]] DeviceSpan<const float> output(std::size_t index, std::size_t picture) const {
    return network_.output(index, picture);
  }
  [[nodiscard]] const std::filesystem::path& model() const noexcept { return network_.engine().model(); }

  /// Allocates.
  [[nodiscard]] DetectionBuffers allocate_objects(std::int32_t keypoints = 0) const;
  /// Throws kInvalidArgument unless `objects` are for this network.
  void check(const DetectionBuffers& objects) const;
  /// Enqueues preprocessing and one run of the network.
  void submit(std::span<const ImageView> images) { network_.submit(images); }
  /// Enqueues the decoding of a picture of the last submit, and nothing that goes to the host.
  ResizeMapping decode(std::size_t picture, DetectionBuffers& objects);
  /// Where pictures go in, for a captured graph's updates.
  [[nodiscard]] PictureNetwork& pictures() noexcept { return network_; }

 private:
  RfDetrOptions options_;
  RfDetrFormat format_;
  std::shared_ptr<const ClassNames> names_;
  PictureNetwork network_;
  RfDetrDecoder decoder_;
};

}  // namespace vrt
