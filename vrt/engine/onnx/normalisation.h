// Internal (not installed): normalisations that exporters have written as single operators.
#pragma once

#include <vector>

#include "vrt/engine/onnx/graph_index.h"

namespace vrt::onnx {

/// The nodes of all decomposed layer normalisations and root-mean-square normalisations of the graph:
/// [ReduceMean, Sub,] Pow or Mul, ReduceMean, Add, Sqrt, Div or Reciprocal and Mul, and the Mul and Add that scale and shift by
/// weights afterwards: backends look for the whole, and ONNX Runtime 1.32 fails on one that is half float16.
[[nodiscard]] std::vector<int> find_normalisations(const GraphIndex& index);

}  // namespace vrt::onnx
