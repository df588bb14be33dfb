// SPDX-License-Identifier: Apache-2.0
#include "operator/value.h"

#include "operator/op_def.h"
#include "operator/registry.h"
#include "platform/error/error.h"

namespace mycel::op {

TensorSpec Value::spec() const { return emitter_->spec_of(*this); }
DType Value::dtype() const { return tensor_.defined() ? tensor_.dtype() : spec().dtype; }
tensor::Shape Value::shape() const { return tensor_.defined() ? tensor_.shape() : spec().shape; }

ValueList Emitter::call_all(std::string_view name, std::span<const Value> inputs,
                            std::span<const NamedAttribute> attributes) {
  const OpDef& definition = find(name);
  AttributeList list(definition.attributes.size());
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = definition.attributes[i].initial;
  for (const NamedAttribute& given : attributes) {
    const int index = definition.find_attribute(given.name);
    platform::require(index >= 0, platform::ErrorKind::Internal, "operator '", name,
                      "' has no attribute '", given.name, "'");
    list[static_cast<std::size_t>(index)] = given.value;
  }
  return emit(definition, inputs, std::move(list));
}

ValueList Emitter::call_all(std::string_view name, std::initializer_list<Value> inputs,
                            std::initializer_list<NamedAttribute> attributes) {
  return call_all(name, std::span<const Value>(inputs.begin(), inputs.size()),
                  std::span<const NamedAttribute>(attributes.begin(), attributes.size()));
}

Value Emitter::call(std::string_view name, std::initializer_list<Value> inputs,
                    std::initializer_list<NamedAttribute> attributes) {
  return call_all(name, inputs, attributes).front();
}

Value operator+(const Value& a, const Value& b) { return a.emitter().call("add", {a, b}); }
Value operator-(const Value& a, const Value& b) { return a.emitter().call("sub", {a, b}); }
Value operator*(const Value& a, const Value& b) { return a.emitter().call("mul", {a, b}); }
Value operator/(const Value& a, const Value& b) { return a.emitter().call("div", {a, b}); }
Value operator-(const Value& a) { return a.emitter().call("neg", {a}); }
Value operator+(const Value& a, double b) { return a + a.emitter().number(b); }
Value operator-(const Value& a, double b) { return a - a.emitter().number(b); }
Value operator*(const Value& a, double b) { return a * a.emitter().number(b); }
Value operator/(const Value& a, double b) { return a / a.emitter().number(b); }
Value operator-(double a, const Value& b) { return b.emitter().number(a) - b; }

}  // namespace mycel::op
