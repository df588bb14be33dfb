// SPDX-License-Identifier: Apache-2.0
#include "operator/datum.h"

#include <algorithm>

#include "operator/descriptions.h"
#include "platform/error/error.h"
#include "tensor/number.h"

namespace mycel::op {

using platform::ErrorKind;
using tensor::Shape;
using tensor::Tensor;

namespace {

// Whoever looks into sequences looks into those inside them, and a file may nest them as it likes,
// and hold one many times.
constexpr std::size_t kDeepestSequence = 1000;
constexpr std::size_t kMostNestedItems = std::size_t{1} << 20;

struct MeasuredSequence : DatumSequence {
  std::size_t depth = 1;
  std::size_t size = 0;  // with what is inside
};

std::shared_ptr<const DatumSequence> sequence_of(std::vector<Datum> items, bool is_list) {
  auto made = std::make_shared<MeasuredSequence>();
  for (const Datum& item : items) {
    ++made->size;
    if (!item.is_sequence()) continue;
    const auto& inner = static_cast<const MeasuredSequence&>(item.sequence());  // all are made here
    made->depth = std::max(made->depth, inner.depth + 1);
    made->size += inner.size;
    platform::require(made->depth <= kDeepestSequence && made->size <= kMostNestedItems,
                      ErrorKind::Value, "Sequences are nested more than ", kDeepestSequence,
                      " times, or hold more than ", kMostNestedItems, " values together.");
  }
  made->items = std::move(items);
  made->is_list = is_list;
  return made;
}

}  // namespace

Datum Datum::tuple(std::vector<Datum> items) {
  Datum made;
  made.content_ = sequence_of(std::move(items), false);
  return made;
}

Datum Datum::list(std::vector<Datum> items) {
  Datum made;
  made.content_ = sequence_of(std::move(items), true);
  return made;
}

Datum Datum::tuple(const ValueList& values) {
  std::vector<Datum> items;
  items.reserve(values.size());
  for (const Value& value : values) items.push_back(value.defined() ? Datum(value) : Datum());
  return tuple(std::move(items));
}

Datum Datum::tuple(const Shape& lengths) {
  std::vector<Datum> items;
  items.reserve(lengths.size());
  for (const std::int64_t length : lengths) items.emplace_back(length);
  return tuple(std::move(items));
}

bool Datum::is_same_object(const Datum& other) const {
  if (content_.index() != other.content_.index()) return false;
  if (is_none()) return true;
  if (is_bool()) return flag() == other.flag();
  if (is_int()) return integer() == other.integer();
  if (is_real()) return real() == other.real();
  if (is_text()) return text() == other.text();
  if (is_dtype()) return dtype() == other.dtype();
  if (is_tensor()) return tensor().tensor() == other.tensor().tensor();
  if (is_sequence()) {
    return std::equal(items().begin(), items().end(), other.items().begin(), other.items().end(),
                      [](const Datum& a, const Datum& b) { return a.is_same_object(b); });
  }
  return opaque<Opaque>() == other.opaque<Opaque>();
}

std::string Datum::type_name() const {
  if (is_none()) return "None";
  if (is_bool()) return "bool";
  if (is_int()) return "int";
  if (is_real()) return "float";
  if (is_text()) return "str";
  if (is_dtype()) return "mindspore.dtype";
  if (is_tensor()) return "Tensor";
  if (is_sequence()) return is_list() ? "list" : "tuple";
  return std::string(opaque<Opaque>()->kind());
}

bool to_integer(const Datum& datum, std::int64_t& value) {
  if (datum.is_int()) {
    value = datum.integer();
    return true;
  }
  if (datum.is_bool()) {
    value = datum.flag() ? 1 : 0;
    return true;
  }
  if (!datum.is_tensor()) return false;
  const Tensor& tensor = datum.tensor().tensor();
  if (tensor.size() != 1 || !(tensor::is_integral(tensor.dtype()) || tensor.dtype() == DType::Bool))
    return false;
  value = tensor.readable().as_int();
  return true;
}

bool to_real(const Datum& datum, double& value) {
  std::int64_t whole = 0;
  if (datum.is_real()) {
    value = datum.real();
  } else if (datum.is_tensor()) {
    const Tensor& tensor = datum.tensor().tensor();
    if (tensor.size() != 1 || tensor::is_complex(tensor.dtype())) return false;
    value = tensor.readable().as_double();
  } else if (to_integer(datum, whole)) {
    value = static_cast<double>(whole);
  } else {
    return false;
  }
  return true;
}

namespace {

bool add_integers(const Tensor& tensor, IntList& values) {
  if (!tensor::is_integral(tensor.dtype())) return false;
  const Tensor dense = tensor::contiguous(tensor.readable());
  tensor::with_integer_type(dense.dtype(), [&]<class T>() {
    for (std::int64_t i = 0; i < dense.size(); ++i)
      values.push_back(static_cast<std::int64_t>(dense.data<T>()[i]));
  });
  return true;
}

}  // namespace

bool to_integers(const Datum& datum, IntList& values) {
  values.clear();
  std::int64_t value = 0;
  if (datum.is_tensor() && datum.tensor().rank() == 1)
    return add_integers(datum.tensor().tensor(), values);
  if (!datum.is_sequence()) {
    if (datum.is_bool() || !to_integer(datum, value)) return false;
    values.push_back(value);
    return true;
  }
  for (const Datum& item : datum.items()) {
    if (item.is_bool() || !to_integer(item, value)) return false;
    values.push_back(value);
  }
  return true;
}

bool to_flat_integers(const Datum& datum, IntList& values) {
  if (datum.is_tensor()) return add_integers(datum.tensor().tensor(), values);
  if (datum.is_int()) {
    values.push_back(datum.integer());
    return true;
  }
  return datum.is_sequence() &&
         std::all_of(datum.items().begin(), datum.items().end(),
                     [&](const Datum& item) { return to_flat_integers(item, values); });
}

bool to_flat_reals(const Datum& datum, std::vector<double>& values) {
  if (datum.is_sequence())
    return std::all_of(datum.items().begin(), datum.items().end(),
                       [&](const Datum& item) { return to_flat_reals(item, values); });
  if (!datum.is_tensor()) return to_real(datum, values.emplace_back());
  const Tensor& tensor = datum.tensor().tensor();
  if (tensor::is_complex(tensor.dtype())) return false;
  const Tensor dense = tensor::contiguous(tensor.readable());
  tensor::with_real_type(dense.dtype(), [&]<class T>() {
    for (std::int64_t i = 0; i < dense.size(); ++i)
      values.push_back(static_cast<double>(dense.data<T>()[i]));
  });
  return true;
}

bool truth_of(const Datum& datum) {
  if (datum.is_none()) return false;
  if (datum.is_text()) return !datum.text().empty();
  if (datum.is_sequence()) return !datum.items().empty();
  double value = 1;  // whatever else there is holds
  if (datum.is_number() || datum.is_tensor()) {
    platform::require(to_real(datum, value), ErrorKind::Value,
                      "The truth value of a tensor with other than one element is ambiguous.");
  }
  return value != 0;
}

namespace {

// Lengths and elements of nested sequences of numbers.
struct NestedNumbers {
  Shape shape;
  std::vector<double> reals;
  std::vector<std::int64_t> integers;
  bool is_real = false;
  bool is_bool = true;

