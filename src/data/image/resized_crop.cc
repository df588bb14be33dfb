// SPDX-License-Identifier: Apache-2.0
// Relatives of Resize and Pad.
#include <cmath>
#include <cstring>

#include <opencv2/imgproc.hpp>

#include "data/image/parameters.h"
#include "data/image/picture_transform.h"

namespace mycel::data {

namespace {

ParameterSchema position(const char* name, const char* what, double low) {
  return {.name = name, .kind = ParameterKind::Integer, .doc = what, .low = low, .high = INT32_MAX};
}

MYCEL_TRANSFORM(ResizedCrop)
    .in("vision")
    .doc("Cuts a rectangle out of the picture and gives it another size.")
    .parameter(position("top", "First row of the rectangle.", 0))
    .parameter(position("left", "First column of the rectangle.", 0))
    .parameter(position("height", "Rows of the rectangle.", 1))
    .parameter(position("width", "Columns of the rectangle.", 1))
    .parameter({.name = "size",
                .kind = ParameterKind::Size,
                .doc = "Edge of a square, or (height, width), of the result.",
                .low = 1})
    .parameter({.name = "interpolation",
                .kind = ParameterKind::Interpolation,
                .doc = "How pixels between pixels are computed.",
                .fallback = std::int64_t{2}})
    .input(InputLayout::Video)
    .sample({.arguments = {{"top", std::int64_t{1}},
                           {"left", std::int64_t{2}},
                           {"height", std::int64_t{5}},
                           {"width", std::int64_t{6}},
                           {"size", Integers{7, 4}}},
             .shape = {9, 12, 3}})
    .make([](const Parameters& parameters) {
      const Box box{parameters.integer("top"), parameters.integer("left"),
                    parameters.integer("height"), parameters.integer("width")};
      const Integers size = parameters.integers("size");
      const Interpolation mode = interpolation_of(parameters, "ResizedCrop");
      return picture_transform(
          "ResizedCrop", PictureRank::Video, false,
          [=](const Pictures& pictures, TransformContext& context) {
            require(box.top + box.height <= pictures.size.height &&
                        box.left + box.width <= pictures.size.width,
                    ErrorKind::Runtime,
                    "ResizedCrop: the sum of top and height, or of left and width, exceeds image "
                    "height: ",
                    pictures.size.height, " or image width: ", pictures.size.width, ".");
            return resize(pictures, box, {size[0], size[1]}, mode, context, "ResizedCrop");
          });
    });

MYCEL_TRANSFORM(RandomResize)
    .in("vision")
    .doc("Gives the picture another size with a random interpolation.")
    .parameter({.name = "size",
                .kind = ParameterKind::Edge,
                .doc = "The length of the shorter edge, or (height, width).",
                .low = 1})
    .input(InputLayout::Image)
    .random()
    .sample({.arguments = {{"size", Integers{7, 4}}}, .shape = {9, 12, 3}})
    .make([](const Parameters& parameters) -> TransformPtr {
      std::vector<TransformPtr> all;
      for (const int mode : {2, 0, 3, 4}) {
        Parameters one;
        one.set("size", parameters.integers("size"));
        one.set("interpolation", std::int64_t{mode});
        all.push_back(make_transform("Resize", one));
      }
      return picture_transform("RandomResize", PictureRank::Image, true,
                               [all](const Pictures& pictures, TransformContext& context) {
                                 Items items{pictures.array};
                                 all[context.random.integer(0, 3)]->apply(items, context);
                                 return items[0].array();
                               });
    });

MYCEL_TRANSFORM(GaussianBlur)
    .in("vision")
    .doc("Blurs the picture with a bell-shaped kernel.")
    .parameter({.name = "kernel_size",
                .kind = ParameterKind::IntegerRange,
                .doc = "Width and height of the kernel, odd; one number for both.",
                .low = 1,
                .high = INT32_MAX})
    .parameter(
        {.name = "sigma",
         .kind = ParameterKind::Threshold,
         .doc =
             "Deviation across and down; computed from the kernel's width if it is missing or 0.",
         .fallback = Parameters::Value{},
         .low = 0})
    .input(InputLayout::Image)
    .sample({.arguments = {{"kernel_size", Integers{3, 5}}}, .shape = {9, 12, 3}})
    .make([](const Parameters& parameters) {
      const Integers kernel = parameters.integers("kernel_size");
      Reals sigma = parameters.has("sigma") ? parameters.reals("sigma") : Reals{0, 0};
      for (int i = 0; i < 2; ++i) {
        require(kernel[i] % 2 == 1, ErrorKind::Value, "Input kernel_size is not an odd value.");
      }
      // What is missing follows from the width of the kernel, also for the rows.
      const double usual = (static_cast<double>(kernel[0] - 1) * 0.5 - 1) * 0.3 + 0.8;
      for (double& deviation : sigma)
        if (deviation <= 0) deviation = usual;
      const cv::Size size(static_cast<int>(kernel[0]), static_cast<int>(kernel[1]));
      return picture_transform("GaussianBlur", PictureRank::Image, false,
                               [=](const Pictures& pictures, TransformContext& context) {
                                 require_opencv_type(pictures, "GaussianBlur");
                                 return redraw(pictures, pictures.size, context, "GaussianBlur",
                                               [&](const cv::Mat& source, cv::Mat& target) {
                                                 cv::GaussianBlur(source, target, size, sigma[0],
                                                                  sigma[1]);
                                               });
                               });
    });

// Black squares; the corner of each is drawn so that any part of the picture is hit equally often.
class CutOut : public Transform {
 public:
  CutOut(std::int64_t length, std::int64_t patches, bool channels_last)
      : length_(length), patches_(patches), channels_last_(channels_last) {}
  std::string name() const override { return "CutOut"; }
  bool is_random() const override { return true; }
  void apply(Items& items, TransformContext& context) const override {
    for (Item& item : items) {
      const Tensor source = tensor::contiguous(numeric_array(item, name()));
      require(source.rank() == 3, ErrorKind::Runtime,
              "CutOut: the dimension of image tensor does not match the requirement of operator. "
              "Expecting tensor in dimension of (3), in shape of <H, W, C> or <C, H, W>. But got "
              "dimension ",
              source.rank(), ".");
      Tensor result = context.output(source.dtype(), source.shape());
      std::memcpy(result.raw(), source.raw(), source.bytes());
      for (std::int64_t i = 0; i < patches_; ++i) erase(result, context.random);
      item = std::move(result);
    }
  }

