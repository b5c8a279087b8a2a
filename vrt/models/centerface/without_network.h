// Internal (not installed): CenterFace's work around its network, with outputs that stay as they are. For measuring.
#pragma once

#include <cstddef>
#include <span>

#include "vrt/device/memory.h"
#include "vrt/device/stream.h"
#include "vrt/image/image.h"
#include "vrt/image/preprocessor.h"
#include "vrt/models/centerface/centerface.h"
#include "vrt/models/centerface/face_buffers.h"
#include "vrt/models/centerface/face_decoder.h"
#include "vrt/scene/detection.h"

namespace vrt {

/// What CenterFace enqueues for a frame, the network left out: every kernel but its layers, on the same sizes. In place of the
/// network's outputs are maps made once, with kPlantedFaces faces that do not overlap, so that ranking, suppression and
/// read-back have a crowd's work; whatever the pictures show, these are the faces found. Used from one thread at a time.
class CenterFaceWithoutNetwork {
 public:
  static constexpr int kFacesAcross = 4;
  static constexpr int kPlantedFaces = kFacesAcross * kFacesAcross;

  /// BLOCKS while the maps are uploaded. `input` is a size that CenterFace::input_size_for gives.
  CenterFaceWithoutNetwork(const Stream& stream, Size input, const CenterFaceOptions& options = {});

  /// Enqueues preprocessing, decoding and read-back. Allocates nothing, does not wait; contract of CenterFace::submit.
  void submit(const ImageView& image);
  /// The faces of the frame before the last wait; contract of CenterFaceResult::detections.
  [[nodiscard]] std::span<const Detection> detections() { return faces_.detections(); }

 private:
  [[nodiscard]] CenterFaceOutputs outputs() const;

  Stream stream_;
  Preprocessor preprocessor_;
  Size grid_;
  DeviceBuffer<float> input_;
  DeviceBuffer<float> maps_;  ///< All outputs, one behind the other: 1 + 2 + 2 + 10 planes.
  FaceDecoder decoder_;
  FaceBuffers faces_;
};

}  // namespace vrt
