// SPDX-License-Identifier: Apache-2.0
#include "data/image/image.h"

namespace mycel::data {

namespace {

class Pad : public Transform {
 public:
  explicit Pad(const Parameters& parameters)
      : fill_(parameters.integers("fill_value")),
        border_(static_cast<Border>(parameters.integer("padding_mode"))) {
    const Integers padding = parameters.integers("padding");
    margins_ = {padding[0], padding[1], padding[2], padding[3]};
  }
  std::string name() const override { return "Pad"; }
  void apply(Items& items, TransformContext& context) const override {
    for (Item& item : items)
      item = pad(pictures_of(item, name(), PictureRank::Image), margins_, border_, fill_, context,
                 name());
  }

 private:
  Margins margins_;
  Integers fill_;
  Border border_;
};

MYCEL_TRANSFORM(Pad)
    .in("vision")
    .doc("Adds a border to the picture.")
    .parameter({.name = "padding",
                .kind = ParameterKind::Padding,
                .doc = "One number for all sides, (left and right, top and bottom) or (left, top, "
                       "right, bottom).",
                .low = 0})
    .parameter({.name = "fill_value",
                .kind = ParameterKind::Fill,
                .doc = "Colour of a constant border.",
                .fallback = Integers{0, 0, 0},
                .low = 0,
                .high = 255})
    .parameter({.name = "padding_mode",
                .kind = ParameterKind::Border,
                .doc = "What the border shows.",
                .fallback = std::int64_t{0}})
    .input(InputLayout::Image)
    .sample({.arguments = {{"padding", Integers{1, 2, 3, 4}}}, .shape = {5, 6, 3}})
    .sample({.arguments = {{"padding", Integers{2, 2, 2, 2}}, {"padding_mode", std::int64_t{2}}},
             .shape = {5, 6}})
    .make([](const Parameters& parameters) -> TransformPtr {
      return std::make_shared<Pad>(parameters);
    });

}  // namespace

}  // namespace mycel::data
