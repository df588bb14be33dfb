// SPDX-License-Identifier: Apache-2.0
#include "data/pipeline/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "data/pipeline/reference_random.h"

namespace mycel::data {

using platform::fail;

RowNumbers Sampler::next_pass(std::int64_t rows) {
  RowNumbers below;
  if (child_ != nullptr) below = child_->next_pass(rows);
  const auto count = child_ != nullptr ? static_cast<std::int64_t>(below.size()) : rows;
  RowNumbers picked = pick(count);
  for (std::int64_t& row : picked) {
    if (row < 0 || row >= count)
      fail(ErrorKind::Runtime, "Sampler: Sample ID (", row,
           ") is out of bound, expected range [0, ", count - 1, "].");
    if (child_ != nullptr) row = below[static_cast<std::size_t>(row)];
  }
  return picked;
}

namespace {

void cut(RowNumbers& rows, std::int64_t limit) {
  if (limit > 0 && static_cast<std::int64_t>(rows.size()) > limit)
    rows.resize(static_cast<std::size_t>(limit));
}

RowNumbers counting(std::int64_t begin, std::int64_t end) {
  RowNumbers rows(static_cast<std::size_t>(std::max<std::int64_t>(end - begin, 0)));
  std::iota(rows.begin(), rows.end(), begin);
  return rows;
}

class Sequential : public Sampler {
 public:
  Sequential(std::int64_t start, std::int64_t limit) : start_(start), limit_(limit) {
    if (start < 0)
      fail(ErrorKind::Runtime,
           "SequentialSampler: start_index must be greater than or equal to 0, ",
           "but got: ", start);
  }

 private:
  RowNumbers pick(std::int64_t rows) override {
    if (start_ >= rows && rows > 0)
      fail(ErrorKind::Runtime,
           "SequentialSampler: start_index must be less than num_rows, but got ",
           "start_index: ", start_, ", num_rows: ", rows, ".");
    const std::int64_t left = rows - start_;
    return counting(start_, start_ + (limit_ > 0 ? std::min(limit_, left) : left));
  }
  std::int64_t start_;
  std::int64_t limit_;
};

class Random : public Sampler {
 public:
  Random(std::uint32_t seed, bool replacement, std::int64_t limit, bool reshuffle)
      : seed_(seed), replacement_(replacement), limit_(limit), reshuffle_(reshuffle) {}

 private:
  RowNumbers pick(std::int64_t rows) override {
    std::mt19937 generator(seed_ + (reshuffle_ ? pass_++ : 0));
    if (replacement_) return draw(rows, generator);
    if (static_cast<std::int64_t>(order_.size()) != rows || !reshuffle_) order_ = counting(0, rows);
    shuffle_list(order_, generator);
    RowNumbers picked = order_;
    cut(picked, limit_);
    return picked;
  }
  RowNumbers draw(std::int64_t rows, std::mt19937& generator) const {
    RowNumbers picked(static_cast<std::size_t>(limit_ > 0 ? std::min(limit_, rows) : rows));
    for (std::int64_t& row : picked)
      row = static_cast<std::int64_t>(number_below(generator, static_cast<std::uint64_t>(rows)));
    return picked;
  }
  std::uint32_t seed_;
  bool replacement_;
  std::int64_t limit_;
  bool reshuffle_;
  std::uint32_t pass_ = 0;
  RowNumbers order_;  // shuffled further with every pass
};

class Distributed : public Sampler {
 public:
  explicit Distributed(const ShardOptions& options) : options_(options) {
    if (options.shards <= 0)
      fail(ErrorKind::Runtime,
           "DistributedSampler: num_shards must be greater than 0, but got: ", options.shards);
    if (options.shard < 0 || options.shard >= options.shards)
      fail(ErrorKind::Runtime, "DistributedSampler: shard_id must be in range [0, ", options.shards,
           "), but got: ", options.shard);
    if (options.offset > options.shards)
      fail(ErrorKind::Runtime, "DistributedSampler: offset must be no more than num_shards(",
           options.shards, "), but got: ", options.offset);
  }
  std::uint64_t global_position(std::uint64_t k) const override {
    return k * static_cast<std::uint64_t>(options_.shards) +
           static_cast<std::uint64_t>(options_.shard);
  }

