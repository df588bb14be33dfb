// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "passes/memory_effects.h"
#include "passes/passes.h"

namespace mycel::passes {
namespace {

using ir::Node;
using ir::NodeKind;
using ir::Output;
using tensor::DType;
using tensor::IntList;

bool is_operator(const Node& node, std::string_view name) {
  return node.kind() == NodeKind::Operator && node.definition()->name == name;
}

IntList ints(const Node& node, std::string_view attribute) {
  const int index = node.definition()->find_attribute(attribute);
  return node.attributes()[static_cast<std::size_t>(index)].ints();
}

// Every value of `narrow` is one of `wide`.
bool is_wider(DType wide, DType narrow) {
  const bool both_float = tensor::is_floating(wide) && tensor::is_floating(narrow);
  const bool both_signed = tensor::is_integral(wide) && tensor::is_integral(narrow) &&
                           tensor::is_signed_integer(wide) == tensor::is_signed_integer(narrow);
  const bool halves = tensor::is_half(wide) && tensor::is_half(narrow);
  return (both_float || both_signed) && !halves && tensor::size_of(wide) >= tensor::size_of(narrow);
}

// ---- what a node can be replaced by ------------------------------------------------------------

// Shape operators that change nothing, and conversions to the type there already is.
std::optional<Output> without_change(const Node& node) {
  static constexpr std::string_view kShapeOnly[] = {"reshape", "broadcast_to", "cast", "identity"};
  for (const std::string_view name : kShapeOnly) {
    if (!is_operator(node, name)) continue;
    const Output input = node.operands()[0];
    if (input.type().dtype == node.type().dtype && input.type().shape == node.type().shape &&
        !input.type().is_number)
      return input;
  }
  return {};
}

// To a wider type and back.
std::optional<Output> there_and_back(const Node& node) {
  if (!is_operator(node, "cast") || !is_operator(*node.operands()[0].node, "cast")) return {};
  const Output original = node.operands()[0].node->operands()[0];
  const bool same = original.type().dtype == node.type().dtype && !original.type().is_number;
  if (same && is_wider(node.operands()[0].type().dtype, node.type().dtype)) return original;
  return {};
}

std::optional<Output> double_negation(const Node& node) {
  if (!is_operator(node, "neg") || !is_operator(*node.operands()[0].node, "neg")) return {};
  return node.operands()[0].node->operands()[0];
}

// ---- what a node can read instead --------------------------------------------------------------

// reshape(reshape(x)) needs only the last shape.
bool skip_first_reshape(Node& node) {
  if (!is_operator(node, "reshape") || !is_operator(*node.operands()[0].node, "reshape"))
    return false;
  node.set_operand(0, node.operands()[0].node->operands()[0]);
  return true;
}

// transpose(transpose(x, p), q) is one transposition.
bool join_transpositions(Node& node) {
  if (!is_operator(node, "transpose") || !is_operator(*node.operands()[0].node, "transpose"))
    return false;
  const Node& inner = *node.operands()[0].node;
  const IntList first = ints(inner, "perm");
  const IntList second = ints(node, "perm");
  IntList both;
  for (const std::int64_t axis : second) both.push_back(first[static_cast<std::size_t>(axis)]);
  const int index = node.definition()->find_attribute("perm");
  node.attributes()[static_cast<std::size_t>(index)] = both;
  node.set_operand(0, inner.operands()[0]);
  return true;
}

bool is_identity_transposition(const Node& node) {
  if (!is_operator(node, "transpose")) return false;
  const IntList perm = ints(node, "perm");
  for (std::size_t i = 0; i < perm.size(); ++i) {
    if (perm[i] != static_cast<std::int64_t>(i)) return false;
  }
  return true;
}

// relu's result is positive where its input is: the gradient can read the result, so that the input
// need not be kept.
bool read_relu_result(Node& node) {
  if (!is_operator(node, "relu_gradient0")) return false;
  const Output input = node.operands()[0];
  if (is_operator(*input.node, "relu")) return false;
  for (Node* user : input.node->users(input.index)) {
    if (!is_operator(*user, "relu") || &user->parent() != &node.parent()) continue;
    node.set_operand(0, user->output());
    return true;
  }
  return false;
}

bool simplify_in(ir::Graph& graph, const ir::Region& region) {
  bool changed = false;
  const std::vector<Node*> nodes(region.nodes().begin(), region.nodes().end());
  for (Node* node : nodes) {
    for (const auto& inner : node->regions()) changed |= simplify_in(graph, *inner);
    if (node->kind() != NodeKind::Operator || node->has_effects() || node->operands().empty() ||
        !node->operands()[0] || is_written(*node))
      continue;
    changed |= skip_first_reshape(*node) || join_transpositions(*node) || read_relu_result(*node);
    std::optional<Output> same = without_change(*node);
    if (!same) same = there_and_back(*node);
    if (!same) same = double_negation(*node);
    if (!same && is_identity_transposition(*node)) same = node->operands()[0];
    // Memory may be written later; neither a result nor a value of its own must change with it.
    const bool is_view = node->definition()->view != nullptr;
    if (!same || ((node->is_result(0) || !is_view) && is_parameter_memory(*same))) continue;
    graph.replace(node->output(), *same);
    graph.erase(*node);
    changed = true;
  }
  return changed;
}

}  // namespace

bool simplify_algebra(ir::Graph& graph) { return simplify_in(graph, graph.body()); }

}  // namespace mycel::passes
