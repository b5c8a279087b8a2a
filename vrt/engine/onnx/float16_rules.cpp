#include "vrt/engine/onnx/float16_rules.h"

#include <sstream>
#include <string>
#include <unordered_map>

namespace vrt::onnx {
namespace {

using Rules = std::unordered_map<std::string, OperatorRule>;

constexpr std::uint32_t kAll = ~0U;
constexpr std::uint32_t kFirst = 1;

/// The operators of `names`, which are separated by spaces.
void add(Rules& rules, const char* names, const OperatorRule& rule) {
  std::istringstream words(names);
  for (std::string name; words >> name;) rules.emplace(name, rule);
}

void add_float16(Rules& rules) {
  const OperatorRule half{.compute = OperatorRule::Compute::kFloat16};
  add(rules,
      "Conv ConvTranspose Gemm MatMul Einsum Relu LeakyRelu PRelu Elu Selu HardSwish Erf Gelu Softsign ThresholdedRelu "
      "Shrink "
      "AveragePool MaxPool GlobalMaxPool BatchNormalization",
      half);
  OperatorRule pointwise = half;
  pointwise.passes_values = true;
  add(rules, "Add Sub Mul Div Sum Mean Neg Abs Sqrt Sigmoid HardSigmoid Tanh Sign ReduceMax ReduceMin Clip", pointwise);
  pointwise.since = 8;
  add(rules, "Max Min", pointwise);
  pointwise.since = 1;
  pointwise.floats = kAll & ~kFirst;
  add(rules, "Where", pointwise);
}

/// Operators that only move values.
void add_moves(Rules& rules) {
  OperatorRule rule{.compute = OperatorRule::Compute::kFloat16, .passes_values = true, .moves = true, .floats = kFirst};
  add(rules,
      "Reshape Transpose Flatten Squeeze Unsqueeze Expand Tile Slice Split Gather GatherElements GatherND DepthToSpace "
      "SpaceToDepth Identity Dropout Trilu ReverseSequence Compress",
      rule);
  rule.floats = kFirst | 1U << 2;
  add(rules, "Pad ScatterND ScatterElements", rule);
  rule.floats = kAll;
  add(rules, "Concat", rule);
}

/// Values of the wrong size for float16, or sums of many.
void add_wide(Rules& rules) {
  OperatorRule rule{.passes_values = true};
  rule.reason = "exponentials pass 65504 from 11.1 on";
  add(rules, "Exp Softplus Sinh Cosh", rule);
  rule.reason = "sums of exponentials";
  add(rules, "Softmax LogSoftmax ReduceLogSumExp", rule);
  rule.reason = "powers leave float16's range soon: squares do above 255";
  add(rules, "Pow ReduceSumSquare ReduceL2", rule);
  rule.reason = "reciprocals and logarithms of small numbers need float32's range";
  add(rules, "Log Reciprocal ReduceLogSum", rule);
  rule.reason = "sums of many values pass 65504, and lose what is small beside them";
  add(rules, "ReduceSum ReduceMean ReduceL1 ReduceProd CumSum CumProd", rule);
  rule.reason = "angles need every digit";
  add(rules, "Sin Cos Tan Asin Acos Atan Asinh Acosh Atanh", rule);
  rule.passes_values = false;
  rule.reason = "sums of many values pass 65504, and lose what is small beside them";
  add(rules, "GlobalAveragePool GlobalLpPool LpPool", rule);
  rule.reason = "exponentials pass 65504 from 11.1 on";
  add(rules, "Mish Celu", rule);
}

void add_normalisations(Rules& rules) {
  OperatorRule rule;
  rule.reason = "normalisation: its squares leave float16's range, and its epsilon vanishes";
  add(rules,
      "LayerNormalization InstanceNormalization GroupNormalization RMSNormalization LpNormalization "
      "MeanVarianceNormalization LRN",
      rule);
  rule.reason = "its state is carried from step to step, and errors with it";
  add(rules, "LSTM GRU RNN", rule);
}

void add_positions(Rules& rules) {
  OperatorRule rule;
  rule.reason = "sampling positions need more than float16's 11 bits";
  rule.exact_what = "sampling positions";
  rule.exact = 1U << 1;
  add(rules, "GridSample RoiAlign MaxRoiPool", rule);
  rule.exact = 1U << 2;
  add(rules, "DeformConv", rule);
  rule.exact = kFirst;
  add(rules, "AffineGrid", rule);
  // Their pictures are float16, their scales never are.
  OperatorRule resize{.compute = OperatorRule::Compute::kFloat16, .floats = kFirst, .exact_what = "scales"};
  resize.exact = 1U << 1 | 1U << 2;
  add(rules, "Resize", resize);
  resize.exact = 1U << 1;
  add(rules, "Upsample", resize);
}

/// Operators that decide: rounding turns near values into equal ones, or moves them over a threshold.
void add_decisions(Rules& rules) {
  OperatorRule rule{.exact = kAll};
  rule.reason = "rounding turns near values into equal ones";
  rule.exact_what = "values that are compared";
  rule.output = OutputType::kBool;
  add(rules, "Equal Less Greater LessOrEqual GreaterOrEqual IsNaN IsInf", rule);
  rule.exact_what = "values that are ranked";
  rule.output = OutputType::kInt64;
  add(rules, "ArgMax ArgMin NonMaxSuppression NonZero", rule);
  rule.output = OutputType::kAsInput;
  add(rules, "TopK Unique Hardmax", rule);
  rule.reason = "what is rounded needs every digit";
  rule.exact_what = "values that are rounded";
  rule.passes_values = true;
  add(rules, "Round Floor Ceil Mod", rule);
  rule.reason = "counts above 2048 are not exact in float16";
  rule.exact_what = "bounds";
  add(rules, "Range", rule);
}

void add_others(Rules& rules) {
  OperatorRule shape{.compute = OperatorRule::Compute::kEither, .output = OutputType::kInt64};
  add(rules, "Shape Size", shape);
  // Decided by their types; see float16_plan.cpp.
  OperatorRule cast{.compute = OperatorRule::Compute::kFloat16, .passes_values = true, .output = OutputType::kUnknown};
  cast.exact_what = "values that are rounded";
  add(rules, "Cast", cast);
  OperatorRule kept{.output = OutputType::kUnknown};
  kept.reason = "control flow stays in float32 as a whole";
  add(rules, "If Loop Scan", kept);
  kept.reason = "made of nothing but a shape";
  add(rules, "Constant ConstantOfShape EyeLike RandomNormal RandomNormalLike RandomUniform RandomUniformLike", kept);
  kept.reason = "quantised";
  add(rules,
      "QuantizeLinear DequantizeLinear DynamicQuantizeLinear QLinearConv QLinearMatMul ConvInteger MatMulInteger",
      kept);
  OperatorRule logic{.output = OutputType::kBool};
  add(rules, "And Or Xor Not", logic);
}

Rules make_rules() {
  Rules rules;
  add_float16(rules);
  add_moves(rules);
  add_wide(rules);
  add_normalisations(rules);
  add_positions(rules);
  add_decisions(rules);
  add_others(rules);
  return rules;
}

}  // namespace

const OperatorRule* find_rule(const Node& node) {
  static const Rules rules = make_rules();
  if (!node.domain().empty() && node.domain() != "ai.onnx") return nullptr;
  const auto found = rules.find(node.op_type());
  return found == rules.end() ? nullptr : &found->second;
}

}  // namespace vrt::onnx
