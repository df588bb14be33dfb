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

Output& at(std::vector<Output>& operands, int place) {
  return operands[static_cast<std::size_t>(place)];
}

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
void take_normalization(ir::Graph& graph, Combination& combined, Node& norm,
                        const op::Absorption& places) {
  const op::OpDef& definition = op::find(traits_of(norm)->factors);
  const auto& given = norm.operands();
  Node& factors = add_before(graph, norm, definition, {given.begin() + 1, given.end()},
                             attributes_like(definition, norm));
  at(combined.operands, places.scale) = factors.output(0);
  at(combined.operands, places.shift) = factors.output(1);
}

// Takes the reader into the combination; false: it does not fit. Activations stay outside: oneDNN
// clamps with an instruction that turns NaN into the bound.
bool take(ir::Graph& graph, Combination& combined, Node& convolution, Node& reader) {
  const op::Traits* follows = traits_of(reader);
  if (follows == nullptr) return false;
  const op::Absorption& places = traits_of(convolution)->absorbs;
  const bool scaled = static_cast<bool>(at(combined.operands, places.scale));
  const bool added = static_cast<bool>(at(combined.operands, places.addend));
  if (!follows->factors.empty() && reader.operands()[0].node == &convolution && !scaled && !added) {
    take_normalization(graph, combined, reader, places);
    return true;
  }
  if (follows->adds && !added) {
    const Output first = reader.operands()[0], second = reader.operands()[1];
    const Output other = first.node == &convolution ? second : first;
    if (other.node == &convolution || !(other.type().shape == convolution.type().shape) ||
        other.type().dtype != convolution.type().dtype)
      return false;
    at(combined.operands, places.addend) = other;
    return true;
  }
  return false;
}

bool absorbs_factors(const Node& node) {
  const op::Traits* traits = traits_of(node);
  return traits != nullptr && traits->absorbs.scale >= 0 && traits->absorbs.addend >= 0;
}

// The convolution joined with its reader, or null.
Node* join(ir::Graph& graph, MemoryEffects& writes, Node& convolution) {
  Node* reader = only_reader(convolution);
  if (reader == nullptr || !writes.can_sink(convolution, *reader)) return nullptr;
  Combination combined{convolution.operands(), convolution.attributes()};
  if (!take(graph, combined, convolution, *reader)) return nullptr;
  Node& joined = add_before(graph, *reader, *convolution.definition(), std::move(combined.operands),
                            std::move(combined.attributes));
  joined.set_origin(op::joined(convolution.origin(), reader->origin()));
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
      if (!absorbs_factors(*node)) continue;
      while ((node = join(graph, writes, *node)) != nullptr) changed = true;
    }
    return changed;
  });
}

}  // namespace mycel::passes
