#include "vrt/scene/camera.h"

#include "vrt/base/fail.h"

namespace vrt {
namespace {

Vec3 cross(const Vec3& a, const Vec3& b) noexcept {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

Vec3 add(const Vec3& a, const Vec3& b, double weight = 1) noexcept {
  return {a.x + weight * b.x, a.y + weight * b.y, a.z + weight * b.z};
}

Rotation conjugate(const Rotation& q) noexcept { return {q.w, -q.x, -q.y, -q.z}; }

// Hamilton's product: rotates by b, then by a.
Rotation multiply(const Rotation& a, const Rotation& b) noexcept {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

}  // namespace

Intrinsics scaled(const Intrinsics& intrinsics, Size size) {
  require(intrinsics.size.width > 0 && intrinsics.size.height > 0 && size.width > 0 && size.height > 0,
          "cannot scale intrinsics of {}x{} pictures to {}x{}: sizes must be positive", intrinsics.size.width,
          intrinsics.size.height, size.width, size.height);
  const double x = static_cast<double>(size.width) / intrinsics.size.width;
  const double y = static_cast<double>(size.height) / intrinsics.size.height;
  return {size, intrinsics.fx * x, intrinsics.fy * y, intrinsics.cx * x, intrinsics.cy * y};
}

Vec3 rotate(const Rotation& rotation, const Vec3& point) noexcept {
  // p + 2 w (v × p) + 2 v × (v × p), the quaternion's product written with vectors.
  const Vec3 axis{rotation.x, rotation.y, rotation.z};
  const Vec3 first = cross(axis, point);
  return add(add(point, first, 2 * rotation.w), cross(axis, first), 2);
}

Vec3 transform(const Pose& pose, const Vec3& point) noexcept {
  return add(rotate(pose.rotation, point), pose.translation);
}

Pose inverse(const Pose& pose) noexcept {
  const Rotation back = conjugate(pose.rotation);
  return {back, rotate(back, {-pose.translation.x, -pose.translation.y, -pose.translation.z})};
}

Pose compose(const Pose& outer, const Pose& inner) noexcept {
  return {multiply(outer.rotation, inner.rotation), transform(outer, inner.translation)};
}

}  // namespace vrt
