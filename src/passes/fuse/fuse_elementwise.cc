// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "operator/registry.h"
#include "passes/passes.h"

namespace mycel::passes {
namespace {

using ir::Node;
using ir::NodeKind;
using ir::Output;
using op::Expr;
using op::OpDef;
using op::ScalarOp;
using op::TensorSpec;

constexpr std::size_t kMaxInputs =
    8;  // more operands than this and the walk over them costs what fusion gains

bool is_formula(const Node& node) {
  return node.kind() == NodeKind::Operator && node.definition()->is_elementwise() &&
         !node.has_effects() && node.definition()->infer == op::infer_elementwise;
}

op::DType compute_type(const Node& node) {
  std::vector<TensorSpec> types;
  for (const Output& operand : node.operands()) types.push_back(operand.type());
  return op::elementwise_compute_type(*node.definition(), types);
}

// The producer's values are rounded to its result type before the consumer reads them. Fused, they
// would not be: only equal types give equal results.
bool types_agree(const Node& producer, const Node& consumer) {
  return compute_type(producer) == producer.type().dtype &&
         compute_type(consumer) == producer.type().dtype && !tensor::is_half(producer.type().dtype);
}

bool can_join(const Node& producer, const Node& consumer, std::size_t operand) {
  if (!is_formula(producer) || !is_formula(consumer)) return false;
  if (consumer.definition()->inputs[operand].is_mask || producer.definition()->scalar.is_mask())
    return false;
  if (!(producer.type().shape == consumer.type().shape))
    return false;  // a stretched value would be computed again
  const auto& users = producer.users(0);
  const bool only_reader =
      std::all_of(users.begin(), users.end(), [&](const Node* user) { return user == &consumer; });
  return only_reader && !producer.is_result(0) && types_agree(producer, consumer) &&
         producer.operands().size() + consumer.operands().size() <= kMaxInputs;
}

// `expr` with every leaf replaced.
template <class Leaf>
Expr rewrite(const Expr& expr, const Leaf& leaf) {
  const op::ExprNode& node = expr.node();
  if (node.args.empty()) return leaf(node, expr);
  std::vector<Expr> args;
  for (const Expr& arg : node.args) args.push_back(rewrite(arg, leaf));
  return Expr::make(node.op, std::move(args));
}

struct Joined {
  std::vector<Output> operands;
  std::vector<op::InputDef> inputs;

  int place_of(Output operand, const op::InputDef& input) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (operands[i] == operand && inputs[i].is_mask == input.is_mask) return static_cast<int>(i);
    }
    operands.push_back(operand);
    inputs.push_back(input);
    return static_cast<int>(operands.size()) - 1;
  }
};

double attribute_number(const Node& node, int index) {
  return node.attributes()[static_cast<std::size_t>(index)].real();
}

// Attributes become constants of the joint formula, so that it has none of its own.
Expr formula_of(const Node& node, Joined& joined, const Node* inner, const Expr& inner_formula) {
  return rewrite(node.definition()->scalar, [&](const op::ExprNode& leaf, const Expr& same) {
    if (leaf.op == ScalarOp::Attribute) return Expr(attribute_number(node, leaf.index));
    if (leaf.op != ScalarOp::Input) return same;
    const Output operand = node.operands()[static_cast<std::size_t>(leaf.index)];
    if (operand.node == inner) return inner_formula;
    const op::InputDef& input = node.definition()->inputs[static_cast<std::size_t>(leaf.index)];
    return Expr::input(joined.place_of(operand, input), input.is_mask);
  });
}

void join(ir::Graph& graph, Node& producer, Node& consumer) {
  Joined joined;
  const Expr inner = formula_of(producer, joined, nullptr, Expr());
  auto definition = std::make_unique<OpDef>();
  definition->scalar = formula_of(consumer, joined, &producer, inner);
  definition->name = platform::join("fused_", consumer.definition()->name, "_", consumer.id());
  definition->internal = true;
  definition->inputs = joined.inputs;
  definition->outputs = consumer.definition()->outputs;
  definition->type_rule = consumer.definition()->type_rule;
  definition->result_type = consumer.definition()->result_type;
  definition->real_result = consumer.definition()->real_result;
  definition->infer = op::infer_elementwise;
  definition->gradient_kind = op::GradientKind::Derived;
  Node& fused = graph.add_operator(consumer.parent(), graph.own(std::move(definition)),
                                   joined.operands, {}, {consumer.type()}, &consumer);
  fused.set_position(consumer.position());
  graph.replace(consumer.output(), fused.output());
  graph.erase(consumer);
  graph.erase(producer);
}

bool join_once(ir::Graph& graph, const ir::Region& region) {
  for (Node* consumer : region.nodes()) {
    for (std::size_t i = 0; i < consumer->operands().size(); ++i) {
      const Output operand = consumer->operands()[i];
      if (!operand || &operand.node->parent() != &region || !can_join(*operand.node, *consumer, i))
        continue;
      join(graph, *operand.node, *consumer);
      return true;
    }
  }
  return false;
}

bool fuse_in(ir::Graph& graph, const ir::Region& region) {
  bool changed = false;
  for (Node* node : region.nodes()) {
    for (const auto& inner : node->regions()) changed |= fuse_in(graph, *inner);
  }
  while (join_once(graph, region)) changed = true;
  return changed;
}

}  // namespace

bool fuse_elementwise(ir::Graph& graph) { return fuse_in(graph, graph.body()); }

}  // namespace mycel::passes
