// Internal (not installed): whether a video file is as long as its container says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace vrt::detail {

/// How long the file would have to be by the sizes of its top-level elements, if it is shorter than that; nothing for a complete
/// file and for containers that do not say (MPEG-TS, raw streams). Knows MP4/MOV (ISO 14496-12), Matroska/WebM (RFC 9559)
/// and AVI (RIFF): demuxers end such a file without an error. Throws as InputFile does.
[[nodiscard]] std::optional<std::uint64_t> announced_bytes_if_cut(const std::filesystem::path& file);

}  // namespace vrt::detail
