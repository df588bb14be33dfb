// SPDX-License-Identifier: Apache-2.0
#include "passes/rewrite.h"

#include "operator/contexts.h"
#include "platform/error/error.h"

namespace mycel::passes {

using ir::Node;
using ir::Output;

namespace {

bool in_region(ir::Region& region, const std::function<bool(ir::Region& region)>& change) {
  bool changed = change(region);
  for (Node* node : region.nodes()) {
    for (const auto& inner : node->regions()) changed |= in_region(*inner, change);
  }
  return changed;
}

}  // namespace

bool in_every_region(ir::Graph& graph, const std::function<bool(ir::Region& region)>& change) {
  return in_region(graph.body(), change);
}

const op::Traits* traits_of(const ir::Node& node) {
  return node.kind() == ir::NodeKind::Operator ? &node.definition()->traits : nullptr;
}

const op::AttributeValue& attribute(const Node& node, std::string_view name) {
  const int index = node.definition()->find_attribute(name);
  platform::require(index >= 0, platform::ErrorKind::Internal, "operator '",
                    node.definition()->name, "' has no attribute '", name, "'");
  return node.attributes()[static_cast<std::size_t>(index)];
}

op::AttributeList attributes_for(const op::OpDef& definition,
                                 std::vector<op::NamedAttribute> given) {
  op::AttributeList attributes;
  for (const op::AttributeDef& known : definition.attributes) attributes.push_back(known.initial);
  for (op::NamedAttribute& one : given) {
    const int index = definition.find_attribute(one.name);
    platform::require(index >= 0, platform::ErrorKind::Internal, "operator '", definition.name,
                      "' has no attribute '", one.name, "'");
    attributes[static_cast<std::size_t>(index)] = std::move(one.value);
  }
  return attributes;
}

op::AttributeList attributes_like(const op::OpDef& definition, const Node& node) {
  op::AttributeList attributes;
  for (const op::AttributeDef& known : definition.attributes) {
    const int index = node.definition()->find_attribute(known.name);
    attributes.push_back(index >= 0 ? node.attributes()[static_cast<std::size_t>(index)]
                                    : known.initial);
  }
  return attributes;
}

Node& add_before(ir::Graph& graph, Node& before, const op::OpDef& definition,
                 std::vector<Output> operands, op::AttributeList attributes) {
  static const tensor::Tensor something = tensor::Tensor::empty({}, tensor::DType::Float32);
  std::vector<op::TensorSpec> inputs;
  std::vector<tensor::Tensor> present;  // inference only asks whether an input is there
  for (const Output& operand : operands) {
    inputs.push_back(operand ? operand.type() : op::TensorSpec());
    present.push_back(operand ? something : tensor::Tensor());
  }
  op::InferContext context(definition, attributes, inputs, present);
  definition.infer(context);
  Node& node = graph.add_operator(before.parent(), definition, std::move(operands),
                                  std::move(attributes), context.outputs(), &before);
  node.set_origin(before.origin());
  return node;
}

}  // namespace mycel::passes
