// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "operator/registry.h"
#include "passes/memory_effects.h"
#include "passes/passes.h"
#include "passes/rewrite.h"

namespace mycel::passes {
namespace {

using ir::Node;
using ir::Output;

// Places among blocked_conv2d's operands.
constexpr std::size_t kScale = 3, kShift = 4, kResidual = 5;

// The one node that reads the value, or null.
Node* only_reader(Node& node) {
  const auto& users = node.users(0);
  const bool one = !users.empty() && !node.is_result(0) &&
                   std::all_of(users.begin(), users.end(),
                               [&](const Node* user) { return user == users.front(); });
  return one && &users.front()->parent() == &node.parent() ? users.front() : nullptr;
}

// A convolution with what is to follow it.
struct Combination {
  std::vector<Output> operands;
  op::AttributeList attributes;
};

// Normalisation by known statistics is a factor and an addend per channel.
void take_normalization(ir::Graph& graph, Combination& combined, Node& norm) {
  const op::OpDef& definition = op::find("normalization_factors");
  const auto& given = norm.operands();
  Node& factors = add_before(graph, norm, definition, {given[1], given[2], given[3], given[4]},
                             attributes_for(definition, {{"epsilon", attribute(norm, "epsilon")}}));
  combined.operands[kScale] = factors.output(0);
  combined.operands[kShift] = factors.output(1);
}

// Takes the reader into the combination; false: it does not fit. Activations stay outside: oneDNN
// clamps with an instruction that turns NaN into the bound.
bool take(ir::Graph& graph, Combination& combined, Node& convolution, Node& reader) {
  const bool scaled = static_cast<bool>(convolution.operands()[kScale]);
  const bool added = static_cast<bool>(convolution.operands()[kResidual]);
  if (is_operator(reader, "blocked_batch_norm_inference") && !scaled && !added) {
    take_normalization(graph, combined, reader);
    return true;
  }
  if (is_operator(reader, "add") && !added) {
    const Output first = reader.operands()[0], second = reader.operands()[1];
    const Output other = first.node == &convolution ? second : first;
    if (other.node == &convolution || !(other.type().shape == convolution.type().shape) ||
        other.type().dtype != convolution.type().dtype)
      return false;
    combined.operands[kResidual] = other;
    return true;
  }
  return false;
}

// The convolution joined with its reader, or null.
Node* join(ir::Graph& graph, MemoryEffects& writes, Node& convolution) {
  Node* reader = only_reader(convolution);
  if (reader == nullptr || !writes.can_sink(convolution, *reader)) return nullptr;
  Combination combined{convolution.operands(), convolution.attributes()};
  if (!take(graph, combined, convolution, *reader)) return nullptr;
  Node& joined = add_before(graph, *reader, *convolution.definition(), std::move(combined.operands),
                            std::move(combined.attributes));
  writes.note_replacement(*reader, joined);
  graph.replace(reader->output(), joined.output());
  graph.erase(*reader);
  graph.erase(convolution);
  return &joined;
}

}  // namespace

bool combine_convolution(ir::Graph& graph) {
  return in_every_region(graph, [&](const ir::Region& region) {
    MemoryEffects writes(region);
    bool changed = false;
    const std::vector<Node*> nodes(region.nodes().begin(), region.nodes().end());
    for (Node* node : nodes) {
      if (!is_operator(*node, "blocked_conv2d")) continue;
      while ((node = join(graph, writes, *node)) != nullptr) changed = true;
    }
    return changed;
  });
}

}  // namespace mycel::passes
