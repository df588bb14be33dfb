// SPDX-License-Identifier: Apache-2.0
#include "operator/contexts.h"

#include <algorithm>

#include "device/current.h"
#include "operator/registry.h"

namespace mycel::op {

const AttributeValue& AttributeReader::attribute(std::string_view name) const {
  const int index = definition_.find_attribute(name);
  platform::require(index >= 0, ErrorKind::Internal, "operator '", definition_.name,
                    "' has no attribute '", name, "'");
  return attributes_[static_cast<std::size_t>(index)];
}

void AttributeReader::set_attribute(std::string_view name, AttributeValue value) {
  const int index = definition_.find_attribute(name);
  platform::require(index >= 0, ErrorKind::Internal, "operator '", definition_.name,
                    "' has no attribute '", name, "'");
  attributes_[static_cast<std::size_t>(index)] = std::move(value);
}

std::int64_t InferContext::normalize_axis(std::string_view attribute, std::int64_t rank) {
  const std::int64_t axis = tensor::normalize_axis(integer(attribute), rank, name(), attribute);
  set_attribute(attribute, axis);
  return axis;
}

IntList InferContext::normalize_axes(std::string_view attribute_name, std::int64_t rank) {
  IntList axes;
  const AttributeValue& given = attribute(attribute_name);
  if (!given.is_none()) axes = given.ints();
  if (axes.empty()) {
    for (std::int64_t i = 0; i < rank; ++i) axes.push_back(i);
  }
  for (std::int64_t& axis : axes) axis = tensor::normalize_axis(axis, rank, name(), attribute_name);
  std::sort(axes.begin(), axes.end());
  require(std::adjacent_find(axes.begin(), axes.end()) == axes.end(), ErrorKind::Value, "'",
          attribute_name, "' must not repeat an axis, but got ", axes);
  if (rank == 0) axes.clear();
  set_attribute(attribute_name, axes);
  return axes;
}

DType InferContext::promote_inputs(std::size_t first, std::size_t last) {
  const DType common = promoted_type(inputs_.subspan(first, last - first));
  for (std::size_t i = first; i < last; ++i) {
    if (inputs_[i].dtype != common) cast_input(i, common);
  }
  return common;
}

void InferContext::require_same_dtype(std::size_t a, std::size_t b) const {
  const auto& inputs = definition().inputs;
  require(inputs_[a].dtype == inputs_[b].dtype, ErrorKind::Type, "the type of '", inputs[b].name,
          "' should be same as '", inputs[a].name, "', but got '", inputs[a].name,
          "' with type Tensor[", inputs_[a].dtype, "] and '", inputs[b].name, "' with type Tensor[",
          inputs_[b].dtype, "].");
}

void InferContext::set_output(std::size_t i, TensorSpec spec) {
  for (const std::int64_t length : spec.shape) {
    require(length >= 0, ErrorKind::Value, "the result would have the shape ", spec.shape,
            ", but no length may be negative.");
  }
  if (outputs_.size() <= i) outputs_.resize(i + 1);
  spec.is_number = false;
  outputs_[i] = std::move(spec);
}

device::Device KernelContext::device() const {
  for (const Tensor& tensor : outputs_) {
    if (tensor.defined()) return tensor.device();
  }
  for (const Tensor& tensor : inputs_) {
    if (tensor.defined() && !tensor.body().is_number) return tensor.device();
  }
  return device::current_device();
}

Tensor& KernelContext::allocate_output(std::size_t i, DType dtype, const Shape& shape) {
  outputs_[i] = Tensor::empty(shape, dtype, device());
  return outputs_[i];
}

Tensor KernelContext::scratch(std::size_t bytes) const {
  return Tensor::empty({static_cast<std::int64_t>(bytes)}, DType::UInt8, device());
}

const Value& GradientContext::input(std::size_t i) const {
  platform::require(i < inputs.size() && inputs[i].defined(), ErrorKind::Internal,
                    "the gradient of '", definition().name, "' reads input ", i,
                    ", which the definition does not keep");
  return inputs[i];
}

const Value& GradientContext::output(std::size_t i) const {
  platform::require(i < outputs.size() && outputs[i].defined(), ErrorKind::Internal,
                    "the gradient of '", definition().name, "' reads output ", i,
                    ", which the definition does not keep");
  return outputs[i];
}

Value GradientContext::output_gradient(std::size_t i) {
  if (!output_gradients[i].defined()) {
    const TensorSpec& spec = output_specs[i];
    output_gradients[i] =
        emitter_.call("fill", {}, {{"shape", spec.shape}, {"value", 0.0}, {"dtype", spec.dtype}});
  }
  return output_gradients[i];
}

void GradientContext::set_input_gradient(std::size_t i, Value gradient) {
  if (input_gradients.size() <= i) input_gradients.resize(i + 1);
  input_gradients[i] = std::move(gradient);
}

Value sum_to(const Value& gradient, const TensorSpec& target) {
  if (!gradient.defined()) return gradient;
  Value result = gradient;
  const Shape from = result.shape();
  if (!(from == target.shape)) {
    const std::size_t extra = from.size() - target.shape.size();
    IntList axes;
    for (std::size_t i = 0; i < from.size(); ++i) {
      const bool stretched = i < extra || (target.shape[i - extra] == 1 && from[i] != 1);
      if (stretched) axes.push_back(static_cast<std::int64_t>(i));
    }
    if (!axes.empty()) {
      result = result.emitter().call("reduce_sum", {result}, {{"axis", axes}, {"keep_dims", true}});
    }
    if (!(result.shape() == target.shape)) {
      result = result.emitter().call("reshape", {result}, {{"shape", target.shape}});
    }
  }
  if (result.dtype() != target.dtype) {
    result = result.emitter().call("cast", {result}, {{"dtype", target.dtype}});
  }
  return result;
}

}  // namespace mycel::op
