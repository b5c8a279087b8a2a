// Internal (not installed): what the preprocessing kernels are told, worked out from a picture and the options.
#pragma once

#include <cstddef>
#include <cstdint>

#include "vrt/device/kernel.h"
#include "vrt/image/image.h"
#include "vrt/image/preprocess_types.h"
#include "vrt/image/preprocessor.h"
#include "vrt/image/resize.h"

namespace vrt::detail {

using PreprocessParams = kernels::preprocess::Params;

/// The plane whose address the kernels take for channel 0, 1, 2 (Y, Cb, Cr for the YUV formats).
[[nodiscard]] std::size_t plane_of(PixelFormat format, std::size_t channel);

/// Source rows for each row of the output of an antialiased launch, at most: sums of a window are exact up to there.
inline constexpr std::int64_t kMostRowStep = 32768;

/// Of each there is one for pictures and one for crops.
enum class PreprocessKernel { kBilinear, kBilinearNv12, kAntialiased, kAntialiasedYuv };

/// What they are called behind "preprocess_" and "preprocess_crops_".
[[nodiscard]] const char* to_string(PreprocessKernel kernel);

/// The kernel for a picture. kBilinearNv12 is faster, but reads only NV12 at least two pixels wide whose rows of chroma begin at even
/// addresses. `batch` is valid.
[[nodiscard]] PreprocessKernel preprocess_kernel(Interpolation interpolation, const ImageBatch& batch);

/// The blocks of a launch that makes `layers` pictures or crops.
[[nodiscard]] LaunchShape preprocess_shape(PreprocessKernel kernel, Size target, std::size_t layers);

/// The parameters of a launch that makes `layers` pictures or crops. `batch` is valid.
[[nodiscard]] PreprocessParams preprocess_params(const ImageBatch& batch, const PreprocessOptions& options,
                                                 const ResizeMapping& mapping, std::size_t layers);

}  // namespace vrt::detail
