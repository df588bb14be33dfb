// SPDX-License-Identifier: Apache-2.0
// Which rows of an indexed source a pass takes, and in which order.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "data/item.h"

namespace mycel::data {

using RowNumbers = std::vector<std::int64_t>;

// A sampler picks positions; with a child these are positions in what the child picks.
class Sampler {
 public:
  virtual ~Sampler() = default;
  void set_child(std::shared_ptr<Sampler> child) { child_ = std::move(child); }
  // The rows of the next pass over a source of `rows` rows.
  RowNumbers next_pass(std::int64_t rows);
  // Place of this sampler's k-th row in the order of all shards together.
  virtual std::uint64_t global_position(std::uint64_t k) const { return k; }

 protected:
  // Positions in [0, rows); called once for every pass.
  virtual RowNumbers pick(std::int64_t rows) = 0;

 private:
  std::shared_ptr<Sampler> child_;
};

using SamplerPtr = std::shared_ptr<Sampler>;

// `limit`: at most so many rows; 0 for all. Seeds are 32 bits wide.
SamplerPtr sequential_sampler(std::int64_t start, std::int64_t limit);
SamplerPtr random_sampler(std::uint32_t seed, bool replacement, std::int64_t limit, bool reshuffle);
SamplerPtr subset_sampler(RowNumbers rows, std::int64_t limit);
SamplerPtr subset_random_sampler(std::uint32_t seed, RowNumbers rows, std::int64_t limit);
SamplerPtr weighted_sampler(std::optional<std::uint32_t> seed, std::vector<double> weights,
                            std::int64_t limit, bool replacement);
// `classes`: the class of every row.
SamplerPtr class_sampler(std::uint32_t seed, std::vector<std::int64_t> classes,
                         std::int64_t per_class, bool shuffle, std::int64_t limit);
// Rows by a function of the layer above, asked once for every pass.
SamplerPtr called_sampler(std::function<RowNumbers(std::int64_t rows)> function);

struct ShardOptions {
  std::int64_t shards = 1;
  std::int64_t shard = 0;
  bool shuffle = true;
  std::uint32_t seed = 0;
  std::int64_t limit = 0;
  std::int64_t offset = -1;  // -1: all shards equally long, the first rows are used again
};
SamplerPtr distributed_sampler(const ShardOptions& options);

}  // namespace mycel::data
