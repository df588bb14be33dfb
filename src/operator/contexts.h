// SPDX-License-Identifier: Apache-2.0
// What the functions of an operator's definition are given to work with.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "operator/op_def.h"
#include "operator/value.h"
#include "platform/error/error.h"

namespace mycel::op {

using platform::ErrorKind;
using tensor::Shape;
using tensor::Tensor;

// Reading attributes by name; shared by all contexts.
class AttributeReader {
 public:
  AttributeReader(const OpDef& definition, std::span<AttributeValue> attributes)
      : definition_(definition), attributes_(attributes) {}

  const OpDef& definition() const { return definition_; }
  std::string_view name() const { return definition_.shown_name(); }
  const AttributeValue& attribute(std::string_view name) const;
  bool is_none(std::string_view name) const { return attribute(name).is_none(); }
  bool flag(std::string_view name) const { return attribute(name).flag(); }
  std::int64_t integer(std::string_view name) const { return attribute(name).integer(); }
  double real(std::string_view name) const { return attribute(name).real(); }
  const std::string& text(std::string_view name) const { return attribute(name).text(); }
  DType dtype(std::string_view name) const { return attribute(name).dtype(); }
  IntList ints(std::string_view name) const { return attribute(name).ints(); }
  void set_attribute(std::string_view name, AttributeValue value);
  std::span<AttributeValue> attributes() const { return attributes_; }

  template <class... Parts>
  void require(bool ok, ErrorKind kind, const Parts&... parts) const {
    if (!ok) [[unlikely]]
      platform::fail(kind, "For '", name(), "', ", parts...);
  }
  template <class... Parts>
  [[noreturn]] void fail(ErrorKind kind, const Parts&... parts) const {
    platform::fail(kind, "For '", name(), "', ", parts...);
  }

 private:
  const OpDef& definition_;
  std::span<AttributeValue> attributes_;
};

// Shapes and dtypes of the outputs from those of the inputs. May normalise attributes (negative
// axes, None) so that kernels see only the plain form.
class InferContext : public AttributeReader {
 public:
  InferContext(const OpDef& definition, std::span<AttributeValue> attributes,
               std::span<const TensorSpec> inputs, std::span<const Tensor> values)
      : AttributeReader(definition, attributes), inputs_(inputs), values_(values) {}

  std::size_t input_count() const { return inputs_.size(); }
  bool has_input(std::size_t i) const { return i < inputs_.size() && is_present(i); }
  const TensorSpec& input(std::size_t i) const { return inputs_[i]; }
  // The tensor itself, for operators whose result shape depends on values. Undefined while
  // capturing.
  const Tensor* value(std::size_t i) const { return i < values_.size() ? &values_[i] : nullptr; }

  std::int64_t normalize_axis(std::string_view attribute, std::int64_t rank);
  // None and () mean every axis; the attribute becomes a sorted list without repetition.
  IntList normalize_axes(std::string_view attribute, std::int64_t rank);

  // Inputs [first, last) are converted to their common dtype, which is returned, before the kernel
  // runs.
  DType promote_inputs(std::size_t first, std::size_t last);
  void cast_input(std::size_t i, DType dtype) { casts_.push_back({i, dtype}); }
  void require_same_dtype(std::size_t a, std::size_t b) const;

  void set_output(std::size_t i, TensorSpec spec);
  void set_output(std::size_t i, DType dtype, const Shape& shape) {
    set_output(i, TensorSpec{dtype, shape, false});
  }
  const std::vector<TensorSpec>& outputs() const { return outputs_; }

  struct InputCast {
    std::size_t input;
    DType dtype;
  };
  const std::vector<InputCast>& casts() const { return casts_; }

 private:
  bool is_present(std::size_t i) const {
    return values_.empty() || i >= values_.size() || values_[i].defined();
  }
  std::span<const TensorSpec> inputs_;
  std::span<const Tensor> values_;
  std::vector<TensorSpec> outputs_;
  std::vector<InputCast> casts_;
};

// A strided window on the first input, instead of a kernel.
struct ViewSpec {
  Shape shape;
  tensor::Strides strides;
  std::int64_t offset = 0;  // from the start of the storage, in elements
};

class ViewContext : public AttributeReader {
 public:
  ViewContext(const OpDef& definition, std::span<AttributeValue> attributes, const Tensor& input,
              std::span<const TensorSpec> outputs)
      : AttributeReader(definition, attributes), input_(input), outputs_(outputs) {}
  const Tensor& input() const { return input_; }
  const TensorSpec& output(std::size_t i) const { return outputs_[i]; }
  std::size_t output_count() const { return outputs_.size(); }
  void set_view(std::size_t i, ViewSpec view) {
    if (views_.size() <= i) views_.resize(i + 1);
    views_[i] = std::move(view);
  }
  const std::vector<ViewSpec>& views() const { return views_; }

