// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "operator/registry.h"
#include "passes/memory_effects.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace mycel::passes {
namespace {

using ir::Node;
using ir::NodeKind;
using ir::Output;

const op::Absorption& absorbed_by(const Node& node) { return node.definition()->traits.absorbs; }

bool absorbs_activation(const Node& node) {
  const op::Traits* traits = traits_of(node);
  return traits != nullptr && !traits->absorbs.activation.empty();
}

Output operand(const Node& node, int place) {
  return node.operands()[static_cast<std::size_t>(place)];
}

// Whether the operator is one that `norm` knows as what follows it.
bool is_activation_of(const op::OpDef* definition, const Node& norm) {
  if (definition == nullptr) return false;
  const op::OpDef& own = *norm.definition();
  const int place = own.find_attribute(absorbed_by(norm).activation);
  const auto& choices = own.attributes[static_cast<std::size_t>(place)].choices;
  return std::ranges::find(choices, definition->name) != choices.end();
}

void set_activation(Node& node, std::string_view attribute_name, const std::string& name) {
  const int place = node.definition()->find_attribute(attribute_name);
  node.attributes()[static_cast<std::size_t>(place)] = name;
}

// Attributes that both have are the same.
bool agree(const Node& one, const Node& other) {
  for (const op::AttributeDef& known : one.definition()->attributes) {
    const bool is_common = other.definition()->find_attribute(known.name) >= 0;
    if (is_common && !(attribute(one, known.name) == attribute(other, known.name))) return false;
  }
  return true;
}

class Combining {
 public:
  Combining(ir::Graph& graph, const ir::Region& region) : graph_(graph), region_(region) {
    std::size_t place = 0;
    for (Node* node : region.nodes()) place_[node] = place++;
    for (Node* node : region.nodes()) {
      if (writes_memory(*node)) writes_.push_back(node);
    }
  }

  bool run() {
    bool changed = false;
    const std::vector<Node*> nodes(region_.nodes().begin(), region_.nodes().end());
    for (Node* node : nodes) {
      if (!absorbs_activation(*node)) continue;
      if (Node* grown = take_residual(*node)) {
        node = grown;
        changed = true;
      }
      changed |= take_activation(*node);
    }
    return changed;
  }

 private:
  static Node* only_reader(Node& node) {
    const auto& users = node.users(0);
    const bool one = users.size() == 1 && !node.is_result(0);
    return one && &users.front()->parent() == &node.parent() ? users.front() : nullptr;
  }

  bool is_known_before(Output value, const Node& node) const {
    const auto found = place_.find(value.node);
    return found == place_.end() || found->second < place_.at(&node);  // arguments have no place
  }

  // The sum takes the place of the normalised values, when its other part is there already.
  Node* take_residual(Node& norm) {
    Node* sum = only_reader(norm);
    const op::Traits* follows = sum == nullptr ? nullptr : traits_of(*sum);
    if (follows == nullptr || !follows->adds) return nullptr;
    const Output first = sum->operands()[0], second = sum->operands()[1];
    const Output other = first.node == &norm ? second : first;
    if (!(other.type().shape == norm.type().shape) || other.type().dtype != norm.type().dtype ||
        !is_known_before(other, norm) || is_parameter_memory(other))
      return nullptr;
    std::vector<Output> operands = norm.operands();
    operands[static_cast<std::size_t>(absorbed_by(norm).addend)] = other;
    Node& grown =
        add_before(graph_, norm, *norm.definition(), std::move(operands), norm.attributes());
    grown.set_origin(op::joined(sum->origin(), norm.origin()));
    place_[&grown] = place_.at(&norm);
    graph_.replace(sum->output(), grown.output());
    graph_.erase(*sum);
    replace_all(norm, grown);
    return &grown;
  }

  void replace_all(Node& node, Node& replacement) {
    for (std::uint32_t i = 0; i < node.output_count(); ++i)
      graph_.replace(node.output(i), replacement.output(i));
    graph_.erase(node);
  }

