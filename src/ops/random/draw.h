// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "operator/define.h"
#include "platform/random/philox.h"

namespace mycel::ops {

// Fills a dense tensor; element i depends on the key and i only, never on the number of threads.
// 4 and 2 byte floats use one word of a block each, 8 byte ones two.
void draw_uniform(const KernelContext& kernel, const Tensor& target, double low, double high);
void draw_normal(const KernelContext& kernel, const Tensor& target, double mean, double deviation);
void draw_integers(const KernelContext& kernel, const Tensor& target, std::int64_t low,
                   std::int64_t high);

// Words of the key's sequence: words[i] is word (first + i) of block 0, 1, 2, ...
// `first` and `count` are multiples of four.
void draw_words(std::uint64_t seed, std::uint64_t offset, std::int64_t first, std::int64_t count,
                std::uint32_t* words);

// Uniform in [0, 1), number i of the key's sequence `stream`.
inline double uniform_at(const KernelContext& kernel, std::int64_t i, std::uint64_t stream = 0) {
  const platform::RandomBlock block = platform::random_block(
      kernel.random_seed, kernel.random_offset + static_cast<std::uint64_t>(i / 2), stream);
  return platform::uniform_double(block.pair(static_cast<int>(i % 2)));
}

}  // namespace mycel::ops
