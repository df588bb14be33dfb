// SPDX-License-Identifier: Apache-2.0
// Running logarithm of sums of exponentials.
#include <cmath>
#include <limits>

#include "operator/define.h"
#include "ops/reduce/axis_lines.h"
#include "ops/reduce/neighbours.h"
#include "ops/reduce/onnx_reductions.h"
#include "ops/reduce/outermost.h"
#include "ops/shape/onnx_windows.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {
namespace {

// The largest element so far and the sum of exp(element - largest): what came long before is lost
// only where it is below the precision of the sum, and nothing overflows.
class LogSum {
 public:
  void add(double x) {
    if (x == largest_) {
      sum_ += 1;  // also where both are the same infinity, whose difference would be NaN
    } else if (x < largest_) {
      sum_ += std::exp(x - largest_);
    } else {  // larger, or NaN, which stays in the sum
      sum_ = sum_ * std::exp(largest_ - x) + 1;
      largest_ = x;
    }
  }
  double value() const { return largest_ + std::log(sum_); }

 private:
  double largest_ = -std::numeric_limits<double>::infinity();
  double sum_ = 0;
};

template <class T>
void run_lines(const T* x, T* y, const AxisLines& lines, bool exclusive, bool reverse) {
  const std::int64_t step = reverse ? -lines.inner : lines.inner;
  const std::int64_t first = reverse ? (lines.length - 1) * lines.inner : 0;
  platform::parallel_for(
      lines.outer * lines.inner, lines.length * 16, [=](std::int64_t begin, std::int64_t end) {
        for (std::int64_t line = begin; line < end; ++line) {
          std::int64_t at =
              line / lines.inner * lines.length * lines.inner + line % lines.inner + first;
          LogSum total;
          for (std::int64_t k = 0; k < lines.length; ++k, at += step) {
            const auto value = static_cast<double>(static_cast<Accumulator<T>>(x[at]));
            if (!exclusive) total.add(value);
            y[at] = exclusive && k == 0 ? outermost<T>(false)
                                        : T(static_cast<Accumulator<T>>(total.value()));
            if (exclusive) total.add(value);
          }
        }
      });
}

// The value one further on the axis; the last one stands for what would follow it.
Value following(GradientContext& op, const Value& value, std::int64_t axis, bool reverse) {
  const std::int64_t length = value.shape()[static_cast<std::size_t>(axis)];
  const auto part = [&](std::int64_t start, std::int64_t count) {
    return op.call("narrow", {value}, {{"axis", axis}, {"start", start}, {"length", count}});
  };
  if (reverse) return op.call("concat", {part(0, 1), part(0, length - 1)}, {{"axis", axis}});
  return op.call("concat", {part(1, length - 1), part(length - 1, 1)}, {{"axis", axis}});
}

// With z the inclusive sums, x[j] has the share exp(x[j] - z[k]) in every z[k] from j on, so
//   s[j] = dz[j] + exp(z[j] - z[j + 1]) s[j + 1],   dx[j] = exp(x[j] - z[j]) s[j]
// where no exponent is positive. An exclusive sum at k + 1 is the inclusive one at k.
void cumulative_gradient(GradientContext& op) {
  const Shape& shape = op.input_shape(0);
  const std::int64_t axis = op.integer("axis");
  Value gradient = op.output_gradient(0);
  const bool exclusive = op.flag("exclusive"), reverse = op.flag("reverse");
  if (shape.empty() || shape[static_cast<std::size_t>(axis)] == 0) {
    op.set_input_gradient(0, exclusive ? op.call("zeros_like", {gradient}) : gradient);
    return;
  }
  const Value& x = op.input(0);
  if (exclusive) gradient = neighbours(op, gradient, axis, reverse ? -1 : 1);
  const Value z = exclusive
                      ? op.call("cumulative_logsumexp", {x}, {{"axis", axis}, {"reverse", reverse}})
                      : op.output(0);
  const Value share = op.call("exp_of_difference", {z, following(op, z, axis, reverse)});
  const Value later =
      op.call("linear_recurrence", {gradient, share}, {{"axis", axis}, {"reverse", !reverse}});
  op.set_input_gradient(0, op.call("exp_of_difference", {x, z}) * later);
}

}  // namespace

MYCEL_OP(exp_of_difference)
    .doc("exp(x - y), and 1 where both are the same infinity.")
    .input("x", "Any tensor.")
    .input("y", "Tensor or number.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat,
            [](Expr x, Expr y) {
              const Expr same = apply(ScalarOp::IsInf, x) && x == y;
              return apply(ScalarOp::Exp, select(same, 0, x - y));
            })
    .numpy("np.exp(x - y)")
    .sample("same shape", {normal({3, 4}), normal({3, 4})})
    .sample_dtypes(kFloating);

