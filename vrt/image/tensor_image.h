// A tensor of another library as a picture: what PyTorch or NumPy hold as rows, columns, channels, without a copy.
//
//   const vrt::DlpackTensor tensor = vrt::from_dlpack(stream, managed);
//   preprocess.submit(vrt::image_of(tensor, vrt::PixelFormat::kRgb8), session.input(0).as<float>());
#pragma once

#include "vrt/base/export.h"
#include "vrt/device/dlpack.h"
#include "vrt/image/image.h"

namespace vrt {

/// The picture in a uint8 tensor of shape [rows, columns, channels]: 3 channels for kRgb8 and kBgr8, 4 for kRgba8, 1 or no such axis for
/// kGray8. Rows may be further apart than they are long (a crop of a larger picture), pixels and channels may not. The tensor keeps
/// the memory alive, not the view. Throws kInvalidArgument naming what was found for other types, shapes and formats, kUnsupported for
/// pixels that do not follow each other, such as those of a [channels, rows, columns] tensor that was transposed.
[[nodiscard]] VRT_API ImageView image_of(const DlpackTensor& tensor, PixelFormat format);

}  // namespace vrt
