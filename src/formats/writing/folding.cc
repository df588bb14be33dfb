// SPDX-License-Identifier: Apache-2.0
#include "formats/writing/folding.h"

#include <algorithm>

namespace mycel::formats::writing {

bool Folding::is_constant(const Node& node) {
  if (const auto known = is_constant_.find(&node); known != is_constant_.end())
    return known->second;
  const auto is_known = [&](const Value& operand) {
    return !operand || operand.node->kind == NodeKind::Constant ||
           (operand.node->is_operator() && is_constant(*operand.node));
  };
  const bool is_so = !node.definition->is_random && !node.definition->has_effects &&
                     std::all_of(node.operands.begin(), node.operands.end(), is_known);
  return is_constant_[&node] = is_so;
}

const std::vector<Tensor>& Folding::computed(const Node& node) {
  if (const auto known = computed_.find(&node); known != computed_.end()) return known->second;
  op::ValueList operands;
  for (const Value& operand : node.operands) {
    if (!operand) {
      operands.emplace_back();
    } else {
      const bool is_given = operand.node->kind == NodeKind::Constant;
      operands.emplace_back(
          &emitter_, is_given ? operand.node->tensor : computed(*operand.node)[operand.index]);
    }
  }
  std::vector<Tensor> outputs;
  for (const op::Value& value : emitter_.emit(*node.definition, operands, node.attributes))
    outputs.push_back(value.tensor());
  return computed_[&node] = std::move(outputs);
}

}  // namespace mycel::formats::writing
