// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "platform/ref.h"
#include "tensor/tensor.h"

namespace mycel::data {

using platform::ErrorKind;
using platform::Ref;
using tensor::DType;
using tensor::Shape;
using tensor::Tensor;

// An array of strings, or of byte strings. Immutable once it is in a row.
class TextArray : public platform::RefCounted<TextArray> {
 public:
  TextArray(std::vector<std::string> texts, Shape shape, bool is_bytes)
      : shape(std::move(shape)), is_bytes(is_bytes), owned_(std::move(texts)) {
    values.assign(owned_.begin(), owned_.end());
  }
  // Strings that lie in memory of somebody else's, a mapped file: `owner` keeps it.
  TextArray(std::vector<std::string_view> views, std::shared_ptr<const void> owner, Shape shape,
            bool is_bytes)
      : values(std::move(views)),
        shape(std::move(shape)),
        is_bytes(is_bytes),
        owner_(std::move(owner)) {}
  TextArray(const TextArray&) = delete;
  TextArray& operator=(const TextArray&) = delete;

  bool is_borrowed() const { return owner_ != nullptr; }

  std::vector<std::string_view> values;  // row-major
  const Shape shape;
  const bool is_bytes;  // else UTF-8

 private:
  std::vector<std::string> owned_;
  std::shared_ptr<const void> owner_;
};

// Something only the layer above understands (a Python dict, a Pillow image) that travels along.
class ForeignObject : public platform::RefCounted<ForeignObject> {
 public:
  virtual ~ForeignObject() = default;
  virtual std::string type_name() const = 0;
  virtual std::size_t bytes() const { return sizeof(*this); }  // about
};

// One value of one column. Arrays are contiguous and on the host.
class Item {
 public:
  Item() = default;
  Item(Tensor array) : value_(std::move(array)) {}                // NOLINT: a tensor is an item
  Item(Ref<TextArray> text) : value_(std::move(text)) {}          // NOLINT: so is text
  Item(Ref<ForeignObject> object) : value_(std::move(object)) {}  // NOLINT: and an object

  static Item text(std::string value);
  static Item bytes(std::string value);
  template <class T>
  static Item scalar(T value, DType dtype) {
    Tensor tensor = Tensor::empty({}, dtype);
    *static_cast<T*>(tensor.raw()) = value;
    return tensor;
  }

  bool empty() const { return value_.index() == 0; }
  bool is_array() const { return value_.index() == 1; }
  bool is_text() const { return value_.index() == 2; }
  bool is_object() const { return value_.index() == 3; }
  const Tensor& array() const { return std::get<1>(value_); }
  const TextArray& text() const { return *std::get<2>(value_); }
  ForeignObject& object() const { return *std::get<3>(value_); }

  const Shape& shape() const;     // of an array or text
  std::string type_name() const;  // "uint8", "string", "bytes", or the object's

 private:
  std::variant<std::monostate, Tensor, Ref<TextArray>, Ref<ForeignObject>> value_;
};

using Items = std::vector<Item>;

// Shapes as error texts show them: <2,3>.
std::string angled(const Shape& shape);

// An uninitialised array of bytes with these contents copied in, one axis.
Tensor byte_tensor(std::string_view contents);

}  // namespace mycel::data
