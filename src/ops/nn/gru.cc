// SPDX-License-Identifier: Apache-2.0
// The part of a gated recurrent unit that goes through time; see lstm.cc.
#include "backend/cpu/loops/recurrent_loops.h"
#include "backend/cpu/repeated_product.h"
#include "ops/nn/mindir_recurrent.h"
#include "ops/nn/onnx_scan.h"
#include "ops/nn/recurrent.h"

namespace mycel::ops {
namespace {

constexpr std::size_t kInput = 0, kHidden = 1, kWeight = 2, kBias = 3, kLengths = 4;

template <class T>
void run_forward(KernelContext& kernel) {
  const Tensor x = backend::widened(kernel.input(kInput));
  const Tensor first = backend::widened(kernel.input(kHidden));
  const Tensor weight = backend::widened(kernel.input(kWeight));
  const Tensor bias = wide_optional(kernel, kBias);
  const Tensor hidden = backend::wide_like(kernel.output(0));
  const Tensor gates = backend::wide_like(kernel.output(1));
  const Walk walk(kernel, hidden.shape(), kLengths);
  if (walk.is_empty()) return;
  const std::int64_t n = walk.units;
  const Tensor u = Tensor::empty({walk.rows, 3 * n}, x.dtype());
  backend::RepeatedProduct product(transposed(weight), walk.rows);
  const auto& loops = backend::recurrent_loops<T>();
  for (std::int64_t step = 0; step < walk.steps; ++step) {
    const std::int64_t t = walk.time(step);
    const T* before = walk.before<T>(step, first, hidden);
    product.run(before, u.raw());
    walk.each_row([&](std::int64_t row) {
      T* g = row_of<T>(gates, t, row);
      T* h = row_of<T>(hidden, t, row);
      if (walk.has_ended(row, t)) {
        std::fill_n(g, 4 * n, T(0));
        std::copy_n(before + row * n, n, h);
        return;
      }
      if (bias.defined()) add_rows(row_of<T>(u, 0, row), bias.data<T>(), 3 * n);
      loops.gru(row_of<T>(x, t, row), row_of<T>(u, 0, row), before + row * n, g, h, n);
    });
  }
  backend::narrow_into(hidden, kernel.output(0));
  backend::narrow_into(gates, kernel.output(1));
}

template <class T>
void run_gradient(KernelContext& kernel) {
  const Tensor by_hidden = backend::widened(kernel.input(0));
  const Tensor by_gates = wide_optional(kernel, 1);
  const Tensor hidden = backend::widened(kernel.input(2));
  const Tensor gates = backend::widened(kernel.input(3));
  const Tensor first = backend::widened(kernel.input(4));
  const Tensor weight = backend::widened(kernel.input(5));
  const Tensor dx = backend::wide_like(kernel.output(0));
  const Tensor du = backend::wide_like(kernel.output(1));
  const Walk walk(kernel, hidden.shape(), 6);
  if (walk.is_empty()) return;
  const std::int64_t n = walk.units;
  const Tensor carry = zeros({walk.rows, n}, hidden.dtype());
  const Tensor direct = zeros({walk.rows, n}, hidden.dtype());
  backend::RepeatedProduct product(weight, walk.rows);
  const auto& loops = backend::recurrent_loops<T>();
  for (std::int64_t step = walk.steps - 1; step >= 0; --step) {
    const std::int64_t t = walk.time(step);
    const T* before = walk.before<T>(step, first, hidden);
    walk.each_row([&](std::int64_t row) {
      T* dh = row_of<T>(direct, 0, row);
      add_rows(dh, row_of<T>(carry, 0, row), n);
      add_rows(dh, row_of<T>(by_hidden, t, row), n);
      if (walk.has_ended(row, t)) {
        std::fill_n(row_of<T>(dx, t, row), 3 * n, T(0));
        std::fill_n(row_of<T>(du, t, row), 3 * n, T(0));
        return;
      }
      loops.gru_gradient(dh, row_of<T>(gates, t, row), before + row * n,
                         row_of<T>(by_gates, t, row), row_of<T>(dx, t, row), row_of<T>(du, t, row),
                         n);
    });
    product.run(row_of<T>(du, t, 0), carry.raw());
  }
  add_rows(carry.data<T>(), direct.data<T>(), carry.size());
  backend::narrow_into(dx, kernel.output(0));
  backend::narrow_into(du, kernel.output(1));
  backend::convert_floating(carry, kernel.output(2));
}

// The same walk in plain operators.
ValueList unrolled_gradient(GradientContext& op, const UnrolledWalk& walk, const Value& by_hidden,
                            const Value& by_gates) {
  std::vector<Value> to_input(static_cast<std::size_t>(walk.steps)), to_state(to_input);
  Value carried;
  for (std::int64_t step = walk.steps - 1; step >= 0; --step) {
    const std::int64_t t = walk.time(step);
    const Value gates = walk.at(op.output(1), t), extra = walk.at(by_gates, t);
    const Value reset = walk.part(gates, 0), update = walk.part(gates, 1);
    const Value fresh = walk.part(gates, 2), remembered = walk.part(gates, 3);
    const Value before = walk.before(step, op.input(kHidden), op.output(0));
    const Value dh = plus(walk.at(by_hidden, t), carried);
    const Value dfresh = plus(dh * (1.0 - update), walk.part(extra, 2)) * (1.0 - fresh * fresh);
    const Value dreset = plus(dfresh * remembered, walk.part(extra, 0)) * reset * (1.0 - reset);
    const Value dupdate =
        plus(dh * (before - fresh), walk.part(extra, 1)) * update * (1.0 - update);
    const Value dremembered = plus(dfresh * reset, walk.part(extra, 3));
    const Value mask = walk.mask(t);
    const Value du = blend(mask, walk.join({dreset, dupdate, dremembered}), Value());
    to_input[static_cast<std::size_t>(step)] =
        blend(mask, walk.join({dreset, dupdate, dfresh}), Value());
    to_state[static_cast<std::size_t>(step)] = du;
    carried = op.call("matmul", {du, op.input(kWeight)}) + blend(mask, dh * update, dh);
  }
  return {walk.in_time(std::move(to_input)), walk.in_time(std::move(to_state)), carried};
}

void gru_rule(GradientContext& op) {
  const UnrolledWalk walk(op, op.output_specs[0].shape, kLengths);
  const Value by_hidden = op.output_gradient(0);
  const Value by_gates = op.has_output_gradient(1) ? op.output_gradient(1) : Value();
  const ValueList found =
      op.is_differentiated
          ? unrolled_gradient(op, walk, by_hidden, by_gates)
          : op.call_all("gru_scan_gradient",
                        {by_hidden, by_gates, op.output(0), op.output(1), op.input(kHidden),
                         op.input(kWeight), op.has_input(kLengths) ? op.input(kLengths) : Value()},
                        {{"reverse", op.attribute("reverse")}});
  if (op.wants(kInput)) op.set_input_gradient(kInput, found[0]);
  if (op.wants(kHidden)) op.set_input_gradient(kHidden, found[2]);
  if (op.wants(kWeight)) {
    op.set_input_gradient(kWeight, walk.weight_gradient(found[1], op.input(kHidden), op.output(0)));
  }
  if (op.has_input(kBias) && op.wants(kBias)) {
    op.set_input_gradient(kBias, op.call("reduce_sum", {found[1]}, {{"axis", IntList{0, 1}}}));
  }
}

}  // namespace

MYCEL_OP(gru_scan)
    .doc("States of a gated recurrent unit at every step; gates are reset, update, new.")
    .input("input", "Shape (steps, rows, 3 * units): what the input contributes to the gates.",
           kFloating)
    .input("hidden", "Shape (rows, units): the state before the first step.", kFloating)
    .input("weight", "Shape (3 * units, units): multiplies the state.", kFloating)
    .optional_input("bias", "Shape (3 * units,): added to that product.", kFloating)
    .optional_input("seq_length", "Shape (rows,): steps of each row; later ones keep the state.",
                    {DType::Int32, DType::Int64})
    .attribute("reverse", "Whether time runs from the last step to the first.", false)
    .output("hidden_states", "Shape (steps, rows, units).")
    .output("gates",
            "Shape (steps, rows, 4 * units): the gates after their activations, and what the state "
            "contributes to the last of them.")
    .infer([](InferContext& op) {
      check_scan(op, {kInput, kHidden, kWeight, kLengths}, 3);
      const TensorSpec& x = op.input(kInput);
      const std::int64_t units = op.input(kHidden).shape[1];
      check_shape(op, kBias, {3 * units});
      for (const std::size_t i : {kHidden, kWeight, kBias}) {
        if (op.has_input(i)) op.require_same_dtype(kInput, i);
      }
      op.set_output(0, x.dtype, {x.shape[0], x.shape[1], units});
      op.set_output(1, x.dtype, {x.shape[0], x.shape[1], 4 * units});
    })
    .gradient(gru_rule)
    .keeps({"hidden", "weight", "seq_length", "hidden_states", "gates"})
    .sample("forward", {normal({3, 2, 9}), normal({2, 3}), normal({9, 3}), normal({9}), absent()})
    .sample("backward in time, rows of different lengths",
            {normal({3, 3, 6}), normal({3, 2}), normal({6, 2}), absent(), integers({3}, 0, 4)},
            {{"reverse", true}})
    .sample("rows of different lengths",
            {normal({3, 3, 6}), normal({3, 2}), normal({6, 2}), normal({6}), integers({3}, 0, 4)})
    .sample("no rows", {normal({2, 0, 6}), normal({0, 2}), normal({6, 2}), absent(), absent()})
    .sample_dtypes(kFloating);
MYCEL_CPU_KERNEL(gru_scan) {
  if (kernel.input(0).dtype() == DType::Float64) {
    run_forward<double>(kernel);
  } else {
    run_forward<float>(kernel);
  }
}

MYCEL_OP(gru_scan_gradient)
    .doc("Gradients of gru_scan with respect to what input and state contribute, and the state.")
    .input("hidden_gradient", "Gradient of the states.", kFloating)
    .optional_input("gates_gradient", "Gradient of the gates.", kFloating)
    .input("hidden_states", "As gru_scan gave them.", kFloating)
    .input("gates", "As gru_scan gave them.", kFloating)
    .input("hidden", "The state before the first step.", kFloating)
    .input("weight", "Multiplies the state.", kFloating)
    .optional_input("seq_length", "Steps of each row.", {DType::Int32, DType::Int64})
    .attribute("reverse", "Whether time ran from the last step to the first.", false)
    .output("input_gradient", "Shape (steps, rows, 3 * units).")
    .output("product_gradient", "Of the products with the state, the same shape.")
    .output("first_hidden_gradient", "Shape (rows, units).")
    .infer([](InferContext& op) {
      const Shape& gates = op.input(3).shape;
      const TensorSpec& hidden = op.input(4);
      op.require(gates.size() == 3 && hidden.rank() == 2 && gates[0] > 0, ErrorKind::Value,
                 "'gates' must have 3 axes and 'hidden' 2, but got ", gates, " and ", hidden.shape,
                 ".");
      const std::int64_t rows = gates[1], units = hidden.shape[1];
      const Shape states = {gates[0], rows, units};
      check_shape(op, 0, states);
      check_shape(op, 1, gates);
      check_shape(op, 2, states);
      check_shape(op, 3, {gates[0], rows, 4 * units});
      check_shape(op, 4, {rows, units});
      check_shape(op, 5, {3 * units, units});
      check_shape(op, 6, {rows});
      for (const std::size_t i : {0, 1, 2, 4, 5}) {
        if (op.has_input(i)) op.require_same_dtype(3, i);
      }
      op.set_output(0, hidden.dtype, {gates[0], rows, 3 * units});
      op.set_output(1, hidden.dtype, {gates[0], rows, 3 * units});
      op.set_output(2, hidden.dtype, hidden.shape);
    })
    .not_differentiable()  // the rule of gru_scan does not use it where that would be needed
    .sample("forward", {normal({3, 2, 3}), absent(), normal({3, 2, 3}), normal({3, 2, 12}),
                        normal({2, 3}), normal({9, 3}), absent()})
    .sample("all", {normal({3, 2, 2}), normal({3, 2, 8}), normal({3, 2, 2}), normal({3, 2, 8}),
                    normal({2, 2}), normal({6, 2}), integers({2}, 0, 4)});
MYCEL_CPU_KERNEL(gru_scan_gradient) {
  if (kernel.input(0).dtype() == DType::Float64) {
    run_gradient<double>(kernel);
  } else {
    run_gradient<float>(kernel);
  }
}

MYCEL_WRITES_MINDIR(gru_scan) {
  if (call.is_read(1)) call.refuse("somebody reads the gates");
  const auto weight = call.input(2);
  const auto bias = call.input(3);
  const auto step = [&](const mindir::Symbol& x, const States& states) -> States {
    auto product = product_with(states[0], weight);
    if (bias.defined())
      product = product.add("BiasAdd", {bias}, {.shape = product.shape()}, {{"format", "NCHW"}});
    const auto own = gates_of(x, 3);
    const auto before = gates_of(product, 3);
    const auto z = (own[1] + before[1]).add("Sigmoid");
    const auto r = (own[0] + before[0]).add("Sigmoid");
    const auto n = (own[2] + r * before[2]).add("Tanh");
    return {n + z * (states[0] - n)};
  };
  const auto hidden = call.input(1);
  return scan(call, {hidden}, call.input(4, DType::Int32), step);
}

MYCEL_WRITES_ONNX(gru_scan) {
  if (call.is_read(1)) call.refuse("somebody reads the gates");
  return written_scan(call, "GRU", {1, 0, 2}, {.lengths = 4, .bias = 3},
                      {{"linear_before_reset", 1}})
      .hidden;
}

}  // namespace mycel::ops
