// Masks as COCO's run lengths: as its annotation and result files have them.
//
//   const std::vector<std::uint32_t> counts = vrt::coco_run_lengths(mask);
//   const std::string text = vrt::coco_rle_text(counts);       // {"size": [height, width], "counts": text}
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vrt/base/export.h"
#include "vrt/image/image.h"
#include "vrt/scene/mask.h"

namespace vrt {

/// The lengths of runs of equal pixels, column after column from the left, each from the top: first pixels that do not belong to
/// the mask (0 if the first one does), then those that do, and so on. They add up to width times height.
[[nodiscard]] VRT_API std::vector<std::uint32_t> coco_run_lengths(const MaskView& mask);

/// Run lengths as COCO's compressed text: each as groups of 5 bits from the lowest, from the fourth on as the difference from the
/// one before the last (the format of the COCO API's maskApi).
[[nodiscard]] VRT_API std::string coco_rle_text(std::span<const std::uint32_t> run_lengths);

/// The run lengths of such a text. Throws kCorrupt for a text that is none.
[[nodiscard]] VRT_API std::vector<std::uint32_t> parse_coco_rle_text(std::string_view text);

/// The mask of run lengths, as MaskView::words. Throws kInvalidArgument if they do not add up to the size.
[[nodiscard]] VRT_API std::vector<std::uint32_t> mask_of_run_lengths(std::span<const std::uint32_t> run_lengths,
                                                                     Size size);

}  // namespace vrt
