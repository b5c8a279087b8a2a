// Internal (not installed): an ONNX model that tells the largest magnitude of each of its tensors.
#pragma once

#include <map>
#include <string>

#include "vrt/engine/onnx/model.h"

namespace vrt::onnx {

/// Replaces the graph's outputs by a scalar for each float tensor of the outer graph, its largest magnitude; returns the tensors' names by
/// those of their outputs. What hangs on data-dependent sizes is left out: nothing is the largest of nothing. The nodes
/// have to be in order.
std::map<std::string, std::string> add_probes(Model& model);

}  // namespace vrt::onnx
