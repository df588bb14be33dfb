// SPDX-License-Identifier: Apache-2.0
#include "data/image/parameters.h"
#include "data/image/pass.h"

namespace mycel::data {

namespace {

enum class Axis : std::uint8_t { Horizontal, Vertical };

// Turns the picture round, always or with some probability.
class Flip : public PassStep {
 public:
  Flip(std::string name, Axis axis) : name_(std::move(name)), axis_(axis) {}
  Flip(std::string name, Axis axis, double probability)
      : name_(std::move(name)), axis_(axis), probability_(probability), is_random_(true) {}
  std::string name() const override { return name_; }
  bool is_random() const override { return is_random_; }
  bool join(PassPlan& plan) const override {
    if (plan.has_pixels_work()) return false;
    plan.placing.push_back(this);
    return plan.flips = true;
  }
  bool place(Placement& placement, RowRandom& random) const override {
    if (!happens(random)) return true;
    bool& turned = axis_ == Axis::Horizontal ? placement.mirrored : placement.upside_down;
    turned = !turned;
    return true;
  }
  void apply(Items& items, TransformContext& context) const override {
    const bool turns = happens(context.random);
    for (Item& item : items) {
      const Pictures pictures = pictures_of(item, name_, PictureRank::Video);
      if (turns) item = flip(pictures, axis_ == Axis::Horizontal, axis_ == Axis::Vertical, context);
    }
  }

 private:
  bool happens(RowRandom& random) const { return !is_random_ || random.happens(probability_); }

  std::string name_;
  Axis axis_;
  double probability_ = 1.0;
  bool is_random_ = false;
};

MYCEL_TRANSFORM(HorizontalFlip)
    .in("vision")
    .doc("Swaps left and right.")
    .input(InputLayout::Video)
    .sample({.shape = {5, 6, 3}})
    .sample({.dtype = DType::Float32, .shape = {5, 6}})
    .make([](const Parameters&) -> TransformPtr {
      return std::make_shared<Flip>("HorizontalFlip", Axis::Horizontal);
    });

MYCEL_TRANSFORM(VerticalFlip)
    .in("vision")
    .doc("Swaps top and bottom.")
    .input(InputLayout::Video)
    .sample({.shape = {5, 6, 3}})
    .make([](const Parameters&) -> TransformPtr {
      return std::make_shared<Flip>("VerticalFlip", Axis::Vertical);
    });

MYCEL_TRANSFORM(RandomHorizontalFlip)
    .in("vision")
    .doc("Swaps left and right with some probability.")
    .parameter(probability_parameter())
    .input(InputLayout::Video)
    .takes_columns()
    .random()
    .sample({.shape = {5, 6, 3}})
    .make([](const Parameters& parameters) -> TransformPtr {
      return std::make_shared<Flip>("RandomHorizontalFlip", Axis::Horizontal,
                                    parameters.real("prob"));
    });

MYCEL_TRANSFORM(RandomVerticalFlip)
    .in("vision")
    .doc("Swaps top and bottom with some probability.")
    .parameter(probability_parameter())
    .input(InputLayout::Video)
    .takes_columns()
    .random()
    .sample({.shape = {5, 6, 3}})
    .make([](const Parameters& parameters) -> TransformPtr {
      return std::make_shared<Flip>("RandomVerticalFlip", Axis::Vertical, parameters.real("prob"));
    });

}  // namespace

}  // namespace mycel::data
