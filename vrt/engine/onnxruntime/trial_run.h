// Internal: a run on made inputs, to find out what ONNX Runtime does not say of a network beforehand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vrt/engine/onnxruntime/settings.h"
#include "vrt/engine/onnxruntime/signature.h"

namespace vrt::onnxruntime {

/// What the inputs hold.
enum class Filling : std::int32_t {
  kZeros,
  kPattern,  ///< Reals of both signs, ones as integers, true.
};

/// Runs once, from and to memory of the host, and returns the outputs' shapes. Blocks. Throws backend::Failure FAILED or
/// OUT_OF_MEMORY.
std::vector<std::vector<std::int64_t>> run_once(const OrtApi& api, OrtSession& session, const Signature& signature,
                                                std::int64_t batch, Filling filling);

/// Settles the extents of outputs that ONNX Runtime's shape inference leaves open, by two runs that differ in their inputs'
/// values and, with a changing batch, in its size: an extent that stays is static, a first one that follows the batch is
/// batched. Throws backend::Failure UNSUPPORTED, by name, for an output whose size depends on what the inputs hold.
void settle_outputs(const OrtApi& api, OrtSession& session, const Settings& settings, Signature& signature);

}  // namespace vrt::onnxruntime
