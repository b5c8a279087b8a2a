// For tests: small networks whose outputs are known, written as ONNX files.
//
//   OnnxGraph graph;
//   graph.input("image", {1, 3, 64, 64});
//   graph.node("ReduceMean", {"image"}, "grey", {{"axes", {1}}});
//   graph.output("grey", {1, 1, 64, 64});
//   Engine::open(folder.write("grey.onnx", graph.bytes()), Device::cpu());
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace vrt::testing {

/// Field numbers are those of onnx.proto (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto).
class OnnxGraph {
 public:
  /// Integers of a node's attribute: one, or a list.
  struct Attribute {
    std::string name;
    std::vector<std::int64_t> values;
    bool is_list = true;
  };
  static Attribute integer(const std::string& name, std::int64_t value) { return {name, {value}, false}; }

  /// A dimension of -1 is open.
  void input(const std::string& name, const std::vector<std::int64_t>& shape) {
    body_ += field(11, tensor_type(name, shape));
  }
  void output(const std::string& name, const std::vector<std::int64_t>& shape) {
    body_ += field(12, tensor_type(name, shape));
  }
  void constant(const std::string& name, const std::vector<std::int64_t>& shape, const std::vector<float>& values) {
    constant(name, shape, 1, values.data(), values.size() * sizeof(float));
  }
  void constant(const std::string& name, const std::vector<std::int64_t>& values) {
    constant(name, {static_cast<std::int64_t>(values.size())}, 7, values.data(), values.size() * sizeof(std::int64_t));
  }
  /// Floats that are in the file `location` beside the model's.
  void external_constant(const std::string& name, const std::vector<std::int64_t>& shape, const std::string& location) {
    constexpr std::int64_t kExternal = 1;
    std::string text;
    for (const std::int64_t extent : shape) text += number(1, extent);
    text += number(2, 1) + field(8, name) + field(13, field(1, "location") + field(2, location));
    body_ += field(5, text + number(14, kExternal));
  }
  void node(const std::string& type, const std::vector<std::string>& inputs, const std::string& output,
            const std::vector<Attribute>& attributes = {}) {
    std::string text;
    for (const std::string& input : inputs) text += field(1, input);
    text += field(2, output) + field(4, type);
    for (const Attribute& attribute : attributes) {
      std::string inner = field(1, attribute.name) + number(20, attribute.is_list ? 7 : 2);
      for (const std::int64_t value : attribute.values) inner += number(attribute.is_list ? 8 : 3, value);
      text += field(5, inner);
    }
    body_ += field(1, text);
  }

  /// An entry of the file's metadata.
  void metadata(const std::string& key, const std::string& value) {
    metadata_ += field(14, field(1, key) + field(2, value));
  }

  [[nodiscard]] std::string bytes() const {
    return number(1, 8) + field(7, field(2, "test") + body_) + field(8, field(1, "") + number(2, 13)) + metadata_;
  }

 private:
  static std::string varint(std::uint64_t value) {
    std::string text;
    for (; value >= 0x80; value >>= 7U) text += static_cast<char>(value | 0x80);
    return text + static_cast<char>(value);
  }
  static std::string number(std::uint64_t field, std::int64_t value) {
    return varint(field << 3U) + varint(static_cast<std::uint64_t>(value));
  }
  static std::string field(std::uint64_t field, const std::string& content) {
    return varint((field << 3U) | 2U) + varint(content.size()) + content;
  }
  static std::string tensor_type(const std::string& name, const std::vector<std::int64_t>& shape) {
    std::string extents;
    for (const std::int64_t extent : shape) extents += field(1, extent < 0 ? field(2, "batch") : number(1, extent));
    return field(1, name) + field(2, field(1, number(1, 1) + field(2, extents)));
  }
  void constant(const std::string& name, const std::vector<std::int64_t>& shape, std::int64_t type, const void* data,
                std::size_t bytes) {
    std::string text;
    for (const std::int64_t extent : shape) text += number(1, extent);
    std::string raw(bytes, '\0');
    std::memcpy(raw.data(), data, bytes);
    body_ += field(5, text + number(2, type) + field(8, name) + field(9, raw));
  }

  std::string body_;
  std::string metadata_;
};

}  // namespace vrt::testing