 private:
  RowNumbers pick(std::int64_t rows) override {
    if (rows == 0) return {};
    if (options_.shuffle) {
      if (static_cast<std::int64_t>(order_.size()) != rows) order_ = counting(0, rows);
      std::mt19937 generator(options_.seed + 1 + pass_++);
      shuffle_list(order_, generator);
    }
    RowNumbers picked;
    const auto take = [&](std::int64_t position) {
      picked.push_back(options_.shuffle ? order_[static_cast<std::size_t>(position)] : position);
    };
    if (options_.offset < 0) {
      const std::int64_t each = (rows + options_.shards - 1) / options_.shards;
      for (std::int64_t k = 0; k < each; ++k) take((options_.shard + k * options_.shards) % rows);
    } else {  // uneven shards: the list begins `offset` shards late
      const std::int64_t first =
          (options_.shard - options_.offset + options_.shards) % options_.shards;
      for (std::int64_t at = first; at < rows; at += options_.shards) take(at);
    }
    cut(picked, options_.limit);
    return picked;
  }
  ShardOptions options_;
  std::uint32_t pass_ = 0;
  RowNumbers order_;
};

class Subset : public Sampler {
 public:
  Subset(RowNumbers rows, std::int64_t limit) : rows_(std::move(rows)) { cut(rows_, limit); }

 private:
  RowNumbers pick(std::int64_t) override { return rows_; }
  RowNumbers rows_;
};

class SubsetRandom : public Sampler {
 public:
  SubsetRandom(std::uint32_t seed, RowNumbers rows, std::int64_t limit)
      : seed_(seed), rows_(std::move(rows)), limit_(limit) {}

 private:
  RowNumbers pick(std::int64_t) override {
    std::mt19937 generator(seed_);
    shuffle_list(rows_, generator);
    RowNumbers picked = rows_;
    cut(picked, limit_);
    return picked;
  }
  std::uint32_t seed_;
  RowNumbers rows_;  // shuffled further with every pass
  std::int64_t limit_;
};

class Weighted : public Sampler {
 public:
  Weighted(std::optional<std::uint32_t> seed, std::vector<double> weights, std::int64_t limit,
           bool replacement)
      : seed_(seed), weights_(std::move(weights)), limit_(limit), replacement_(replacement) {
    if (weights_.empty())
      fail(ErrorKind::Runtime, "WeightedRandomSampler: weights vector must not be empty.");
    for (const double weight : weights_)
      if (!(weight >= 0))
        fail(ErrorKind::Runtime, "WeightedRandomSampler: weights vector must not contain negative ",
             "numbers, got: ", weight);
    if (std::ranges::all_of(weights_, [](double weight) { return weight == 0; }))
      fail(ErrorKind::Runtime,
           "WeightedRandomSampler: elements of weights vector must not be all zero.");
  }

