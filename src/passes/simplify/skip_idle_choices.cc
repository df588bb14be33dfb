// SPDX-License-Identifier: Apache-2.0
#include "passes/memory_effects.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace mycel::passes {
namespace {

using ir::Node;
using ir::Output;

bool is_idle(const Node& node) {
  const op::Traits* traits = traits_of(node);
  if (traits == nullptr || !traits->chooses) return false;
  const Output value = node.operands()[1];
  return value == node.operands()[2] && value.type().dtype == node.type().dtype &&
         value.type().shape == node.type().shape && !is_parameter_memory(value);
}

}  // namespace

bool skip_idle_choices(ir::Graph& graph) {
  return in_every_region(graph, [](const ir::Region& region) {
    bool changed = false;
    for (Node* node : region.nodes()) {
      if (!is_idle(*node) || is_written(*node)) continue;
      const std::vector<Node*> users = node->users(0);
      for (Node* user : users) {
        if (is_idle(*user) && user->is_result()) continue;  // marks that it is the result
        for (std::size_t i = 0; i < user->operands().size(); ++i) {
          if (user->operands()[i] == node->output()) user->set_operand(i, node->operands()[1]);
        }
        changed = true;
      }
    }
    return changed;
  });
}

}  // namespace mycel::passes
