#include "vrt/models/rfdetr/keypoint_gathering.h"

#include "vrt/models/rfdetr/rfdetr_points_cu.h"

namespace vrt {

KeypointGathering::KeypointGathering(const Stream& stream, std::int32_t points, std::int32_t classes)
    : stream_(stream),
      points_(points),
      slots_(points * classes),
      gather_(KernelModule::load(stream.device(), kernels::rfdetr_points_cu).get<Gather>("rfdetr_gather_points")) {}

void KeypointGathering::submit(DeviceSpan<const float> slots, Size source, DetectionBuffers& objects) const {
  const FoundSpans found = objects.found();
  gather_.launch(stream_, grid_1d(objects.most() * static_cast<std::size_t>(points_)), slots, found.indices,
                 found.classes, found.count,
                 kernels::rfdetr_points::RfDetrPoints{.points = points_,
                                                      .slots = slots_,
                                                      .source_width = static_cast<float>(source.width),
                                                      .source_height = static_cast<float>(source.height)},
                 objects.keypoints());
}

}  // namespace vrt
