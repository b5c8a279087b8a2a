#include "vrt/scene/mask_rle.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "vrt/base/fail.h"

namespace vrt {
namespace {

constexpr int kGroupBits = 5;
constexpr unsigned kGroupMask = 0x1F;
constexpr unsigned kSignBit = 0x10;   // Of a number's last group.
constexpr unsigned kMoreBit = 0x20;   // Another group follows.
constexpr char kFirstCharacter = 48;  // '0' stands for a group of 0.

// Run lengths behind the first ones are stored as differences.
constexpr std::size_t kPlainRuns = 3;

void append(std::string& text, std::int64_t number) {
  for (bool more = true; more;) {
    const auto group = static_cast<unsigned>(number & kGroupMask);
    number >>= kGroupBits;
    more = (group & kSignBit) != 0 ? number != -1 : number != 0;
    text.push_back(static_cast<char>((more ? group | kMoreBit : group) + kFirstCharacter));
  }
}

// One number from the front of a text, which loses it.
std::int64_t take_number(std::string_view& text) {
  std::int64_t number = 0;
  for (int shift = 0; shift < 64 - kGroupBits; shift += kGroupBits) {
    if (text.empty()) fail(ErrorCode::kCorrupt, "COCO run lengths end within a number");
    const int value = text.front() - kFirstCharacter;
    if (value < 0 || value > 63) fail(ErrorCode::kCorrupt, "'{}' is no character of COCO run lengths", text.front());
    text.remove_prefix(1);
    const auto group = static_cast<unsigned>(value);
    number |= static_cast<std::int64_t>(group & kGroupMask) << shift;
    if ((group & kMoreBit) != 0) continue;
    if ((group & kSignBit) != 0) number |= -(std::int64_t{1} << (shift + kGroupBits));
    return number;
  }
  fail(ErrorCode::kCorrupt, "a number of COCO run lengths is too long");
}

constexpr std::int32_t kWordBits = 32;

/// Where some of 32 columns change from one row to the next; before the first row nothing belongs to a mask.
struct RowChange {
  std::int32_t row;
  std::uint32_t columns;
};

/// Most rows of a mask are as the row above, so that its columns have few places to look at.
void find_changes(const MaskView& mask, std::int32_t first_column, std::vector<RowChange>& changes) {
  changes.clear();
  const std::size_t stride = mask_words_per_row(mask.size.width);
  const std::uint32_t* word = mask.words.data() + first_column / kWordBits;
  std::uint32_t above = 0;
  for (std::int32_t row = 0; row < mask.size.height; ++row, word += stride) {
    if (*word != above) changes.push_back({row, *word ^ above});
    above = *word;
  }
}

class Runs {
 public:
  /// `length` more pixels that belong to the mask or do not.
  void append(bool belongs, std::int32_t length) {
    if (belongs != belongs_) {
      lengths_.push_back(length_);
      length_ = 0;
      belongs_ = belongs;
    }
    length_ += static_cast<std::uint32_t>(length);
  }
  std::vector<std::uint32_t> finish() && {
    lengths_.push_back(length_);
    return std::move(lengths_);
  }

 private:
  std::vector<std::uint32_t> lengths_;
  std::uint32_t length_ = 0;
  bool belongs_ = false;
};

void append_column(Runs& runs, std::span<const RowChange> changes, std::int32_t bit, std::int32_t height) {
  bool belongs = false;
  std::int32_t begin = 0;
  for (const RowChange& change : changes) {
    if ((change.columns >> bit & 1U) == 0) continue;
    if (change.row > begin) runs.append(belongs, change.row - begin);
    begin = change.row;
    belongs = !belongs;
  }
  runs.append(belongs, height - begin);
}

}  // namespace

std::vector<std::uint32_t> coco_run_lengths(const MaskView& mask) {
  Runs runs;
  std::vector<RowChange> changes;
  for (std::int32_t first = 0; first < mask.size.width; first += kWordBits) {
    find_changes(mask, first, changes);
    for (std::int32_t bit = 0; bit < std::min(kWordBits, mask.size.width - first); ++bit) {
      append_column(runs, changes, bit, mask.size.height);
    }
  }
  return std::move(runs).finish();
}

std::string coco_rle_text(std::span<const std::uint32_t> run_lengths) {
  std::string text;
  for (std::size_t i = 0; i < run_lengths.size(); ++i) {
    const std::int64_t before = i >= kPlainRuns ? run_lengths[i - 2] : 0;
    append(text, std::int64_t{run_lengths[i]} - before);
  }
  return text;
}

std::vector<std::uint32_t> parse_coco_rle_text(std::string_view text) {
  std::vector<std::uint32_t> runs;
  while (!text.empty()) {
    const std::int64_t before = runs.size() >= kPlainRuns ? runs[runs.size() - 2] : 0;
    const std::int64_t length = take_number(text) + before;
    if (length < 0 || length > std::int64_t{UINT32_MAX}) fail(ErrorCode::kCorrupt, "a COCO run length of {}", length);
    runs.push_back(static_cast<std::uint32_t>(length));
  }
  return runs;
}

std::vector<std::uint32_t> mask_of_run_lengths(std::span<const std::uint32_t> run_lengths, Size size) {
  const std::uint64_t pixels = std::accumulate(run_lengths.begin(), run_lengths.end(), std::uint64_t{0});
  require(pixels == static_cast<std::uint64_t>(size.width) * static_cast<std::uint64_t>(size.height),
          "run lengths of {} pixels are no mask of {}x{}", pixels, size.width, size.height);
  std::vector<std::uint32_t> words(mask_words(size), 0);
  const auto height = static_cast<std::uint64_t>(size.height);
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < run_lengths.size(); ++i) {
    const std::uint64_t end = at + run_lengths[i];
    for (; i % 2 == 1 && at < end; ++at) {
      const std::uint64_t x = at / height;
      words[at % height * mask_words_per_row(size.width) + x / 32] |= 1U << (x % 32);
    }
    at = end;
  }
  return words;
}

}  // namespace vrt