 private:
  void erase(const Tensor& picture, RowRandom& random) const {
    const Shape& shape = picture.shape();
    const std::int64_t height = shape[channels_last_ ? 0 : 1],
                       width = shape[channels_last_ ? 1 : 2];
    require(length_ <= height && length_ <= width, ErrorKind::Runtime,
            "CutOut: box size is too large for image erase, got box height: ", length_,
            ", box weight: ", length_, ", and image height: ", height, ", image width: ", width);
    const std::int64_t top = random.integer(-length_, height);
    const std::int64_t left = random.integer(-length_, width);
    const std::int64_t y0 = std::max<std::int64_t>(0, top), y1 = std::min(height, top + length_);
    const std::int64_t x0 = std::max<std::int64_t>(0, left), x1 = std::min(width, left + length_);
    if (x1 <= x0) return;
    const std::int64_t pixel = channels_last_ ? shape[2] : 1,
                       planes = channels_last_ ? 1 : shape[0];
    const std::size_t bytes = size_of(picture.dtype());
    for (std::int64_t plane = 0; plane < planes; ++plane)
      for (std::int64_t y = y0; y < y1; ++y)
        std::memset(
            static_cast<char*>(picture.raw()) + ((plane * height + y) * width + x0) * pixel * bytes,
            0, static_cast<std::size_t>(x1 - x0) * pixel * bytes);
  }

  std::int64_t length_;
  std::int64_t patches_;
  bool channels_last_;
};

MYCEL_TRANSFORM(CutOut)
    .in("vision")
    .doc("Sets squares at random places to zero.")
    .parameter(position("length", "Edge of a square.", 1))
    .parameter({.name = "num_patches",
                .kind = ParameterKind::Integer,
                .doc = "How many.",
                .fallback = std::int64_t{1},
                .low = 1,
                .high = INT32_MAX})
    .parameter(channels_last_parameter())
    .input(InputLayout::Image)
    .random()
    .sample({.arguments = {{"length", std::int64_t{3}}}, .shape = {9, 12, 3}})
    .sample({.arguments = {{"length", std::int64_t{3}}, {"is_hwc", false}}, .shape = {3, 9, 12}})
    .make([](const Parameters& parameters) -> TransformPtr {
      return std::make_shared<CutOut>(parameters.integer("length"),
                                      parameters.integer("num_patches"), parameters.flag("is_hwc"));
    });

}  // namespace

}  // namespace mycel::data
