// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ir/graph.h"

namespace mycel::ir {

// How sizes of a program's values follow from lengths of its arguments. Inference of shapes knows
// numbers only; so the formulas are found from what it gave for arguments of several sizes, and a
// formula counts only if it explains all of them.
class SizeTable {
 public:
  // Fewer than this many sizes explain too little.
  static constexpr std::size_t kLeastSamples = 4;

  // From graphs that were recorded for arguments of several sizes. Nothing: they are not one
  // program, are too few, or no size differs. Axes of arguments that have the same length in all of
  // them count as one symbol.
  static std::optional<SizeTable> explain(std::span<const Graph* const> samples);

  // Says so in a graph of this program. Where a formula gives another size than the graph has, the
  // size stays unknown.
  void fill(Graph& graph) const;

 private:
  struct Entry {
    const OpDef* definition = nullptr;
    std::vector<std::vector<SizeRef>> sizes;  // of each output
  };
  std::vector<Entry> entries_;  // in the order of `every_node`
};

}  // namespace mycel::ir
