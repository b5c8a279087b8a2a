#include "vrt/models/xfeat/matcher.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "vrt/base/fail.h"
#include "vrt/device/format_device.h"
#include "vrt/device/kernel.h"
#include "vrt/models/common/load_kernel.h"
#include "vrt/models/xfeat/match_best_cu.h"
#include "vrt/models/xfeat/match_best_half_cu.h"
#include "vrt/models/xfeat/match_collect_cu.h"
#include "vrt/models/xfeat/match_halves_cu.h"

namespace vrt {
namespace {

constexpr std::int32_t kTile = 128;  // Rows and columns of a block of both kernels.
constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kCollectThreads = 1024;
constexpr std::int32_t kEnoughBlocks =
    512;  // For the greatest GPUs; beyond, a block does several tiles and loads its rows once.

using Counts = DeviceSpan<const std::int32_t>;
using Best = void(DeviceSpan<const float>, Counts, std::int32_t, DeviceSpan<const float>, Counts, std::int32_t,
                  DeviceSpan<std::uint64_t>, DeviceSpan<std::uint64_t>);
using BestHalf = void(DeviceSpan<const std::uint16_t>, Counts, std::int32_t, DeviceSpan<const std::uint16_t>, Counts,
                      std::int32_t, std::int32_t, float, DeviceSpan<std::uint64_t>, DeviceSpan<std::uint64_t>);
using Halves = void(DeviceSpan<const float>, Counts, std::int32_t, DeviceSpan<const float>, Counts, std::int32_t,
                    DeviceSpan<std::uint16_t>, DeviceSpan<std::uint16_t>, DeviceSpan<std::uint64_t>,
                    DeviceSpan<std::uint64_t>);
using Collect = void(DeviceSpan<const std::uint64_t>, Counts, std::int32_t, DeviceSpan<const std::uint64_t>, float,
                     DeviceSpan<std::int32_t>, DeviceSpan<float>, DeviceSpan<std::int32_t>, DeviceSpan<std::int32_t>);

const MatcherOptions& checked(const MatcherOptions& options) {
  require(options.min_similarity >= -1 && options.min_similarity <= 1, "min_similarity must be in [-1, 1], not {}",
          options.min_similarity);
  require(options.max_descriptors >= 1 && options.max_descriptors <= Matcher::kMaxDescriptors,
          "max_descriptors must be in [1, {}], not {}", Matcher::kMaxDescriptors, options.max_descriptors);
  return options;
}

// How many descriptors the set has room for.
std::int32_t room_of(const DescriptorSet& set, std::int32_t most, const char* which) {
  constexpr std::uintptr_t kAlignment = 16;
  require(set.values.size() % Matcher::kChannels == 0, "the {} set has {} values: expected rows of {}", which,
          set.values.size(), Matcher::kChannels);
  const std::size_t room = set.values.size() / Matcher::kChannels;
  require(room <= static_cast<std::size_t>(most),
          "the {} set has room for {} descriptors: this matcher takes {}, see MatcherOptions::max_descriptors", which,
          room, most);
  require(reinterpret_cast<std::uintptr_t>(set.values.data()) % kAlignment == 0,
          "the {} set's values are not aligned to {} bytes", which, kAlignment);
  require(set.count.size() == 1, "the {} set's count has {} elements: expected one", which, set.count.size());
  return static_cast<std::int32_t>(room);
}

std::uint32_t tiles_of(std::int32_t descriptors) {
  return static_cast<std::uint32_t>(std::max((descriptors + kTile - 1) / kTile, 1));
}

LaunchShape tile_grid(std::uint32_t row_tiles, std::uint32_t column_blocks) {
  return {{row_tiles, column_blocks, 1}, {kThreads, 1, 1}, 0};
}

}  // namespace

struct MatchResult::State {
  State(const Stream& stream, std::int32_t most, const MatchResultOptions& options)
      : device(stream.device()),
        capacity(static_cast<std::size_t>(most)),
        device_pairs(DeviceBuffer<std::int32_t>::zeros(stream, 2 * capacity)),
        device_similarities(DeviceBuffer<float>::zeros(stream, capacity)),
        device_count(DeviceBuffer<std::int32_t>::zeros(stream, 1)),
        count(device, 1) {
    if (!options.read_back) return;
    pairs = PinnedBuffer<std::int32_t>(device, 2 * capacity);
    similarities = PinnedBuffer<float>(device, capacity);
    matches.resize(capacity);
  }

  void enqueue_read_back(const Stream& stream) {
    if (matches.empty()) return;
    read_back(stream, device_pairs.span(), pairs.span());
    read_back(stream, device_similarities.span(), similarities.span());
  }

  void assemble() {
    for (std::size_t i = 0; i < static_cast<std::size_t>(count[0]); ++i) {
      matches[i] = {pairs[2 * i], pairs[2 * i + 1], similarities[i]};
    }
  }