MYCEL_OP(cumulative_logsumexp)
    .names({.primitive = "CumulativeLogsumexp"})
    .doc("Running logarithm of the sum of exponentials along one axis.")
    .input("x", "Any floating-point tensor.", kFloating)
    .attribute("axis", "Axis to add along.", required(AttributeType::Int), {.in_call = true})
    .attribute("exclusive",
               "Whether an element is left out of its own sum; the first is the lowest number.",
               false)
    .attribute("reverse", "Whether to start from the end.", false)
    .output("output", "Same shape and type.")
    .infer([](InferContext& op) {
      op.normalize_axis("axis", op.input(0).rank());
      op.set_output(0, op.input(0).dtype, op.input(0).shape);
    })
    .gradient(cumulative_gradient)
    .keeps({"x", "output"})
    .sample("last axis", {normal({3, 5})}, {{"axis", 1}})
    .sample("first axis", {normal({5, 3})}, {{"axis", 0}, {"exclusive", true}})
    .sample("backward", {normal({2, 5, 3})}, {{"axis", -2}, {"reverse", true}})
    .sample("both", {normal({4})}, {{"axis", 0}, {"exclusive", true}, {"reverse", true}})
    .sample("far apart", {values({4}, {-200, 0, 300, 100})}, {{"axis", 0}})
    .sample("no axes", {normal({})}, {{"axis", 0}})
    .sample("no elements", {normal({0, 3})}, {{"axis", 0}})
    .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(cumulative_logsumexp) {
  const Tensor dense = kernel.dense(0);
  const Tensor& output = kernel.output(0);
  if (output.size() == 0) return;
  const AxisLines lines(dense.shape(), kernel.integer("axis"));
  with_float_type(dense.dtype(), [&]<class T>() {
    run_lines(dense.data<T>(), output.data<T>(), lines, kernel.flag("exclusive"),
              kernel.flag("reverse"));
  });
}

MYCEL_OP(logcumsumexp)
    .names({.function = "logcumsumexp", .method = "logcumsumexp"})
    .doc("Running logarithm of the sum of exponentials along one axis; integers count as float32.")
    .input("input", "Any real tensor.", kReal | kBool)
    .attribute("axis", "Axis to add along.", required(AttributeType::Int))
    .output("output", "Same shape.")
    .composite([](CompositeContext& op) {
      const Value& x = op.input(0);
      const Value wide =
          is_floating(x.dtype()) ? x : op.call("cast", {x}, {{"dtype", DType::Float32}});
      op.set_output(0, op.call("cumulative_logsumexp", {wide}, {{"axis", op.attribute("axis")}}));
    })
    .numpy("np.logaddexp.accumulate(input, axis).astype(input.dtype)")
    .sample("last axis", {normal({3, 5})}, {{"axis", 1}});

static double lowest_of(DType dtype) {
  double lowest = 0;
  with_float_type(dtype, [&]<class T>() { lowest = static_cast<double>(outermost<T>(false)); });
  return lowest;
}

// For every place the sum over all that count there: a running maximum ONNX has not.
MYCEL_WRITES_ONNX(cumulative_logsumexp) {
  const auto x = call.typed();
  if (call.rank() == 0) return x;
  const std::int64_t axis = call.axis("axis", call.rank());
  const std::int64_t size = call.shape()[static_cast<std::size_t>(axis)];
  const bool is_exclusive = call.flag("exclusive"), is_reversed = call.flag("reverse");
  const Shape last(static_cast<std::size_t>(call.rank() - axis - 1), 1);
  const auto counts = onnx::Table::of(size * size, [&](std::int64_t i) {
    const std::int64_t place = i / size, other = i % size;
    return (is_reversed ? other >= place : other <= place) && !(is_exclusive && other == place);
  });
  const auto mask = call.table({joint({{size, size}, last}), counts.values}, DType::Bool);
  const double nothing = -std::numeric_limits<double>::infinity();
  const auto terms = mask.where(x.unsqueeze({axis}), nothing);
  const auto sums = reduced(terms, "ReduceLogSumExp", {axis + 1}, false);
  if (!is_exclusive) return sums;
  const auto is_first = onnx::Table::of(
      size, [&](std::int64_t place) { return place == (is_reversed ? size - 1 : 0); });
  const auto is_empty = call.table({joint({{size}, last}), is_first.values}, DType::Bool);
  return is_empty.where(lowest_of(call.dtype()), sums);
}

}  // namespace mycel::ops
