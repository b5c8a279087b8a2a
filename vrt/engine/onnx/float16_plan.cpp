#include "vrt/engine/onnx/float16_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "vrt/engine/onnx/graph_index.h"
#include "vrt/engine/onnx/half.h"
#include "vrt/engine/onnx/normalisation.h"
#include "vrt/engine/onnx/tensor.h"

namespace vrt::onnx {
namespace {

/// Samples are few: what they show has to leave room for what they do not.
constexpr float kLargestInRun = kLargestFloat16 / 2;

std::string fault_of_initializer(const Tensor& tensor) {
  float largest = 0;
  for (const float value : float_values(tensor)) {
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
  }
  if (largest > kLargestFloat16)
    return fmt::format("its '{}' holds {:.2g}: float16 ends at 65504", tensor.name(), largest);
  if (largest > 0 && largest < kSmallestNormalFloat16) {
    return fmt::format("its '{}' holds nothing above {:.2g}: float16's normal numbers begin at 6.1e-05", tensor.name(),
                       largest);
  }
  return {};
}

class Planner {
 public:
  Planner(const Model& model, const LargestMagnitudes& largest)
      : index_(model.graph()), operator_set_(operator_set(model)), largest_(largest) {
    plan_.types = find_element_types(model);
    plan_.nodes.resize(static_cast<std::size_t>(model.graph().node_size()));
    for (const ValueInfo& output : model.graph().output()) outputs_.insert(output.name());
  }

  Float16Plan run() {
    const std::vector<Normalisation> normalisations = find_normalisations(index_);
    for (const Normalisation& normalisation : normalisations) keep_all(normalisation.nodes);
    for (int node = 0; node < count(); ++node) decide(node);
    for (int node = 0; node < count(); ++node) keep_exact_inputs(node);
    for (const auto& [name, magnitude] : largest_) keep_around(name, magnitude);
    for (bool changed = true; changed;) {
      changed = keep_lonely_moves();
      for (const Normalisation& normalisation : normalisations) changed |= settle(normalisation);
    }
    return std::move(plan_);
  }

 private:
  [[nodiscard]] int count() const { return index_.graph().node_size(); }
  [[nodiscard]] const Node& node(int index) const { return index_.graph().node(index); }
  [[nodiscard]] NodePlan& plan(int index) { return plan_.nodes[static_cast<std::size_t>(index)]; }
  [[nodiscard]] bool is_float(const std::string& name) const { return type_of(plan_.types, name) == Tensor::FLOAT; }

  /// The first reason stays.
  void keep(int index, std::string reason) {
    plan(index).float16 = false;
    if (plan(index).reason.empty()) plan(index).reason = std::move(reason);
  }

  [[nodiscard]] bool touches_floats(const Node& node) const {
    const auto is_one = [this](const std::string& name) { return is_float(name); };
    const std::set<std::string> read = names_read(node);
    return std::any_of(read.begin(), read.end(), is_one) ||
           std::any_of(node.output().begin(), node.output().end(), is_one);
  }

  /// True if one of the nodes was float16 before.
  bool keep_all(const std::vector<int>& nodes) {
    const bool changed = std::any_of(nodes.begin(), nodes.end(), [this](int index) { return plan(index).float16; });
    for (const int index : nodes) {
      keep(index, "layer normalisation: its squares leave float16's range, and its epsilon vanishes");
    }
    return changed;
  }

  /// ONNX Runtime (1.32) makes one layer of a normalisation with its scaling. It takes that layer's input from before a cast that no
  /// other node reads, and fails to load the network where the scale is of another type then. So the scaling is in float16 where
  /// there is such a cast, and in float32 where there is none. True if that changed something.
  bool settle(const Normalisation& normalisation) {
    if (normalisation.scaling.empty()) return false;
    if (!has_own_cast(normalisation)) return keep_all(normalisation.scaling);
    if (plan(normalisation.scaling.front()).float16) return false;
    keep(index_.producer(normalisation.input), "made for a normalisation that stays in float32 with its scale");
    return true;
  }

  /// Whether the input comes from a float16 node and no other float32 node reads it.
  [[nodiscard]] bool has_own_cast(const Normalisation& normalisation) {
    const int maker = index_.producer(normalisation.input);
    if (maker < 0 || !plan(maker).float16 || outputs_.count(normalisation.input) > 0) return false;
    const std::vector<int>& readers = index_.readers(normalisation.input);
    return std::all_of(readers.begin(), readers.end(), [&](int reader) {
      const std::vector<int>& own = normalisation.nodes;
      return plan(reader).float16 || std::find(own.begin(), own.end(), reader) != own.end();
    });
  }

  void decide(int index) {
    NodePlan& decision = plan(index);
    decision.touches_floats = touches_floats(node(index));
    const OperatorRule* rule = find_rule(node(index));
    if (!decision.touches_floats || !decision.reason.empty()) return;
    if (rule != nullptr && rule->compute == OperatorRule::Compute::kEither) {
      decision.touches_floats = false;
      return;
    }
    const std::string reason =
        rule == nullptr ? "an operator that vrt has no rule for" : reason_to_stay(node(index), *rule);
    decision.float16 = reason.empty();
    decision.reason = reason;
  }

  [[nodiscard]] std::string reason_to_stay(const Node& node, const OperatorRule& rule) const {
    if (rule.compute == OperatorRule::Compute::kFloat32) return rule.reason;
    if (operator_set_ < rule.since) return fmt::format("no float16 form in operator set {}", operator_set_);
    std::string reason = reason_by_kind(node);
    for (int input = 0; input < node.input_size() && reason.empty(); ++input) {
      if (!node.input(input).empty() && rule.takes_float(static_cast<std::size_t>(input))) {
        reason = fault_of_input(node, input);
      }
    }
    return reason;
  }

