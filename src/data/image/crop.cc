// SPDX-License-Identifier: Apache-2.0
#include "data/image/pass.h"

namespace mycel::data {

namespace {

class Crop : public PassStep {
 public:
  Crop(const Integers& corner, const Integers& size)
      : box_{corner[0], corner[1], size[0], size[1]} {}
  std::string name() const override { return "Crop"; }
  bool join(PassPlan& plan) const override { return join_placing(plan); }
  bool place(Placement& placement, RowRandom&) const override {
    check(placement.size());
    placement.crop(box_);
    return true;
  }
  void apply(Items& items, TransformContext& context) const override {
    for (Item& item : items) {
      const Pictures pictures = pictures_of(item, name(), PictureRank::Image);
      check(pictures.size);
      item = crop(pictures, box_, context);
    }
  }

 private:
  void check(const ImageSize& size) const {
    const std::int64_t bottom = box_.top + box_.height, right = box_.left + box_.width;
    require(bottom <= size.height, ErrorKind::Runtime, "Crop: Crop height dimension: ", bottom,
            " exceeds image height: ", size.height);
    require(right <= size.width, ErrorKind::Runtime, "Crop: Crop width dimension: ", right,
            " exceeds image width: ", size.width);
  }
  Box box_;
};

MYCEL_TRANSFORM(Crop)
    .in("vision")
    .doc("Cuts a rectangle out of the picture.")
    .parameter({.name = "coordinates",
                .kind = ParameterKind::Integers,
                .doc = "Row and column of the upper left corner.",
                .low = 0,
                .high = INT32_MAX})
    .parameter({.name = "size",
                .kind = ParameterKind::Size,
                .doc = "Edge of a square, or (height, width).",
                .low = 1})
    .input(InputLayout::Image)
    .sample({.arguments = {{"coordinates", Integers{1, 2}}, {"size", Integers{3, 4}}},
             .shape = {8, 9, 3}})
    .make([](const Parameters& parameters) -> TransformPtr {
      return std::make_shared<Crop>(parameters.integers("coordinates"),
                                    parameters.integers("size"));
    });

// Smaller pictures are put in the middle of black ones.
class CenterCrop : public PassStep {
 public:
  explicit CenterCrop(const Integers& size) : size_{size[0], size[1]} {}
  std::string name() const override { return "CenterCrop"; }
  bool join(PassPlan& plan) const override { return join_placing(plan); }
  bool place(Placement& placement, RowRandom&) const override {
    const ImageSize size = placement.size();
    if (size.height < size_.height || size.width < size_.width) return false;
    placement.crop(middle(size));
    return true;
  }
  void apply(Items& items, TransformContext& context) const override {
    for (Item& item : items) {
      Pictures pictures = pictures_of(item, name(), PictureRank::Video);
      const std::int64_t down = size_.height - pictures.size.height;
      const std::int64_t across = size_.width - pictures.size.width;
      if (down <= 0 && across <= 0) {
        item = crop(pictures, middle(pictures.size), context);
        continue;
      }
      require(down <= 3 * pictures.size.height && across <= 3 * pictures.size.width,
              ErrorKind::Runtime,
              "CenterCrop: Padding size cannot be more than 3 times of the original image size.");
      TransformContext plain{context.random};
      Margins margins;
      if (down > 0) margins.top = (down + 1) / 2, margins.bottom = down / 2;
      if (across > 0) margins.left = (across + 1) / 2, margins.right = across / 2;
      const Item padded =
          pad(pictures, margins, Border::Constant, Integers{0, 0, 0}, plain, name());
      pictures = pictures_of(padded, name(), PictureRank::Video);
      item = crop(pictures, middle(pictures.size), context);
    }
  }

 private:
  Box middle(const ImageSize& size) const {
    return {(size.height - size_.height) / 2, (size.width - size_.width) / 2, size_.height,
            size_.width};
  }
  ImageSize size_;
};

MYCEL_TRANSFORM(CenterCrop)
    .in("vision")
    .doc("Cuts the middle out of the picture; a smaller picture gets a black border first.")
    .parameter({.name = "size",
                .kind = ParameterKind::Size,
                .doc = "Edge of a square, or (height, width).",
                .low = 1})
    .input(InputLayout::Video)
    .sample({.arguments = {{"size", Integers{4, 6}}}, .shape = {9, 9, 3}})
    .sample({.arguments = {{"size", Integers{12, 6}}}, .shape = {9, 9, 3}})
    .make([](const Parameters& parameters) -> TransformPtr {
      return std::make_shared<CenterCrop>(parameters.integers("size"));
    });

}  // namespace

}  // namespace mycel::data
