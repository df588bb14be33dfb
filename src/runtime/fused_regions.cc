// SPDX-License-Identifier: Apache-2.0
#include "runtime/fused_regions.h"

#include <mutex>
#include <set>

#include "ir/region_draft.h"
#include "platform/log/log.h"

namespace mycel::runtime {

namespace {

void tell_once(const std::string& name, const std::string& reason) {
  static std::mutex mutex;  // guards told
  static std::set<std::string> told;
  const std::lock_guard lock(mutex);
  if (told.insert(reason).second)
    platform::log_debug("'", name, "' is not computed in one go: ", reason);
}

}  // namespace

FusedRegions compile_regions(const ir::Graph& graph) {
  FusedRegions regions;
  op::RegionCompiler* const compiler = op::region_compiler(graph.device());
  if (compiler == nullptr) return regions;
  ir::walk(graph.body(), [&](const ir::Node& node) {
    if (node.kind() != ir::NodeKind::Fused) return;
    std::optional<op::RegionProgram> program = ir::region_program(node);
    if (!program) {
      tell_once(node.name(), "its values lie in several spaces");
      return;
    }
    auto compiled = compiler->compile(*program, graph.device());
    if (!compiled) {
      tell_once(node.name(), compiled.error().message());
      return;
    }
    const op::RegionState state = compiled.value()->state();
    if (state == op::RegionState::Failed) return;
    regions[&node] = {*std::move(program), std::move(compiled).value(),
                      state == op::RegionState::Compiling};
  });
  return regions;
}

}  // namespace mycel::runtime
