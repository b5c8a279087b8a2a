#include "vrt/view/annotate.h"

#include <fmt/format.h>

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "vrt/base/fail.h"
#include "vrt/view/to_rgb.h"

namespace vrt {
namespace {

constexpr std::int32_t kLegibleSide = 360;
constexpr std::int32_t kLargestEnlargedSide = 1280;

/// Fractional bits of the coordinates that OpenCV's drawing functions take.
constexpr int kShift = 4;
/// Keeps coordinates times 2^kShift within 32 bits, whatever a caller's box holds.
constexpr float kFarthest = 1e6F;

/// Colours that stay apart on dark and light pictures, by class id; RGB.
const std::array<cv::Scalar, 8> class_colours = {
    cv::Scalar(64, 220, 120), {255, 160, 40}, {80, 170, 255}, {240, 90, 90},
    {200, 120, 255},          {250, 230, 70}, {70, 220, 220}, {255, 130, 190}};

/// Sizes that grow with the picture, so that a 4K frame is as legible as a small one.
struct Style {
  int thickness;
  int dot_radius;
  double font_scale;

  static Style for_picture(Size size) {
    const double unit = std::max(1.0, std::min(size.width, size.height) / 480.0);
    return {static_cast<int>(std::lround(2 * unit)), static_cast<int>(std::lround(3 * unit)), 0.5 * unit};
  }
};

/// Pixel corners (where boxes live) to OpenCV's fixed-point pixel centres.
cv::Point to_fixed(float x, float y, float enlargement) {
  const auto fixed = [&](float value) {
    const float centre = std::clamp(value * enlargement - 0.5F, -kFarthest, kFarthest);
    return static_cast<int>(std::lround(centre * (1 << kShift)));
  };
  return {fixed(x), fixed(y)};
}

void draw_box(cv::Mat& picture, const Box& box, float enlargement, const cv::Scalar& colour, const Style& style) {
  const cv::Point a = to_fixed(box.x1, box.y1, enlargement);
  const cv::Point c = to_fixed(box.x2, box.y2, enlargement);
  const std::array<cv::Point, 4> corners = {a, cv::Point(c.x, a.y), c, cv::Point(a.x, c.y)};
  for (std::size_t i = 0; i < corners.size(); ++i) {
    cv::line(picture, corners[i], corners[(i + 1) % corners.size()], colour, style.thickness, cv::LINE_AA, kShift);
  }
}

void draw_keypoints(cv::Mat& picture, std::span<const Keypoint> keypoints, float enlargement, const cv::Scalar& colour,
                    const Style& style) {
  for (const Keypoint& point : keypoints) {
    if (!(point.confidence > 0)) continue;
    const cv::Point centre = to_fixed(point.x, point.y, enlargement);
    cv::circle(picture, centre, (style.dot_radius + 1) << kShift, cv::Scalar(20, 20, 20), cv::FILLED, cv::LINE_AA,
               kShift);
    cv::circle(picture, centre, style.dot_radius << kShift, colour, cv::FILLED, cv::LINE_AA, kShift);
  }
}

std::string label_of(const Detection& detection) {
  if (detection.label.empty()) return fmt::format("{:.2f}", detection.score);
  return fmt::format("{} {:.2f}", detection.label, detection.score);
}

/// Above the box's upper left corner where there is room, else inside the box; within the picture where that is large enough.
cv::Rect place_label(cv::Size picture, cv::Point box_corner, cv::Size label) {
  const int x = std::clamp(box_corner.x, 0, std::max(0, picture.width - label.width));
  const int y = std::clamp(box_corner.y - label.height, 0, std::max(0, picture.height - label.height));
  return {x, y, label.width, label.height};
}

void draw_label(cv::Mat& picture, const Detection& detection, float enlargement, const cv::Scalar& colour,
                const Style& style) {
  const std::string label = label_of(detection);
  const int line = std::max(1, style.thickness / 2);
  const int padding = style.thickness + 1;
  int baseline = 0;
  const cv::Size text = cv::getTextSize(label, cv::FONT_HERSHEY_SIMPLEX, style.font_scale, line, &baseline);
  const cv::Point fixed = to_fixed(detection.box.x1, detection.box.y1, enlargement);
  const cv::Point corner(fixed.x / (1 << kShift) - style.thickness / 2, fixed.y / (1 << kShift));
  const cv::Rect area =
      place_label(picture.size(), corner, {text.width + 2 * padding, text.height + baseline + padding});
  cv::rectangle(picture, area, colour, cv::FILLED);
  cv::putText(picture, label, {area.x + padding, area.y + padding + text.height}, cv::FONT_HERSHEY_SIMPLEX,
              style.font_scale, cv::Scalar(20, 20, 20), line, cv::LINE_AA);
}

}  // namespace

std::int32_t Canvas::enlargement_for(Size picture) noexcept {
  const std::int32_t shorter = std::max(1, std::min(picture.width, picture.height));
  const std::int32_t longer = std::max(1, std::max(picture.width, picture.height));
  const std::int32_t wanted = (kLegibleSide + shorter - 1) / shorter;
  return std::max(1, std::min(wanted, kLargestEnlargedSide / longer));
}

void Canvas::set(const ImageView& picture) {
  picture.validate();
  require(picture.device.is_cpu(), "a canvas draws on pictures in host memory; this one is on {}",
          to_string(picture.device));
  enlargement_ = enlargement_for(picture.size);
  size_ = {picture.size.width * enlargement_, picture.size.height * enlargement_};
  pixels_.resize(packed_bytes(size_, PixelFormat::kRgb8));
  if (enlargement_ == 1) return detail::to_rgb(picture, pixels_.data(), rows_);
  original_.resize(packed_bytes(picture.size, PixelFormat::kRgb8));
  detail::to_rgb(picture, original_.data(), rows_);
  const cv::Mat small(picture.size.height, picture.size.width, CV_8UC3, original_.data());
  cv::Mat large(size_.height, size_.width, CV_8UC3, pixels_.data());
  cv::resize(small, large, large.size(), 0, 0, cv::INTER_LINEAR);
}

void Canvas::draw(std::span<const Detection> detections) {
  require(!pixels_.empty(), "a canvas needs a picture (`set`) before anything can be drawn on it");
  cv::Mat picture(size_.height, size_.width, CV_8UC3, pixels_.data());
  const Style style = Style::for_picture(size_);
  const auto factor = static_cast<float>(enlargement_);
  for (const Detection& detection : detections) {
    const cv::Scalar& colour = class_colours[static_cast<std::uint32_t>(detection.class_id) % class_colours.size()];
    draw_box(picture, detection.box, factor, colour, style);
    draw_keypoints(picture, detection.keypoints, factor, colour, style);
    draw_label(picture, detection, factor, colour, style);
  }
}

ImageView Canvas::view() const noexcept {
  ImageView view;
  view.size = size_;
  view.format = PixelFormat::kRgb8;
  view.planes[0] = {pixels_.data(), static_cast<std::size_t>(size_.width) * 3};
  return view;
}

std::string drawing_library() { return "OpenCV " + cv::getVersionString(); }

}  // namespace vrt
