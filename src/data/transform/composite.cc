// SPDX-License-Identifier: Apache-2.0
#include "data/transform/composite.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace mycel::data {

namespace {

// The members draw numbers of their own, whatever the list itself draws.
class Listed : public Transform {
 public:
  explicit Listed(ListedTransforms list) : list_(std::move(list)) {}
  bool is_random() const override {
    return std::ranges::any_of(
        list_, [](const ListedTransform& one) { return one.transform->is_random(); });
  }

 protected:
  void run(const ListedTransforms& list, Items& items, TransformContext& context) const {
    run_list(list, RowStreams(context.random), items, context);
  }
  const ListedTransforms& list() const { return list_; }

 private:
  ListedTransforms list_;
};

class Compose : public Listed {
 public:
  explicit Compose(const TransformList& list) : Listed(join_neighbours(listed(list))) {}
  std::string name() const override { return "Compose"; }
  void apply(Items& items, TransformContext& context) const override {
    run(list(), items, context);
  }
};

class RandomApply : public Listed {
 public:
  RandomApply(const TransformList& list, double probability)
      : Listed(join_neighbours(listed(list))), probability_(probability) {}
  std::string name() const override { return "RandomApply"; }
  bool is_random() const override { return true; }
  void apply(Items& items, TransformContext& context) const override {
    if (context.random.happens(probability_)) run(list(), items, context);
  }

 private:
  double probability_;
};

class RandomChoice : public Listed {
 public:
  explicit RandomChoice(const TransformList& list) : Listed(listed(list)) {}
  std::string name() const override { return "RandomChoice"; }
  bool is_random() const override { return true; }
  void apply(Items& items, TransformContext& context) const override {
    const auto last = static_cast<std::int64_t>(list().size()) - 1;
    const auto chosen = static_cast<std::size_t>(context.random.integer(0, last));
    run({list()[chosen]}, items, context);
  }
};

class RandomOrder : public Listed {
 public:
  explicit RandomOrder(const TransformList& list) : Listed(listed(list)) {}
  std::string name() const override { return "RandomOrder"; }
  bool is_random() const override { return true; }
  void apply(Items& items, TransformContext& context) const override {
    ListedTransforms shuffled = list();
    for (std::size_t i = shuffled.size(); i > 1; --i)
      std::swap(shuffled[i - 1], shuffled[static_cast<std::size_t>(
                                     context.random.integer(0, static_cast<std::int64_t>(i) - 1))]);
    run(shuffled, items, context);
  }
};

}  // namespace

TransformPtr compose(const TransformList& list) { return std::make_shared<Compose>(list); }
TransformPtr random_apply(const TransformList& list, double probability) {
  return std::make_shared<RandomApply>(list, probability);
}
TransformPtr random_choice(const TransformList& list) {
  return std::make_shared<RandomChoice>(list);
}
TransformPtr random_order(const TransformList& list) { return std::make_shared<RandomOrder>(list); }

}  // namespace mycel::data
