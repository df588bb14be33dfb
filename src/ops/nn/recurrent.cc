// SPDX-License-Identifier: Apache-2.0
#include "ops/nn/recurrent.h"

namespace mycel::ops {

void check_shape(const InferContext& op, std::size_t input, const Shape& shape) {
  if (!op.has_input(input)) return;
  op.require(op.input(input).shape == shape, ErrorKind::Value, "the shape of '",
             op.definition().inputs[input].name, "' must be ", shape, ", but got ",
             op.input(input).shape, ".");
}

void check_scan(const InferContext& op, const ScanInputs& at, std::int64_t gates) {
  const Shape& input = op.input(at.input).shape;
  const Shape& hidden = op.input(at.hidden).shape;
  op.require(input.size() == 3, ErrorKind::Value, "the dimension of 'input' must be 3, but got ",
             input.size(), ".");
  op.require(hidden.size() == 2, ErrorKind::Value, "the dimension of 'hidden' must be 2, but got ",
             hidden.size(), ".");
  op.require(input[0] > 0, ErrorKind::Value, "'input' must have at least one step, but got ", input,
             ".");
  const std::int64_t units = hidden[1];
  check_shape(op, at.hidden, {input[1], units});
  check_shape(op, at.input, {input[0], input[1], gates * units});
  check_shape(op, at.weight, {gates * units, units});
  check_shape(op, at.lengths, {input[1]});
}

Walk::Walk(const KernelContext& kernel, const Shape& states, std::size_t lengths_input)
    : steps(states[0]), rows(states[1]), units(states[2]), reverse_(kernel.flag("reverse")) {
  if (!kernel.has_input(lengths_input)) return;
  const Tensor lengths = kernel.dense(lengths_input);
  lengths_.resize(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < lengths_.size(); ++i) {
    lengths_[i] = lengths.dtype() == DType::Int32 ? lengths.data<std::int32_t>()[i]
                                                  : lengths.data<std::int64_t>()[i];
    kernel.require(lengths_[i] >= 0 && lengths_[i] <= steps, ErrorKind::Value,
                   "'seq_length' must be in [0, ", steps, "], but got ", lengths_[i],
                   " at position ", i, ".");
  }
}

UnrolledWalk::UnrolledWalk(GradientContext& op, const Shape& states, std::size_t lengths_input)
    : steps(states[0]),
      rows(states[1]),
      units(states[2]),
      op_(op),
      lengths_input_(lengths_input),
      reverse_(op.flag("reverse")) {}

Value UnrolledWalk::at(const Value& sequence, std::int64_t time) const {
  if (!sequence.defined()) return {};
  const std::int64_t width = sequence.shape().back();
  const Value step = op_.call("slice", {sequence},
                              {{"begin", IntList{time, 0, 0}}, {"size", IntList{1, rows, width}}});
  return op_.call("reshape", {step}, {{"shape", Shape{rows, width}}});
}

Value UnrolledWalk::part(const Value& row, std::int64_t index) const {
  if (!row.defined()) return {};
  return op_.call("slice", {row},
                  {{"begin", IntList{0, index * units}}, {"size", IntList{rows, units}}});
}

Value UnrolledWalk::before(std::int64_t step, const Value& initial, const Value& states) const {
  return step == 0 ? initial : at(states, time(step - 1));
}

Value UnrolledWalk::mask(std::int64_t time) const {
  if (!op_.has_input(lengths_input_)) return {};
  const Value lives = op_.call("greater", {op_.input(lengths_input_), op_.emitter().integer(time)});
  const Value column = op_.call("reshape", {lives}, {{"shape", Shape{rows, 1}}});
  return op_.call("cast", {column}, {{"dtype", op_.input_dtype(0)}});
}

Value UnrolledWalk::join(const std::vector<Value>& parts) const {
  const NamedAttribute axis{"axis", 1};
  return op_.emitter().call_all("concat", parts, std::span(&axis, 1))[0];
}

Value UnrolledWalk::in_time(std::vector<Value> by_step) const {
  if (reverse_) std::reverse(by_step.begin(), by_step.end());
  const NamedAttribute axis{"axis", 0};
  return op_.emitter().call_all("stack", by_step, std::span(&axis, 1))[0];
}

Value UnrolledWalk::all_before(const Value& initial, const Value& states) const {
  std::vector<Value> parts = {op_.call("reshape", {initial}, {{"shape", Shape{1, rows, units}}})};
  if (steps > 1) {
    parts.push_back(op_.call(
        "slice", {states},
        {{"begin", IntList{reverse_ ? 1 : 0, 0, 0}}, {"size", IntList{steps - 1, rows, units}}}));
  }
  if (reverse_) std::reverse(parts.begin(), parts.end());
  const NamedAttribute axis{"axis", 0};
  const Value joined = op_.emitter().call_all("concat", parts, std::span(&axis, 1))[0];
  return op_.call("reshape", {joined}, {{"shape", Shape{steps * rows, units}}});
}

Value UnrolledWalk::weight_gradient(const Value& products, const Value& initial,
                                    const Value& states) const {
  const Value lines =
      op_.call("reshape", {products}, {{"shape", Shape{steps * rows, products.shape().back()}}});
  return op_.call("matmul", {lines, all_before(initial, states)}, {{"transpose_a", true}});
}

}  // namespace mycel::ops
