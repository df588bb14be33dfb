// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/host_memory.h"

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace mycel::backend {
namespace {

struct Held {
  unsigned char* data;
  std::size_t bytes;
};

Held hold(std::size_t bytes, int mark) {
  const Held block{static_cast<unsigned char*>(allocate_host_memory(bytes)), bytes};
  if (bytes > 0) std::memset(block.data, mark, bytes);
  return block;
}

// Small, shared and own pages; sizes on both sides of each limit.
const std::vector<std::size_t> kSizes = {0,
                                         1,
                                         64,
                                         32767,
                                         32768,
                                         100'000,
                                         1'048'576,
                                         2'097'088,
                                         2'097'152 - 1,
                                         2'097'152,
                                         2'097'153,
                                         5'000'000,
                                         40'000,
                                         std::size_t{64} << 10};

TEST(HostMemory, BlocksAreAlignedAndApart) {
  std::vector<Held> held;
  for (int round = 0; round < 3; ++round)
    for (const std::size_t bytes : kSizes)
      held.push_back(hold(bytes, static_cast<int>(held.size())));
  for (std::size_t i = 0; i < held.size(); ++i) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(held[i].data) % 64, 0U);
    if (held[i].bytes == 0) continue;
    EXPECT_EQ(held[i].data[0], i);
    EXPECT_EQ(held[i].data[held[i].bytes - 1], i);
  }
  for (const Held& block : held) release_host_memory(block.data, block.bytes);
}

TEST(HostMemory, SharedPagesServeManyThreadsInAnyOrder) {
  const auto work = [](unsigned seed) {
    std::vector<Held> held;
    for (unsigned step = 0; step < 2000; ++step) {
      seed = seed * 1664525 + 1013904223;
      if (held.size() > 8 || (seed >> 31 != 0 && !held.empty())) {
        const std::size_t at = (seed >> 8) % held.size();
        EXPECT_EQ(held[at].data[0], held[at].data[held[at].bytes - 1]);
        release_host_memory(held[at].data, held[at].bytes);
        held[at] = held.back();
        held.pop_back();
      } else {
        const Held block{static_cast<unsigned char*>(allocate_host_memory(40'000 + seed % 500'000)),
                         40'000 + seed % 500'000};
        block.data[0] = block.data[block.bytes - 1] = static_cast<unsigned char>(seed >> 16);
        held.push_back(block);
      }
    }
    for (const Held& block : held) release_host_memory(block.data, block.bytes);
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i) threads.emplace_back(work, i + 1);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace mycel::backend
