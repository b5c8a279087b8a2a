#include "vrt/media/picture_decoder.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "vrt/media/exif_orientation.h"
#include "vrt/media/input_file.h"
#include "vrt/media/picture_kind.h"
#include "vrt/media/webp_animation.h"

namespace vrt::detail {
namespace {

constexpr std::uint64_t kMaxFileBytes = std::uint64_t{1} << 30;

PacketPtr allocate(std::size_t bytes, const std::string& name) {
  PacketPtr packet = make_packet();
  if (const int status = ffmpeg().av_new_packet(packet.get(), static_cast<int>(bytes)); status < 0) {
    fail_ffmpeg(ErrorCode::kOutOfMemory, status, "no memory for the {} bytes of '{}'", bytes, name);
  }
  return packet;
}

std::span<const std::uint8_t> bytes_of(const AVPacket& packet) {
  return {packet.data, static_cast<std::size_t>(packet.size)};
}

PacketPtr read_file(const std::filesystem::path& file, const std::string& name) {
  InputFile input(file);
  if (input.size() > kMaxFileBytes) {
    fail(ErrorCode::kUnsupported, "'{}' has {} bytes; pictures may have up to {}", name, input.size(), kMaxFileBytes);
  }
  PacketPtr packet = allocate(input.size(), name);
  input.read_all(packet->data, input.size());
  return packet;
}

// The decoder fills up what is missing of a JPEG without an error. Inside a scan no marker but RSTn can appear, so a complete
// file has an end marker behind its last start of scan.
bool jpeg_ends(std::string_view bytes) {
  const std::size_t scan = bytes.rfind("\xFF\xDA");
  return scan != std::string_view::npos && bytes.find("\xFF\xD9", scan) != std::string_view::npos;
}

void require_complete(const PictureKind& kind, const AVPacket& packet, const std::string& name) {
  const std::string_view bytes(reinterpret_cast<const char*>(packet.data), static_cast<std::size_t>(packet.size));
  if (kind.codec == AV_CODEC_ID_MJPEG && !jpeg_ends(bytes)) {
    fail(ErrorCode::kCorrupt, "'{}' is cut: its JPEG data has no end after {} bytes", name, packet.size);
  }
}

// FFmpeg's WebP decoder knows still pictures only.
PacketPtr without_animation(PacketPtr packet, const std::string& name) {
  const std::vector<std::uint8_t> first = first_frame_of_webp(bytes_of(*packet));
  if (first.empty()) return packet;
  PacketPtr still = allocate(first.size(), name);
  std::copy(first.begin(), first.end(), still->data);
  return still;
}

CodecPtr open_decoder(const PictureKind& kind, const std::string& name) {
  const AVCodec* decoder = ffmpeg().avcodec_find_decoder(kind.codec);
  if (decoder == nullptr) fail(ErrorCode::kUnsupported, "'{}': this FFmpeg has no {} decoder", name, kind.name);
  CodecPtr codec = make_codec(decoder);
  codec->thread_count = 1;
  codec->max_pixels = kMaxPixels;
  if (const int status = ffmpeg().avcodec_open2(codec.get(), decoder, nullptr); status < 0) {
    fail_ffmpeg(ErrorCode::kUnsupported, status, "'{}': the {} decoder does not start", name, kind.name);
  }
  return codec;
}

ErrorCode code_of(int status) {
  const bool limit = status == AVERROR(EINVAL) || status == AVERROR_PATCHWELCOME || status == AVERROR(ENOSYS);
  return limit ? ErrorCode::kUnsupported : ErrorCode::kCorrupt;
}

FramePtr decode(AVCodecContext& codec, const AVPacket& packet, const PictureKind& kind, const std::string& name) {
  FramePtr frame = make_frame();
  int status = ffmpeg().avcodec_send_packet(&codec, &packet);
  if (status >= 0) status = ffmpeg().avcodec_send_packet(&codec, nullptr);
  if (status >= 0) status = ffmpeg().avcodec_receive_frame(&codec, frame.get());
  if (status < 0) fail_ffmpeg(code_of(status), status, "'{}' cannot be decoded as a {} picture", name, kind.name);
  return frame;
}

}  // namespace

DecodedFrame decode_picture(const std::filesystem::path& file, const std::string& name) {
  begin_ffmpeg_work();
  PacketPtr packet = read_file(file, name);
  const PictureKind* kind = picture_kind_of(bytes_of(*packet));
  if (kind == nullptr) {
    fail(ErrorCode::kCorrupt, "'{}' is not a picture: its content is no JPEG, PNG, BMP, TIFF, WebP, GIF or PNM", name);
  }
  require_complete(*kind, *packet, name);
  if (kind->codec == AV_CODEC_ID_WEBP) packet = without_animation(std::move(packet), name);
  const CodecPtr codec = open_decoder(*kind, name);
  DecodedFrame result;
  result.pixels = decode(*codec, *packet, *kind, name);
  result.orientation = orientation_of_frame(*result.pixels);
  if (result.orientation == Orientation{}) result.orientation = orientation_of_file(*kind, bytes_of(*packet));
  result.hints = {.is_picture = true, .unspecified = YuvMatrix::kBt601};
  result.source = name;
  return result;
}

}  // namespace vrt::detail
