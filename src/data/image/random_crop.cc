// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "data/image/pass.h"

namespace mycel::data {

namespace {

class RandomCrop : public PassStep {
 public:
  explicit RandomCrop(const Parameters& parameters)
      : pads_if_needed_(parameters.flag("pad_if_needed")),
        fill_(parameters.integers("fill_value")),
        border_(static_cast<Border>(parameters.integer("padding_mode"))) {
    const Integers size = parameters.integers("size");
    size_ = {size[0], size[1]};
    if (!parameters.has("padding")) return;
    const Integers padding = parameters.integers("padding");
    margins_ = {padding[0], padding[1], padding[2], padding[3]};
    pads_ = true;
  }
  std::string name() const override { return "RandomCrop"; }
  bool is_random() const override { return true; }

  bool join(PassPlan& plan) const override {
    return !pads_ && join_placing(plan) && (plan.one_or_three = true);
  }
  bool place(Placement& placement, RowRandom& random) const override {
    const ImageSize size = placement.size();
    if (pads_if_needed_ && (size.height < size_.height || size.width < size_.width)) return false;
    placement.crop(choose(size, random));
    return true;
  }

  void apply(Items& items, TransformContext& context) const override {
    TransformContext plain{context.random};
    std::optional<Box> box;
    ImageSize chosen_for;
    for (Item& item : items) {
      Pictures pictures = pictures_of(item, name(), PictureRank::Video);
      require_channels(pictures, name(), 1, 3);
      const Item padded = padded_item(item, pictures, plain);
      pictures = pictures_of(padded, name(), PictureRank::Video);
      if (!box.has_value()) {
        box = choose(pictures.size, context.random);
        chosen_for = pictures.size;
      }
      require(pictures.size == chosen_for, ErrorKind::Runtime,
              "RandomCrop: the images of one row should have the same size.");
      item = crop(pictures, *box, context);
    }
  }

 private:
  Item padded_item(const Item& item, const Pictures& pictures,
                   const TransformContext& context) const {
    Margins margins = margins_;
    const ImageSize& size = pictures.size;
    if (pads_) {
      require(margins.top < 3 * size.height && margins.bottom < 3 * size.height &&
                  margins.left < 3 * size.width && margins.right < 3 * size.width,
              ErrorKind::Runtime,
              "RandomCrop: padding size is three times bigger than the image size, padding top: ",
              margins.top, ", padding bottom: ", margins.bottom,
              ", padding pad_left_: ", margins.left, ", padding padding right:", margins.right,
              ", image shape: ", size.height, ", ", size.width);
    }
    if (pads_if_needed_) {
      // Both sides get the whole missing length: results depend on it, so it stays that way.
      const std::int64_t down = size_.height - (size.height + margins.top + margins.bottom);
      const std::int64_t across = size_.width - (size.width + margins.left + margins.right);
      if (down > 0) margins.top += down, margins.bottom += down;
      if (across > 0) margins.left += across, margins.right += across;
    }
    if (margins.top + margins.bottom + margins.left + margins.right == 0) return item;
    return pad(pictures, margins, border_, fill_, context, name());
  }

  Box choose(const ImageSize& size, RowRandom& random) const {
    require(
        size.height >= size_.height && size.width >= size_.width, ErrorKind::Runtime,
        "RandomCrop: invalid crop size, crop size is bigger than the image dimensions, got crop "
        "height: ",
        size_.height, ", crop width: ", size_.width, ", image height: ", size.height,
        ", image width: ", size.width);
    Box box{0, 0, size_.height, size_.width};
    if (size == size_) return box;
    box.left = random.integer(0, size.width - size_.width);
    box.top = random.integer(0, size.height - size_.height);
    return box;
  }

  ImageSize size_;
  bool pads_if_needed_;
  Integers fill_;
  Border border_;
  bool pads_ = false;
  Margins margins_;
};

MYCEL_TRANSFORM(RandomCrop)
    .in("vision")
    .doc("Cuts a rectangle out of the picture at a random place.")
    .parameter({.name = "size",
                .kind = ParameterKind::Size,
                .doc = "Edge of a square, or (height, width).",
                .low = 1})
    .parameter({.name = "padding",
                .kind = ParameterKind::Padding,
                .doc = "Border added before: one number for all sides, (left and right, top and "
                       "bottom) or (left, top, right, bottom).",
                .fallback = Parameters::Value{},
                .low = 0})
    .parameter({.name = "pad_if_needed",
                .kind = ParameterKind::Flag,
                .doc = "Adds the missing length on both sides where the picture is too small.",
                .fallback = false})
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
    .input(InputLayout::Video)
    .takes_columns()
    .random()
    .sample({.arguments = {{"size", Integers{5, 6}}}, .shape = {9, 10, 3}})
    .sample({.arguments = {{"size", Integers{9, 10}}, {"padding", Integers{1, 2, 3, 4}}},
             .shape = {9, 10, 3}})
    .sample({.arguments = {{"size", Integers{12, 6}}, {"pad_if_needed", true}},
             .shape = {9, 10, 3}})
    .make([](const Parameters& parameters) -> TransformPtr {
      return std::make_shared<RandomCrop>(parameters);
    });

}  // namespace

}  // namespace mycel::data
