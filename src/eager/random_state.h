// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "operator/contexts.h"

namespace mycel::eager {

// The generator behind random operators: a number is a function of (seed, operator, operator seed,
// offset, element). Offsets are counted per operator and operator seed and start again with the
// seed.
void set_global_seed(std::uint64_t seed);
void clear_global_seed();

// Gives the kernel its key: the next unused part of its stream. An operator's own seed is read from
// its attributes "seed" and "seed2" when it has them.
void assign_random_key(op::KernelContext& kernel);

// All that the next keys depend on: the seed, then for every stream in use its name and the number
// of calls so far. A generator that nobody seeded takes a seed by chance, so that it can be put
// back.
std::vector<std::uint64_t> generator_state();
void set_generator_state(std::span<const std::uint64_t> words);

struct GeneratorState {
  std::uint64_t seed = 0;
  std::uint64_t offset = 0;
};

// Notes the keys given out on this thread and gives the same ones out again: a block that is
// computed a second time for its gradient draws what it drew the first time. Logs nest.
class RandomLog {
 public:
  RandomLog() = default;
  ~RandomLog();
  RandomLog(const RandomLog&) = delete;
  RandomLog& operator=(const RandomLog&) = delete;

  void remember();
  void repeat();  // from the first key on
  void stop();

 private:
  friend void assign_random_key(op::KernelContext& kernel);
  void begin(bool repeating);
  std::vector<GeneratorState> keys_;
  std::size_t next_ = 0;
  bool active_ = false;
  bool repeating_ = false;
  RandomLog* outer_ = nullptr;
};

// Whether a log on this thread notes keys or gives them out again.
bool is_logging_random();

}  // namespace mycel::eager