  [[nodiscard]] std::string fault_of_input(const Node& node, int input) const {
    const std::string& name = node.input(input);
    const std::int32_t type = type_of(plan_.types, name);
    if (node.op_type() == "Cast") return {};
    if (type == Tensor::UNDEFINED) return fmt::format("what its input '{}' holds is not known", name);
    if (type != Tensor::FLOAT) return fmt::format("its input '{}' is {}", name, type_name(type));
    const Tensor* tensor = index_.initializer(name);
    return tensor != nullptr ? fault_of_initializer(*tensor) : std::string();
  }

  [[nodiscard]] std::string reason_by_kind(const Node& node) const {
    const std::string& type = node.op_type();
    if (type == "Mul" && node.input_size() == 2 && node.input(0) == node.input(1)) {
      return "powers leave float16's range soon: squares do above 255";
    }
    if (type == "Cast") return reason_of_cast(node);
    if (type == "BatchNormalization" && node.output_size() > 1) return "a normalisation that is being trained";
    const Attribute* reduction = find_attribute(node, "reduction");
    const bool scatters = type == "ScatterND" || type == "ScatterElements";
    const bool sums = scatters && reduction != nullptr && reduction->s() != "none";
    return sums ? "sums of many values pass 65504, and lose what is small beside them" : "";
  }

  /// A cast to floats becomes one to float16 where that holds what it reads.
  [[nodiscard]] std::string reason_of_cast(const Node& node) const {
    if (!is_float(node.output(0))) return "its float32 input is cast to another type";
    const std::int32_t from = type_of(plan_.types, input_name(node, 0));
    const bool fits = from == Tensor::BOOL || from == Tensor::UINT8 || from == Tensor::INT8 || from == Tensor::FLOAT16;
    return fits ? "" : fmt::format("numbers of {} are not exact in float16", type_name(from));
  }

  void keep_exact_inputs(int index) {
    const OperatorRule* rule = find_rule(node(index));
    if (rule == nullptr || !plan(index).touches_floats) return;
    const bool rounds = node(index).op_type() == "Cast" && is_float(input_name(node(index), 0));
    for (int input = 0; input < node(index).input_size(); ++input) {
      if (rounds || rule->needs_exact(static_cast<std::size_t>(input))) {
        keep_makers(node(index).input(input), fmt::format("makes {} of '{}'", rule->exact_what, name_of(node(index))));
      }
    }
  }

  /// Keeps what made `name`, back to where values are summed up anew.
  void keep_makers(const std::string& name, const std::string& reason) {
    std::vector<std::string> pending{name};
    while (!pending.empty()) {
      const int maker = is_float(pending.back()) ? index_.producer(pending.back()) : -1;
      pending.pop_back();
      const OperatorRule* rule = maker < 0 ? nullptr : find_rule(node(maker));
      if (rule == nullptr || !rule->passes_values || !exact_.insert(maker).second) continue;
      keep(maker, reason);
      pending.insert(pending.end(), node(maker).input().begin(), node(maker).input().end());
    }
  }

  void keep_around(const std::string& name, float magnitude) {
    const bool tiny = magnitude > 0 && magnitude < kSmallestNormalFloat16;
    if ((magnitude <= kLargestInRun && !tiny) || !is_float(name)) return;
    const std::string reason = fmt::format("range {:.2g} of '{}'", magnitude, name);
    std::vector<int> nodes = index_.readers(name);
    if (index_.producer(name) >= 0) nodes.push_back(index_.producer(name));
    for (const int index : nodes) {
      if (plan(index).touches_floats) keep(index, reason);
    }
  }

  /// Where chains of nodes that compute nothing lead from float32 nodes to float32 nodes, casts would be all that float16 brings. Takes
  /// all for such, and then those out that a float16 node which is none makes or reads, until no more are. True if
  /// any are left.
  bool keep_lonely_moves() {
    std::set<int> lonely;
    for (int index = 0; index < count(); ++index) {
      if (plan(index).float16 && find_rule(node(index))->moves) lonely.insert(index);
    }
    const auto meets_float16 = [&](int index) { return !is_among_float32(index, lonely); };
    while (std::erase_if(lonely, meets_float16) > 0) {
    }
    for (const int index : lonely) keep(index, "moves values between nodes that stay in float32");
    return !lonely.empty();
  }

  /// Whether no float that the node reads or makes comes from or goes to float16 nodes other than `lonely` ones.
  [[nodiscard]] bool is_among_float32(int index, const std::set<int>& lonely) {
    const auto is_float16 = [&](int other) { return plan(other).float16 && lonely.count(other) == 0; };
    for (const std::string& input : node(index).input()) {
      const int maker = is_float(input) ? index_.producer(input) : -1;
      if (maker >= 0 && is_float16(maker)) return false;
    }
    for (const std::string& output : node(index).output()) {
      const std::vector<int>& readers = index_.readers(output);
      if (std::any_of(readers.begin(), readers.end(), is_float16)) return false;
    }
    return true;
  }

  GraphIndex index_;
  std::int64_t operator_set_;
  const LargestMagnitudes& largest_;
  Float16Plan plan_;
  std::set<int> exact_;
  std::set<std::string> outputs_;
};

}  // namespace

Float16Plan plan_float16(const Model& model, const LargestMagnitudes& largest) { return Planner(model, largest).run(); }

bool takes_float(const Node& node, int input, const ElementTypes& types) {
  const OperatorRule* rule = find_rule(node);
  return rule != nullptr && rule->takes_float(static_cast<std::size_t>(input)) &&
         type_of(types, node.input(input)) == Tensor::FLOAT;
}

}  // namespace vrt::onnx
