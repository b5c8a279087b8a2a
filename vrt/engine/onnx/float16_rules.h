// Internal (not installed): what each of ONNX's operators does in a float16 network. docs/fp16.md has the list for readers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "vrt/engine/onnx/model.h"

namespace vrt::onnx {

/// What an operator's first output holds.
enum class OutputType : std::int8_t { kAsInput, kBool, kInt64, kUnknown };

struct OperatorRule {
  enum class Compute : std::int8_t {
    kFloat16,  ///< In float16 where its inputs are floats.
    kFloat32,  ///< Stays in float32, for `reason`.
    kEither,   ///< Looks at its input's shape only: takes it as it is.
  };

  Compute compute = Compute::kFloat32;
  /// Values go through element by element, or are only moved: whoever needs them exact needs its inputs exact too.
  bool passes_values = false;
  /// Computes nothing: between float32 nodes it stays with them.
  bool moves = false;
  OutputType output = OutputType::kAsInput;
  std::uint32_t floats = ~0U;   ///< Bit i: input i has the type that the node computes in.
  std::uint32_t exact = 0;      ///< Bit i: what makes input i stays in float32 too, back to the next matrix product.
  std::int64_t since = 1;       ///< The operator set that first has it for float16.
  const char* reason = "";      ///< Why it stays in float32.
  const char* exact_what = "";  ///< What its exact inputs hold, "sampling positions".

  [[nodiscard]] bool takes_float(std::size_t input) const noexcept { return has(floats, input); }
  [[nodiscard]] bool needs_exact(std::size_t input) const noexcept { return has(exact, input); }

 private:
  /// Operators of any number of inputs have the last bit's word for those beyond it.
  [[nodiscard]] static bool has(std::uint32_t inputs, std::size_t input) noexcept {
    return (inputs >> std::min<std::size_t>(input, 31) & 1U) != 0;
  }
};

/// The rule for an operator of ONNX's own set; null for others, which stay in float32.
[[nodiscard]] const OperatorRule* find_rule(const Node& node);

}  // namespace vrt::onnx
