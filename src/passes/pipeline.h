// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "ir/graph.h"

namespace mycel::passes {

struct Pass {
  std::string_view name;
  bool (*run)(ir::Graph& graph);
  std::string_view what;  // one sentence for people
};

// In the order in which they run.
std::span<const Pass> pipeline();

struct PipelineOptions {
  std::set<std::string, std::less<>> off;  // names of passes that are left out
  // Told before the first pass ("captured"), after each that changed something, and at the end
  // ("final").
  std::function<void(std::string_view pass, const ir::Graph& graph)> watch;
  bool verify = false;  // after every pass
};

void optimize(ir::Graph& graph, const PipelineOptions& options);

}  // namespace mycel::passes
