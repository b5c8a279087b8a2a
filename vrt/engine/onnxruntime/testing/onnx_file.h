// For tests: small ONNX files, written field by field (onnx.proto's numbers), so that no other library's idea of the format is in
// between.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vrt::testing {

/// ONNX's element types.
enum class OnnxType : std::int32_t {
  kFloat = 1,
  kUInt8 = 2,
  kInt8 = 3,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kFloat16 = 10,
  kDouble = 11,
  kBFloat16 = 16,
};

/// Messages of protobuf's wire format.
class ProtoMessage {
 public:
  ProtoMessage& number(std::uint32_t field, std::uint64_t value) {
    varint(std::uint64_t{field} << 3);
    varint(value);
    return *this;
  }
  ProtoMessage& text(std::uint32_t field, const std::string& content) {
    varint(std::uint64_t{field} << 3 | 2);
    varint(content.size());
    bytes_ += content;
    return *this;
  }
  ProtoMessage& message(std::uint32_t field, const ProtoMessage& inner) { return text(field, inner.bytes_); }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 128; value >>= 7) bytes_ += static_cast<char>(value % 128 + 128);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

/// An input or output; an extent of -1 is open.
struct OnnxTensor {
  std::string name;
  OnnxType type = OnnxType::kFloat;
  std::vector<std::int64_t> extents;

  [[nodiscard]] ProtoMessage proto() const {
    ProtoMessage shape;
    for (const std::int64_t extent : extents) {
      ProtoMessage dimension;
      if (extent >= 0) dimension.number(1, static_cast<std::uint64_t>(extent));
      shape.message(1, dimension);
    }
    ProtoMessage tensor;
    tensor.number(1, static_cast<std::uint64_t>(type)).message(2, shape);
    return ProtoMessage().text(1, name).message(2, ProtoMessage().message(1, tensor));
  }
};

struct OnnxNode {
  std::string op;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::string name = {};
  std::string domain = {};
  /// Integer attributes.
  std::vector<std::pair<std::string, std::int64_t>> attributes = {};

  [[nodiscard]] ProtoMessage proto() const {
    ProtoMessage node;
    for (const std::string& input : inputs) node.text(1, input);
    for (const std::string& output : outputs) node.text(2, output);
    node.text(3, name).text(4, op).text(7, domain);
    for (const auto& [key, value] : attributes) {
      constexpr std::uint64_t kInt = 2;
      node.message(5, ProtoMessage().text(1, key).number(3, static_cast<std::uint64_t>(value)).number(20, kInt));
    }
    return node;
  }
};

struct OnnxConstant {
  std::string name;
  OnnxType type;
  std::vector<std::int64_t> extents;
  std::string bytes;
  std::string file = {};  ///< Not empty: the bytes are in that file, not here.

  [[nodiscard]] ProtoMessage proto() const {
    ProtoMessage tensor;
    for (const std::int64_t extent : extents) tensor.number(1, static_cast<std::uint64_t>(extent));
    tensor.number(2, static_cast<std::uint64_t>(type)).text(8, name);
    if (file.empty()) return tensor.text(9, bytes);
    return tensor.message(13, ProtoMessage().text(1, "location").text(2, file)).number(14, 1);
  }
};

struct OnnxFile {
  std::vector<OnnxTensor> inputs;
  std::vector<OnnxNode> nodes;
  std::vector<OnnxTensor> outputs;
  std::vector<OnnxConstant> constants = {};
  std::uint64_t opset = 17;
  std::uint64_t ir_version = 8;

  [[nodiscard]] std::string bytes() const {
    ProtoMessage graph;
    for (const OnnxNode& node : nodes) graph.message(1, node.proto());
    graph.text(2, "g");
    for (const OnnxConstant& constant : constants) graph.message(5, constant.proto());
    for (const OnnxTensor& input : inputs) graph.message(11, input.proto());
    for (const OnnxTensor& output : outputs) graph.message(12, output.proto());
    ProtoMessage model;
    model.number(1, ir_version).message(7, graph).message(8, ProtoMessage().text(1, "").number(2, opset));
    for (const OnnxNode& node : nodes) {
      if (!node.domain.empty()) model.message(8, ProtoMessage().text(1, node.domain).number(2, 1));
    }
    return model.bytes();
  }
};

}  // namespace vrt::testing
