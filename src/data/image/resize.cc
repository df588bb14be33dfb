// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "data/image/pass.h"

namespace mycel::data {

namespace {

class Resize : public PassStep {
 public:
  Resize(const Integers& size, Interpolation mode) : size_(size), mode_(mode) {}
  std::string name() const override { return "Resize"; }

  bool join(PassPlan& plan) const override {
    if (plan.resizes || !join_placing(plan)) return false;
    return plan.resizes = true;
  }
  bool place(Placement& placement, RowRandom&) const override {
    placement.resize(target(placement.size()), mode_);
    return true;
  }
  void apply(Items& items, TransformContext& context) const override {
    for (Item& item : items) {
      const Pictures pictures = pictures_of(item, name(), PictureRank::Video);
      const ImageSize size = target(pictures.size);
      if (size == pictures.size) continue;
      const Box whole{0, 0, pictures.size.height, pictures.size.width};
      item = resize(pictures, whole, size, mode_, context, name());
    }
  }

 private:
  // One number is the shorter edge; the other keeps the ratio, computed in single precision.
  ImageSize target(const ImageSize& size) const {
    if (size_.size() == 2) return {size_[0], size_[1]};
    const auto height = static_cast<float>(size.height), width = static_cast<float>(size.width);
    const auto edge = static_cast<float>(size_[0]);
    if (size.height < size.width)
      return {size_[0], static_cast<std::int64_t>(std::floor(width / height * edge))};
    return {static_cast<std::int64_t>(std::floor(height / width * edge)), size_[0]};
  }

  Integers size_;
  Interpolation mode_;
};

TransformPtr make_resize(const Parameters& parameters) {
  return std::make_shared<Resize>(parameters.integers("size"),
                                  interpolation_of(parameters, "Resize"));
}

MYCEL_TRANSFORM(Resize)
    .in("vision")
    .doc("Gives the picture another size.")
    .parameter({.name = "size",
                .kind = ParameterKind::Edge,
                .doc = "The length of the shorter edge (the other keeps the ratio), or (height, "
                       "width).",
                .low = 1})
    .parameter({.name = "interpolation",
                .kind = ParameterKind::Interpolation,
                .doc = "How pixels between pixels are computed.",
                .fallback = std::int64_t{2}})
    .input(InputLayout::Video)
    .sample({.arguments = {{"size", Integers{5}}}, .shape = {8, 11, 3}})
    .sample({.arguments = {{"size", Integers{13, 7}}, {"interpolation", std::int64_t{0}}},
             .shape = {8, 11, 3}})
    .sample({.arguments = {{"size", Integers{4, 6}}, {"interpolation", std::int64_t{3}}},
             .dtype = DType::Float32,
             .shape = {8, 11}})
    .sample({.arguments = {{"size", Integers{4, 6}}, {"interpolation", std::int64_t{4}}},
             .shape = {2, 8, 11, 3}})
    .sample({.arguments = {{"size", Integers{4, 6}}, {"interpolation", std::int64_t{5}}},
             .shape = {8, 11, 3}})
    .make(make_resize);

}  // namespace

}  // namespace mycel::data
