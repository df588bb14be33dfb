// SPDX-License-Identifier: Apache-2.0
#include "ops/optimizer/updates.h"

#include <algorithm>

namespace mycel::ops {

Define list_operator(std::string_view name, std::string_view doc,
                     std::initializer_list<std::pair<std::string_view, std::string_view>> numbers) {
  Define op(name);
  op.doc(doc);
  for (const auto& [input, meaning] : numbers) op.input(input, meaning, kReal);
  op.variadic_input("tensors",
                    "Parameters, each kind of state, gradients - as many of each - and numbers: "
                    "learning rates and weight decays.",
                    kReal)
      .attribute("rate_of", "For every parameter, which number is its learning rate.",
                 required(AttributeType::Ints))
      .attribute("decay_of", "For every parameter, which number is its decay; -1: none. (): all.",
                 IntList{})
      .attribute("gradient_scale", "Gradients are multiplied by it first.", 1.0)
      .in_place_output("written", "The parameters and states.", static_cast<int>(numbers.size()))
      .not_differentiable();
  return op;
}

namespace {

struct ListShape {
  std::size_t first, count, written;
  std::size_t at(std::size_t list, std::size_t i) const { return first + list * count + i; }
};

void require_number(const InferContext& op, std::size_t i, std::string_view name) {
  op.require(element_count(op.input(i).shape) == 1, ErrorKind::Value, "'", name,
             "' must be one number, but got shape ", op.input(i).shape, ".");
}

void infer_parameter(InferContext& op, const ListShape& lists, std::size_t i) {
  const TensorSpec& parameter = op.input(lists.at(0, i));
  op.require(tensor::is_floating(parameter.dtype), ErrorKind::Type,
             "parameters must be floating point, but parameter ", i, " is ", parameter.dtype, ".");
  for (std::size_t list = 1; list <= lists.written; ++list) {
    const TensorSpec& other = op.input(lists.at(list, i));
    const std::string_view what = list == lists.written ? "gradient" : "state";
    op.require(other.shape == parameter.shape, ErrorKind::Value, "the ", what, " of parameter ", i,
               " must have its shape ", parameter.shape, ", but got ", other.shape, ".");
    if (list == lists.written) break;
    const DType first = op.input(lists.at(1, i)).dtype;
    const bool fits =
        other.dtype == first &&
        (first == parameter.dtype || (is_half(parameter.dtype) && first == DType::Float32));
    op.require(fits, ErrorKind::Type, "the states of parameter ", i, " must have its type ",
               parameter.dtype, " or float32 beside a half type, but got ", other.dtype, ".");
  }
  const std::size_t gradient = lists.at(lists.written, i);
  if (op.input(gradient).dtype != parameter.dtype) op.cast_input(gradient, parameter.dtype);
}

void check_places(const InferContext& op, std::string_view attribute, std::size_t parameters,
                  std::size_t numbers, std::int64_t least) {
  const IntList places = op.ints(attribute);
  op.require(places.size() == parameters, ErrorKind::Value, "'", attribute, "' must name one of ",
             numbers, " numbers for each of ", parameters, " parameters, but has ", places.size(),
             " entries.");
  for (const std::int64_t place : places) {
    op.require(place >= least && place < static_cast<std::int64_t>(numbers), ErrorKind::Value, "'",
               attribute, "' must be in [", least, ", ", numbers, "), but got ", place, ".");
  }
}

}  // namespace

void infer_updates(InferContext& op, std::size_t written) {
  const std::size_t own = op.definition().inputs.size() - 1;
  for (std::size_t i = 0; i < own; ++i) require_number(op, i, op.definition().inputs[i].name);
  const ListShape lists{own, op.ints("rate_of").size(), written};
  const std::size_t listed = lists.at(written + 1, 0);
  op.require(op.input_count() >= listed, ErrorKind::Value, "there must be ", written + 1,
             " lists of ", lists.count, " tensors, but got ", op.input_count() - own, " tensors.");
  const std::size_t numbers = op.input_count() - listed;
  check_places(op, "rate_of", lists.count, numbers, 0);
  if (!op.ints("decay_of").empty()) check_places(op, "decay_of", lists.count, numbers, -1);
  for (std::size_t i = 0; i < numbers; ++i) require_number(op, listed + i, "tensors");
  for (std::size_t i = 0; i < lists.count; ++i) infer_parameter(op, lists, i);
  for (std::size_t i = 0; i < written * lists.count; ++i) op.set_output(i, op.input(own + i));
}

UpdateCall::UpdateCall(const KernelContext& kernel, std::size_t own_inputs, std::size_t written)
    : kernel_(kernel),
      rate_of_(kernel.ints("rate_of")),
      decay_of_(kernel.ints("decay_of")),
      first_(own_inputs),
      lists_(written),
      count_(rate_of_.size()),
      scale_(kernel.real("gradient_scale")) {}

std::size_t Offsets::tensor_at(std::int64_t element) const {
  return static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), element) -
                                  ends_.begin());
}

}  // namespace mycel::ops
