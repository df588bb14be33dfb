// SPDX-License-Identifier: Apache-2.0
#include "data/item.h"

#include <cstring>

namespace mycel::data {

namespace {

Item single_text(std::string value, bool is_bytes) {
  std::vector<std::string> values;
  values.push_back(std::move(value));
  return Ref<TextArray>(new TextArray(std::move(values), {}, is_bytes));
}

}  // namespace

Item Item::text(std::string value) { return single_text(std::move(value), false); }
Item Item::bytes(std::string value) { return single_text(std::move(value), true); }

const Shape& Item::shape() const {
  static const Shape none;
  if (is_array()) return array().shape();
  if (is_text()) return text().shape;
  return none;
}

std::string Item::type_name() const {
  if (is_array())
    return array().dtype() == DType::Bool ? "bool" : std::string(python_name(array().dtype()));
  if (is_text()) return text().is_bytes ? "bytes" : "string";
  return is_object() ? object().type_name() : "nothing";
}

std::string angled(const Shape& shape) {
  std::string text = "<";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ',';
    text += std::to_string(shape[i]);
  }
  return text + ">";
}

Tensor byte_tensor(std::string_view contents) {
  Tensor tensor = Tensor::empty({static_cast<std::int64_t>(contents.size())}, DType::UInt8);
  if (!contents.empty()) std::memcpy(tensor.raw(), contents.data(), contents.size());
  return tensor;
}

}  // namespace mycel::data
