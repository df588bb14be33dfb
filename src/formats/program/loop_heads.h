// SPDX-License-Identifier: Apache-2.0
// Finds loops among graphs that call each other: a graph that is called again where a turn ends.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "formats/program/graph.h"

namespace mycel::formats {

// A graph that every turn of a loop begins with.
struct LoopHead {
  const Graph* graph = nullptr;
  // It ends with the choice between a turn and the end of the loop; otherwise the turn itself finds
  // out.
  bool is_asking = false;
  bool turn_if = true;               // the answer for which there is a turn
  std::vector<std::size_t> varying;  // its arguments that a turn may change
};

// The loop that begins with a graph; `around`: heads of the loops in whose turns it is called.
std::optional<LoopHead> head_of(const Graph& graph, std::span<const Graph* const> around);

}  // namespace mycel::formats
