// SPDX-License-Identifier: Apache-2.0
#include "passes/layout/blockable.h"

#include <algorithm>

#include "operator/blocking.h"
#include "operator/registry.h"
#include "passes/memory_effects.h"
#include "passes/rewrite.h"

namespace mycel::passes {
namespace {

using ir::Node;
using ir::Output;
using op::TensorSpec;
using tensor::DType;
using tensor::IntList;
using tensor::Shape;

// What the operator itself says.
std::optional<Blockable> as_planned(Node& node, std::int64_t block) {
  if (node.definition()->traits.plan_blocks == nullptr) return {};
  std::vector<const TensorSpec*> inputs;
  std::vector<TensorSpec> outputs;
  for (const Output& operand : node.operands())
    inputs.push_back(operand ? &operand.type() : nullptr);
  for (std::uint32_t i = 0; i < node.output_count(); ++i) outputs.push_back(node.type(i));
  op::BlockPlan plan(*node.definition(), node.attributes(), inputs, outputs, block);
  if (!node.definition()->traits.plan_blocks(plan)) return {};
  return Blockable{&node, std::move(plan.operands), std::move(plan.results), plan.reordered,
                   std::move(plan.changed)};
}

// How an operand that is stretched is seen beside blocked ones: a number stays; (…, C, 1, 1) and
// values that are the same for all channels only need another shape.
std::optional<Shape> stretched_shape(const Shape& shape, std::int64_t channels,
                                     std::int64_t block) {
  if (tensor::element_count(shape) == 1)
    return shape.size() <= 4 ? std::optional(shape) : std::nullopt;
  if (shape.size() > 4) return {};
  const std::size_t rank = shape.size();
  const std::int64_t own = rank >= 3 ? shape[rank - 3] : 1;
  Shape seen = shape;
  if (own == 1) {
    seen.push_back(1);
    return seen;
  }
  if (own != channels || shape[rank - 1] != 1 || shape[rank - 2] != 1) return {};
  seen[rank - 3] /= block;
  seen.push_back(block);
  return seen;
}

std::optional<Blockable> as_elementwise(Node& node, std::int64_t block) {
  if (!node.definition()->is_elementwise() || node.definition()->infer != op::infer_elementwise ||
      !op::can_block(node.type(), block))
    return {};
  const Shape& shape = node.type().shape;
  Blockable found{&node, {}, {0}};
  for (std::size_t i = 0; i < node.operands().size(); ++i) {
    const TensorSpec& type = node.operands()[i].type();
    if (type.shape == shape) {
      found.operands.push_back(i);
    } else if (!stretched_shape(type.shape, shape[1], block)) {
      return {};
    }
  }
  if (found.operands.empty()) return {};
  return found;
}

// ---- conditions for all ------------------------------------------------------------------------

bool values_fit(const Blockable& found, std::int64_t block) {
  const Node& node = *found.node;
  for (const std::size_t i : found.operands) {
    const Output value = node.operands()[i];
    if (!value || !op::can_block(value.type(), block) || is_parameter_memory(value)) return false;
  }
  for (const std::uint32_t i : found.outputs) {
    if (!op::can_block(node.type(i), block)) return false;
    for (const Node* user : node.users(i)) {
      for (std::size_t at = 0; at < user->operands().size(); ++at) {
        if (user->operands()[at] == Output{found.node, i} && may_write(*user, at)) return false;
      }
    }
  }
  return true;
}

const op::OpDef& blocked_definition(const Node& node) {
  const op::OpDef* own = op::find_or_null("blocked_" + node.definition()->name);
  return own != nullptr ? *own : *node.definition();
}

Output reshaped(ir::Graph& graph, Node& before, Output value, const Shape& shape) {
  const op::OpDef& reshape = op::find(op::Purpose::NewShape);
  return add_before(graph, before, reshape, {value},
                    attributes_for(reshape, {{"shape", IntList(shape.begin(), shape.end())}}))
      .output();
}

}  // namespace

std::optional<Blockable> as_blockable(Node& node, std::int64_t block) {
  if (node.kind() != ir::NodeKind::Operator || node.has_effects() || node.operands().empty())
    return {};
  std::optional<Blockable> found = as_planned(node, block);
  if (!found) found = as_elementwise(node, block);
  if (found && !values_fit(*found, block)) return {};
  return found;
}

std::vector<Output> add_blocked(ir::Graph& graph, const Blockable& plain,
                                std::vector<Output> operands, std::int64_t block) {
  Node& node = *plain.node;
  const op::OpDef& definition = blocked_definition(node);
  if (definition.is_elementwise()) {
    for (Output& operand : operands) {
      if (operand.type().rank() == 5) continue;
      const Shape& shape = operand.type().shape;
      const Shape seen = *stretched_shape(shape, node.type().shape[1], block);
      if (!(seen == shape)) operand = reshaped(graph, node, operand, seen);
    }
  }
  // Optional operands that only the blocked form has are absent.
  if (!definition.inputs.empty() && !definition.inputs.back().variadic)
    operands.resize(definition.inputs.size());
  op::AttributeList attributes = attributes_like(definition, node);
  const int place = definition.find_attribute("block");
  if (place >= 0) attributes[static_cast<std::size_t>(place)] = block;
  for (const auto& [name, value] : plain.changed)
    attributes[static_cast<std::size_t>(definition.find_attribute(name))] = value;
  Node& blocked = add_before(graph, node, definition, std::move(operands), std::move(attributes));
  std::vector<Output> outputs;
  for (std::uint32_t i = 0; i < node.output_count(); ++i) {
    const bool stays =
        std::find(plain.outputs.begin(), plain.outputs.end(), i) != plain.outputs.end();
    const bool same = blocked.type(i).shape == node.type(i).shape;
    outputs.push_back(stays || same ? blocked.output(i)
                                    : reshaped(graph, node, blocked.output(i), node.type(i).shape));
  }
  return outputs;
}

}  // namespace mycel::passes
