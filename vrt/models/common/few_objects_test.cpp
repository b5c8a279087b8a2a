#include "vrt/models/common/few_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "vrt/base/testing/error_of.h"
#include "vrt/device/emulator/emulate.h"
#include "vrt/models/common/candidate_selection.h"
#include "vrt/models/common/find_few_emulated.h"
#include "vrt/models/testing/device_data.h"

namespace vrt {
namespace {

using kernels::float4;
using kernels::find_few::FewPairs;
using kernels::find_few::FewToSource;
using test::error_of;
using testing::to_device;
using testing::to_host;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr kernels::suppress_ranked::BoxLayout kLayout{91, 4, 1, 0, 1920, 1080, 7, -3, 1920, 1080};

// A network's output, every box of 91 classes.
struct Network {
  std::vector<float> logits, boxes;
};

// Logits in `steps` steps, so that many or few are equal, some of them no number; some boxes are inverted.
Network random_network(std::size_t pairs, int steps, std::uint32_t seed) {
  std::mt19937 random(seed);
  Network network;
  for (std::size_t i = 0; i < pairs; ++i) {
    const int step = std::uniform_int_distribution<int>(-steps, steps)(random);
    network.logits.push_back(i % 101 == 3 ? kNaN : static_cast<float>(step) * 8 / static_cast<float>(steps));
  }
  for (std::size_t i = 0; i < pairs / 91 * 4; ++i)
    network.boxes.push_back(std::uniform_real_distribution<float>(-0.02F, 1)(random));
  return network;
}

struct Found {
  std::vector<std::int32_t> counts;
  std::vector<float> boxes, scores;
  std::vector<std::int32_t> classes, indices;
  friend bool operator==(const Found&, const Found&) = default;
};

// Where what is found goes, on the CPU.
struct Room {
  Room(const Stream& on, std::int32_t limit)
      : stream(on),
        boxes(DeviceBuffer<float4>::zeros(on, static_cast<std::size_t>(limit))),
        scores(DeviceBuffer<float>::zeros(on, static_cast<std::size_t>(limit))),
        classes(DeviceBuffer<std::int32_t>::zeros(on, static_cast<std::size_t>(limit))),
        indices(DeviceBuffer<std::int32_t>::zeros(on, static_cast<std::size_t>(limit))),
        counts(DeviceBuffer<std::int32_t>::zeros(on, 3)) {}

  FoundSpans spans() {
    return {boxes.span(), scores.span(), classes.span(), indices.span(), counts.span().subspan(2, 1)};
  }

  Found found() {
    Found result;
    result.counts = to_host(stream, counts.span(), 3);
    const auto count = static_cast<std::size_t>(result.counts[2]);
    for (const float4& box : to_host(stream, boxes.span(), count))
      result.boxes.insert(result.boxes.end(), {box.x, box.y, box.z, box.w});
    result.scores = to_host(stream, scores.span(), count);
    result.classes = to_host(stream, classes.span(), count);
    result.indices = to_host(stream, indices.span(), count);
    return result;
  }

