// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "operator/registry.h"
#include "passes/memory_effects.h"
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

// More operands than this and the walk over them costs what fusion gains.
constexpr std::size_t kMaxInputs = 8;
// The executor keeps every value of a formula in a block of its own; these must fit its cache.
constexpr std::size_t kMaxSteps = 24;

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
// would not be: only equal types give equal results. A truth value has nothing to round.
bool types_agree(const Node& producer, const Node& consumer, bool as_mask) {
  const op::DType type = compute_type(consumer);
  if (tensor::is_half(type) || compute_type(producer) != type) return false;
  return as_mask || producer.type().dtype == type;
}

bool roles_agree(const Node& producer, const Node& consumer, std::size_t operand) {
  return consumer.definition()->inputs[operand].is_mask == producer.definition()->scalar.is_mask();
}

std::size_t step_count(const Node& node) { return node.definition()->program().steps.size(); }

bool can_join(const Node& producer, const Node& consumer, std::size_t operand) {
  if (!is_formula(producer) || !is_formula(consumer)) return false;
  if (!roles_agree(producer, consumer, operand)) return false;
  // A stretched value would be computed again for every place it is stretched to.
  if (!(producer.type().shape == consumer.type().shape)) return false;
  const auto& users = producer.users(0);
  const bool only_reader =
      std::all_of(users.begin(), users.end(), [&](const Node* user) { return user == &consumer; });
  return only_reader && !producer.is_result(0) &&
         types_agree(producer, consumer, producer.definition()->scalar.is_mask()) &&
         producer.operands().size() + consumer.operands().size() <= kMaxInputs + 1 &&
         step_count(producer) + step_count(consumer) <= kMaxSteps;
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
  const op::AttributeValue& value = node.attributes()[static_cast<std::size_t>(index)];
  if (value.is_none()) return 0;
  return value.is_bool() ? (value.flag() ? 1 : 0) : value.real();
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

Node& join(ir::Graph& graph, Node& producer, Node& consumer) {
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
  return fused;
}

class Fusion {
 public:
  Fusion(ir::Graph& graph, const ir::Region& region)
      : graph_(graph), region_(region), writes_(region) {}

  bool run() {
    bool changed = false;
    const std::vector<Node*> nodes(region_.nodes().begin(), region_.nodes().end());
    for (Node* node : nodes) {
      for (const auto& inner : node->regions()) changed |= Fusion(graph_, *inner).run();
      // Producers come earlier in the list and are complete; erased ones are met no more.
      while (Node* fused = absorb_one(*node)) {
        node = fused;
        changed = true;
      }
    }
    return changed;
  }

 private:
  Node* absorb_one(Node& consumer) {
    for (std::size_t i = 0; i < consumer.operands().size(); ++i) {
      const Output operand = consumer.operands()[i];
      if (!operand || &operand.node->parent() != &region_ ||
          !can_join(*operand.node, consumer, i) || !writes_.can_sink(*operand.node, consumer))
        continue;
      Node& fused = join(graph_, *operand.node, consumer);
      writes_.note_replacement(consumer, fused);
      return &fused;
    }
    return nullptr;
  }

  ir::Graph& graph_;
  const ir::Region& region_;
  MemoryEffects writes_;
};

}  // namespace

bool fuse_elementwise(ir::Graph& graph) { return Fusion(graph, graph.body()).run(); }

}  // namespace mycel::passes
