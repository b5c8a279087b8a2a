#include "vrt/pipeline/json_text.h"

#include <cstddef>

#include "vrt/scene/mask_rle.h"

namespace vrt::detail {
namespace {

/// The length of the UTF-8 sequence at the start of `text` (RFC 3629, table of well-formed sequences); 0 if there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto continues = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return continues(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const bool second = continues(1, lead == 0xE0 ? 0xA0 : 0x80, lead == 0xED ? 0x9F : 0xBF);
    return second && continues(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const bool second = continues(1, lead == 0xF0 ? 0x90 : 0x80, lead == 0xF4 ? 0x8F : 0xBF);
    return second && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

void append_character(std::string& out, char character) {
  if (character == '"' || character == '\\') {
    out += '\\';
    out += character;
  } else if (static_cast<unsigned char>(character) < 0x20) {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(character));
  } else {
    out += character;
  }
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      out += "\xEF\xBF\xBD";  // U+FFFD
    } else if (length == 1) {
      append_character(out, text.front());
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

void append_json_mask(std::string& out, const MaskView& mask) {
  fmt::format_to(std::back_inserter(out), "{{\"size\": [{}, {}], \"counts\": ", mask.size.height, mask.size.width);
  append_json_string(out, coco_rle_text(coco_run_lengths(mask)));  // Its characters include the backslash.
  out += '}';
}

}  // namespace vrt::detail
