// SPDX-License-Identifier: Apache-2.0
#include "operator/written_operand.h"

namespace mycel::op::written {

namespace {

Datum datum_of(const AttributeValue& value) {
  if (value.is_none()) return {};
  if (value.is_bool()) return Datum(value.flag());
  if (value.is_int()) return Datum(value.integer());
  if (value.is_float()) return Datum(value.real());
  if (value.is_text()) return Datum(value.text());
  if (value.is_dtype()) return Datum(value.dtype());
  if (value.is_ints()) return Datum::tuple(value.ints());
  std::vector<Datum> items;
  for (const double number : value.reals()) items.emplace_back(number);
  return Datum::tuple(std::move(items));
}

}  // namespace

Plain::Plain(const AttributeValue& value) : datum(datum_of(value)) {}

Table Table::filled(Shape shape, double value) {
  const auto count = static_cast<std::size_t>(tensor::element_count(shape));
  return {std::move(shape), std::vector(count, value)};
}

Tensor Table::tensor(DType dtype) const {
  Tensor made = Tensor::empty(shape, dtype);
  tensor::with_any_type(dtype, [&]<class T>() {
    T* const target = made.data<T>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if constexpr (tensor::is_half(tensor::kDTypeOf<T>))
        target[i] = T(static_cast<float>(values[i]));
      else
        target[i] = static_cast<T>(values[i]);
    }
  });
  return made;
}

}  // namespace mycel::op::written
