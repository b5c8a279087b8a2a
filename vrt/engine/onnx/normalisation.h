// Internal (not installed): normalisations that exporters have written as single operators.
#pragma once

#include <vector>

#include "vrt/engine/onnx/graph_index.h"

namespace vrt::onnx {

/// The nodes of all decomposed layer normalisations and root-mean-square normalisations of the graph:
/// [ReduceMean, Sub,] Pow or Mul, ReduceMean, Add, Sqrt, and Div or Reciprocal and Mul. What scales and shifts the normalised values
/// afterwards is none of them.
[[nodiscard]] std::vector<int> find_normalisations(const GraphIndex& index);

}  // namespace vrt::onnx
