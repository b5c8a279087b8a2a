// For tests: small ONNX networks whose outputs are chosen, with the metadata of an exporter.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "vrt/models/testing/onnx_graph.h"

namespace vrt::testing {

/// An output of float32, of a picture: `values`, and with `gains` also the greatest number of the picture's input times the gain, so
/// that the outputs of differently bright pictures differ.
struct ConstantOutput {
  std::string name;
  std::vector<std::int64_t> shape;  ///< [1, …], of rank 2 to 4.
  std::vector<float> values;
  std::vector<float> gains = {};  ///< As many as values, or none.
};

namespace detail {

/// Adds to `graph` what gives `output` from "greatest", [batch, 1, 1, 1]; times "lit", where that is wanted.
inline void add_output(OnnxGraph& graph, const ConstantOutput& output, std::int64_t batch, bool lit) {
  const auto part = [&](const char* what) { return what + (" of " + output.name); };
  std::string greatest = "greatest";
  if (output.shape.size() < 4) {
    std::vector<std::int64_t> axes;
    for (auto axis = static_cast<std::int64_t>(output.shape.size()); axis < 4; ++axis) axes.push_back(axis);
    graph.constant(part("axes"), axes);
    graph.node("Squeeze", {greatest, part("axes")}, part("greatest"));
    greatest = part("greatest");
  }
  graph.constant(part("values"), output.shape, output.values);
  graph.constant(part("gains"), output.shape,
                 output.gains.empty() ? std::vector<float>(output.values.size(), 0) : output.gains);
  graph.node("Mul", {greatest, part("gains")}, part("gain"));
  graph.node("Add", {part("values"), part("gain")}, lit ? part("sum") : output.name);
  if (lit) graph.node("Mul", {part("sum"), "lit"}, output.name);
  std::vector<std::int64_t> shape = output.shape;
  shape[0] = batch;
  graph.output(output.name, shape);
}

inline std::string network_of(std::int64_t height, std::int64_t width, const std::vector<ConstantOutput>& outputs,
                              const std::map<std::string, std::string>& metadata, std::int64_t batch, bool lit) {
  OnnxGraph graph;
  graph.input("images", {batch, 3, height, width});
  graph.node("ReduceMax", {"images"}, "greatest", {{"axes", {1, 2, 3}}});
  if (lit) {  // 1 for inputs whose mean is above 0, else 0.
    graph.node("ReduceMean", {"images"}, "mean", {OnnxGraph::integer("keepdims", 0)});
    graph.node("Sign", {"mean"}, "sign");
    graph.node("Relu", {"sign"}, "lit");
  }
  for (const ConstantOutput& output : outputs) add_output(graph, output, batch, lit);
  for (const auto& [key, value] : metadata) graph.metadata(key, value);
  return graph.bytes();
}

}  // namespace detail

/// The bytes of an ONNX file with one input "images" [batch, 3, height, width]; a batch of -1 is open.
inline std::string constant_network(std::int64_t height, std::int64_t width, const std::vector<ConstantOutput>& outputs,
                                    const std::map<std::string, std::string>& metadata = {}, std::int64_t batch = 1) {
  return detail::network_of(height, width, outputs, metadata, batch, false);
}

/// The same for one picture, but that the outputs are 0 for inputs whose mean is 0 or below: for dark pictures, whatever the normalisation.
inline std::string lit_network(std::int64_t height, std::int64_t width, const std::vector<ConstantOutput>& outputs,
                               const std::map<std::string, std::string>& metadata = {}) {
  return detail::network_of(height, width, outputs, metadata, 1, true);
}

}  // namespace vrt::testing
