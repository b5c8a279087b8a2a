// The builds of the kernels against each other: the .cu as a GPU runs it, and the host version for each instruction set,
// must give the same bits, however a launch is divided.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "vrt/device/emulator/emulate.h"
#include "vrt/image/preprocess_cu.h"
#include "vrt/image/preprocess_emulated.h"
#include "vrt/image/preprocess_params.h"
#include "vrt/image/test_pictures.h"

namespace vrt {
namespace {

using detail::PreprocessKernel;
using detail::PreprocessParams;
using Bytes = DeviceSpan<const std::uint8_t>;

constexpr std::size_t kCrops = 3;
constexpr std::int32_t kValidCrops = 2;

// A random launch: every choice from one seed.
class Launch {
 public:
  explicit Launch(std::uint32_t seed, Size largest_source, Size largest_target) : seed_(seed) {
    const Size source{1 + next(largest_source.width), 1 + next(largest_source.height)};
    options_ = {.target = {1 + next(largest_target.width), 1 + next(largest_target.height)},
                .mode = ResizeMode(next(3)),
                .pad_position = PadPosition(next(2)),
                .order = ChannelOrder(next(2)),
                .layout = TensorLayout(next(2)),
                .pad_value = 114,
                .mean = {0.485F, 0.456F, 0.406F},
                .standard_deviation = {0.229F, 0.224F, 0.225F}};
    strip_rows_ = 1 + next(kernels::preprocess::kLanes);
    tile_rows_ = 1 + next(kernels::preprocess::kMostTileRows);
    picture_ = testing::random_picture(source, PixelFormat(next(7)), seed, {YuvMatrix(next(2)), YuvRange(next(2))},
                                       static_cast<std::size_t>(next(20)));
    for (std::size_t i = 0; i < picture_.planes.size(); ++i) {
      planes_.push_back(std::make_unique<GuardedBuffer<std::uint8_t>>(picture_.planes[i]));
      picture_.view.planes[i].data = planes_[i]->device().data();
    }
    for (std::size_t i = 0; i < kCrops * 4; ++i) {
      const auto extent = static_cast<float>(i % 2 == 0 ? source.width : source.height);
      boxes_.push_back((static_cast<float>(next(2000)) / 1000 - 0.5F) * extent);
    }
  }

  /// One row of the output from so many of a grey picture, which are white.
  [[nodiscard]] static Launch of_white_rows(std::int32_t rows) {
    Launch result(1, {1, 1}, {1, 1});
    result.options_.order = ChannelOrder::kRgb;
    result.options_.mode = ResizeMode::kStretch;
    result.options_.target = {2, 1};
    result.picture_ = testing::random_picture({3, rows}, PixelFormat::kGray8, 1);
    std::ranges::fill(result.picture_.planes[0], std::uint8_t{255});
    result.planes_.clear();
    result.planes_.push_back(std::make_unique<GuardedBuffer<std::uint8_t>>(result.picture_.planes[0]));
    result.use_antialiasing();
    return result;
  }

  void use_crops() { is_crops_ = true; }
  void use_antialiasing() { is_antialiased_ = true; }

  [[nodiscard]] std::string kernel() const {
    return std::string("preprocess_") + (is_crops_ ? "crops_" : "") + detail::to_string(kind());
  }

  [[nodiscard]] std::string description() const {
    return kernel() + " of " + std::string(to_string(picture_.view.format)) + " " +
           std::to_string(picture_.view.size.width) + "x" + std::to_string(picture_.view.size.height) + " to " +
           std::to_string(options_.target.width) + "x" + std::to_string(options_.target.height);
  }

  /// What a host build makes of it, called for ranges of blocks of pseudo-random length.
  [[nodiscard]] std::vector<float> run(std::span<const HostKernel> table) {
    std::vector<float> output = fresh_output();
    float* out = output.data();
    std::array<const std::uint8_t*, 3> planes{};
    for (std::size_t channel = 0; channel < 3; ++channel) planes[channel] = plane(channel).data();
    const float* boxes = boxes_.data();
    const std::int32_t* count = &kValidCrops;
    const PreprocessParams p = params();
    const std::vector<const void*> arguments =
        is_crops_ ? std::vector<const void*>{&planes[0], &planes[1], &planes[2], &boxes, &count, &out, &p}
                  : std::vector<const void*>{&planes[0], &planes[1], &planes[2], &out, &p};
    const HostKernel& host = find(table);
    const std::uint64_t total = shape().block_count();
    for (std::uint64_t first = 0; first < total;) {
      const std::uint64_t blocks = std::min<std::uint64_t>(total - first, 1 + std::uint64_t(next(int(total))));
      host.run({shape(), first, blocks}, arguments.data());
      first += blocks;
    }
    return output;
  }

  [[nodiscard]] std::vector<float> emulate() {
    GuardedBuffer<float> out(fresh_output());
    if (is_crops_) {
      const GuardedBuffer<float> boxes(boxes_);
      const GuardedBuffer<std::int32_t> count(std::vector{kValidCrops});
      vrt::emulate<void(Bytes, Bytes, Bytes, DeviceSpan<const float>, DeviceSpan<const std::int32_t>, DeviceSpan<float>,
                        PreprocessParams)>(kernels::emulated::preprocess_cu, kernel().c_str(), shape(), {.seed = seed_},
                                           plane(0), plane(1), plane(2), boxes.device(), count.device(), out.device(),
                                           params());
    } else {
      vrt::emulate<void(Bytes, Bytes, Bytes, DeviceSpan<float>, PreprocessParams)>(
          kernels::emulated::preprocess_cu, kernel().c_str(), shape(), {.seed = seed_}, plane(0), plane(1), plane(2),
          out.device(), params());
    }
    return out.values();
  }

