#include "vrt/pipeline/json_line.h"

#include <cmath>
#include <iterator>

#include "vrt/base/fail.h"

namespace vrt {
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

void append_string(std::string& out, std::string_view text) {
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

template <typename Float>
void append_number(std::string& out, const char* field, Float value) {
  require(std::isfinite(value), "the {} of a frame is {}; JSON holds only finite numbers", field, value);
  fmt::format_to(std::back_inserter(out), "{}", value);
}

void append_box(std::string& out, const Box& box) {
  out += "{\"box\": [";
  const char* separator = "";
  for (const float corner : {box.x1, box.y1, box.x2, box.y2}) {
    out += separator;
    append_number(out, "box", corner);
    separator = ", ";
  }
  out += "], ";
}

void append_keypoints(std::string& out, std::span<const Keypoint> keypoints) {
  out += "\"keypoints\": [";
  const char* separator = "";
  for (const Keypoint& point : keypoints) {
    out += separator;
    out += '[';
    append_number(out, "keypoint", point.x);
    out += ", ";
    append_number(out, "keypoint", point.y);
    out += ", ";
    append_number(out, "keypoint's confidence", point.confidence);
    out += ']';
    separator = ", ";
  }
  out += ']';
}

void append_detection(std::string& out, const Detection& detection) {
  append_box(out, detection.box);
  out += "\"score\": ";
  append_number(out, "score", detection.score);
  fmt::format_to(std::back_inserter(out), ", \"class\": {}, \"label\": ", detection.class_id);
  append_string(out, detection.label);
  out += ", ";
  append_keypoints(out, detection.keypoints);
  out += '}';
}

void append_record(std::string& out, const FrameRecord& record) {
  out += "{\"source\": ";
  append_string(out, record.source);
  fmt::format_to(std::back_inserter(out), ", \"frame\": {}, \"time\": ", record.frame);
  append_number(out, "time", record.time);
  fmt::format_to(std::back_inserter(out), ", \"width\": {}, \"height\": {}, \"detections\": [", record.size.width,
                 record.size.height);
  const char* separator = "";
  for (const Detection& detection : record.detections) {
    out += separator;
    append_detection(out, detection);
    separator = ", ";
  }
  out += "]}\n";
}

}  // namespace

void append_json_line(std::string& out, const FrameRecord& record) {
  const std::size_t before = out.size();
  try {
    append_record(out, record);
  } catch (...) {
    out.resize(before);
    throw;
  }
}

}  // namespace vrt
