// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <unordered_map>

#include "ir/graph.h"
#include "operator/region_compiler.h"

namespace mycel::runtime {

// A fused node that the device computes in one go, or will.
struct FusedRegion {
  op::RegionProgram program;
  std::shared_ptr<const op::CompiledRegion> compiled;
  bool needs_nodes = false;  // it was not ready when the program was laid out
};

// By node; the nodes of others are run one by one.
using FusedRegions = std::unordered_map<const ir::Node*, FusedRegion>;

// Hands every fused node to the compiler of the graph's device.
FusedRegions compile_regions(const ir::Graph& graph);

}  // namespace mycel::runtime
