// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "passes/memory_effects.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace mycel::passes {
namespace {

using ir::Node;
using ir::NodeKind;
using ir::Output;
using tensor::DType;
using tensor::IntList;

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
  const Output input = node.operands()[0];
  const bool agree = input.type().dtype == node.type().dtype &&
                     input.type().shape == node.type().shape && !input.type().is_number;
  return agree && traits_of(node)->is_same_if_types_agree ? std::optional(input) : std::nullopt;
}

// What the first operand was made of, by an operator with the same trait.
const Node* made_alike(const Node& node, bool op::Traits::*trait) {
  const Node& first = *node.operands()[0].node;
  const op::Traits* made = traits_of(first);
  return traits_of(node)->*trait && made != nullptr && made->*trait ? &first : nullptr;
}

// To a wider type and back.
std::optional<Output> there_and_back(const Node& node) {
  const Node* inner = made_alike(node, &op::Traits::converts);
  if (inner == nullptr) return {};
  const Output original = inner->operands()[0];
  const bool same = original.type().dtype == node.type().dtype && !original.type().is_number;
  if (same && is_wider(node.operands()[0].type().dtype, node.type().dtype)) return original;
  return {};
}

// -(-x)
std::optional<Output> inverse_of_inverse(const Node& node) {
  const Node* inner = made_alike(node, &op::Traits::is_own_inverse);
  if (inner == nullptr || inner->definition() != node.definition()) return {};
  return inner->operands()[0];
}

// ---- what a node can read instead --------------------------------------------------------------

// reshape(reshape(x)) needs only the last shape.
bool skip_first_of_two(Node& node) {
  const Node* inner = made_alike(node, &op::Traits::only_last_counts);
  if (inner == nullptr || inner->definition() != node.definition()) return false;
  node.set_operand(0, inner->operands()[0]);
  return true;
}

// transpose(transpose(x, p), q) is one transposition.
bool join_transpositions(Node& node) {
  const Node& inner = *node.operands()[0].node;
  const std::string_view order = traits_of(node)->axis_order;
  if (order.empty() || inner.definition() != node.definition()) return false;
  const IntList first = ints(inner, order);
  const IntList second = ints(node, order);
  IntList both;
  for (const std::int64_t axis : second) both.push_back(first[static_cast<std::size_t>(axis)]);
  const int index = node.definition()->find_attribute(order);
  node.attributes()[static_cast<std::size_t>(index)] = both;
  node.set_operand(0, inner.operands()[0]);
  return true;
}

bool is_identity_transposition(const Node& node) {
  const std::string_view order = traits_of(node)->axis_order;
  if (order.empty()) return false;
  const IntList perm = ints(node, order);
  for (std::size_t i = 0; i < perm.size(); ++i) {
    if (perm[i] != static_cast<std::int64_t>(i)) return false;
  }
  return true;
}

// relu's result is positive where its input is: the gradient can read the result, so that the input
// need not be kept.
bool read_result_instead(Node& node) {
  const op::OpDef* source = node.definition()->derivative_of;
  if (source == nullptr || !source->traits.slope_follows_result) return false;
  const auto is_source = [&](const Node& one) { return one.definition() == source; };
  const Output input = node.operands()[0];
  if (is_source(*input.node)) return false;
  for (Node* user : input.node->users(input.index)) {
    if (!is_source(*user) || &user->parent() != &node.parent()) continue;
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
    changed |= skip_first_of_two(*node) || join_transpositions(*node) || read_result_instead(*node);
    std::optional<Output> same = without_change(*node);
    if (!same) same = there_and_back(*node);
    if (!same) same = inverse_of_inverse(*node);
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