  bool read(const Datum& datum, std::size_t depth) {
    if (datum.is_sequence()) {
      const auto length = static_cast<std::int64_t>(datum.items().size());
      if (depth == shape.size()) {
        if (!integers.empty()) return false;
        shape.push_back(length);
      }
      if (shape[depth] != length) return false;
      return std::all_of(datum.items().begin(), datum.items().end(),
                         [&](const Datum& item) { return read(item, depth + 1); });
    }
    double real = 0;
    if (depth != shape.size() || !to_real(datum, real)) return false;
    std::int64_t whole = 0;
    is_real |= !to_integer(datum, whole);
    is_bool &= datum.is_bool();
    reals.push_back(real);
    integers.push_back(whole);
    return true;
  }

  DType natural_type() const {
    if (is_real) return DType::Float32;
    return is_bool && !integers.empty() ? DType::Bool : DType::Int64;
  }

  Tensor filled(DType dtype) const {
    Tensor tensor = Tensor::empty(shape, dtype);
    tensor::with_any_type(dtype, [&]<class T>() {
      T* const target = tensor.data<T>();
      for (std::size_t i = 0; i < reals.size(); ++i) {
        if constexpr (std::is_integral_v<T>) {
          target[i] = is_real ? static_cast<T>(reals[i]) : static_cast<T>(integers[i]);
        } else if constexpr (tensor::is_half(tensor::kDTypeOf<T>)) {
          target[i] = T(static_cast<float>(reals[i]));
        } else {
          target[i] = static_cast<T>(reals[i]);
        }
      }
    });
    return tensor;
  }
};

}  // namespace

Value operand_of(const Datum& datum, Emitter& emitter) {
  if (datum.is_tensor()) return datum.tensor();
  if (datum.is_bool()) return {&emitter, tensor::number_tensor(datum.flag())};
  if (datum.is_int()) return emitter.integer(datum.integer());
  if (datum.is_real()) return emitter.number(datum.real());
  if (!datum.is_sequence()) return {};
  return tensor_of(datum, std::nullopt, emitter);
}

Value tensor_of(const Datum& datum, std::optional<DType> dtype, Emitter& emitter) {
  if (datum.is_tensor()) {
    if (!dtype || datum.tensor().dtype() == *dtype) return datum.tensor();
    return emitter.call("cast", {datum.tensor()}, {{"dtype", *dtype}});
  }
  NestedNumbers numbers;
  if (!(datum.is_sequence() || datum.is_number()) || !numbers.read(datum, 0)) return {};
  return {&emitter, numbers.filled(dtype.value_or(numbers.natural_type()))};
}

namespace {

[[noreturn]] void wrong_type(const Datum& datum, const AttributeDef& definition,
                             std::string_view op) {
  refuse_kind(op, definition, datum.type_name());
}

IntList ints_attribute(const Datum& datum, const AttributeDef& definition, std::string_view op) {
  IntList values;
  if (datum.is_sequence() && definition.none_element) {
    for (const Datum& item : datum.items()) {
      std::int64_t value = *definition.none_element;
      if (!item.is_none() && !to_integer(item, value)) wrong_type(datum, definition, op);
      values.push_back(value);
    }
    return values;
  }
  if (!to_integers(datum, values)) wrong_type(datum, definition, op);
  return values;
}

std::vector<double> floats_attribute(const Datum& datum, const AttributeDef& definition,
                                     std::string_view op) {
  std::vector<double> values(1);
  if (!datum.is_sequence()) {
    if (!to_real(datum, values[0])) wrong_type(datum, definition, op);
    return values;
  }
  values.clear();
  for (const Datum& item : datum.items()) {
    if (!to_real(item, values.emplace_back())) wrong_type(item, definition, op);
  }
  return values;
}

std::string text_attribute(const Datum& datum, const AttributeDef& definition,
                           std::string_view op) {
  if (!datum.is_text()) wrong_type(datum, definition, op);
  require_choice(op, definition, datum.text());
  return datum.text();
}

AttributeValue number_attribute(const Datum& datum, const AttributeDef& definition,
                                std::string_view op) {
  if (datum.is_bool()) return datum.flag();
  std::int64_t whole = 0;
  if (to_integer(datum, whole)) return whole;
  double real = 0;
  if (!to_real(datum, real)) wrong_type(datum, definition, op);
  return real;
}

}  // namespace

AttributeValue attribute_of(const Datum& datum, const AttributeDef& definition,
                            std::string_view op) {
  const bool may_be_none =
      definition.none_allowed || (definition.initial.is_none() && !definition.required);
  if (datum.is_none() && may_be_none) return {};
  std::int64_t whole = 0;
  double real = 0;
  switch (definition.type) {
    case AttributeType::Bool:
      if (!to_integer(datum, whole) || (datum.is_int() && whole != 0 && whole != 1))
        wrong_type(datum, definition, op);
      return whole != 0;
    case AttributeType::Int:
      if (datum.is_bool() || !to_integer(datum, whole)) wrong_type(datum, definition, op);
      return whole;
    case AttributeType::Float:
      if (datum.is_bool() || !to_real(datum, real)) wrong_type(datum, definition, op);
      return real;
    case AttributeType::Number: return number_attribute(datum, definition, op);
    case AttributeType::Text: return text_attribute(datum, definition, op);
    case AttributeType::DType:
      if (!datum.is_dtype()) wrong_type(datum, definition, op);
      return datum.dtype();
    case AttributeType::Ints: return ints_attribute(datum, definition, op);
    case AttributeType::Floats: return floats_attribute(datum, definition, op);
  }
  return {};
}

}  // namespace mycel::op
