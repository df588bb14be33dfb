// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <type_traits>
#include <variant>

#include "data/transform/registry.h"
#include "platform/error/error.h"

namespace mycel::data {

namespace {

using platform::require;

class Fill : public Transform {
 public:
  explicit Fill(Parameters::Value value) : value_(std::move(value)) {}
  std::string name() const override { return "Fill"; }

  void apply(Items& items, TransformContext& context) const override {
    for (Item& item : items) {
      const auto* text = std::get_if<std::string>(&value_);
      require(item.is_text() == (text != nullptr), ErrorKind::Runtime,
              "Fill: fill_value and the input tensor must be of the same data type when involving "
              "strings or bytes, but got fill_value data type ",
              text != nullptr ? "string" : "number", " and input tensor data type ",
              item.type_name());
      if (text != nullptr) {
        std::vector<std::string> values(item.text().values.size(), *text);
        item = Ref<TextArray>(
            new TextArray(std::move(values), item.text().shape, item.text().is_bytes));
      } else {
        item = filled(item.array(), context);
      }
    }
  }

 private:
  Tensor filled(const Tensor& array, const TransformContext& context) const {
    Tensor result = context.output(array.dtype(), array.shape());
    const auto* real = std::get_if<double>(&value_);
    const auto* integer = std::get_if<std::int64_t>(&value_);
    tensor::with_real_type(array.dtype(), [&]<class T>() {
      T value{};
      if constexpr (std::is_integral_v<T>)
        value = static_cast<T>(real != nullptr      ? static_cast<std::int64_t>(*real)
                               : integer != nullptr ? *integer
                                                    : std::get<bool>(value_));
      else
        value = T(static_cast<std::conditional_t<sizeof(T) == 8, double, float>>(
            real != nullptr      ? *real
            : integer != nullptr ? static_cast<double>(*integer)
                                 : static_cast<double>(std::get<bool>(value_))));
      std::fill_n(result.data<T>(), result.size(), value);
    });
    return result;
  }

  Parameters::Value value_;
};

MYCEL_TRANSFORM(Fill)
    .in("transforms")
    .doc("Replaces every element by one value; shape and type stay.")
    .parameter({.name = "fill_value",
                .kind = ParameterKind::Number,
                .doc = "A number, or a string for arrays of strings."})
    .sample({.arguments = {{"fill_value", std::int64_t{3}}}, .shape = {2, 3}})
    .sample({.arguments = {{"fill_value", 3.7}}, .dtype = DType::Int32, .shape = {4}})
    .make([](const Parameters& parameters) -> TransformPtr {
      return std::make_shared<Fill>(parameters.all().find("fill_value")->second);
    });

class Duplicate : public Transform {
 public:
  std::string name() const override { return "Duplicate"; }
  void apply(Items& items, TransformContext&) const override {
    require(items.size() == 1, ErrorKind::Runtime,
            "Duplicate: only supports transform one column each time, but got ", items.size(),
            " columns");
    items.push_back(items[0]);
  }
};

MYCEL_TRANSFORM(Duplicate)
    .in("transforms")
    .doc("Gives the input twice: one column in, two columns out.")
    .sample({.shape = {2, 3}})
    .make([](const Parameters&) -> TransformPtr { return std::make_shared<Duplicate>(); });

}  // namespace

}  // namespace mycel::data
