// Internal (not installed): names that an ONNX model does not have yet.
#pragma once

#include <string>
#include <unordered_set>

#include "vrt/engine/onnx/model.h"

namespace vrt::onnx {

class UniqueNames {
 public:
  /// Knows all names of tensors and nodes of the graph and its subgraphs.
  explicit UniqueNames(Graph& graph);

  /// `wished`, or with a number behind it where that is taken. The name is taken from then on.
  [[nodiscard]] std::string make(const std::string& wished);

 private:
  std::unordered_set<std::string> taken_;
};

}  // namespace vrt::onnx
