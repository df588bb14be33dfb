// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "ir/constant_number.h"
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
// The interpreter keeps values in blocks that it uses again; those alive must fit its cache.
constexpr std::size_t kMaxSteps = 48;

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

bool can_join(const Node& producer, const Node& consumer, std::size_t operand) {
  if (!is_formula(producer) || !is_formula(consumer)) return false;
  if (!roles_agree(producer, consumer, operand)) return false;
  // A stretched value would be computed again for every place it is stretched to.
  if (!(producer.type().shape == consumer.type().shape)) return false;
  const auto& users = producer.users(0);
  const bool only_reader =
      std::all_of(users.begin(), users.end(), [&](const Node* user) { return user == &consumer; });
  return only_reader && !producer.is_result(0) &&
         types_agree(producer, consumer, producer.definition()->scalar.is_mask());
}

// `expr` with every leaf replaced; parts it has in common stay in common.
template <class Leaf>
class Rewriter {
 public:
  explicit Rewriter(const Leaf& leaf) : leaf_(leaf) {}
  Expr run(const Expr& expr) {
    if (const auto found = done_.find(expr.id()); found != done_.end()) return found->second;
    const op::ExprNode& node = expr.node();
    std::vector<Expr> args;
    for (const Expr& arg : node.args) args.push_back(run(arg));
    Expr result = args.empty() ? leaf_(node, expr) : Expr::make(node.op, std::move(args));
    return done_.emplace(expr.id(), std::move(result)).first->second;
  }

 private:
  const Leaf& leaf_;
  std::unordered_map<const op::ExprNode*, Expr> done_;
};

struct Joined {
  std::vector<Output> operands;
  std::vector<op::InputDef> inputs;
  bool takes_numbers = true;  // into the formula

  int place_of(Output operand, const op::InputDef& input) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (operands[i] == operand && inputs[i].is_mask == input.is_mask) return static_cast<int>(i);
    }
    operands.push_back(operand);
    inputs.push_back(input);
    return static_cast<int>(operands.size()) - 1;
  }
};

// Attributes become constants of the joint formula, so that it has none of its own.
Expr formula_of(const Node& node, Joined& joined, const Node* inner, const Expr& inner_formula) {
  const auto replace = [&](const op::ExprNode& leaf, const Expr& same) {
    const auto index = static_cast<std::size_t>(leaf.index);
    if (leaf.op == ScalarOp::Attribute) return Expr(ir::attribute_number(node.attributes()[index]));
    if (leaf.op != ScalarOp::Input) return same;
    const Output operand = node.operands()[index];
    if (operand.node == inner) return inner_formula;
    const op::InputDef& input = node.definition()->inputs[index];
    // A Python number that was there when the graph was made becomes part of the formula.
    const std::optional<double> number =
        joined.takes_numbers && !input.is_mask ? ir::constant_number(operand) : std::nullopt;
    if (number) return Expr(*number);
    return Expr::input(joined.place_of(operand, input), input.is_mask);
  };
  return Rewriter(replace).run(node.definition()->scalar);
}

std::unique_ptr<OpDef> joint_definition(const Node& producer, const Node& consumer,
                                        Joined& joined) {
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
  return definition;
}

// Whether the joint formula computes in the type, and gives the shape, that its parts did. Numbers
// may have had a say in the type: a float makes floats of integers.
bool means_the_same(const OpDef& definition, const Joined& joined, const Node& consumer) {
  if (joined.operands.empty() || joined.operands.size() > kMaxInputs) return false;
  std::vector<TensorSpec> types;
  for (const Output& operand : joined.operands) types.push_back(operand.type());
  return op::elementwise_compute_type(definition, types) == compute_type(consumer);
}

// Null: they cannot be one formula.
Node* join(ir::Graph& graph, Node& producer, Node& consumer) {
  Joined joined;
  std::unique_ptr<OpDef> definition = joint_definition(producer, consumer, joined);
  if (!means_the_same(*definition, joined, consumer)) {
    joined = {};
    joined.takes_numbers = false;
    definition = joint_definition(producer, consumer, joined);
    if (!means_the_same(*definition, joined, consumer)) return nullptr;
  }
  if (definition->program().steps.size() > kMaxSteps) return nullptr;
  Node& fused = graph.add_operator(consumer.parent(), graph.own(std::move(definition)),
                                   joined.operands, {}, {consumer.type()}, &consumer);
  fused.set_origin(op::joined(producer.origin(), consumer.origin()));
  graph.replace(consumer.output(), fused.output());
  graph.erase(consumer);
  graph.erase(producer);
  return &fused;
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
      Node* const fused = join(graph_, *operand.node, consumer);
      if (fused == nullptr) continue;
      writes_.note_replacement(consumer, *fused);
      return fused;
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
