// SPDX-License-Identifier: Apache-2.0
#include <unordered_set>

#include "ir/graph.h"
#include "operator/contexts.h"
#include "operator/turn_log.h"
#include "platform/error/error.h"

namespace mycel::ir {
namespace {

class Verifier {
 public:
  std::string problems;

  void region(const Region& region) {
    for (const Node* argument : region.arguments()) {
      sizes(*argument);
      visible_.insert(argument);
    }
    for (const Node* node : region.nodes()) {
      operands(*node);
      sizes(*node);
      if (node->kind() == NodeKind::Operator) types(*node);
      if (node->kind() == NodeKind::If) branches(*node);
      if (node->kind() == NodeKind::While) loop(*node);
      if (node->kind() == NodeKind::Fused) fused(*node);
      for (const auto& inner : node->regions()) this->region(*inner);
      visible_.insert(node);
    }
    for (const Output& result : region.results()) {
      if (!result || visible_.count(result.node) == 0)
        complain("a result that is not defined in reach");
    }
    for (const Node* node : region.nodes()) visible_.erase(node);
    for (const Node* argument : region.arguments()) visible_.erase(argument);
  }

 private:
  template <class... Parts>
  void complain(const Parts&... parts) {
    problems += platform::join(parts...) + "\n";
  }

  void operands(const Node& node) {
    for (const Output& operand : node.operands()) {
      if (!operand) continue;
      if (visible_.count(operand.node) == 0)
        complain("%", node.id(), " reads %", operand.node->id(), " before it is defined");
      if (operand.index >= operand.node->output_count())
        complain("%", node.id(), " reads an output that is not there");
    }
  }

  // Formulas of sizes must give the sizes for which the graph was made.
  void sizes(const Node& node) {
    for (std::size_t i = 0; i < node.output_count(); ++i) {
      const std::vector<SizeRef>& known = node.facts(i).sizes;
      if (known.empty()) continue;
      const tensor::Shape& shape = node.type(i).shape;
      bool is_right = known.size() == shape.size();
      for (std::size_t axis = 0; is_right && axis < known.size(); ++axis)
        is_right = !known[axis] || evaluate(*known[axis], node.parent().graph()) == shape[axis];
      if (!is_right)
        complain("%", node.id(), ": sizes of output ", i, " are not those of its type");
    }
  }

  // What inference gives now must be what the node says; dynamic results are known only when run.
  void types(const Node& node) {
    const OpDef& definition = *node.definition();
    if (definition.dynamic_outputs) return;
    std::vector<TensorSpec> inputs;
    std::vector<Tensor> present;  // tells inference which optional inputs are left out
    bool complete = true;
    for (const Output& operand : node.operands()) {
      inputs.push_back(operand ? operand.type() : TensorSpec());
      present.push_back(operand ? something_ : Tensor());
      complete &= static_cast<bool>(operand);
    }
    if (complete) present.clear();
    AttributeList attributes = node.attributes();
    op::InferContext context(definition, attributes, inputs, present);
    try {
      definition.infer(context);
    } catch (const platform::Error& error) {
      complain("%", node.id(), " ", definition.name, ": ", error.message());
      return;
    }
    const auto& expected = context.outputs();
    for (std::size_t i = 0; i < expected.size() && i < node.output_count(); ++i) {
      const bool same =
          expected[i].dtype == node.type(i).dtype && expected[i].shape == node.type(i).shape;
      if (!same)
        complain("%", node.id(), " ", definition.name, ": output ", i,
                 " has another type than inference gives");
    }
  }

  static bool same_types(const TensorSpec& a, const TensorSpec& b) {
    return a.dtype == b.dtype && a.shape == b.shape;
  }
  static bool same_types(const Output& value, const TensorSpec& type) {
    return !value || same_types(value.type(), type);  // none: above
  }

  void branches(const Node& node) {
    if (node.operands().size() != 1 || tensor::element_count(node.operands()[0].type().shape) != 1)
      complain("%", node.id(), " if: the condition must be one value");
    for (const auto& branch : node.regions()) {
      if (!branch->arguments().empty()) complain("%", node.id(), " if: a branch has no arguments");
      if (branch->results().size() != node.output_count()) {
        complain("%", node.id(), " if: a branch has another number of results");
        continue;
      }
      for (std::size_t i = 0; i < node.output_count(); ++i) {
        if (!same_types(branch->results()[i], node.type(i)))
          complain("%", node.id(), " if: result ", i, " of a branch has another type");
      }
    }
  }

  void loop(const Node& node) {
    const std::size_t values = node.operands().size();
    const std::size_t results = node.region(1).results().size();
    if (node.output_count() < values || node.region(0).arguments().size() != values ||
        node.region(1).arguments().size() != values || results < values) {
      complain("%", node.id(), " while: every part must have every loop value");
      return;
    }
    for (std::size_t i = 0; i < values; ++i) {
      const bool same = same_types(node.operands()[i], node.type(i)) &&
                        same_types(node.region(0).arguments()[i]->output(), node.type(i)) &&
                        same_types(node.region(1).arguments()[i]->output(), node.type(i)) &&
                        same_types(node.region(1).results()[i], node.type(i));
      if (!same) complain("%", node.id(), " while: loop value ", i, " changes its type");
    }
    const TensorSpec log = op::TurnLog::type();
    if (node.output_count() > values + 1 || (results > values && !node.keeps_turns()) ||
        (node.keeps_turns() && !same_types(log, node.type(values))))
      complain("%", node.id(), " while: what turns keep must be its last output");
    const auto& condition = node.region(0).results();
    if (condition.size() != 1 ||
        (condition[0] && tensor::element_count(condition[0].type().shape) != 1))
      complain("%", node.id(), " while: the condition must be one value");
  }

  // What a device computes in one go: a straight list of plain operators that is told all it reads.
  void fused(const Node& node) {
    const Region& region = node.region(0);
    if (region.arguments().size() != node.operands().size() ||
        region.results().size() != node.output_count()) {
      complain("%", node.id(), " fused: arguments or results are missing");
      return;
    }
    for (std::size_t i = 0; i < node.operands().size(); ++i) {
      const TensorSpec& type = region.arguments()[i]->type();
      if (!same_types(node.operands()[i], type) ||
          node.operands()[i].type().is_number != type.is_number)
        complain("%", node.id(), " fused: argument ", i, " has another type than its operand");
    }
    for (std::size_t i = 0; i < node.output_count(); ++i) {
      if (!same_types(region.results()[i], node.type(i)))
        complain("%", node.id(), " fused: result ", i, " has another type");
    }
    for (const Node* inner : region.nodes()) {
      if (inner->kind() != NodeKind::Constant && inner->kind() != NodeKind::Operator)
        complain("%", node.id(), " fused: %", inner->id(), " is no operator");
      if (inner->has_effects()) complain("%", node.id(), " fused: %", inner->id(), " has effects");
      for (const Output& operand : inner->operands()) {
        if (operand && &operand.node->parent() != &region)
          complain("%", node.id(), " fused: %", inner->id(), " reads a value from outside");
      }
    }
  }

  std::unordered_set<const Node*> visible_;
  Tensor something_ = Tensor::empty({}, op::DType::Bool);
};

}  // namespace

void verify(const Graph& graph) {
  Verifier verifier;
  verifier.region(graph.body());
  platform::require(verifier.problems.empty(), platform::ErrorKind::Internal, "graph '",
                    graph.name(), "' is wrong:\n", verifier.problems);
}

}  // namespace mycel::ir
