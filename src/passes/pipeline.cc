// SPDX-License-Identifier: Apache-2.0
#include "passes/pipeline.h"

#include <chrono>

#include "passes/passes.h"
#include "platform/log/log.h"

namespace mycel::passes {
namespace {

// Shapes are known and gradients taken when a graph is recorded; memory is planned after the last
// pass, when it is laid out (runtime/lay_out.cc).
constexpr Pass kPipeline[] = {
    // ---- simplify
    {"erase_dead_nodes", erase_dead_nodes, "drops what nobody reads"},
    {"simplify_algebra", simplify_algebra, "drops operators that change nothing"},
    {"merge_equal_nodes", merge_equal_nodes, "computes once what is written twice"},
    {"join_branches", join_branches, "takes what both sides of a decision give from before it"},
    {"elide_copies", elide_copies, "writes into values where they lie if nobody reads them again"},
    // ---- layout
    {"propagate_layout", propagate_layout,
     "keeps activations in the layout that convolutions work on"},
    // ---- fuse
    {"combine_convolution", combine_convolution,
     "lets convolutions normalise, add and clamp before they store"},
    {"combine_batch_norm", combine_batch_norm,
     "lets batch normalisation add and clamp in one walk, forward and backward"},
    {"fuse_elementwise", fuse_elementwise, "joins elementwise operators into one formula"},
    {"fuse_regions", fuse_regions, "lets a device compute what lies in one space in one go"},
    {"erase_dead_nodes", erase_dead_nodes, "drops what the passes before have left behind"},
    // ---- order
    {"split_updates", split_updates, "cuts steps over all parameters where gradients become known"},
    {"hoist_updates", hoist_updates,
     "lets parameters be updated as soon as their gradients are known"},
};

}  // namespace

std::span<const Pass> pipeline() { return kPipeline; }

void optimize(ir::Graph& graph, const PipelineOptions& options) {
  if (options.watch) options.watch("captured", graph);
  for (const Pass& pass : kPipeline) {
    if (options.off.contains(pass.name)) continue;
    const auto start = std::chrono::steady_clock::now();
    const bool changed = pass.run(graph);
    const std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - start;
    platform::log_debug("'", graph.name(), "': ", pass.name, " took ", taken.count(), " ms",
                        changed ? "" : " and changed nothing");
    if (changed && options.verify) ir::verify(graph);
    if (changed && options.watch) options.watch(pass.name, graph);
  }
  if (options.watch) options.watch("final", graph);
}

}  // namespace mycel::passes
