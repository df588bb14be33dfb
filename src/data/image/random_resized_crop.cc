// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>

#include "data/image/codec/jpeg.h"
#include "data/image/pass.h"

namespace mycel::data {

namespace {

// How the box is drawn and what becomes of it; shared by the transform on pixels and the one that
// decodes as well.
class RandomResizedBox {
 public:
  RandomResizedBox(const Parameters& parameters, std::string_view name)
      : scale_(parameters.reals("scale")),
        ratio_(parameters.reals("ratio")),
        mode_(interpolation_of(parameters, name)),
        attempts_(parameters.integer("max_attempts")) {
    const Integers size = parameters.integers("size");
    size_ = {size[0], size[1]};
  }

  Box choose(const ImageSize& image, RowRandom& random) const {
    const auto height = static_cast<double>(image.height), width = static_cast<double>(image.width);
    for (std::int64_t attempt = 0; attempt < attempts_; ++attempt) {
      const double area = random.uniform(scale_[0], scale_[1]) * height * width;
      const double aspect = std::exp(random.uniform(std::log(ratio_[0]), std::log(ratio_[1])));
      const std::int64_t w = std::max(1L, std::lround(std::sqrt(area * aspect)));
      const std::int64_t h = std::max(1L, std::lround(static_cast<double>(w) / aspect));
      if (w > image.width || h > image.height) continue;
      const std::int64_t left = random.integer(0, image.width - w);
      const std::int64_t top = random.integer(0, image.height - h);
      return {top, left, h, w};
    }
    return middle(image);
  }

  const ImageSize& size() const { return size_; }
  Interpolation mode() const { return mode_; }

 private:
  // The largest box in the middle whose sides have an allowed ratio.
  Box middle(const ImageSize& image) const {
    const auto height = static_cast<double>(image.height), width = static_cast<double>(image.width);
    std::int64_t w = image.width, h = image.height;
    if (width / height < ratio_[0]) h = std::lround(width / ratio_[0]);
    if (width / height > ratio_[1]) w = std::lround(height * ratio_[1]);
    h = std::clamp<std::int64_t>(h, 1, image.height);
    w = std::clamp<std::int64_t>(w, 1, image.width);
    return {std::lround(static_cast<double>(image.height - h) / 2.0),
            std::lround(static_cast<double>(image.width - w) / 2.0), h, w};
  }

  ImageSize size_;
  Reals scale_;
  Reals ratio_;
  Interpolation mode_;
  std::int64_t attempts_;
};

class RandomResizedCrop : public PassStep {
 public:
  explicit RandomResizedCrop(const Parameters& parameters)
      : box_(parameters, "RandomResizedCrop") {}
  std::string name() const override { return "RandomResizedCrop"; }
  bool is_random() const override { return true; }
  bool join(PassPlan& plan) const override {
    if (plan.resizes || !join_placing(plan)) return false;
    return plan.resizes = true;
  }
  bool place(Placement& placement, RowRandom& random) const override {
    placement.crop(box_.choose(placement.size(), random));
    placement.resize(box_.size(), box_.mode());
    return true;
  }
  void apply(Items& items, TransformContext& context) const override {
    std::optional<Box> box;
    ImageSize chosen_for;
    for (Item& item : items) {
      const Pictures pictures = pictures_of(item, name(), PictureRank::Video);
      if (!box.has_value()) {
        box = box_.choose(pictures.size, context.random);
        chosen_for = pictures.size;
      }
      require(pictures.size == chosen_for, ErrorKind::Runtime,
              "RandomResizedCrop: the images of one row should have the same size.");
      item = box_.size() == ImageSize{box->height, box->width}
                 ? crop(pictures, *box, context)
                 : resize(pictures, *box, box_.size(), box_.mode(), context, name());
    }
  }

 private:
  RandomResizedBox box_;
};

class RandomCropDecodeResize : public PassStep {
 public:
  explicit RandomCropDecodeResize(const Parameters& parameters)
      : box_(parameters, "RandomCropDecodeResize") {}
  std::string name() const override { return "RandomCropDecodeResize"; }
  bool is_random() const override { return true; }
  bool join(PassPlan& plan) const override {
    if (!plan.empty() || !join_placing(plan)) return false;
    return plan.decodes = plan.resizes = true;
  }
  bool place(Placement& placement, RowRandom& random) const override {
    placement.crop(box_.choose(placement.size(), random));
    placement.resize(box_.size(), box_.mode());
    return true;
  }
  void apply(Items& items, TransformContext& context) const override {
    TransformContext plain{context.random};
    for (Item& item : items) {
      Item pixels = decode_image(encoded_bytes(item, name()), plain);
      const Pictures pictures = pictures_of(pixels, name(), PictureRank::Image);
      const Box box = box_.choose(pictures.size, context.random);
      item = box_.size() == ImageSize{box.height, box.width}
                 ? crop(pictures, box, context)
                 : resize(pictures, box, box_.size(), box_.mode(), context, name());
    }
  }

 private:
  RandomResizedBox box_;
};

TransformDefinition with_box_parameters(TransformDefinition definition) {
  return definition
      .parameter({.name = "size",
                  .kind = ParameterKind::Size,
                  .doc = "Edge of a square, or (height, width), of the result.",
                  .low = 1})
      .parameter({.name = "scale",
                  .kind = ParameterKind::Interval,
                  .doc = "Smallest and largest share of the picture's area.",
                  .fallback = Reals{0.08, 1.0},
                  .low = 0,
                  .high = 16777216})
      .parameter({.name = "ratio",
                  .kind = ParameterKind::Interval,
                  .doc = "Smallest and largest width divided by height.",
                  .fallback = Reals{3.0 / 4.0, 4.0 / 3.0},
                  .low = 0,
                  .high = 16777216,
                  .low_is_open = true})
      .parameter({.name = "interpolation",
                  .kind = ParameterKind::Interpolation,
                  .doc = "How pixels between pixels are computed.",
                  .fallback = std::int64_t{2}})
      .parameter({.name = "max_attempts",
                  .kind = ParameterKind::Integer,
                  .doc = "How often a box is drawn before the middle of the picture is taken.",
                  .fallback = std::int64_t{10},
                  .low = 1,
                  .high = 16777216})
      .random();
}

[[maybe_unused]] const bool registered_crop =
    with_box_parameters(TransformDefinition("RandomResizedCrop"))
        .in("vision")
        .doc("Cuts out a box of random size, shape and place and gives it a fixed size.")
        .input(InputLayout::Video)
        .takes_columns()
        .sample({.arguments = {{"size", Integers{6, 7}}}, .shape = {19, 22, 3}})
        .sample({.arguments = {{"size", Integers{6, 7}}, {"interpolation", std::int64_t{3}}},
                 .shape = {19, 22, 3}})
        .make([](const Parameters& parameters) -> TransformPtr {
          return std::make_shared<RandomResizedCrop>(parameters);
        });

[[maybe_unused]] const bool registered_decode =
    with_box_parameters(TransformDefinition("RandomCropDecodeResize"))
        .in("vision")
        .doc(
            "Decodes a box of random size, shape and place and gives it a fixed size. The same as "
            "Decode and RandomResizedCrop.")
        .input(InputLayout::Encoded)
        .make([](const Parameters& parameters) -> TransformPtr {
          return std::make_shared<RandomCropDecodeResize>(parameters);
        });

}  // namespace

}  // namespace mycel::data
