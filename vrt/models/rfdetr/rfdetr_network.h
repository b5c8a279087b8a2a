// Internal (not installed): what RF-DETR's payloads share: the network with what goes into it and what it gives.
#pragma once

#include <filesystem>
#include <memory>

#include "vrt/device/stream.h"
#include "vrt/engine/engine.h"
#include "vrt/image/preprocessor.h"
#include "vrt/models/common/detection_buffers.h"
#include "vrt/models/common/picture_input.h"
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

  [[nodiscard]] const Stream& stream() const noexcept { return stream_; }
  [[nodiscard]] const RfDetrFormat& format() const noexcept { return format_; }
  [[nodiscard]] const ClassNames& names() const noexcept { return *names_; }
  [[nodiscard]] std::int32_t most() const noexcept { return options_.max_detections; }
  /// An output's memory.
  [[nodiscard]] DeviceSpan<const float> output(std::size_t index) const { return session_.output(index).as<float>(); }
  [[nodiscard]] const std::filesystem::path& model() const noexcept { return session_.engine().model(); }

  /// Allocates.
  [[nodiscard]] DetectionBuffers allocate_objects(std::int32_t keypoints = 0) const;
  /// Enqueues preprocessing, network and decoding, and nothing that goes to the host.
  ResizeMapping submit(const ImageView& image, DetectionBuffers& objects);
  /// Where the picture goes in, for a captured graph's updates.
  [[nodiscard]] PictureInput& picture() noexcept { return picture_; }

 private:
  Stream stream_;
  RfDetrOptions options_;
  RfDetrFormat format_;
  std::shared_ptr<const ClassNames> names_;
  Session session_;
  PictureInput picture_;
  RfDetrDecoder decoder_;
};

}  // namespace vrt
