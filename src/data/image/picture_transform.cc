// SPDX-License-Identifier: Apache-2.0
#include "data/image/picture_transform.h"

namespace mycel::data {

namespace {

class PictureTransform : public Transform {
 public:
  PictureTransform(std::string name, PictureRank rank, bool is_random, double probability,
                   PictureFunction function)
      : name_(std::move(name)),
        rank_(rank),
        is_random_(is_random),
        probability_(probability),
        function_(std::move(function)) {}
  std::string name() const override { return name_; }
  bool is_random() const override { return is_random_; }
  void apply(Items& items, TransformContext& context) const override {
    for (Item& item : items) {
      const Pictures pictures = pictures_of(item, name_, rank_);
      if (probability_ < 1.0 && !context.random.happens(probability_)) continue;
      item = function_(pictures, context);
    }
  }

 private:
  std::string name_;
  PictureRank rank_;
  bool is_random_;
  double probability_;
  PictureFunction function_;
};

}  // namespace

TransformPtr picture_transform(std::string name, PictureRank rank, bool is_random,
                               PictureFunction function) {
  return std::make_shared<PictureTransform>(std::move(name), rank, is_random, 1.0,
                                            std::move(function));
}

TransformPtr picture_transform_sometimes(std::string name, PictureRank rank, double probability,
                                         PictureFunction function) {
  return std::make_shared<PictureTransform>(std::move(name), rank, true, probability,
                                            std::move(function));
}

}  // namespace mycel::data
