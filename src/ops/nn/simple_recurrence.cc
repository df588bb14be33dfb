// SPDX-License-Identifier: Apache-2.0
// The part of a plain recurrent layer that goes through time; see lstm.cc.
#include "backend/cpu/loops/recurrent_loops.h"
#include "backend/cpu/repeated_product.h"
#include "ops/nn/mindir_recurrent.h"
#include "ops/nn/onnx_scan.h"
#include "ops/nn/recurrent.h"

namespace mycel::ops {
namespace {

constexpr std::size_t kInput = 0, kHidden = 1, kWeight = 2, kLengths = 3;

bool is_relu(const AttributeReader& op) { return op.text("nonlinearity") == "relu"; }

template <class T>
void run_forward(KernelContext& kernel) {
  const Tensor x = backend::widened(kernel.input(kInput));
  const Tensor first = backend::widened(kernel.input(kHidden));
  const Tensor weight = backend::widened(kernel.input(kWeight));
  const Tensor hidden = backend::wide_like(kernel.output(0));
  const Walk walk(kernel, hidden.shape(), kLengths);
  if (walk.is_empty()) return;
  const bool relu = is_relu(kernel);
  const Tensor u = Tensor::empty({walk.rows, walk.units}, x.dtype());
  backend::RepeatedProduct product(transposed(weight), walk.rows);
  for (std::int64_t step = 0; step < walk.steps; ++step) {
    const std::int64_t t = walk.time(step);
    const T* before = walk.before<T>(step, first, hidden);
    product.run(before, u.raw());
    walk.each_row([&](std::int64_t row) {
      T* h = row_of<T>(hidden, t, row);
      if (walk.has_ended(row, t)) {
        std::copy_n(before + row * walk.units, walk.units, h);
      } else {
        backend::recurrent_loops<T>().simple(relu, row_of<T>(x, t, row), row_of<T>(u, 0, row), h,
                                             walk.units);
      }
    });
  }
  backend::narrow_into(hidden, kernel.output(0));
}

template <class T>
void run_gradient(KernelContext& kernel) {
  const Tensor by_hidden = backend::widened(kernel.input(0));
  const Tensor hidden = backend::widened(kernel.input(1));
  const Tensor weight = backend::widened(kernel.input(2));
  const Tensor dx = backend::wide_like(kernel.output(0));
  const Walk walk(kernel, hidden.shape(), kLengths);
  if (walk.is_empty()) return;
  const std::int64_t n = walk.units;
  const bool relu = is_relu(kernel);
  const Tensor carry = zeros({walk.rows, n}, hidden.dtype());
  const Tensor direct = zeros({walk.rows, n}, hidden.dtype());
  backend::RepeatedProduct product(weight, walk.rows);
  for (std::int64_t step = walk.steps - 1; step >= 0; --step) {
    const std::int64_t t = walk.time(step);
    walk.each_row([&](std::int64_t row) {
      T* dh = row_of<T>(direct, 0, row);
      add_rows(dh, row_of<T>(carry, 0, row), n);
      add_rows(dh, row_of<T>(by_hidden, t, row), n);
      if (walk.has_ended(row, t)) {
        std::fill_n(row_of<T>(dx, t, row), n, T(0));
        return;
      }
      backend::recurrent_loops<T>().simple_gradient(relu, dh, row_of<T>(hidden, t, row),
                                                    row_of<T>(dx, t, row), n);
      std::fill_n(dh, n, T(0));
    });
    product.run(row_of<T>(dx, t, 0), carry.raw());
  }
  add_rows(carry.data<T>(), direct.data<T>(), carry.size());
  backend::narrow_into(dx, kernel.output(0));
  backend::convert_floating(carry, kernel.output(1));
}

// The same walk in plain operators.
ValueList unrolled_gradient(GradientContext& op, const UnrolledWalk& walk, const Value& by_hidden) {
  std::vector<Value> by_step(static_cast<std::size_t>(walk.steps));
  Value carried;
  for (std::int64_t step = walk.steps - 1; step >= 0; --step) {
    const std::int64_t t = walk.time(step);
    const Value hidden = walk.at(op.output(0), t);
    const Value slope = is_relu(op) ? op.call("sign", {hidden}) : 1.0 - hidden * hidden;
    const Value dh = plus(walk.at(by_hidden, t), carried);
    const Value mask = walk.mask(t);
    const Value dx = blend(mask, dh * slope, Value());
    by_step[static_cast<std::size_t>(step)] = dx;
    const Value through = op.call("matmul", {dx, op.input(kWeight)});
    carried = mask.defined() ? through + dh * (1.0 - mask) : through;
  }
  return {walk.in_time(std::move(by_step)), carried};
}

void simple_rule(GradientContext& op) {
  const UnrolledWalk walk(op, op.output_specs[0].shape, kLengths);
  const Value by_hidden = op.output_gradient(0);
  const ValueList found = op.is_differentiated
                              ? unrolled_gradient(op, walk, by_hidden)
                              : op.call_all("simple_scan_gradient",
                                            {by_hidden, op.output(0), op.input(kWeight),
                                             op.has_input(kLengths) ? op.input(kLengths) : Value()},
                                            {{"nonlinearity", op.attribute("nonlinearity")},
                                             {"reverse", op.attribute("reverse")}});
  if (op.wants(kInput)) op.set_input_gradient(kInput, found[0]);
  if (op.wants(kHidden)) op.set_input_gradient(kHidden, found[1]);
  if (op.wants(kWeight)) {
    op.set_input_gradient(kWeight, walk.weight_gradient(found[0], op.input(kHidden), op.output(0)));
  }
}

}  // namespace

MYCEL_OP(simple_scan)
    .doc("States of a plain recurrent layer at every step: nonlinearity(input + weight * state).")
    .input("input", "Shape (steps, rows, units): what the input contributes.", kFloating)
    .input("hidden", "Shape (rows, units): the state before the first step.", kFloating)
    .input("weight", "Shape (units, units): multiplies the state.", kFloating)
    .optional_input("seq_length", "Shape (rows,): steps of each row; later ones keep the state.",
                    {DType::Int32, DType::Int64})
    .attribute("nonlinearity", "What follows the sum.", "tanh", {.choices = {"tanh", "relu"}})
    .attribute("reverse", "Whether time runs from the last step to the first.", false)
    .output("hidden_states", "Shape (steps, rows, units).")
    .infer([](InferContext& op) {
      check_scan(op, {kInput, kHidden, kWeight, kLengths}, 1);
      for (const std::size_t i : {kHidden, kWeight}) op.require_same_dtype(kInput, i);
      op.set_output(0, op.input(kInput).dtype, op.input(kInput).shape);
    })
    .gradient(simple_rule)
    .keeps({"hidden", "weight", "seq_length", "hidden_states"})
    .sample("forward", {normal({3, 2, 3}), normal({2, 3}), normal({3, 3}), absent()})
    .sample("relu, backward in time", {normal({3, 2, 3}), normal({2, 3}), normal({3, 3}), absent()},
            {{"nonlinearity", "relu"}, {"reverse", true}})
    .sample("rows of different lengths",
            {normal({3, 3, 2}), normal({3, 2}), normal({2, 2}), integers({3}, 0, 4)})
    .sample("no rows", {normal({2, 0, 2}), normal({0, 2}), normal({2, 2}), absent()})
    .sample_dtypes(kFloating);
MYCEL_CPU_KERNEL(simple_scan) {
  if (kernel.input(0).dtype() == DType::Float64) {
    run_forward<double>(kernel);
  } else {
    run_forward<float>(kernel);
  }
}

MYCEL_OP(simple_scan_gradient)
    .doc("Gradients of simple_scan with respect to its input and the state before the first step.")
    .input("hidden_gradient", "Gradient of the states.", kFloating)
    .input("hidden_states", "As simple_scan gave them.", kFloating)
    .input("weight", "Multiplies the state.", kFloating)
    .optional_input("seq_length", "Steps of each row.", {DType::Int32, DType::Int64})
    .attribute("nonlinearity", "What followed the sum.", "tanh", {.choices = {"tanh", "relu"}})
    .attribute("reverse", "Whether time ran from the last step to the first.", false)
    .output("input_gradient", "Shape (steps, rows, units).")
    .output("first_hidden_gradient", "Shape (rows, units).")
    .infer([](InferContext& op) {
      const TensorSpec& states = op.input(1);
      op.require(states.rank() == 3 && states.shape[0] > 0, ErrorKind::Value,
                 "'hidden_states' must have 3 axes and at least one step, but got ", states.shape,
                 ".");
      check_shape(op, 0, states.shape);
      check_shape(op, 2, {states.shape[2], states.shape[2]});
      check_shape(op, 3, {states.shape[1]});
      for (const std::size_t i : {0, 2}) op.require_same_dtype(1, i);
      op.set_output(0, states.dtype, states.shape);
      op.set_output(1, states.dtype, {states.shape[1], states.shape[2]});
    })
    .not_differentiable()  // the rule of simple_scan does not use it where that would be needed
    .sample("forward", {normal({3, 2, 3}), normal({3, 2, 3}), normal({3, 3}), absent()})
    .sample("rows of different lengths",
            {normal({3, 2, 2}), normal({3, 2, 2}), normal({2, 2}), integers({2}, 0, 4)});
MYCEL_CPU_KERNEL(simple_scan_gradient) {
  if (kernel.input(0).dtype() == DType::Float64) {
    run_gradient<double>(kernel);
  } else {
    run_gradient<float>(kernel);
  }
}

MYCEL_WRITES_MINDIR(simple_scan) {
  const auto weight = call.input(2);
  const std::string_view primitive = call.text("nonlinearity") == "relu" ? "ReLU" : "Tanh";
  const auto step = [&](const mindir::Symbol& x, const States& states) -> States {
    return {(x + product_with(states[0], weight)).add(primitive)};
  };
  const auto hidden = call.input(1);
  return scan(call, {hidden}, call.input(3, DType::Int32), step);
}

MYCEL_WRITES_ONNX(simple_scan) {
  const std::string kind = call.text("nonlinearity") == "tanh" ? "Tanh" : "Relu";
  const Datum activations = Datum::list({Datum(kind)});
  return written_scan(call, "RNN", {0}, {}, {{"activations", activations}}).hidden;
}

}  // namespace mycel::ops
