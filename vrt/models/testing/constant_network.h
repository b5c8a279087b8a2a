// For tests: small ONNX networks whose outputs are chosen, with the metadata of an exporter.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace vrt::testing {

/// An output of float32 that is the same for every input.
struct ConstantOutput {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

/// A message of protobuf's wire format, field by field.
class WireMessage {
 public:
  WireMessage& number(std::uint64_t field, std::uint64_t value) {
    varint(field << 3U);
    varint(value);
    return *this;
  }
  WireMessage& bytes(std::uint64_t field, const std::string& value) {
    varint(field << 3U | 2U);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  [[nodiscard]] const std::string& text() const { return bytes_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) bytes_.push_back(static_cast<char>(value | 0x80U));
    bytes_.push_back(static_cast<char>(value));
  }
  std::string bytes_;
};

namespace detail {
constexpr std::uint64_t kOnnxFloat = 1;

inline std::string value_info(const std::string& name, const std::vector<std::int64_t>& shape) {
  WireMessage dimensions;
  for (const std::int64_t extent : shape)
    dimensions.bytes(1, WireMessage().number(1, static_cast<std::uint64_t>(extent)).text());
  const WireMessage tensor = WireMessage().number(1, kOnnxFloat).bytes(2, dimensions.text());
  return WireMessage().bytes(1, name).bytes(2, WireMessage().bytes(1, tensor.text()).text()).text();
}

inline std::string initializer(const std::string& name, const ConstantOutput& output) {
  WireMessage tensor;
  for (const std::int64_t extent : output.shape) tensor.number(1, static_cast<std::uint64_t>(extent));
  std::string raw(output.values.size() * sizeof(float), '\0');
  std::memcpy(raw.data(), output.values.data(), raw.size());
  return tensor.number(2, kOnnxFloat).bytes(8, name).bytes(9, raw).text();
}

inline std::string node(const std::string& type, const std::vector<std::string>& inputs, const std::string& output) {
  WireMessage message;
  for (const std::string& input : inputs) message.bytes(1, input);
  return message.bytes(2, output).bytes(4, type).text();
}
/// 1 for inputs whose mean is above 0, else 0; called "lit".
inline std::string lit_nodes() {
  constexpr std::uint64_t kOnnxInt = 2;
  const WireMessage no_dimensions = WireMessage().bytes(1, "keepdims").number(3, 0).number(20, kOnnxInt);
  const WireMessage mean =
      WireMessage().bytes(1, "images").bytes(2, "mean").bytes(4, "ReduceMean").bytes(5, no_dimensions.text());
  return WireMessage()
      .bytes(1, mean.text())
      .bytes(1, node("Sign", {"mean"}, "sign"))
      .bytes(1, node("Relu", {"sign"}, "lit"))
      .text();
}

inline std::string network_of(std::int64_t height, std::int64_t width, const std::vector<ConstantOutput>& outputs,
                              const std::map<std::string, std::string>& metadata, bool lit) {
  WireMessage graph;
  for (const ConstantOutput& output : outputs) {
    const std::string value = "value of " + output.name;
    graph.bytes(1, lit ? node("Mul", {value, "lit"}, output.name) : node("Identity", {value}, output.name));
  }
  graph.bytes(2, "chosen");
  for (const ConstantOutput& output : outputs) graph.bytes(5, initializer("value of " + output.name, output));
  graph.bytes(11, value_info("images", {1, 3, height, width}));
  for (const ConstantOutput& output : outputs) graph.bytes(12, value_info(output.name, output.shape));
  WireMessage model = WireMessage().number(1, 8).bytes(7, (lit ? lit_nodes() : std::string()) + graph.text());
  model.bytes(8, WireMessage().bytes(1, "").number(2, 13).text());
  for (const auto& [key, value] : metadata) model.bytes(14, WireMessage().bytes(1, key).bytes(2, value).text());
  return model.text();
}
}  // namespace detail

/// The bytes of an ONNX file with one input "images" [1, 3, height, width].
inline std::string constant_network(std::int64_t height, std::int64_t width, const std::vector<ConstantOutput>& outputs,
                                    const std::map<std::string, std::string>& metadata = {}) {
  return detail::network_of(height, width, outputs, metadata, false);
}

/// The same, but that the outputs are 0 for inputs whose mean is 0 or below: for dark pictures, whatever the normalisation.
inline std::string lit_network(std::int64_t height, std::int64_t width, const std::vector<ConstantOutput>& outputs,
                               const std::map<std::string, std::string>& metadata = {}) {
  return detail::network_of(height, width, outputs, metadata, true);
}

}  // namespace vrt::testing
