// SPDX-License-Identifier: Apache-2.0
#include "formats/mindir/joined_nodes.h"

namespace mycel::formats::mindir {

namespace {

// The only difference in what they say about axes would be a channel that is not the same one.
bool agree_on_channels(const Primitive& product, const Primitive& bias) {
  const auto format = [](const Primitive& primitive) {
    const Datum& given = primitive.attribute("data_format");
    const Datum known = converted(primitive.name(), "data_format", given, primitive.version());
    return known.is_text() ? known.text() : std::string("NCHW");
  };
  return format(product) == format(bias);
}

void join(Graph& graph, Node& sum, const UseCounts& uses) {
  const Primitive* const bias = primitive_of(sum);
  if (bias == nullptr || bias->name() != "BiasAdd" || sum.operands.size() != 2) return;
  const Node* const product = graph.node_of(sum.operands[0]);
  if (product == nullptr || uses.at({&graph, product->slot}) != 1) return;
  const Primitive* const primitive = primitive_of(*product);
  if (primitive == nullptr || product->operands.size() != 2) return;
  const std::shared_ptr<const Primitive> biased = primitive->with_bias();
  if (biased == nullptr || !agree_on_channels(*primitive, *bias)) return;
  sum.operands = {product->operands[0], product->operands[1], sum.operands[1]};
  sum.callee = Operand::constant(Datum(std::shared_ptr<const op::Opaque>(biased)));
  sum.function = biased;
  graph.nodes.erase(product->slot);
}

}  // namespace

void join_biases(std::span<const std::unique_ptr<Graph>> graphs) {
  const UseCounts uses = count_uses(graphs);
  for (const auto& graph : graphs)
    for (auto& [slot, node] : graph->nodes) join(*graph, node, uses);
}

}  // namespace mycel::formats::mindir
