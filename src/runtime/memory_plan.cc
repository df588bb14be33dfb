// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory_plan.h"

#include <algorithm>
#include <numeric>

namespace mycel::runtime {
namespace {

constexpr std::size_t kAlignment = 64;

std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

struct Taken {
  std::size_t begin, end;
};

std::size_t lowest_gap(std::vector<Taken>& taken, std::size_t bytes) {
  std::sort(taken.begin(), taken.end(),
            [](const Taken& a, const Taken& b) { return a.begin < b.begin; });
  std::size_t place = 0;
  for (const Taken& block : taken) {
    if (place + bytes <= block.begin) break;
    place = std::max(place, block.end);
  }
  return place;
}

}  // namespace

MemoryPlan plan_memory(const std::vector<Lifetime>& blocks) {
  MemoryPlan plan;
  plan.offsets.resize(blocks.size());
  std::vector<std::size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return blocks[a].bytes > blocks[b].bytes; });
  std::vector<std::size_t> placed;
  std::vector<Taken> taken;
  for (const std::size_t index : order) {
    const Lifetime& block = blocks[index];
    taken.clear();
    for (const std::size_t other : placed) {
      const bool together = blocks[other].first <= block.last && block.first <= blocks[other].last;
      if (together)
        taken.push_back({plan.offsets[other], plan.offsets[other] + aligned(blocks[other].bytes)});
    }
    plan.offsets[index] = lowest_gap(taken, aligned(block.bytes));
    plan.bytes = std::max(plan.bytes, plan.offsets[index] + aligned(block.bytes));
    placed.push_back(index);
  }
  return plan;
}

}  // namespace mycel::runtime