 private:
  RowNumbers pick(std::int64_t rows) override {
    if (static_cast<std::int64_t>(weights_.size()) > rows)
      fail(
          ErrorKind::Runtime, "WeightedRandomSampler: size of sample_weights must be less than or ",
          "equal to num of data, otherwise might cause generated id out of bound or other errors, ",
          "but got weight size: ", weights_.size(), ", num of data: ", rows);
    std::mt19937 generator(seed_ ? *seed_ : std::random_device()());
    std::int64_t count = limit_ > 0 ? std::min(limit_, rows) : rows;
    if (!replacement_ && count > static_cast<std::int64_t>(weights_.size()))
      fail(ErrorKind::Runtime, "WeightedRandomSampler: without replacement, 'num_samples' must be ",
           "less than or equal to the number of weights, but got: ", count);
    return replacement_ ? draw(count, generator) : rank(count, generator);
  }
  RowNumbers draw(std::int64_t count, std::mt19937& generator) const {
    std::vector<double> sums(weights_.size());
    std::partial_sum(weights_.begin(), weights_.end(), sums.begin());
    const double total = sums.back();
    for (double& sum : sums) sum /= total;
    sums.back() = 1;
    RowNumbers picked;
    for (std::int64_t i = 0; i < count; ++i) {
      const double low = generator();
      const double u = std::min((low + generator() * 0x1p32) * 0x1p-64, std::nextafter(1.0, 0.0));
      picked.push_back(std::ranges::lower_bound(sums, u) - sums.begin());
    }
    return picked;
  }
  // The rows with the smallest of -log(u) / weight.
  RowNumbers rank(std::int64_t count, std::mt19937& generator) const {
    std::vector<std::pair<float, std::int64_t>> keys;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      const float u = static_cast<float>(generator()) * 0x1p-32F;
      const float key = -std::log(1.0F - std::min(u, std::nextafter(1.0F, 0.0F)));
      keys.emplace_back(weights_[i] > 0 ? key / static_cast<float>(weights_[i])
                                        : std::numeric_limits<float>::max(),
                        static_cast<std::int64_t>(i));
    }
    std::ranges::stable_sort(keys, {}, &std::pair<float, std::int64_t>::first);
    RowNumbers picked;
    for (std::int64_t i = 0; i < count; ++i)
      picked.push_back(keys[static_cast<std::size_t>(i)].second);
    return picked;
  }
  std::optional<std::uint32_t> seed_;
  std::vector<double> weights_;
  std::int64_t limit_;
  bool replacement_;
};

class ByClass : public Sampler {
 public:
  ByClass(std::uint32_t seed, const std::vector<std::int64_t>& classes, std::int64_t per_class,
          bool shuffle, std::int64_t limit)
      : generator_(seed), per_class_(per_class), shuffle_(shuffle), limit_(limit) {
    if (per_class <= 0)
      fail(ErrorKind::Runtime, "PKSampler: num_val must be greater than 0, but got: ", per_class);
    std::map<std::int64_t, RowNumbers> members;
    for (std::size_t row = 0; row < classes.size(); ++row)
      members[classes[row]].push_back(static_cast<std::int64_t>(row));
    for (auto& [label, rows] : members) members_.push_back(std::move(rows));
  }

 private:
  RowNumbers pick(std::int64_t) override {
    if (shuffle_) shuffle_list(members_, generator_);
    RowNumbers picked;
    for (const RowNumbers& rows : members_)
      for (std::int64_t i = 0; i < per_class_; ++i)
        picked.push_back(rows[number_below(generator_, rows.size())]);
    cut(picked, limit_);
    return picked;
  }
  std::mt19937 generator_;
  std::vector<RowNumbers> members_;
  std::int64_t per_class_;
  bool shuffle_;
  std::int64_t limit_;
};

class Called : public Sampler {
 public:
  explicit Called(std::function<RowNumbers(std::int64_t)> function)
      : function_(std::move(function)) {}

 private:
  RowNumbers pick(std::int64_t rows) override { return function_(rows); }
  std::function<RowNumbers(std::int64_t)> function_;
};

}  // namespace

SamplerPtr sequential_sampler(std::int64_t start, std::int64_t limit) {
  return std::make_shared<Sequential>(start, limit);
}
SamplerPtr random_sampler(std::uint32_t seed, bool replacement, std::int64_t limit,
                          bool reshuffle) {
  return std::make_shared<Random>(seed, replacement, limit, reshuffle);
}
SamplerPtr subset_sampler(RowNumbers rows, std::int64_t limit) {
  return std::make_shared<Subset>(std::move(rows), limit);
}
SamplerPtr subset_random_sampler(std::uint32_t seed, RowNumbers rows, std::int64_t limit) {
  return std::make_shared<SubsetRandom>(seed, std::move(rows), limit);
}
SamplerPtr weighted_sampler(std::optional<std::uint32_t> seed, std::vector<double> weights,
                            std::int64_t limit, bool replacement) {
  return std::make_shared<Weighted>(seed, std::move(weights), limit, replacement);
}
SamplerPtr class_sampler(std::uint32_t seed, std::vector<std::int64_t> classes,
                         std::int64_t per_class, bool shuffle, std::int64_t limit) {
  return std::make_shared<ByClass>(seed, classes, per_class, shuffle, limit);
}
SamplerPtr called_sampler(std::function<RowNumbers(std::int64_t rows)> function) {
  return std::make_shared<Called>(std::move(function));
}
SamplerPtr distributed_sampler(const ShardOptions& options) {
  return std::make_shared<Distributed>(options);
}

}  // namespace mycel::data
