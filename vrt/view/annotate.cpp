#include "vrt/view/annotate.h"

#include <fmt/format.h>

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>

#include "vrt/base/fail.h"
#include "vrt/device/format_device.h"
#include "vrt/view/depth_paint.h"
#include "vrt/view/mask_paint.h"
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

const cv::Scalar ink(20, 20, 20);       // Of text and borders, on the colours above.
const cv::Scalar paper(235, 235, 235);  // Behind text that belongs to no class.
const cv::Scalar feature_colour(80, 255, 80);

/// The limbs of COCO's 17 keypoints of a person, by their positions (the "skeleton" of its annotation files, counted from 0).
struct Limb {
  std::size_t from;
  std::size_t to;
};
constexpr Limb kLimbs[] = {{15, 13}, {13, 11}, {16, 14}, {14, 12}, {11, 12}, {5, 11}, {6, 12}, {5, 6}, {5, 7}, {6, 8},
                           {7, 9},   {8, 10},  {1, 2},   {0, 1},   {0, 2},   {1, 3},  {2, 4},  {3, 5}, {4, 6}};
constexpr std::size_t kPersonKeypoints = 17;
/// Where networks are less sure of a joint, it is often hidden or outside the picture, and its place a guess.
constexpr float kSureJoint = 0.25F;

const cv::Scalar& colour_of(const Detection& detection) {
  return class_colours[static_cast<std::uint32_t>(detection.class_id) % class_colours.size()];
}

/// Sizes that grow with the picture, so that a 4K frame is as legible as a small one.
struct Style {
  int thickness;
  int dot_radius;
  double font_scale;

  [[nodiscard]] int text_line() const { return std::max(1, thickness / 2); }
  [[nodiscard]] int text_padding() const { return thickness + 1; }

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

bool is_person(const Detection& detection) {
  return detection.keypoints.size() == kPersonKeypoints && (detection.label.empty() || detection.label == "person");
}

void draw_limbs(cv::Mat& picture, std::span<const Keypoint> joints, float enlargement, const cv::Scalar& colour,
                const Style& style) {
  for (const auto& [from, to] : kLimbs) {
    if (!(joints[from].confidence >= kSureJoint && joints[to].confidence >= kSureJoint)) continue;
    const cv::Point a = to_fixed(joints[from].x, joints[from].y, enlargement);
    const cv::Point b = to_fixed(joints[to].x, joints[to].y, enlargement);
    cv::line(picture, a, b, colour, style.thickness, cv::LINE_AA, kShift);
  }
}

void draw_keypoints(cv::Mat& picture, std::span<const Keypoint> keypoints, float enlargement, const cv::Scalar& colour,
                    const Style& style) {
  for (const Keypoint& point : keypoints) {
    if (!(point.confidence > 0)) continue;
    const cv::Point centre = to_fixed(point.x, point.y, enlargement);
    cv::circle(picture, centre, (style.dot_radius + 1) << kShift, ink, cv::FILLED, cv::LINE_AA, kShift);
    cv::circle(picture, centre, style.dot_radius << kShift, colour, cv::FILLED, cv::LINE_AA, kShift);
  }
}

std::string label_of(const Detection& detection) {
  if (detection.label.empty()) return fmt::format("class {} {:.2f}", detection.class_id, detection.score);
  return fmt::format("{} {:.2f}", detection.label, detection.score);
}

/// Above the box's upper left corner where there is room, else inside the box; within the picture where that is large enough.
cv::Rect place_label(cv::Size picture, cv::Point box_corner, cv::Size label) {
  const int x = std::clamp(box_corner.x, 0, std::max(0, picture.width - label.width));
  const int y = std::clamp(box_corner.y - label.height, 0, std::max(0, picture.height - label.height));
  return {x, y, label.width, label.height};
}

/// A text on a filled rectangle, which is returned.
cv::Rect draw_text(cv::Mat& picture, const std::string& text, cv::Point box_corner, const cv::Scalar& background,
                   const Style& style) {
  const int padding = style.text_padding();
  int baseline = 0;
  const cv::Size size = cv::getTextSize(text, cv::FONT_HERSHEY_SIMPLEX, style.font_scale, style.text_line(), &baseline);
  const cv::Rect area =
      place_label(picture.size(), box_corner, {size.width + 2 * padding, size.height + baseline + padding});
  cv::rectangle(picture, area, background, cv::FILLED);
  cv::putText(picture, text, {area.x + padding, area.y + padding + size.height}, cv::FONT_HERSHEY_SIMPLEX,
              style.font_scale, ink, style.text_line(), cv::LINE_AA);
  return area;
}

void draw_label(cv::Mat& picture, const Detection& detection, float enlargement, const cv::Scalar& colour,
                const Style& style) {
  const cv::Point fixed = to_fixed(detection.box.x1, detection.box.y1, enlargement);
  const cv::Point corner(fixed.x / (1 << kShift) - style.thickness / 2, fixed.y / (1 << kShift));
  draw_text(picture, label_of(detection), corner, colour, style);
}

void require_value_for_each_pixel(std::span<const float> values, Size size) {
  require(size.width > 0 && size.height > 0 &&
              values.size() == static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height),
          "a depth map of {}x{} has {} values", size.width, size.height, values.size());
}