  Stream stream;
  DeviceBuffer<float4> boxes;
  DeviceBuffer<float> scores;
  DeviceBuffer<std::int32_t> classes, indices, counts;
};

// By the kernels that can do any number, which have definitions of their own to be tested by.
Found expected(const Network& network, const FewPairs& which) {
  const Stream stream(Device::cpu());
  Room room(stream, which.limit);
  const auto logits = to_device(stream, network.logits);
  const auto boxes = to_device(stream, network.boxes);
  CandidateSelection selection(stream, {.items = which.count, .classes = 1, .limit = which.limit});
  const std::int32_t period = which.background != 0 ? which.columns : 0;
  selection.submit(logits.span(), {which.count, 1, 1, 0, which.above, kInfinity, period},
                   room.counts.span().subspan(0, 2));
  RankedSuppression(stream).submit(selection.ranked(), room.counts.span().subspan(0, 2), boxes.span(), {}, kLayout,
                                   {.threshold = 1, .max_kept = which.limit, .class_aware = 0, .logits = 1},
                                   room.spans());
  return room.found();
}

Found found_by(const Stream& stream, const Network& network, const FewPairs& which) {
  Room room(stream, which.limit);
  const auto logits = to_device(stream, network.logits);
  const auto boxes = to_device(stream, network.boxes);
  FewObjects(stream).submit(logits.span(), boxes.span(), which, kLayout, room.counts.span().subspan(0, 2),
                            room.spans());
  return room.found();
}

// The kernel as a GPU runs it.
Found emulated(const Network& network, const FewPairs& which) {
  using Find = void(DeviceSpan<const float>, FewPairs, DeviceSpan<const float4>, FewToSource, DeviceSpan<std::int32_t>,
                    DeviceSpan<float4>, DeviceSpan<float>, DeviceSpan<std::int32_t>, DeviceSpan<std::int32_t>,
                    DeviceSpan<std::int32_t>);
  const auto room = static_cast<std::size_t>(which.limit);
  const GuardedBuffer<float> logits(network.logits);
  std::vector<float4> quads;
  for (std::size_t i = 0; i + 3 < network.boxes.size(); i += 4)
    quads.push_back({network.boxes[i], network.boxes[i + 1], network.boxes[i + 2], network.boxes[i + 3]});
  const GuardedBuffer<float4> boxes(quads);
  GuardedBuffer<std::int32_t> counts(2), classes(room), indices(room), count(1);
  GuardedBuffer<float4> found_boxes(room);
  GuardedBuffer<float> scores(room);
  emulate<Find>(kernels::emulated::find_few_cu, "find_few", grid_per_item(1, 1024), {.seed = 4}, logits.device(), which,
                boxes.device(),
                FewToSource{kLayout.scale_x, kLayout.scale_y, kLayout.shift_x, kLayout.shift_y, kLayout.source_width,
                            kLayout.source_height},
                counts.device(), found_boxes.device(), scores.device(), classes.device(), indices.device(),
                count.device());
  const auto found = static_cast<std::size_t>(count.values()[0]);
  const auto first = [found](auto values) { return values.resize(found), values; };
  Found result{counts.values(), {}, first(scores.values()), first(classes.values()), first(indices.values())};
  result.counts.push_back(count.values()[0]);
  for (const float4& box : first(found_boxes.values()))
    result.boxes.insert(result.boxes.end(), {box.x, box.y, box.z, box.w});
  return result;
}

struct Extent {
  std::size_t queries;
  int steps;
  std::int32_t limit;
};

constexpr Extent kExtents[]{{300, 400, 300}, {300, 100000, 300}, {315, 50, 512}, {3, 50, 200}, {300, 90, 1}, {1, 1, 1}};

class FewObjectsTest : public ::testing::TestWithParam<Extent> {};
INSTANTIATE_TEST_SUITE_P(Extents, FewObjectsTest, ::testing::ValuesIn(kExtents));

TEST_P(FewObjectsTest, FindsWhatSelectionAndSuppressionFind) {
  const Extent& extent = GetParam();
  const Network network = random_network(extent.queries * 91, extent.steps, 12);
  for (const float above : {-kInfinity, 0.0F, 7.8F}) {
    for (const std::int32_t background : {0, 1}) {
      const FewPairs which{static_cast<std::int32_t>(extent.queries) * 91, 91, above, background, extent.limit};
      const Found found = expected(network, which);
      EXPECT_EQ(found_by(Stream(Device::cpu()), network, which), found) << "above " << above;
      EXPECT_EQ(emulated(network, which), found) << "above " << above;
    }
  }
}

// The best lie with few threads: what is likely of the others is wrong here.
TEST(FewObjectsKernelTest, FindsWhatLiesTogether) {
  Network network = random_network(std::size_t{300} * 91, 4000, 13);
  for (std::size_t i = 0; i < network.logits.size(); i += 1024) {
    for (std::size_t j = i; j < std::min(i + 60, network.logits.size()); ++j)
      network.logits[j] = 10 + static_cast<float>(j % 7);
  }
  const FewPairs which{300 * 91, 91, -2, 0, 300};
  EXPECT_EQ(emulated(network, which), expected(network, which));
}

TEST(FewObjectsKernelTest, FindsTheFirstOfManyEquals) {
  const Network network = random_network(std::size_t{300} * 91, 2, 16);
  const FewPairs which{300 * 91, 91, 0, 0, 300};
  EXPECT_EQ(emulated(network, which), expected(network, which));
}

TEST(FewObjectsKernelTest, FindsNothingWhereNothingCounts) {
  const Network network = random_network(std::size_t{300} * 91, 40, 14);
  const FewPairs which{300 * 91, 91, 9, 0, 300};
  EXPECT_EQ(emulated(network, which).counts, (std::vector<std::int32_t>{0, 0, 0}));
}

TEST(FewObjectsErrorsTest, SayWhatIsTooMuchOrTooLittle) {
  const Stream stream(Device::cpu());
  const Network network = random_network(std::size_t{2} * 91, 4, 15);
  const auto message = [&](const FewPairs& which) {
    return std::string(error_of([&] { static_cast<void>(found_by(stream, network, which)); }).what());
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(message({182, 91, 0, 0, 513}), HasSubstr("at most 512 of 28672 pairs"));
  EXPECT_THAT(message({182, 90, 0, 0, 10}), HasSubstr("not of 90 classes each"));
  EXPECT_THAT(message({273, 91, 0, 0, 10}), HasSubstr("need as many logits, not 182"));
  EXPECT_THAT(message({182, 1, 0, 0, 10}), HasSubstr("need 182 boxes, not 2"));
}

}  // namespace
}  // namespace vrt
