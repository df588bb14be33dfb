// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace mycel::runtime {

// A block of memory and the steps during which it holds something, both included.
struct Lifetime {
  std::size_t bytes = 0;
  int first = 0;
  int last = 0;
};

struct MemoryPlan {
  std::vector<std::size_t> offsets;
  std::size_t bytes = 0;
};

// Offsets in one arena such that blocks alive at the same time do not overlap. Large blocks are
// placed first, each at the lowest free place.
MemoryPlan plan_memory(const std::vector<Lifetime>& blocks);

}  // namespace mycel::runtime
