#include "vrt/engine/onnx_metadata.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "vrt/base/fail.h"

namespace vrt {
namespace {

// Field numbers of onnx.proto.
constexpr std::uint64_t kMetadataProps = 14;  // Of ModelProto.
constexpr std::uint64_t kEntryKey = 1;        // Of StringStringEntryProto.
constexpr std::uint64_t kEntryValue = 2;
// Protobuf's wire types.
constexpr std::uint64_t kVarint = 0;
constexpr std::uint64_t kFixed64 = 1;
constexpr std::uint64_t kLengthDelimited = 2;
constexpr std::uint64_t kFixed32 = 5;
// An entry is text that somebody wrote; what is larger is none.
constexpr std::uint64_t kMostEntryBytes = 16U << 20U;

// A protobuf message in a stream, up to `end`.
class WireReader {
 public:
  WireReader(std::istream& bytes, std::uint64_t end, const std::filesystem::path& model)
      : bytes_(&bytes), end_(end), model_(&model) {}

  [[nodiscard]] bool at_end() const { return position() >= end_; }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const int byte = bytes_->get();
      if (byte < 0) refuse("it ends within a number");
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    refuse("a number has more than 64 bits");
  }

  /// A field's number and wire type.
  std::uint64_t tag() {
    const std::uint64_t value = varint();
    if (value < 8) refuse("a field has the number 0");  // A file of zeros would be one such field behind the other.
    return value;
  }

  /// The length of what follows, checked.
  std::uint64_t length() {
    const std::uint64_t bytes = varint();
    if (bytes > end_ - position()) refuse("a field reaches beyond the end");
    return bytes;
  }

  std::string text() {
    const std::uint64_t bytes = length();
    std::string result(bytes, '\0');
    bytes_->read(result.data(), static_cast<std::streamsize>(bytes));
    return result;
  }

  void skip(std::uint64_t wire_type) {
    if (wire_type == kVarint) {
      (void)varint();
      return;
    }
    const std::uint64_t bytes = wire_type == kFixed64           ? 8
                                : wire_type == kFixed32         ? 4
                                : wire_type == kLengthDelimited ? length()
                                                                : unknown(wire_type);
    if (bytes > end_ - position()) refuse("a field reaches beyond the end");
    bytes_->seekg(static_cast<std::streamoff>(bytes), std::ios::cur);
  }

  std::pair<std::string, std::string> entry() {
    const std::uint64_t bytes = length();
    if (bytes > kMostEntryBytes) refuse("an entry of its metadata is larger than 16 MiB");
    WireReader fields(*bytes_, position() + bytes, *model_);
    std::pair<std::string, std::string> result;
    while (!fields.at_end()) {
      const std::uint64_t tag = fields.tag();
      const std::uint64_t field = tag >> 3U;
      if (tag % 8 == kLengthDelimited && field == kEntryKey) {
        result.first = fields.text();
      } else if (tag % 8 == kLengthDelimited && field == kEntryValue) {
        result.second = fields.text();
      } else {
        fields.skip(tag % 8);
      }
    }
    return result;
  }

 private:
  [[nodiscard]] std::uint64_t position() const {
    const auto at = static_cast<std::streamoff>(bytes_->tellg());
    return at < 0 ? end_ : static_cast<std::uint64_t>(at);
  }
  [[noreturn]] void refuse(std::string_view what) const {
    fail(ErrorCode::kCorrupt, "{}: not an ONNX file: {}", model_->string(), what);
  }
  [[noreturn]] std::uint64_t unknown(std::uint64_t wire_type) const {
    fail(ErrorCode::kCorrupt, "{}: not an ONNX file: a field of wire type {}", model_->string(), wire_type);
  }

  std::istream* bytes_;
  std::uint64_t end_;
  const std::filesystem::path* model_;
};

}  // namespace

std::map<std::string, std::string> read_onnx_metadata(const std::filesystem::path& model) {
  if (model.extension() != ".onnx") return {};
  // A folder would read as a damaged file, and a pipe's open would wait for its writer for ever.
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(model, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    fail(ErrorCode::kCorrupt, "{}: cannot be read: not a file", model.string());
  std::ifstream file(model, std::ios::binary | std::ios::ate);
  if (!file) {
    const int reason = errno;
    fail(reason == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo, "{}: cannot be read: {}", model.string(),
         std::strerror(reason));
  }
  const auto size = static_cast<std::uint64_t>(file.tellg());
  file.seekg(0);
  WireReader fields(file, size, model);
  std::map<std::string, std::string> metadata;
  while (!fields.at_end()) {
    const std::uint64_t tag = fields.tag();
    if (tag == (kMetadataProps << 3U | kLengthDelimited)) {
      metadata.insert(fields.entry());
    } else {
      fields.skip(tag % 8);
    }
  }
  return metadata;
}

}  // namespace vrt
