// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <unordered_map>

#include "runtime/frame.h"
#include "runtime/memory_plan.h"
#include "runtime/overwriting.h"

namespace mycel::runtime {

namespace {

using RootOf = std::unordered_map<const Storage*, std::size_t>;

// The operand whose memory an instruction may write this output over: read here for the last time.
// `is_allowed` says of an input and its root whether there is nothing else against it.
template <class Allowed>
std::size_t overwritten_root(const std::vector<Root>& roots, std::span<const Tensor> inputs,
                             const Tensor& output, int now, const RootOf& root_of,
                             const Allowed& is_allowed) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& input = inputs[i];
    if (!input.defined()) continue;
    const auto found = root_of.find(&input.storage());
    if (found == root_of.end()) continue;
    const Root& root = roots[found->second];
    const bool is_free = root.kind == RootKind::Arena && !root.is_exchanged && root.last == now &&
                         root.first < now && root.bytes == output.bytes();
    if (is_free && can_overwrite(inputs, input, output) && is_allowed(i, found->second))
      return found->second;
  }
  return roots.size();
}

}  // namespace

ArenaPlan plan_arena(const Program& program, const Frame& frame) {
  const std::vector<Root>& roots = frame.roots;
  RootOf root_of;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    if (roots[i].kind == RootKind::Arena) root_of[roots[i].loan.get()] = i;
  }
  // Roots that share a block, by the first of them.
  std::vector<std::size_t> block_of(roots.size());
  std::vector<Lifetime> lifetimes(roots.size());
  for (std::size_t i = 0; i < roots.size(); ++i) {
    block_of[i] = i;
    lifetimes[i] = {roots[i].bytes, roots[i].first, roots[i].last};
  }
  const std::span<const Tensor> all(frame.operands);
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction& instruction = program.instructions[i];
    if (!overwrites(instruction)) continue;
    std::set<std::size_t> taken;  // by results before
    for (std::size_t result = instruction.outputs; result < instruction.end; ++result) {
      const Tensor& output = all[result];
      const auto written = output.defined() ? root_of.find(&output.storage()) : root_of.end();
      if (written == root_of.end() || roots[written->second].is_exchanged) continue;
      const auto inputs = all.subspan(instruction.inputs, instruction.outputs - instruction.inputs);
      const std::size_t source = overwritten_root(
          roots, inputs, output, static_cast<int>(i), root_of,
          [&](std::size_t input, std::size_t root) {
            return may_overwrite(instruction, input, result - instruction.outputs) &&
                   !taken.contains(root);
          });
      if (source == roots.size()) continue;
      taken.insert(source);
      block_of[written->second] = block_of[source];
      lifetimes[block_of[source]].last = lifetimes[written->second].last;
    }
  }
  std::vector<Lifetime> blocks;
  std::vector<std::size_t> place(roots.size());
  for (std::size_t i = 0; i < roots.size(); ++i) {
    if (roots[i].kind != RootKind::Arena || block_of[i] != i) continue;
    place[i] = blocks.size();
    blocks.push_back(lifetimes[i]);
  }
  const MemoryPlan plan = plan_memory(blocks);
  ArenaPlan arena;
  arena.bytes = plan.bytes;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    if (roots[i].kind == RootKind::Arena) arena.offsets.push_back(plan.offsets[place[block_of[i]]]);
  }
  return arena;
}

}  // namespace mycel::runtime
