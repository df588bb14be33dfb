// SPDX-License-Identifier: Apache-2.0
#include "operator/attribute.h"

#include "platform/error/error.h"

namespace mycel::op {
namespace {

template <class T, class Content>
const T& held(const Content& content, const char* wanted) {
  const T* value = std::get_if<T>(&content);
  platform::require(value != nullptr, platform::ErrorKind::Internal, "an attribute was read as ",
                    wanted);
  return *value;
}

}  // namespace

std::string_view name_of(AttributeType type) {
  switch (type) {
    case AttributeType::Bool: return "bool";
    case AttributeType::Int: return "int";
    case AttributeType::Float: return "float";
    case AttributeType::Number: return "number";
    case AttributeType::Text: return "str";
    case AttributeType::DType: return "mindspore.dtype";
    case AttributeType::Ints: return "int, tuple or list of int";
    case AttributeType::Floats: return "float, tuple or list of float";
  }
  return "?";
}

bool AttributeValue::flag() const { return held<bool>(content_, "a bool"); }

std::int64_t AttributeValue::integer() const {
  if (const bool* flag = std::get_if<bool>(&content_)) return *flag ? 1 : 0;
  return held<std::int64_t>(content_, "an int");
}

double AttributeValue::real() const {
  if (const double* value = std::get_if<double>(&content_)) return *value;
  return static_cast<double>(integer());
}

const std::string& AttributeValue::text() const { return held<std::string>(content_, "a text"); }
DType AttributeValue::dtype() const { return held<DType>(content_, "a dtype"); }

IntList AttributeValue::ints() const {
  if (is_int()) return IntList{integer()};
  return held<IntList>(content_, "a list of ints");
}

const std::vector<double>& AttributeValue::reals() const {
  return held<std::vector<double>>(content_, "a list of floats");
}

std::string to_string(const AttributeValue& value) {
  if (value.is_none()) return "None";
  if (value.is_bool()) return value.flag() ? "True" : "False";
  if (value.is_int()) return platform::join(value.integer());
  if (value.is_float()) return platform::join(value.real());
  if (value.is_text()) return platform::join("'", value.text(), "'");
  if (value.is_dtype()) return platform::join("mindspore.", tensor::python_name(value.dtype()));
  if (value.is_ints()) return tensor::to_string(value.ints());
  std::string text = "(";
  for (const double number : value.reals()) text += platform::join(number, ", ");
  return text + ")";
}

}  // namespace mycel::op