  Device device;
  std::size_t capacity;
  DeviceBuffer<std::int32_t> device_pairs;
  DeviceBuffer<float> device_similarities;
  DeviceBuffer<std::int32_t> device_count;
  PinnedBuffer<std::int32_t> count;  // Written by the kernel: a copy would cost more than finding the matches.
  // With read_back.
  PinnedBuffer<std::int32_t> pairs;
  PinnedBuffer<float> similarities;
  std::vector<Match> matches;
};

MatchResult::MatchResult(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
MatchResult::~MatchResult() = default;
MatchResult::MatchResult(MatchResult&&) noexcept = default;
MatchResult& MatchResult::operator=(MatchResult&&) noexcept = default;

std::int32_t MatchResult::count() const { return state_->count[0]; }

std::span<const Match> MatchResult::matches() const {
  require(!state_->matches.empty(),
          "these matches stay on {}: allocate the result with read_back to see them on the host", state_->device);
  // On each call: a replayed graph writes new results without any call that could be noticed here.
  state_->assemble();
  return std::span<const Match>(state_->matches).first(static_cast<std::size_t>(count()));
}

DeviceMatches MatchResult::device_matches() const {
  const State& state = *state_;
  return {state.device_pairs.span(), state.device_similarities.span(), state.device_count.span()};
}

struct Matcher::State {
  State(const Stream& on, const MatcherOptions& wanted)
      : stream(on),
        options(checked(wanted)),
        best(DeviceBuffer<std::uint64_t>::uninitialized(on, 2 * capacity())),
        find_best(load_kernel<Best>(on, kernels::match_best_cu, "match_best")),
        find_best_half(load_kernel<BestHalf>(on, kernels::match_best_half_cu, "match_best_half")),
        round(load_kernel<Halves>(on, kernels::match_halves_cu, "match_halves")),
        collect(load_kernel<Collect>(on, kernels::match_collect_cu, "match_collect")) {
    if (options.precision == MatchPrecision::kFloat32) return;
    halves = DeviceBuffer<std::uint16_t>::uninitialized(on, 2 * capacity() * kChannels);
  }

  [[nodiscard]] std::size_t capacity() const { return static_cast<std::size_t>(options.max_descriptors); }
  [[nodiscard]] DeviceSpan<std::uint64_t> best_of_first() { return best.span().subspan(0, capacity()); }
  [[nodiscard]] DeviceSpan<std::uint64_t> best_of_second() { return best.span().subspan(capacity(), capacity()); }

  void submit_float32(const DescriptorSet& first, std::int32_t rows, const DescriptorSet& second,
                      std::int32_t columns) {
    fill_bytes(stream, best.span(), 0);
    find_best.launch(stream, tile_grid(tiles_of(rows), tiles_of(columns)), first.values, first.count, rows,
                     second.values, second.count, columns, best_of_first(), best_of_second());
  }

  void submit_float16(const DescriptorSet& first, std::int32_t rows, const DescriptorSet& second,
                      std::int32_t columns) {
    const auto first_halves = halves.span().subspan(0, capacity() * kChannels);
    const auto second_halves = halves.span().subspan(capacity() * kChannels, capacity() * kChannels);
    LaunchShape rounding = grid_1d(static_cast<std::uint64_t>(std::max({rows, columns, 1})) * kChannels /
                                   kernels::match_halves::kRoundedChannels);
    rounding.grid.y = 2;
    round.launch(stream, rounding, first.values, first.count, rows, second.values, second.count, columns, first_halves,
                 second_halves, best_of_first(), best_of_second());
    const std::uint32_t row_tiles = tiles_of(rows);
    const std::uint32_t column_tiles = tiles_of(columns);
    const std::uint32_t each = std::max(row_tiles * column_tiles / kEnoughBlocks, 1U);
    find_best_half.launch(stream, tile_grid(row_tiles, (column_tiles + each - 1) / each),
                          DeviceSpan<const std::uint16_t>(first_halves), first.count, rows,
                          DeviceSpan<const std::uint16_t>(second_halves), second.count, columns,
                          static_cast<std::int32_t>(each), options.min_similarity, best_of_first(), best_of_second());
  }

  Stream stream;
  MatcherOptions options;
  DeviceBuffer<std::uint64_t> best;    // Keys, of the first set and behind them of the second.
  DeviceBuffer<std::uint16_t> halves;  // Likewise, for float16.
  Kernel<Best> find_best;
  Kernel<BestHalf> find_best_half;
  Kernel<Halves> round;
  Kernel<Collect> collect;
};

Matcher::Matcher(const Stream& stream, const MatcherOptions& options)
    : state_(std::make_unique<State>(stream, options)) {}
Matcher::~Matcher() = default;
Matcher::Matcher(Matcher&&) noexcept = default;
Matcher& Matcher::operator=(Matcher&&) noexcept = default;

MatchResult Matcher::allocate_result(const MatchResultOptions& options) const {
  return MatchResult(std::make_unique<MatchResult::State>(state_->stream, state_->options.max_descriptors, options));
}

void Matcher::submit(const DescriptorSet& first, const DescriptorSet& second, MatchResult& result) {
  State& state = *state_;
  MatchResult::State& matches = *result.state_;
  require(matches.device == state.stream.device(), "the result is for {}, this matcher runs on {}", matches.device,
          state.stream.device());
  const std::int32_t rows = room_of(first, state.options.max_descriptors, "first");
  const std::int32_t columns = room_of(second, state.options.max_descriptors, "second");
  require(static_cast<std::size_t>(rows) <= matches.capacity,
          "the result has room for {} matches, the first set for {}", matches.capacity, rows);
  if (state.options.precision == MatchPrecision::kFloat32)
    state.submit_float32(first, rows, second, columns);
  else
    state.submit_float16(first, rows, second, columns);
  state.collect.launch(state.stream, grid_per_item(1, kCollectThreads), state.best_of_first(), first.count, rows,
                       state.best_of_second(), state.options.min_similarity, matches.device_pairs.span(),
                       matches.device_similarities.span(), matches.device_count.span(), matches.count.kernel_view());
  matches.enqueue_read_back(state.stream);
}

}  // namespace vrt
