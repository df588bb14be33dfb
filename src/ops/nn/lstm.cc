// SPDX-License-Identifier: Apache-2.0
// The part of a long short-term memory that goes through time. What the input contributes to the
// gates is one product for all steps and is given as an input.
#include "backend/cpu/loops/recurrent_loops.h"
#include "backend/cpu/repeated_product.h"
#include "ops/nn/mindir_recurrent.h"
#include "ops/nn/onnx_scan.h"
#include "ops/nn/recurrent.h"

namespace mycel::ops {
namespace {

constexpr std::size_t kInput = 0, kHidden = 1, kCell = 2, kWeight = 3, kLengths = 4;

template <class T>
void run_forward(KernelContext& kernel) {
  const Tensor x = backend::widened(kernel.input(kInput));
  const Tensor first_hidden = backend::widened(kernel.input(kHidden));
  const Tensor first_cell = backend::widened(kernel.input(kCell));
  const Tensor weight = backend::widened(kernel.input(kWeight));
  const Tensor hidden = backend::wide_like(kernel.output(0));
  const Tensor cell = backend::wide_like(kernel.output(1));
  const Tensor gates = backend::wide_like(kernel.output(2));
  const Walk walk(kernel, hidden.shape(), kLengths);
  if (walk.is_empty()) return;
  const std::int64_t n = walk.units;
  const Tensor u = Tensor::empty({walk.rows, 4 * n}, x.dtype());
  backend::RepeatedProduct product(transposed(weight), walk.rows);
  const auto& loops = backend::recurrent_loops<T>();
  for (std::int64_t step = 0; step < walk.steps; ++step) {
    const std::int64_t t = walk.time(step);
    const T* hidden_before = walk.before<T>(step, first_hidden, hidden);
    const T* cell_before = walk.before<T>(step, first_cell, cell);
    product.run(hidden_before, u.raw());
    walk.each_row([&](std::int64_t row) {
      T* g = row_of<T>(gates, t, row);
      T* c = row_of<T>(cell, t, row);
      T* h = row_of<T>(hidden, t, row);
      if (walk.has_ended(row, t)) {
        std::fill_n(g, 4 * n, T(0));
        std::copy_n(cell_before + row * n, n, c);
        std::copy_n(hidden_before + row * n, n, h);
      } else {
        loops.lstm(row_of<T>(x, t, row), row_of<T>(u, 0, row), cell_before + row * n, g, c, h, n);
      }
    });
  }
  backend::narrow_into(hidden, kernel.output(0));
  backend::narrow_into(cell, kernel.output(1));
  backend::narrow_into(gates, kernel.output(2));
}

// `carry` is what the state before gets through the product, `direct` what skips the product.
template <class T>
void run_gradient(KernelContext& kernel) {
  const Tensor by_hidden = backend::widened(kernel.input(0));
  const Tensor by_cell = wide_optional(kernel, 1), by_gates = wide_optional(kernel, 2);
  const Tensor cell = backend::widened(kernel.input(3)), gates = backend::widened(kernel.input(4));
  const Tensor first_cell = backend::widened(kernel.input(5));
  const Tensor weight = backend::widened(kernel.input(6));
  const Tensor dgates = backend::wide_like(kernel.output(0));
  const Walk walk(kernel, cell.shape(), 7);
  if (walk.is_empty()) return;
  const std::int64_t n = walk.units;
  const Tensor carry = zeros({walk.rows, n}, cell.dtype());
  const Tensor direct = zeros({walk.rows, n}, cell.dtype());
  const Tensor dcell = zeros({walk.rows, n}, cell.dtype());
  backend::RepeatedProduct product(weight, walk.rows);
  const auto& loops = backend::recurrent_loops<T>();
  for (std::int64_t step = walk.steps - 1; step >= 0; --step) {
    const std::int64_t t = walk.time(step);
    const T* cell_before = walk.before<T>(step, first_cell, cell);
    walk.each_row([&](std::int64_t row) {
      T* dh = row_of<T>(direct, 0, row);
      T* dg = row_of<T>(dgates, t, row);
      add_rows(dh, row_of<T>(carry, 0, row), n);
      add_rows(dh, row_of<T>(by_hidden, t, row), n);
      add_rows(row_of<T>(dcell, 0, row), row_of<T>(by_cell, t, row), n);
      if (walk.has_ended(row, t)) {
        std::fill_n(dg, 4 * n, T(0));
        return;
      }
      loops.lstm_gradient(dh, row_of<T>(dcell, 0, row), row_of<T>(gates, t, row),
                          row_of<T>(cell, t, row), cell_before + row * n,
                          row_of<T>(by_gates, t, row), dg, n);
      std::fill_n(dh, n, T(0));
    });
    product.run(row_of<T>(dgates, t, 0), carry.raw());
  }
  add_rows(carry.data<T>(), direct.data<T>(), carry.size());
  backend::narrow_into(dgates, kernel.output(0));
  backend::convert_floating(carry, kernel.output(1));
  backend::convert_floating(dcell, kernel.output(2));
}

// The same walk in plain operators.
ValueList unrolled_gradient(GradientContext& op, const UnrolledWalk& walk, const Value& by_hidden,
                            const Value& by_cell, const Value& by_gates) {
  std::vector<Value> by_step(static_cast<std::size_t>(walk.steps));
  Value dhidden, dcell;
  for (std::int64_t step = walk.steps - 1; step >= 0; --step) {
    const std::int64_t t = walk.time(step);
    const Value gates = walk.at(op.output(2), t), extra = walk.at(by_gates, t);
    const Value in = walk.part(gates, 0), forget = walk.part(gates, 1);
    const Value fresh = walk.part(gates, 2), out = walk.part(gates, 3);
    const Value shown = op.call("tanh", {walk.at(op.output(1), t)});
    const Value before = walk.before(step, op.input(kCell), op.output(1));
    const Value dh = plus(walk.at(by_hidden, t), dhidden);
    const Value from_later = plus(walk.at(by_cell, t), dcell);
    const Value dc = plus(dh * out * (1.0 - shown * shown), from_later);
    const Value din = plus(dc * fresh, walk.part(extra, 0)) * in * (1.0 - in);
    const Value dforget = plus(dc * before, walk.part(extra, 1)) * forget * (1.0 - forget);
    const Value dfresh = plus(dc * in, walk.part(extra, 2)) * (1.0 - fresh * fresh);
    const Value dout = plus(dh * shown, walk.part(extra, 3)) * out * (1.0 - out);
    const Value mask = walk.mask(t);
    const Value dgates = blend(mask, walk.join({din, dforget, dfresh, dout}), Value());
    by_step[static_cast<std::size_t>(step)] = dgates;
    const Value through = op.call("matmul", {dgates, op.input(kWeight)});
    dhidden = mask.defined() ? through + dh * (1.0 - mask) : through;
    dcell = blend(mask, dc * forget, from_later);
  }
  return {walk.in_time(std::move(by_step)), dhidden, dcell};
}

void lstm_rule(GradientContext& op) {
  const UnrolledWalk walk(op, op.output_specs[0].shape, kLengths);
  const Value by_hidden = op.output_gradient(0);
  const Value by_cell = op.has_output_gradient(1) ? op.output_gradient(1) : Value();
  const Value by_gates = op.has_output_gradient(2) ? op.output_gradient(2) : Value();
  const ValueList found =
      op.is_differentiated
          ? unrolled_gradient(op, walk, by_hidden, by_cell, by_gates)
          : op.call_all("lstm_scan_gradient",
                        {by_hidden, by_cell, by_gates, op.output(1), op.output(2), op.input(kCell),
                         op.input(kWeight), op.has_input(kLengths) ? op.input(kLengths) : Value()},
                        {{"reverse", op.attribute("reverse")}});
  if (op.wants(kInput)) op.set_input_gradient(kInput, found[0]);
  if (op.wants(kHidden)) op.set_input_gradient(kHidden, found[1]);
  if (op.wants(kCell)) op.set_input_gradient(kCell, found[2]);
  if (op.wants(kWeight)) {
    op.set_input_gradient(kWeight, walk.weight_gradient(found[0], op.input(kHidden), op.output(0)));
  }
}

}  // namespace

MYCEL_OP(lstm_scan)
    .doc("States of a long short-term memory at every step; gates are input, forget, cell, output.")
    .input("input", "Shape (steps, rows, 4 * units): what the input contributes to the gates.",
           kFloating)
    .input("hidden", "Shape (rows, units): the hidden state before the first step.", kFloating)
    .input("cell", "Shape (rows, units): the cell state before the first step.", kFloating)
    .input("weight", "Shape (4 * units, units): multiplies the hidden state.", kFloating)
    .optional_input("seq_length", "Shape (rows,): steps of each row; later ones keep the state.",
                    {DType::Int32, DType::Int64})
    .attribute("reverse", "Whether time runs from the last step to the first.", false)
    .output("hidden_states", "Shape (steps, rows, units).")
    .output("cell_states", "Shape (steps, rows, units).")
    .output("gates", "Shape (steps, rows, 4 * units), after their activations.")
    .infer([](InferContext& op) {
      check_scan(op, {kInput, kHidden, kWeight, kLengths}, 4);
      check_shape(op, kCell, op.input(kHidden).shape);
      for (const std::size_t i : {kHidden, kCell, kWeight}) op.require_same_dtype(kInput, i);
      const TensorSpec& x = op.input(kInput);
      const Shape states = {x.shape[0], x.shape[1], op.input(kHidden).shape[1]};
      op.set_output(0, x.dtype, states);
      op.set_output(1, x.dtype, states);
      op.set_output(2, x.dtype, x.shape);
    })
    .gradient(lstm_rule)
    .keeps({"hidden", "cell", "weight", "seq_length", "hidden_states", "cell_states", "gates"})
    .sample("forward",
            {normal({3, 2, 12}), normal({2, 3}), normal({2, 3}), normal({12, 3}), absent()})
    .sample("backward in time, rows of different lengths",
            {normal({3, 3, 8}), normal({3, 2}), normal({3, 2}), normal({8, 2}),
             integers({3}, 0, 4)},
            {{"reverse", true}})
    .sample("rows of different lengths", {normal({3, 3, 8}), normal({3, 2}), normal({3, 2}),
                                          normal({8, 2}), integers({3}, 0, 4)})
    .sample("one step",
            {normal({1, 2, 4}), normal({2, 1}), normal({2, 1}), normal({4, 1}), absent()})
    .sample("no rows",
            {normal({2, 0, 8}), normal({0, 2}), normal({0, 2}), normal({8, 2}), absent()})
    .sample_dtypes(kFloating);
MYCEL_CPU_KERNEL(lstm_scan) {
  if (kernel.input(0).dtype() == DType::Float64) {
    run_forward<double>(kernel);
  } else {
    run_forward<float>(kernel);
  }
}

MYCEL_OP(lstm_scan_gradient)
    .doc("Gradients of lstm_scan with respect to its input and the states before the first step.")
    .input("hidden_gradient", "Gradient of the hidden states.", kFloating)
    .optional_input("cell_gradient", "Gradient of the cell states.", kFloating)
    .optional_input("gates_gradient", "Gradient of the gates.", kFloating)
    .input("cell_states", "As lstm_scan gave them.", kFloating)
    .input("gates", "As lstm_scan gave them.", kFloating)
    .input("cell", "The cell state before the first step.", kFloating)
    .input("weight", "Multiplies the hidden state.", kFloating)
    .optional_input("seq_length", "Steps of each row.", {DType::Int32, DType::Int64})
    .attribute("reverse", "Whether time ran from the last step to the first.", false)
    .output("input_gradient", "Like the gates.")
    .output("first_hidden_gradient", "Shape (rows, units).")
    .output("first_cell_gradient", "Shape (rows, units).")
    .infer([](InferContext& op) {
      const TensorSpec& cell = op.input(5);
      check_scan(op, {4, 5, 6, 7}, 4);
      const Shape states = {op.input(4).shape[0], cell.shape[0], cell.shape[1]};
      for (const std::size_t i : {0, 1, 3}) check_shape(op, i, states);
      check_shape(op, 2, op.input(4).shape);
      for (const std::size_t i : {0, 1, 2, 3, 5, 6}) {
        if (op.has_input(i)) op.require_same_dtype(4, i);
      }
      op.set_output(0, cell.dtype, op.input(4).shape);
      op.set_output(1, cell.dtype, cell.shape);
      op.set_output(2, cell.dtype, cell.shape);
    })
    .not_differentiable()  // the rule of lstm_scan does not use it where that would be needed
    .sample("forward", {normal({3, 2, 3}), absent(), absent(), normal({3, 2, 3}),
                        normal({3, 2, 12}), normal({2, 3}), normal({12, 3}), absent()})
    .sample("all", {normal({3, 2, 2}), normal({3, 2, 2}), normal({3, 2, 8}), normal({3, 2, 2}),
                    normal({3, 2, 8}), normal({2, 2}), normal({8, 2}), integers({2}, 0, 4)});
MYCEL_CPU_KERNEL(lstm_scan_gradient) {
  if (kernel.input(0).dtype() == DType::Float64) {
    run_gradient<double>(kernel);
  } else {
    run_gradient<float>(kernel);
  }
}

MYCEL_WRITES_MINDIR(lstm_scan) {
  if (call.is_read(2)) call.refuse("somebody reads the gates");
  const auto weight = call.input(3);
  const auto step = [&](const mindir::Symbol& x, const States& states) -> States {
    const auto gates = gates_of(x + product_with(states[0], weight), 4);
    const auto kept = gates[1].add("Sigmoid") * states[1];
    const auto way_in = gates[0].add("Sigmoid");
    const auto cell = kept + way_in * gates[2].add("Tanh");
    const auto way_out = gates[3].add("Sigmoid");
    return {way_out * cell.add("Tanh"), cell};
  };
  const auto hidden = call.input(1);
  const auto cell = call.input(2);
  return scan(call, {hidden, cell}, call.input(4, DType::Int32), step);
}

MYCEL_WRITES_ONNX(lstm_scan) {
  if (call.is_read(2)) call.refuse("somebody reads the gates");
  if (!only_last_is_read(call, 1))
    call.refuse("somebody reads the cell states of steps before the last one");
  const auto written =
      written_scan(call, "LSTM", {0, 3, 1, 2}, {.weight = 3, .lengths = 4, .cell = 2}, {});
  return std::vector{written.hidden, written.states[1].expand(call.shape())};
}

}  // namespace mycel::ops
