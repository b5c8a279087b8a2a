// xfeat_select.cu for the CPU. The first block does all, the rest nothing: a pass over a few thousand keys is not worth sharing.
#include "vrt/device/prelude_host.h"

namespace VRT_HOST_NAMESPACE {
namespace {

int32_t next_shift(int32_t shift) { return shift > kSelectDigitBits ? shift - kSelectDigitBits : 0; }

SelectState resolved(const SelectState& before, const int32_t* bins, int32_t keep) {
  if (before.reaching <= kSelectSurvivors) return before;
  int32_t bin = kSelectBins - 1;
  int32_t beyond = before.above;
  while (bin > 0 && beyond + bins[bin] < keep) beyond += bins[bin--];
  const int32_t shift = next_shift(before.shift);
  return {before.floor | (static_cast<uint64_t>(bin) << shift), shift, beyond, beyond + bins[bin], 0};
}

SelectState entered(int32_t count, int32_t keep, const SelectState* before, const int32_t* before_bins) {
  return before != nullptr ? resolved(*before, before_bins, keep) : SelectState{0, 64, 0, count, 0};
}

}  // namespace

void xfeat_select(const vrt::HostBlocks& blocks, const uint64_t* keys, const int32_t* key_count, int32_t capacity,
                  int32_t keep, const SelectState* before, const int32_t* before_bins, SelectState* state,
                  int32_t* bins) {
  if (blocks.first != 0) return;
  const int32_t count = min(*key_count, capacity);
  const SelectState now = entered(count, keep, before, before_bins);
  *state = now;
  if (now.reaching <= kSelectSurvivors) return;
  const int32_t shift = next_shift(now.shift);
  const uint64_t digits = (uint64_t{1} << (now.shift - shift)) - 1;
  for (int32_t i = 0; i < count; ++i) {
    if (now.shift > 63 || ((keys[i] ^ now.floor) >> now.shift) == 0) ++bins[(keys[i] >> shift) & digits];
  }
}

void xfeat_survivors(const vrt::HostBlocks& blocks, const uint64_t* keys, const int32_t* key_count, int32_t capacity,
                     int32_t keep, const SelectState* before, const int32_t* before_bins, uint64_t* survivors,
                     int32_t* survivor_count) {
  if (blocks.first != 0) return;
  const int32_t count = min(*key_count, capacity);
  const uint64_t floor = entered(count, keep, before, before_bins).floor;
  int32_t found = 0;
  for (int32_t i = 0; i < count; ++i) {
    if (keys[i] < floor) continue;
    if (found < kSelectSurvivors) survivors[found] = keys[i];
    ++found;
  }
  *survivor_count = found;
}

}  // namespace VRT_HOST_NAMESPACE
