// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <type_traits>

#include "data/image/pass.h"

namespace mycel::data {

namespace {

// As the hardware converts: fractions are cut off, what a 32- or 64-bit integer cannot hold becomes
// its smallest value, narrower ones keep the low bits of a 32-bit integer.
template <class To>
To integer_of(double value) {
  using Wide = std::conditional_t<sizeof(To) == 8 || std::is_same_v<To, std::uint32_t>,
                                  std::int64_t, std::int32_t>;
  constexpr double kLow = static_cast<double>(std::numeric_limits<Wide>::min());
  if (std::is_same_v<To, std::uint64_t> && value >= -kLow && value < -2 * kLow)
    return static_cast<To>(static_cast<std::uint64_t>(value));
  if (!(value > kLow - 1.0 && value < -kLow))
    return static_cast<To>(std::numeric_limits<Wide>::min());
  return static_cast<To>(static_cast<Wide>(value));
}

template <class To, class From>
To cast_number(From value) {
  if constexpr (std::is_same_v<To, bool>) {
    return static_cast<double>(value) != 0.0;
  } else if constexpr (std::is_integral_v<To> && !std::is_integral_v<From>) {
    return integer_of<To>(static_cast<double>(value));
  } else if constexpr (std::is_integral_v<To>) {
    return static_cast<To>(value);
  } else if constexpr (std::is_same_v<To, double>) {
    return static_cast<double>(value);
  } else {
    return To(static_cast<float>(value));
  }
}

DType dtype_named(const std::string& name) {
  for (int i = 0; i < tensor::kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (python_name(dtype) == name || (name == "bool" && dtype == DType::Bool)) return dtype;
  }
  fail(ErrorKind::Type, "TypeCast: '", name, "' is not a data type.");
}

class TypeCast : public PassStep {
 public:
  explicit TypeCast(const std::string& data_type)
      : name_of_type_(data_type),
        is_string_(data_type == "string" || data_type == "bytes"),
        dtype_(is_string_ ? DType::Bool : dtype_named(data_type)) {}
  std::string name() const override { return "TypeCast"; }
  bool join(PassPlan& plan) const override {
    return !is_string_ && dtype_ == DType::Float32 && join_converting(plan);
  }

  void apply(Items& items, TransformContext& context) const override {
    for (Item& item : items) {
      require(item.is_array() != is_string_, ErrorKind::Runtime,
              "TypeCast: TypeCast does not support cast from ", item.type_name(), " to ",
              name_of_type_);
      if (is_string_ || item.array().dtype() == dtype_) continue;
      item = cast(item.array(), context);
    }
  }

 private:
  Tensor cast(const Tensor& array, const TransformContext& context) const {
    require(!tensor::is_complex(array.dtype()) && !tensor::is_complex(dtype_), ErrorKind::Runtime,
            "TypeCast: TypeCast does not support cast from ", python_name(array.dtype()), " to ",
            name_of_type_);
    const Tensor source = tensor::contiguous(array);
    Tensor result = context.output(dtype_, array.shape());
    tensor::with_real_type(source.dtype(), [&]<class From>() {
      tensor::with_real_type(dtype_, [&]<class To>() {
        const From* from = source.data<From>();
        To* to = result.data<To>();
        const std::int64_t count = source.size();
        for (std::int64_t i = 0; i < count; ++i) to[i] = cast_number<To>(from[i]);
      });
    });
    return result;
  }

  std::string name_of_type_;
  bool is_string_;
  DType dtype_;
};

TransformPtr make_type_cast(const Parameters& parameters) {
  return std::make_shared<TypeCast>(parameters.string("data_type"));
}

MYCEL_TRANSFORM(TypeCast)
    .in("transforms")
    .doc(
        "Converts the elements to another type. Fractions are cut off; a value that the type "
        "cannot hold keeps its low bits (8 and 16 bits) or becomes the smallest value (32 and 64).")
    .parameter({.name = "data_type",
                .kind = ParameterKind::DataType,
                .doc = "The NumPy or MindSpore type of the result."})
    .sample({.arguments = {{"data_type", std::string("float32")}}, .shape = {5, 6, 3}})
    .sample({.arguments = {{"data_type", std::string("int32")}},
             .dtype = DType::Float32,
             .shape = {7}})
    .sample({.arguments = {{"data_type", std::string("bool")}}, .dtype = DType::Int64, .shape = {}})
    .make(make_type_cast);

}  // namespace

}  // namespace mycel::data
