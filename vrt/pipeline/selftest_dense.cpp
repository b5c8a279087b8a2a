#include "vrt/pipeline/selftest_dense.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "vrt/device/kernel.h"
#include "vrt/models/classifier/classify_keys_cu.h"
#include "vrt/models/classifier/classify_scores_cu.h"
#include "vrt/models/common/candidate_ranking.h"
#include "vrt/models/depth_anything/depth_maps.h"
#include "vrt/models/osnet/osnet_counts_cu.h"
#include "vrt/models/osnet/osnet_embed_cu.h"
#include "vrt/models/xfeat/feature_decoder.h"
#include "vrt/models/xfeat/matcher.h"
#include "vrt/pipeline/selftest_inputs.h"

namespace vrt::selftest {
namespace {

std::vector<float> random_values(std::size_t count, float low, float high, std::uint64_t seed) {
  Seeded random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = random.between(low, high);
  return values;
}

void add_matches(const Stream& stream, MatchPrecision precision, const std::vector<float>& values, Outcome& outcome) {
  const auto descriptors = to_device(stream, values);
  const auto room = static_cast<std::int32_t>(values.size() / Matcher::kChannels);
  const auto counts = to_device<std::int32_t>(stream, {room, room - 3});
  Matcher matcher(stream, {.min_similarity = 0.5F, .max_descriptors = room, .precision = precision});
  MatchResult result = matcher.allocate_result();
  matcher.submit({descriptors.span(), counts.span().subspan(0, 1)}, {descriptors.span(), counts.span().subspan(1, 1)},
                 result);
  const std::vector<std::int32_t> count = read_back_blocking(stream, result.device_matches().count);
  const auto found = static_cast<std::size_t>(std::clamp(count[0], 0, room));
  outcome.add_exact(count);
  outcome.add_exact(read_back_blocking(stream, result.device_matches().pairs.subspan(0, 2 * found)));
  outcome.add_exact(read_back_blocking(stream, result.device_matches().similarities.subspan(0, found)));
}

constexpr std::int32_t kClasses = 300;

void add_classes(const Stream& stream, Outcome& outcome) {
  using Keys = void(DeviceSpan<const float>, std::int32_t, DeviceSpan<std::uint64_t>, DeviceSpan<std::int32_t>);
  using Scores =
      void(DeviceSpan<const float>, std::int32_t, DeviceSpan<const std::uint64_t>, DeviceSpan<const std::int32_t>,
           std::int32_t, std::int32_t, DeviceSpan<std::int32_t>, DeviceSpan<float>, DeviceSpan<std::int32_t>);
  const auto values = to_device(stream, random_values(kClasses, -4, 4, 24));
  auto counts = to_device<std::int32_t>(stream, {0, 0, 0});
  const auto count = [&](std::size_t i) { return counts.span().subspan(i, 1); };
  auto ids = marked<std::int32_t>(stream, kClasses);
  auto scores = marked<float>(stream, kClasses);
  CandidateRanking ranking(stream, kClasses);
  KernelModule::load(stream.device(), kernels::classify_keys_cu)
      .get<Keys>("classify_keys")
      .launch(stream, grid_1d(kClasses), values.span(), kClasses, ranking.keys(), count(0));
  ranking.submit(count(0), count(1));
  KernelModule::load(stream.device(), kernels::classify_scores_cu)
      .get<Scores>("classify_scores")
      .launch(stream, grid_per_item(1, 256), values.span(), kClasses, ranking.ranked(), count(1), kClasses,
              std::int32_t{1}, ids.span(), scores.span(), count(2));
  outcome.add_exact(read_back_blocking(stream, count(2)));
  outcome.add_exact(read_back_blocking(stream, ids.span()));
  for (const float score : read_back_blocking(stream, scores.span())) {
    outcome.close.push_back(1000 * score);  // To a hundred-thousandth.
  }
}

void add_embeddings(const Stream& stream, Outcome& outcome) {
  using Counts = void(DeviceSpan<const std::int32_t>, std::int32_t, std::int32_t, std::int32_t,
                      DeviceSpan<std::int32_t>, DeviceSpan<std::int32_t>);
  using Embed = void(DeviceSpan<const float>, DeviceSpan<const std::int32_t>, std::int32_t, DeviceSpan<float>);
  constexpr std::int32_t kChannels = 70;
  const auto boxes = to_device<std::int32_t>(stream, {21});
  auto counts = marked<std::int32_t>(stream, 3);
  auto total = marked<std::int32_t>(stream, 1);
  KernelModule::load(stream.device(), kernels::osnet_counts_cu)
      .get<Counts>("osnet_counts")
      .launch(stream, grid_1d(3, 32), boxes.span(), std::int32_t{24}, std::int32_t{8}, std::int32_t{3}, counts.span(),
              total.span());
  const auto features = to_device(stream, random_values(std::size_t{8} * kChannels, -2, 2, 25));
  auto embeddings = marked<float>(stream, std::size_t{8} * kChannels);
  KernelModule::load(stream.device(), kernels::osnet_embed_cu)
      .get<Embed>("osnet_embed")
      .launch(stream, grid_1d(8 * 32), features.span(), counts.span().subspan(2, 1), kChannels, embeddings.span());
  outcome.add_exact(read_back_blocking(stream, counts.span()));
  outcome.add_exact(read_back_blocking(stream, total.span()));
  outcome.add_exact(read_back_blocking(stream, embeddings.span()));
}

}  // namespace

Outcome match_descriptors(const Stream& stream) {
  constexpr std::size_t kDescriptors = 200;
  Outcome outcome;
  add_matches(stream, MatchPrecision::kFloat32, random_values(kDescriptors * Matcher::kChannels, -0.25F, 0.25F, 20),
              outcome);
  // Whole numbers: tensor cores add in an order of their own.
  std::vector<float> whole = random_values(kDescriptors * Matcher::kChannels, -4, 4, 21);
  for (float& value : whole) value = static_cast<float>(static_cast<std::int32_t>(value));
  add_matches(stream, MatchPrecision::kFloat16, whole, outcome);
  return outcome;
}

Outcome find_features(const Stream& stream) {
  constexpr Size kInput{128, 96};
  constexpr std::size_t kPixels = std::size_t{kInput.width} * kInput.height;
  const XFeatOptions options{.max_keypoints = 3000};
  const auto heatmap = to_device(stream, std::vector<float>(kPixels, 0.5F));  // Every pixel is a keypoint.
  const auto reliability = to_device(stream, random_values(kPixels, 0.25F, 1, 22));
  const auto descriptors = to_device(stream, random_values(kPixels, -1, 1, 23));
  auto counts = marked<std::int32_t>(stream, FeatureDecoder::kCounts);
  auto keypoints = marked<float>(stream, std::size_t{3} * 3000);
  auto described = marked<float>(stream, std::size_t{Matcher::kChannels} * 3000);
  FeatureDecoder decoder(stream, kInput, options);
  decoder.submit({kInput, descriptors.span(), heatmap.span(), reliability.span()},
                 ResizeMapping::make(ResizeMode::kStretch, {200, 100}, kInput),
                 {counts.span(), keypoints.span(), described.span()});
  Outcome outcome;
  outcome.add_exact(read_back_blocking(stream, counts.span()));
  outcome.add_exact(read_back_blocking(stream, keypoints.span()));
  outcome.add_exact(read_back_blocking(stream, described.span()));
  return outcome;
}

Outcome map_depth(const Stream& stream) {
  constexpr Size kGrid{42, 28};
  std::vector<float> values = random_values(std::size_t{kGrid.width} * kGrid.height, 0.5F, 12, 24);
  for (std::size_t i = 0; i < values.size(); i += 17) values[i] = 0;
  const auto grid = to_device(stream, values);
  DepthMapper mapper(stream, DepthKind::kMetric);
  DepthBuffers result(stream, kGrid, {.size = {101, 67}, .colors = true});
  mapper.submit({kGrid, grid.span()}, result);
  Outcome outcome;
  outcome.add_exact(read_back_blocking(stream, result.map()));
  outcome.add_exact(read_back_blocking(stream, result.colors()));
  return outcome;
}

Outcome embed_and_classify(const Stream& stream) {
  Outcome outcome;
  add_embeddings(stream, outcome);
  add_classes(stream, outcome);
  return outcome;
}

}  // namespace vrt::selftest
