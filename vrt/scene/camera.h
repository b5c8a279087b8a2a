// What a camera is and where it stands. Host values, doubles.
//
// The camera's frame: x to the right, y down, z forward, metres. A world's frame is the caller's own.
#pragma once

#include "vrt/base/export.h"
#include "vrt/image/image.h"

namespace vrt {

/// A point or direction, metres.
struct Vec3 {
  double x = 0;
  double y = 0;
  double z = 0;
  friend bool operator==(const Vec3&, const Vec3&) = default;
};

/// A pinhole: u = fx * x / z + cx, v = fy * y / z + cy, in vrt's pixel coordinates, where (0, 0) is the outer corner of
/// the first pixel. Calibrations that count from the first pixel's centre (OpenCV, ROS) have cx and cy smaller by 0.5.
struct Intrinsics {
  Size size;  ///< Of the pictures that the numbers hold for.
  double fx = 0;
  double fy = 0;
  double cx = 0;
  double cy = 0;
  friend bool operator==(const Intrinsics&, const Intrinsics&) = default;
};

/// The numbers for pictures of another size, resized as a whole.
[[nodiscard]] VRT_API Intrinsics scaled(const Intrinsics& intrinsics, Size size);

/// Brown and Conrady's lens distortion with a rational radial part, on normalised coordinates (x / z, y / z). All 0:
/// none.
struct Distortion {
  double k1 = 0;
  double k2 = 0;
  double p1 = 0;
  double p2 = 0;
  double k3 = 0;
  double k4 = 0;
  double k5 = 0;
  double k6 = 0;
  friend bool operator==(const Distortion&, const Distortion&) = default;
};

/// A unit quaternion.
struct Rotation {
  double w = 1;
  double x = 0;
  double y = 0;
  double z = 0;
  friend bool operator==(const Rotation&, const Rotation&) = default;
};

/// A rigid motion that takes points from one frame to another: p_to = rotation * p_from + translation. Name variables
/// after both, e.g. `world_from_camera`.
struct Pose {
  Rotation rotation;
  Vec3 translation;
  friend bool operator==(const Pose&, const Pose&) = default;
};

/// The point turned about the origin.
[[nodiscard]] VRT_API Vec3 rotate(const Rotation& rotation, const Vec3& point) noexcept;
/// The point in the pose's other frame: rotated, then moved.
[[nodiscard]] VRT_API Vec3 transform(const Pose& pose, const Vec3& point) noexcept;
/// camera_from_world of world_from_camera.
[[nodiscard]] VRT_API Pose inverse(const Pose& pose) noexcept;
/// c_from_a of c_from_b and b_from_a: transform(compose(outer, inner), p) is transform(outer, transform(inner, p)).
[[nodiscard]] VRT_API Pose compose(const Pose& outer, const Pose& inner) noexcept;

}  // namespace vrt
