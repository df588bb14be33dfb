// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "data/transform/registry.h"
#include "platform/error/error.h"

namespace mycel::data {

namespace {

using platform::require;

class OneHot : public Transform {
 public:
  OneHot(std::int64_t classes, double smoothing) : classes_(classes), smoothing_(smoothing) {}
  std::string name() const override { return "OneHot"; }

  void apply(Items& items, TransformContext& context) const override {
    for (Item& item : items) {
      require(item.is_array() && tensor::is_integral(item.array().dtype()), ErrorKind::Runtime,
              "OneHot: Only support input of int type, but got: ", item.type_name());
      item = encode(item.array(), context);
    }
  }

 private:
  Tensor encode(const Tensor& labels, const TransformContext& context) const {
    Shape shape;
    for (const std::int64_t length : labels.shape())
      if (length != 1) shape.push_back(length);
    require(shape.size() <= 1, ErrorKind::Runtime,
            "OneHot: Only support scalar or 1D input, got rank: ", labels.rank());
    shape.push_back(classes_);
    const Tensor source = tensor::contiguous(labels);
    Tensor result = context.output(smoothing_ > 0 ? DType::Float64 : labels.dtype(), shape);
    const double share = smoothing_ / static_cast<double>(classes_);
    tensor::with_integer_type(source.dtype(), [&]<class Label>() {
      if (smoothing_ > 0)
        write<Label, double>(source, result, 1.0 - smoothing_ + share, share);
      else
        write<Label, Label>(source, result, Label{1}, Label{0});
    });
    return result;
  }

  template <class Label, class Value>
  void write(const Tensor& labels, const Tensor& result, Value hot, Value cold) const {
    std::fill_n(result.data<Value>(), result.size(), cold);
    const Label* label = labels.data<Label>();
    for (std::int64_t i = 0; i < labels.size(); ++i) {
      const auto index = static_cast<std::int64_t>(label[i]);
      require(index < classes_ && (std::is_signed_v<Label> || index >= 0), ErrorKind::Runtime,
              "OneHot: index values should not bigger than num classes: ", classes_,
              ", but got: ", index);
      require(index >= 0, ErrorKind::Runtime,
              "OneHot: index values should not be negative, but got: ", index);
      result.data<Value>()[i * classes_ + index] = hot;
    }
  }

  std::int64_t classes_;
  double smoothing_;
};

MYCEL_TRANSFORM(OneHot)
    .in("transforms")
    .doc(
        "Turns a label into a vector with a one in its place. With smoothing the vector is float64 "
        "and every class gets an equal part of the smoothing rate.")
    .parameter({.name = "num_classes",
                .kind = ParameterKind::Integer,
                .doc = "Length of the vector.",
                .low = 1,
                .high = 2147483647})
    .parameter({.name = "smoothing_rate",
                .kind = ParameterKind::Real,
                .doc = "What is taken from the label's place and spread over all.",
                .fallback = 0.0,
                .low = 0,
                .high = 1})
    .sample({.arguments = {{"num_classes", std::int64_t{300}}}, .shape = {4}})
    .sample({.arguments = {{"num_classes", std::int64_t{300}}, {"smoothing_rate", 0.1}},
             .shape = {4}})
    .make([](const Parameters& parameters) -> TransformPtr {
      return std::make_shared<OneHot>(parameters.integer("num_classes"),
                                      parameters.real("smoothing_rate"));
    });

}  // namespace

}  // namespace mycel::data