 private:
  int next(int bound) {
    seed_ = seed_ * 1664525U + 1013904223U;
    return static_cast<int>((seed_ >> 8) % static_cast<std::uint32_t>(bound));
  }

  [[nodiscard]] PreprocessKernel kind() const {
    return detail::preprocess_kernel(is_antialiased_ ? Interpolation::kBilinearAntialiased : Interpolation::kBilinear,
                                     {picture_.view, 1, {}});
  }

  [[nodiscard]] PreprocessParams params() const {
    const ResizeMode mode = is_crops_ ? ResizeMode::kStretch : options_.mode;
    PreprocessParams p = detail::preprocess_params(
        {picture_.view, 1, {}}, options_,
        ResizeMapping::make(mode, picture_.view.size, options_.target, options_.pad_position), layers());
    p.strip_rows = strip_rows_;
    p.tile_rows = tile_rows_;
    return p;
  }

  [[nodiscard]] LaunchShape shape() const {
    LaunchShape shape = detail::preprocess_shape(kind(), options_.target, layers());
    // Strips and tiles of any height, which only large launches have otherwise.
    if (kind() == PreprocessKernel::kBilinearNv12) shape.grid.y = blocks_of(strip_rows_);
    if (is_antialiased_) shape.grid.y = blocks_of(kernels::preprocess::kWarps * tile_rows_);
    return shape;
  }

  // That cover the output with so many rows each.
  [[nodiscard]] std::uint32_t blocks_of(std::int32_t rows) const {
    return static_cast<std::uint32_t>((options_.target.height + rows - 1) / rows);
  }

  [[nodiscard]] std::size_t layers() const { return is_crops_ ? kCrops : 1; }

  // The value stays where no crop is valid.
  [[nodiscard]] std::vector<float> fresh_output() const {
    const auto pixels =
        static_cast<std::size_t>(options_.target.width) * static_cast<std::size_t>(options_.target.height);
    return std::vector<float>(3 * pixels * (is_crops_ ? kCrops : 1), -77.0F);
  }

  [[nodiscard]] Bytes plane(std::size_t channel) const {
    const GuardedBuffer<std::uint8_t>& buffer = *planes_[detail::plane_of(picture_.view.format, channel)];
    return buffer.device();
  }

  [[nodiscard]] const HostKernel& find(std::span<const HostKernel> table) const {
    for (const HostKernel& entry : table) {
      if (kernel() == entry.name) return entry;
    }
    throw std::runtime_error("no kernel " + kernel());
  }

  std::uint32_t seed_;
  std::int32_t strip_rows_ = 1;
  std::int32_t tile_rows_ = 1;
  PreprocessOptions options_;
  testing::TestPicture picture_;
  std::vector<std::unique_ptr<GuardedBuffer<std::uint8_t>>> planes_;
  std::vector<float> boxes_;
  bool is_crops_ = false;
  bool is_antialiased_ = false;
};

class PreprocessKernelTest : public ::testing::TestWithParam<int> {
 protected:
  static Launch launch(std::uint32_t seed, Size largest_source, Size largest_target) {
    Launch result(seed, largest_source, largest_target);
    if ((GetParam() & 1) != 0) result.use_crops();
    if ((GetParam() & 2) != 0) result.use_antialiasing();
    return result;
  }
};

bool runs_v3() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
         __builtin_cpu_supports("bmi2") != 0;
#else
  return false;
#endif
}

TEST_P(PreprocessKernelTest, HostVersionEqualsTheEmulatedKernelBitForBit) {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    Launch work = launch(seed, {90, 60}, {40, 20});
    ASSERT_EQ(work.run(kernels::preprocess_cu.host_baseline), work.emulate()) << work.description();
  }
}

TEST_P(PreprocessKernelTest, InstructionSetsAgreeBitForBit) {
  if (!runs_v3()) GTEST_SKIP() << "this processor has no x86-64-v3";
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    Launch work = seed % 10 == 0 ? launch(seed, {3000, 300}, {1300, 60}) : launch(seed, {150, 100}, {90, 60});
    ASSERT_EQ(work.run(kernels::preprocess_cu.host_baseline), work.run(kernels::preprocess_cu.host_v3))
        << work.description();
  }
}

// The sums of such windows come close to the limit of whole numbers in floats.
TEST(PreprocessTallKernelTest, TheTallestWindowsAreExactOnEveryBuild) {
  for (const std::int32_t rows : {20'000, 31'999, 32'768}) {
    Launch work = Launch::of_white_rows(rows);
    const std::vector<float> found = work.emulate();
    EXPECT_NEAR(found[0], (1 - 0.485) / 0.229, 1e-5) << rows;
    EXPECT_EQ(work.run(kernels::preprocess_cu.host_baseline), found) << rows;
    if (!runs_v3()) continue;
    EXPECT_EQ(work.run(kernels::preprocess_cu.host_v3), found) << rows;
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, PreprocessKernelTest, ::testing::Range(0, 4));

}  // namespace
}  // namespace vrt
