// For tests: boxes on the device beside the same on the host.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>

#include "vrt/device/stream.h"
#include "vrt/models/testing/device_data.h"

namespace vrt::testing {

/// After a wait: the device has as many boxes as the host, and the same. There is at least one.
template <typename Result>
void expect_boxes_on_device(const Stream& stream, const Result& result) {
  const auto detections = result.detections();
  ASSERT_FALSE(detections.empty());
  ASSERT_EQ(to_host(stream, result.device_count(), 1)[0], static_cast<std::int32_t>(detections.size()));
  ASSERT_GE(result.device_boxes().size(), detections.size());
  const auto boxes = to_host(stream, result.device_boxes(), detections.size());
  for (std::size_t i = 0; i < detections.size(); ++i) {
    EXPECT_EQ(boxes[i].x1, detections[i].box.x1);
    EXPECT_EQ(boxes[i].y1, detections[i].box.y1);
    EXPECT_EQ(boxes[i].x2, detections[i].box.x2);
    EXPECT_EQ(boxes[i].y2, detections[i].box.y2);
  }
}

}  // namespace vrt::testing
