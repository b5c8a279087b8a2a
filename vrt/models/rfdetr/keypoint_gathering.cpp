#include "vrt/models/rfdetr/keypoint_gathering.h"

#include <algorithm>
#include <span>

#include "vrt/models/rfdetr/rfdetr_points_cu.h"

namespace vrt {

KeypointGathering::KeypointGathering(const Stream& stream, const std::vector<std::int32_t>& class_points)
    : stream_(stream),
      points_(*std::ranges::max_element(class_points)),
      class_points_(DeviceBuffer<std::int32_t>::uninitialized(stream, class_points.size())),
      gather_(KernelModule::load(stream.device(), kernels::rfdetr_points_cu).get<Gather>("rfdetr_gather_points")) {
  upload_blocking(stream, std::span<const std::int32_t>(class_points), class_points_.span());
}

void KeypointGathering::submit(DeviceSpan<const float> slots, Size source, DetectionBuffers& objects) const {
  const FoundSpans found = objects.found();
  gather_.launch(stream_, grid_1d(objects.most() * static_cast<std::size_t>(points_)), slots, found.indices,
                 found.classes, found.count, class_points_.span(),
                 kernels::rfdetr_points::RfDetrPoints{.points = points_,
                                                      .classes = static_cast<std::int32_t>(class_points_.size()),
                                                      .source_width = static_cast<float>(source.width),
                                                      .source_height = static_cast<float>(source.height)},
                 objects.keypoints());
}

}  // namespace vrt
