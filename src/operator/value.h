// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "operator/attribute.h"
#include "tensor/tensor.h"

namespace mycel::op {

class Emitter;
struct OpDef;

// dtype and shape: all that inference knows of a tensor.
struct TensorSpec {
  DType dtype = DType::Float32;
  tensor::Shape shape;
  bool is_number = false;  // a Python number
  std::int64_t rank() const { return static_cast<std::int64_t>(shape.size()); }
};

// What gradient rules and composite operators compute with: a tensor when executing, a node of a
// graph when capturing. Arithmetic on values goes through the emitter they belong to.
class Value {
 public:
  Value() = default;  // "no value": a gradient that is zero, an optional input left out
  Value(Emitter* emitter, tensor::Tensor tensor) : emitter_(emitter), tensor_(std::move(tensor)) {}
  Value(Emitter* emitter, std::uint64_t node) : emitter_(emitter), node_(node) {}

  bool defined() const { return emitter_ != nullptr; }
  Emitter& emitter() const { return *emitter_; }
  const tensor::Tensor& tensor() const { return tensor_; }
  std::uint64_t node() const { return node_; }

  TensorSpec spec() const;
  DType dtype() const;
  tensor::Shape shape() const;
  std::int64_t rank() const { return static_cast<std::int64_t>(shape().size()); }

 private:
  Emitter* emitter_ = nullptr;
  tensor::Tensor tensor_;
  std::uint64_t node_ = 0;
};

using ValueList = std::vector<Value>;

// The eager emitter executes, the graph emitter appends a node. One gradient rule serves both.
class Emitter {
 public:
  virtual ~Emitter() = default;
  virtual ValueList emit(const OpDef& definition, std::span<const Value> inputs,
                         AttributeList attributes) = 0;
  virtual TensorSpec spec_of(const Value& value) const = 0;
  virtual Value number(double value) = 0;         // behaves like a Python float
  virtual Value integer(std::int64_t value) = 0;  // behaves like a Python int

  // By name; attributes not mentioned take their defaults.
  ValueList call_all(std::string_view op, std::initializer_list<Value> inputs,
                     std::initializer_list<NamedAttribute> attributes = {});
  ValueList call_all(std::string_view op, std::span<const Value> inputs,
                     std::span<const NamedAttribute> attributes);
  Value call(std::string_view op, std::initializer_list<Value> inputs,
             std::initializer_list<NamedAttribute> attributes = {});
};

Value operator+(const Value& a, const Value& b);
Value operator-(const Value& a, const Value& b);
Value operator*(const Value& a, const Value& b);
Value operator/(const Value& a, const Value& b);
Value operator-(const Value& a);
Value operator+(const Value& a, double b);
Value operator-(const Value& a, double b);
Value operator*(const Value& a, double b);
Value operator/(const Value& a, double b);
Value operator-(double a, const Value& b);

}  // namespace mycel::op
