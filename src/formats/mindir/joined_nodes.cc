// SPDX-License-Identifier: Apache-2.0
#include "formats/mindir/joined_nodes.h"

namespace mycel::formats::mindir {

UseCounts count_uses(std::span<const std::unique_ptr<Graph>> graphs) {
  UseCounts uses;
  const auto note = [&](const Operand& operand) {
    if (operand.kind == Operand::Kind::Slot) ++uses[{operand.graph, operand.index}];
  };
  for (const auto& graph : graphs) {
    for (const auto& [slot, node] : graph->nodes) {
      note(node.callee);
      for (const Operand& operand : node.operands) note(operand);
    }
    for (const Operand& output : graph->outputs) note(output);
  }
  return uses;
}

}  // namespace mycel::formats::mindir
