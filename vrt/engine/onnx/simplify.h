// Internal (not installed): changes that leave what an ONNX network computes as it is.
#pragma once

#include "vrt/engine/onnx/model.h"

namespace vrt::onnx {

/// Makes initialisers of the outer graph's Constant nodes of floats, but for those that are its outputs.
void lift_float_constants(Graph& graph);

/// Gives each batch normalisation of four initialisers the mean 0, the variance 1 and the epsilon 0, with the scale and shift that
/// compute the same: variances and epsilon are what float16 cannot hold.
void fold_batch_normalisations(Graph& graph);

/// Drops initialisers of floats that nothing reads.
void drop_unread_floats(Graph& graph);

}  // namespace vrt::onnx
