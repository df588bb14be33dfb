// SPDX-License-Identifier: Apache-2.0
#include "data/transform/composite.h"

#include <cstdint>
#include <numeric>
#include <utility>

namespace mycel::data {

namespace {

// Only the last transform may write to the place of the result.
void run_all(const TransformList& list, Items& items, TransformContext& context) {
  OutputMemory* const memory = std::exchange(context.memory, nullptr);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i + 1 == list.size()) context.memory = memory;
    list[i]->apply(items, context);
  }
  context.memory = memory;
}

class Compose : public Transform {
 public:
  explicit Compose(TransformList list) : list_(join_neighbours(std::move(list))) {}
  std::string name() const override { return "Compose"; }
  bool is_random() const override {
    for (const TransformPtr& transform : list_)
      if (transform->is_random()) return true;
    return false;
  }
  void apply(Items& items, TransformContext& context) const override {
    run_all(list_, items, context);
  }

 private:
  TransformList list_;
};

class RandomApply : public Transform {
 public:
  RandomApply(TransformList list, double probability)
      : list_(join_neighbours(std::move(list))), probability_(probability) {}
  std::string name() const override { return "RandomApply"; }
  bool is_random() const override { return true; }
  void apply(Items& items, TransformContext& context) const override {
    if (context.random.happens(probability_)) run_all(list_, items, context);
  }

 private:
  TransformList list_;
  double probability_;
};

class RandomChoice : public Transform {
 public:
  explicit RandomChoice(TransformList list) : list_(std::move(list)) {}
  std::string name() const override { return "RandomChoice"; }
  bool is_random() const override { return true; }
  void apply(Items& items, TransformContext& context) const override {
    const auto last = static_cast<std::int64_t>(list_.size()) - 1;
    list_[context.random.integer(0, last)]->apply(items, context);
  }

 private:
  TransformList list_;
};

class RandomOrder : public Transform {
 public:
  explicit RandomOrder(TransformList list) : list_(std::move(list)) {}
  std::string name() const override { return "RandomOrder"; }
  bool is_random() const override { return true; }
  void apply(Items& items, TransformContext& context) const override {
    TransformList shuffled = list_;
    for (std::size_t i = shuffled.size(); i > 1; --i)
      std::swap(shuffled[i - 1],
                shuffled[context.random.integer(0, static_cast<std::int64_t>(i) - 1)]);
    run_all(shuffled, items, context);
  }

 private:
  TransformList list_;
};

}  // namespace

TransformPtr compose(TransformList list) { return std::make_shared<Compose>(std::move(list)); }
TransformPtr random_apply(TransformList list, double probability) {
  return std::make_shared<RandomApply>(std::move(list), probability);
}
TransformPtr random_choice(TransformList list) {
  return std::make_shared<RandomChoice>(std::move(list));
}
TransformPtr random_order(TransformList list) {
  return std::make_shared<RandomOrder>(std::move(list));
}

}  // namespace mycel::data