/// Never shrinks, so that a larger frame after a smaller one costs nothing.
std::uint8_t* grown_to(std::vector<std::uint8_t>& memory, std::size_t bytes) {
  if (memory.size() < bytes) memory.resize(bytes);
  return memory.data();
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
  require(picture.device.is_cpu(), "a canvas draws on pictures in host memory; this one is on {}", picture.device);
  picture_ = picture.size;
  enlargement_ = enlargement_for(picture.size);
  size_ = {picture.size.width * enlargement_, picture.size.height * enlargement_};
  whole_ = size_;
  text_bottom_ = 0;
  std::uint8_t* pixels = grown_to(pixels_, packed_bytes(size_, PixelFormat::kRgb8));
  if (enlargement_ == 1) return detail::to_rgb(picture, pixels, rows_);
  std::uint8_t* original = grown_to(original_, packed_bytes(picture.size, PixelFormat::kRgb8));
  detail::to_rgb(picture, original, rows_);
  const cv::Mat small(picture.size.height, picture.size.width, CV_8UC3, original);
  cv::Mat large(size_.height, size_.width, CV_8UC3, pixels);
  cv::resize(small, large, large.size(), 0, 0, cv::INTER_LINEAR);
}

void Canvas::require_picture() const {
  require(!pixels_.empty(), "a canvas needs a picture (`set`) before anything can be drawn on it");
}

void Canvas::draw(std::span<const Detection> detections, std::span<const MaskView> masks) {
  require_picture();
  draw_masks(detections, masks);
  cv::Mat picture(size_.height, size_.width, CV_8UC3, pixels_.data(), pitch_bytes());
  const Style style = Style::for_picture(size_);
  const auto factor = static_cast<float>(enlargement_);
  for (const Detection& detection : detections) {
    const cv::Scalar& colour = colour_of(detection);
    draw_box(picture, detection.box, factor, colour, style);
    if (is_person(detection)) draw_limbs(picture, detection.keypoints, factor, colour, style);
    draw_keypoints(picture, detection.keypoints, factor, colour, style);
    draw_label(picture, detection, factor, colour, style);
  }
}

void Canvas::draw_masks(std::span<const Detection> detections, std::span<const MaskView> masks) {
  require(masks.size() <= detections.size(), "{} masks for {} detections", masks.size(), detections.size());
  for (std::size_t i = 0; i < masks.size(); ++i) {
    const MaskView& mask = masks[i];
    require(mask.size == picture_ && mask.words.size() >= mask_words(mask.size),
            "a mask of {}x{} in {} words cannot be drawn on a picture of {}x{}", mask.size.width, mask.size.height,
            mask.words.size(), picture_.width, picture_.height);
    const cv::Scalar& colour = colour_of(detections[i]);
    const auto channel = [&](int index) { return static_cast<std::uint8_t>(colour[index]); };
    detail::paint_mask({pixels_.data(), pitch_bytes()}, enlargement_, mask, {channel(0), channel(1), channel(2)});
  }
}

