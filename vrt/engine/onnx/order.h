// Internal (not installed): the order of an ONNX graph's nodes.
#pragma once

#include "vrt/engine/onnx/model.h"

namespace vrt::onnx {

/// Puts the nodes of the model's graph and of all subgraphs into an order in which each reads what earlier ones have made,
/// as ONNX asks for and not every exporter does; what is in order stays as it is. Throws kCorrupt for a name that
/// is made twice, or read and never made, and for nodes that wait for each other.
void sort_nodes(Model& model);

}  // namespace vrt::onnx
