#include "vrt/media/picture_kind.h"

#include <algorithm>
#include <array>

namespace vrt::detail {
namespace {

using std::string_view_literals::operator""sv;

struct Signature {
  PictureKind kind;
  std::string_view start;
  std::size_t second_offset = 0;  // Of a further text that must be there.
  std::string_view second = {};
};

constexpr std::array kSignatures = {
    Signature{{"JPEG", AV_CODEC_ID_MJPEG}, "\xFF\xD8\xFF"sv},
    Signature{{"PNG", AV_CODEC_ID_PNG}, "\x89PNG\r\n\x1A\n"sv},
    Signature{{"BMP", AV_CODEC_ID_BMP}, "BM"sv, 6, "\0\0\0\0"sv},
    Signature{{"TIFF", AV_CODEC_ID_TIFF}, "II*\0"sv},
    Signature{{"TIFF", AV_CODEC_ID_TIFF}, "MM\0*"sv},
    Signature{{"WebP", AV_CODEC_ID_WEBP}, "RIFF"sv, 8, "WEBP"sv},
    Signature{{"GIF", AV_CODEC_ID_GIF}, "GIF8"sv},
    Signature{{"PBM", AV_CODEC_ID_PBM}, "P4"sv},
    Signature{{"PGM", AV_CODEC_ID_PGM}, "P5"sv},
    Signature{{"PPM", AV_CODEC_ID_PPM}, "P6"sv},
};

bool matches(std::string_view head, const Signature& signature) {
  return head.starts_with(signature.start) && head.size() >= signature.second_offset &&
         head.substr(signature.second_offset).starts_with(signature.second);
}

}  // namespace

const PictureKind* picture_kind_of(std::span<const std::uint8_t> head) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  const auto found = std::find_if(kSignatures.begin(), kSignatures.end(),
                                  [text](const Signature& signature) { return matches(text, signature); });
  return found == kSignatures.end() ? nullptr : &found->kind;
}

std::string lower_extension(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return extension;
}

bool has_picture_extension(const std::filesystem::path& file) {
  static constexpr std::array kExtensions = {".jpg"sv,  ".jpeg"sv, ".jpe"sv, ".png"sv, ".apng"sv, ".bmp"sv, ".tif"sv,
                                             ".tiff"sv, ".webp"sv, ".gif"sv, ".ppm"sv, ".pgm"sv,  ".pbm"sv, ".pnm"sv};
  return std::find(kExtensions.begin(), kExtensions.end(), lower_extension(file)) != kExtensions.end();
}

}  // namespace vrt::detail
