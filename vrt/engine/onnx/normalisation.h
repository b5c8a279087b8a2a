// Internal (not installed): normalisations that exporters have written as single operators.
#pragma once

#include <string>
#include <vector>

#include "vrt/engine/onnx/graph_index.h"

namespace vrt::onnx {

/// A layer normalisation or root-mean-square normalisation.
struct Normalisation {
  std::string input;         ///< What is normalised.
  std::vector<int> nodes;    ///< [ReduceMean, Sub,] Pow or Mul, ReduceMean, Add, Sqrt, Div or Reciprocal and Mul.
  std::vector<int> scaling;  ///< The Mul, and the Add behind it, that scale and shift what comes out by weights.
};

/// All of the graph, in its order.
[[nodiscard]] std::vector<Normalisation> find_normalisations(const GraphIndex& index);

}  // namespace vrt::onnx
