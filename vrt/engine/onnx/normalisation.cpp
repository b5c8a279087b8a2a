#include "vrt/engine/onnx/normalisation.h"

#include <string>

namespace vrt::onnx {
namespace {

bool is(const Node* node, const char* type) { return node != nullptr && node->op_type() == type; }

/// x², as Pow with an exponent or as a product with itself.
bool is_square(const Node* node) {
  return is(node, "Pow") || (is(node, "Mul") && node->input_size() == 2 && node->input(0) == node->input(1));
}

/// Collects the nodes of one normalisation, which its square root leads to.
class Unit {
 public:
  explicit Unit(const GraphIndex& index) : index_(index) {}

  /// False, with nothing collected, where the root is none of a mean square.
  bool collect(const Node& root) {
    const Node* sum = index_.producer(root, 0);
    if (!is(sum, "Add")) return false;
    const Node* mean = is(index_.producer(*sum, 0), "ReduceMean") ? index_.producer(*sum, 0) : index_.producer(*sum, 1);
    const Node* square = is(mean, "ReduceMean") ? index_.producer(*mean, 0) : nullptr;
    if (!is_square(square)) return false;
    for (const Node* node : {&root, sum, mean, square}) add(*node);
    found_.input = square->input(0);
    add_centring(index_.producer(*square, 0));
    add_quotients(root.output(0));
    return true;
  }

  [[nodiscard]] const Normalisation& found() const noexcept { return found_; }

 private:
  void add(const Node& node) { found_.nodes.push_back(index_.producer(node.output(0))); }

  void add_centring(const Node* difference) {
    if (!is(difference, "Sub")) return;
    add(*difference);
    found_.input = input_name(*difference, 0);
    const Node* mean = index_.producer(*difference, 1);
    if (is(mean, "ReduceMean")) add(*mean);
  }

  /// What is divided by the root, or multiplied by its reciprocal.
  void add_quotients(const std::string& root) {
    for (const int reader : index_.readers(root)) {
      const Node& node = index_.graph().node(reader);
      if (is(&node, "Reciprocal")) add_products(reader);
      if (is(&node, "Div")) add_normal(reader);
      if (is(&node, "Div")) add_centring(index_.producer(node, 0));
    }
  }

  void add_products(int reciprocal) {
    found_.nodes.push_back(reciprocal);
    for (const int reader : index_.readers(index_.graph().node(reciprocal).output(0))) {
      if (is(&index_.graph().node(reader), "Mul")) add_normal(reader);
    }
  }

  /// The node that makes the normalised values, and what scales and shifts them.
  void add_normal(int normal) {
    found_.nodes.push_back(normal);
    for (const int scale : readers_with_weights(normal, "Mul")) {
      found_.scaling.push_back(scale);
      for (const int shift : readers_with_weights(scale, "Add")) found_.scaling.push_back(shift);
    }
  }

  [[nodiscard]] std::vector<int> readers_with_weights(int maker, const char* type) const {
    std::vector<int> found;
    for (const int reader : index_.readers(index_.graph().node(maker).output(0))) {
      const Node& node = index_.graph().node(reader);
      const bool weighted =
          index_.initializer(input_name(node, 0)) != nullptr || index_.initializer(input_name(node, 1)) != nullptr;
      if (is(&node, type) && weighted) found.push_back(reader);
    }
    return found;
  }

  const GraphIndex& index_;
  Normalisation found_;
};

}  // namespace

std::vector<Normalisation> find_normalisations(const GraphIndex& index) {
  std::vector<Normalisation> found;
  for (const Node& node : index.graph().node()) {
    if (!is(&node, "Sqrt") || node.output_size() != 1) continue;
    Unit unit(index);
    if (unit.collect(node)) found.push_back(unit.found());
  }
  return found;
}

}  // namespace vrt::onnx
