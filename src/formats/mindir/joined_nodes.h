// SPDX-License-Identifier: Apache-2.0
// Files hold some operators in parts. Those that compute the parts in one walk round otherwise than
// the parts do; they are put together again, so that a network computes, bit by bit, what the one
// it was written from does.
#pragma once

#include <map>
#include <memory>
#include <span>

#include "formats/mindir/primitive.h"
#include "formats/program/graph.h"

namespace mycel::formats::mindir {

// Operators that add a bias in their own walk are given it.
void join_biases(std::span<const std::unique_ptr<Graph>> graphs);
// Sums of squared distances from the mean, divided by a number, are variances.
void join_variances(std::span<const std::unique_ptr<Graph>> graphs);

// Of a slot in all graphs, as an operand or as a result.
using UseCounts = std::map<SlotRef, int>;
UseCounts count_uses(std::span<const std::unique_ptr<Graph>> graphs);

inline const Primitive* primitive_of(const Node& node) {
  return dynamic_cast<const Primitive*>(node.function.get());
}

}  // namespace mycel::formats::mindir
