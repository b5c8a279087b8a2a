#include "vrt/pipeline/draw_findings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace vrt {
namespace {

constexpr Size kSize{400, 360};

/// What is drawn on a black picture.
struct Drawn {
  Size size;
  std::vector<std::uint8_t> pixels;

  explicit Drawn(std::span<const ModelFindings> models) {
    const std::vector<std::uint8_t> black(packed_bytes(kSize, PixelFormat::kRgb8), 0);
    Canvas canvas;
    canvas.set(ImageView::packed(Device::cpu(), black.data(), kSize, PixelFormat::kRgb8));
    draw_findings(canvas, models);
    const ImageView view = canvas.view();
    size = view.size;
    pixels.assign(view.planes[0].data, view.planes[0].data + packed_bytes(size, PixelFormat::kRgb8));
  }

  /// Pixels that are not black, in rows from `first` to `last`.
  [[nodiscard]] std::ptrdiff_t touched(int first, int last) const {
    std::ptrdiff_t count = 0;
    for (auto i = static_cast<std::size_t>(first) * 400; i < static_cast<std::size_t>(last) * 400; ++i)
      count += std::any_of(&pixels[3 * i], &pixels[3 * i] + 3, [](std::uint8_t value) { return value != 0; });
    return count;
  }
};

TEST(DrawFindingsTest, NothingFoundLeavesThePicture) {
  const ModelFindings nothing;
  for (const auto& models : {std::span<const ModelFindings>{}, std::span(&nothing, 1)}) {
    const Drawn drawn(models);
    EXPECT_EQ(drawn.size, kSize);
    EXPECT_EQ(drawn.touched(0, 360), 0);
  }
}

TEST(DrawFindingsTest, EachKindOfFindingIsDrawn) {
  const Detection detections[] = {{{100, 100, 300, 300}, 0.5F, 0, "", {}}};
  const std::vector<std::uint32_t> words(mask_words(kSize), ~0U);
  const MaskView masks[] = {{kSize, words}};
  const Keypoint points[] = {{200, 200, 0.5F}};
  const Classification classes[] = {{1, 0.5F, "cat"}, {2, 0.25F, ""}};
  ModelFindings boxes;
  boxes.detections = detections;
  ModelFindings with_masks = boxes;
  with_masks.masks = masks;
  ModelFindings features;
  features.features = points;
  ModelFindings classifier;
  classifier.classes = classes;
  const std::pair<ModelFindings, std::pair<int, int>> cases[] = {
      {boxes, {1600, 8000}}, {with_masks, {400 * 360, 400 * 360}}, {features, {4, 50}}, {classifier, {1000, 20000}}};
  for (const auto& [findings, range] : cases) {
    const Drawn drawn({&findings, 1});
    EXPECT_EQ(drawn.size, kSize);
    EXPECT_GE(drawn.touched(0, 360), range.first);
    EXPECT_LE(drawn.touched(0, 360), range.second);
  }
}

TEST(DrawFindingsTest, EveryDepthMapIsAPanelOfItsOwnWhereverItsNetworkStands) {
  const std::vector<float> metres(20 * 10, 3.0F);
  ModelFindings depth;
  depth.depth = DepthMapView{{20, 10}, metres};
  depth.nearness = RelativeDepthMapView{{20, 10}, metres};
  const Detection detections[] = {{{100, 100, 300, 300}, 0.5F, 0, "", {}}};
  ModelFindings boxes;
  boxes.detections = detections;
  const ModelFindings models[] = {depth, boxes};
  const Drawn drawn(models);
  EXPECT_EQ(drawn.size, (Size{400, 3 * 360}));
  EXPECT_GT(drawn.touched(0, 360), 1600) << "the box is on the picture";
  EXPECT_LT(drawn.touched(0, 360), 8000);
  EXPECT_EQ(drawn.touched(360, 3 * 360), 2 * 400 * 360);
}

}  // namespace
}  // namespace vrt
