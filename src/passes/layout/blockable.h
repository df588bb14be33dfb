// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "ir/graph.h"

namespace mycel::passes {

// A node that could work on blocked activations, (N, C / block, H, W, block).
struct Blockable {
  ir::Node* node = nullptr;
  std::vector<std::size_t> operands;   // those that would be blocked
  std::vector<std::uint32_t> outputs;  // those that would be
  // Elements that the plain form reorders on every call: what a convolution gains.
  std::int64_t reordered = 0;
  std::vector<std::pair<std::string_view, op::AttributeValue>> changed = {};  // of the blocked form
};

std::optional<Blockable> as_blockable(ir::Node& node, std::int64_t block);

// Writes the blocked form of a node before it. `operands` are the node's own, blocked where
// `Blockable` says so. Gives what stands for each of the node's outputs, blocked or not.
std::vector<ir::Output> add_blocked(ir::Graph& graph, const Blockable& plain,
                                    std::vector<ir::Output> operands, std::int64_t block);

}  // namespace mycel::passes