void Canvas::draw_features(std::span<const Keypoint> points) {
  require_picture();
  cv::Mat picture(size_.height, size_.width, CV_8UC3, pixels_.data(), pitch_bytes());
  const int side = std::max(2, Style::for_picture(size_).dot_radius);
  const auto factor = static_cast<float>(enlargement_);
  for (const Keypoint& point : points) {
    if (!(point.confidence > 0)) continue;
    const cv::Point corner = to_fixed(point.x, point.y, factor) / (1 << kShift) - cv::Point(side, side) / 2;
    picture(cv::Rect(corner.x, corner.y, side, side) & cv::Rect(0, 0, size_.width, size_.height)) = feature_colour;
  }
}

void Canvas::write(std::span<const std::string> lines) {
  require_picture();
  cv::Mat picture(size_.height, size_.width, CV_8UC3, pixels_.data(), pitch_bytes());
  const Style style = Style::for_picture(size_);
  for (const std::string& line : lines) {
    if (text_bottom_ >= size_.height) return;
    cv::Mat rest = picture.rowRange(text_bottom_, size_.height);
    text_bottom_ += draw_text(rest, line, {0, 0}, paper, style).height;
  }
}

/// Memory of another panel, in the picture's size, with rows of pitch_bytes().
std::uint8_t* Canvas::add_panel() {
  const Size before = whole_;
  const bool is_below = size_.width >= size_.height;
  (is_below ? whole_.height : whole_.width) += is_below ? size_.height : size_.width;
  std::uint8_t* pixels = grown_to(pixels_, packed_bytes(whole_, PixelFormat::kRgb8));
  const std::size_t row = static_cast<std::size_t>(before.width) * 3;
  if (is_below) return pixels + static_cast<std::size_t>(before.height) * row;
  // Rows move apart, the last one first, so that none is written over before it has moved.
  for (auto y = static_cast<std::size_t>(before.height); y-- > 1;)
    std::memmove(pixels + y * pitch_bytes(), pixels + y * row, row);
  return pixels + row;
}

void Canvas::add_panel_of(std::span<const float> values, Size map, detail::DepthScale scale) {
  require_picture();
  require_value_for_each_pixel(values, map);
  std::uint8_t* const first_row = add_panel();
  cv::Mat panel(size_.height, size_.width, CV_8UC3, first_row, pitch_bytes());
  std::uint8_t* colours = grown_to(original_, packed_bytes(map, PixelFormat::kRgb8));
  const auto range = detail::paint_depth(values, scale, colours);
  cv::resize(cv::Mat(map.height, map.width, CV_8UC3, colours), panel, panel.size(), 0, 0, cv::INTER_LINEAR);
  if (!range || scale == detail::DepthScale::kNearness) return;
  draw_text(panel, fmt::format("{:.2f} to {:.2f} m", range->least, range->greatest), {0, 0}, paper,
            Style::for_picture(size_));
}

void Canvas::add_depth(const DepthMapView& map) { add_panel_of(map.metres, map.size, detail::DepthScale::kMetres); }

void Canvas::add_depth(const RelativeDepthMapView& map) {
  add_panel_of(map.nearness, map.size, detail::DepthScale::kNearness);
}

ImageView Canvas::view() const noexcept {
  ImageView view;
  view.size = whole_;
  view.format = PixelFormat::kRgb8;
  view.planes[0] = {pixels_.data(), pitch_bytes()};
  return view;
}

std::string drawing_library() { return "OpenCV " + cv::getVersionString(); }

}  // namespace vrt