 private:
  const Tensor& input_;
  std::span<const TensorSpec> outputs_;
  std::vector<ViewSpec> views_;
};

class KernelContext : public AttributeReader {
 public:
  KernelContext(const OpDef& definition, std::span<AttributeValue> attributes,
                std::span<const Tensor> inputs, std::span<Tensor> outputs)
      : AttributeReader(definition, attributes), inputs_(inputs), outputs_(outputs) {}

  std::size_t input_count() const { return inputs_.size(); }
  std::size_t output_count() const { return outputs_.size(); }
  bool has_input(std::size_t i) const { return i < inputs_.size() && inputs_[i].defined(); }
  const Tensor& input(std::size_t i) const { return inputs_[i]; }
  Tensor& output(std::size_t i) const { return outputs_[i]; }
  std::span<const Tensor> inputs() const { return inputs_; }
  std::span<Tensor> outputs() const { return outputs_; }
  // A dense version of input i; the tensor itself when it already is.
  Tensor dense(std::size_t i) const { return tensor::contiguous(inputs_[i]); }
  device::Device device() const;  // of the tensors at hand
  // For operators with dynamic outputs.
  Tensor& allocate_output(std::size_t i, DType dtype, const Shape& shape);

  // Memory for the time of the call: what is queued on the stream may still use it afterwards.
  Tensor scratch(std::size_t bytes) const;

  // Where the work is put; null on the host, whose kernels have finished when they return.
  device::Stream* stream = nullptr;
  std::uint64_t random_seed = 0;    // operators marked random
  std::uint64_t random_offset = 0;  // first counter value that is theirs
  // A recorded run finds seed and offset there each time, on the device; null: those above.
  const std::uint64_t* random_key = nullptr;

 private:
  std::span<const Tensor> inputs_;
  std::span<Tensor> outputs_;
};

// One operator call seen from its result: computes input gradients from output gradients.
class GradientContext : public AttributeReader {
 public:
  GradientContext(const OpDef& definition, std::span<AttributeValue> attributes, Emitter& emitter)
      : AttributeReader(definition, attributes), emitter_(emitter) {}

  Emitter& emitter() const { return emitter_; }
  std::size_t input_count() const { return input_specs.size(); }
  // Values are there only when the definition keeps them (`.keeps`); specs always are.
  const Value& input(std::size_t i) const;
  const Value& output(std::size_t i) const;
  const Shape& input_shape(std::size_t i) const { return input_specs[i].shape; }
  DType input_dtype(std::size_t i) const { return input_specs[i].dtype; }
  bool has_input(std::size_t i) const { return i < present.size() && present[i]; }
  bool wants(std::size_t i) const { return i < wanted.size() && wanted[i]; }
  // Never undefined: an output nobody used has a gradient of zeros.
  Value output_gradient(std::size_t i);
  bool has_output_gradient(std::size_t i) const { return output_gradients[i].defined(); }
  void set_input_gradient(std::size_t i, Value gradient);

  Value call(std::string_view op, std::initializer_list<Value> inputs,
             std::initializer_list<NamedAttribute> attributes = {}) {
    return emitter_.call(op, inputs, attributes);
  }
  ValueList call_all(std::string_view op, std::initializer_list<Value> inputs,
                     std::initializer_list<NamedAttribute> attributes = {}) {
    return emitter_.call_all(op, inputs, attributes);
  }

  // Filled by whoever walks backward.
  std::vector<Value> inputs, outputs, output_gradients, input_gradients;
  std::vector<TensorSpec> input_specs, output_specs;
  std::vector<bool> wanted, present;
  bool is_differentiated = false;  // somebody differentiates what the rule computes

 private:
  Emitter& emitter_;
};

// A function that only combines operators.
class CompositeContext : public AttributeReader {
 public:
  CompositeContext(const OpDef& definition, std::span<AttributeValue> attributes, Emitter& emitter,
                   std::span<const Value> inputs)
      : AttributeReader(definition, attributes), emitter_(emitter), inputs_(inputs) {}
  Emitter& emitter() const { return emitter_; }
  std::size_t input_count() const { return inputs_.size(); }
  bool has_input(std::size_t i) const { return i < inputs_.size() && inputs_[i].defined(); }
  const Value& input(std::size_t i) const { return inputs_[i]; }
  void set_output(std::size_t i, Value value) {
    if (outputs_.size() <= i) outputs_.resize(i + 1);
    outputs_[i] = std::move(value);
  }
  Value call(std::string_view op, std::initializer_list<Value> inputs,
             std::initializer_list<NamedAttribute> attributes = {}) {
    return emitter_.call(op, inputs, attributes);
  }
  ValueList call_all(std::string_view op, std::initializer_list<Value> inputs,
                     std::initializer_list<NamedAttribute> attributes = {}) {
    return emitter_.call_all(op, inputs, attributes);
  }
  ValueList& outputs() { return outputs_; }

 private:
  Emitter& emitter_;
  std::span<const Value> inputs_;
  ValueList outputs_;
};

// Sums a gradient over the axes its input was stretched along, and gives it the input's dtype.
Value sum_to(const Value& gradient, const TensorSpec& target);

}  // namespace mycel::op