  // relu or relu6 among the readers of the normalised values; the others may only be gradients
  // that can go along.
  bool take_activation(Node& norm) {
    if (norm.is_result(0)) return false;
    Node* activation = nullptr;
    std::vector<Node*> gradients;
    for (Node* user : norm.users(0)) {
      if (&user->parent() != &region_) return false;
      const bool activates = is_activation_of(user->definition(), norm);
      if (activates && activation == nullptr) {
        activation = user;
      } else {
        gradients.push_back(user);
      }
    }
    if (activation == nullptr) return false;
    const op::OpDef& taken = *activation->definition();
    const auto fits = [&](Node* user) { return is_own_gradient(*user, norm, taken); };
    if (!std::all_of(gradients.begin(), gradients.end(), fits)) return false;
    for (Node* user : activation->users(0)) {
      // Positive where the input is: the gradient may read the result instead.
      if (taken.traits.slope_follows_result && is_own_gradient(*user, norm, taken))
        gradients.push_back(user);
    }
    for (Node* gradient : gradients) absorb_gradient(*gradient, norm, taken.name);
    set_activation(norm, absorbed_by(norm).activation, taken.name);
    norm.set_origin(op::joined(activation->origin(), norm.origin()));
    graph_.replace(activation->output(), norm.output());
    graph_.erase(*activation);
    return true;
  }

  // Without a residual the sign of the result follows from the input, which the gradient of the
  // normalisation reads anyway: then the activation's gradient needs no walk of its own.
  bool is_own_gradient(Node& node, Node& norm, const op::OpDef& activation) const {
    const op::Absorption& known = absorbed_by(norm);
    if (node.definition() == nullptr || node.definition()->derivative_of != &activation ||
        operand(norm, known.addend) || node.operands()[1] == node.operands()[0] ||
        !(node.operands()[1].type().shape == node.type().shape))
      return false;
    Node* gradient = only_reader(node);
    if (gradient == nullptr || gradient->definition() != op::find_or_null(known.gradient) ||
        !(operand(*gradient, 0) == node.output()) || !agree(*gradient, norm))
      return false;
    for (std::size_t i = 0; i < known.gradient_reads.size(); ++i) {
      const auto [is_output, index] = known.gradient_reads[i];
      const Output expected =
          is_output ? norm.output(static_cast<std::uint32_t>(index)) : operand(norm, index);
      if (!(gradient->operands()[i + 1] == expected)) return false;
    }
    const Output bias = operand(norm, known.bias);
    return !(bias && is_changed_between(bias, norm, *gradient));
  }

  void absorb_gradient(Node& node, Node& norm, const std::string& activation) {
    const op::Absorption& known = absorbed_by(norm);
    Node& gradient = *only_reader(node);
    std::vector<Output> operands = gradient.operands();
    operands[0] = node.operands()[1];
    operands[static_cast<std::size_t>(known.bias_of_gradient)] = operand(norm, known.bias);
    Node& joined = add_before(graph_, gradient, *gradient.definition(), std::move(operands),
                              gradient.attributes());
    joined.set_origin(op::joined(node.origin(), gradient.origin()));
    place_[&joined] = place_.at(&gradient);
    set_activation(joined, known.activation, activation);
    replace_all(gradient, joined);
    graph_.erase(node);
  }

  bool is_changed_between(Output bias, const Node& from, const Node& to) const {
    if (!is_parameter_memory(bias)) return is_written_through_views(bias);
    if (bias.node->kind() != NodeKind::Parameter) return true;
    return std::any_of(writes_.begin(), writes_.end(), [&](const Node* write) {
      if (place_.at(write) < place_.at(&from) || place_.at(write) > place_.at(&to)) return false;
      if (write->kind() != NodeKind::Operator) return true;
      for (std::size_t i = 0; i < write->operands().size(); ++i) {
        const Output& target = write->operands()[i];
        if (!target || !may_write(*write, i) || !is_parameter_memory(target)) continue;
        const bool other = target.node->kind() == NodeKind::Parameter &&
                           !(target.node->tensor() == bias.node->tensor());
        if (!other) return true;
      }
      return false;
    });
  }

  ir::Graph& graph_;
  const ir::Region& region_;
  std::unordered_map<const Node*, std::size_t> place_;
  std::vector<const Node*> writes_;
};

}  // namespace

bool combine_batch_norm(ir::Graph& graph) {
  return in_every_region(graph,
                         [&](const ir::Region& region) { return Combining(graph, region).run(); });
}

}  // namespace mycel::passes
