// EXIF structures in PNG and TIFF files: one of eight orientations, no read outside the bytes.
#include <cstdint>
#include <memory>

#include "vrt/media/exif_orientation.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  // A copy of the exact size, so that a read behind its end is reported.
  const auto copy = std::make_unique<std::uint8_t[]>(bytes);
  std::copy(data, data + bytes, copy.get());
  const std::span<const std::uint8_t> file(copy.get(), bytes);
  static_cast<void>(vrt::detail::orientation_of_tiff(file));
  static_cast<void>(vrt::detail::orientation_of_file({"PNG", AV_CODEC_ID_PNG}, file));
  if (const vrt::detail::PictureKind* kind = vrt::detail::picture_kind_of(file)) {
    static_cast<void>(vrt::detail::orientation_of_file(*kind, file));
  }
  return 0;
}
