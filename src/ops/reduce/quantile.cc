// SPDX-License-Identifier: Apache-2.0
// Quantiles, linear between neighbours.
#include <limits>

#include "operator/define.h"

namespace mycel::ops {
namespace {

Value cast_to(CompositeContext& op, const Value& value, DType dtype) {
  return value.dtype() == dtype ? value : op.call("cast", {value}, {{"dtype", dtype}});
}

// How the input is looked at: along one axis.
struct Line {
  Value values;
  std::int64_t axis;
};

Line line_of(CompositeContext& op) {
  const Value& x = op.input(0);
  if (op.is_none("axis")) return {op.call("reshape", {x}, {{"shape", Shape{-1}}}), 0};
  op.require(x.rank() > 0, ErrorKind::Value, "an input without axes has no 'axis' ",
             op.integer("axis"), ".");
  return {x, normalize_axis(op.integer("axis"), x.rank(), op.name(), "axis")};
}

// Shape with `count` in place of the axis.
Shape with_length(Shape shape, std::int64_t axis, std::int64_t count) {
  shape[static_cast<std::size_t>(axis)] = count;
  return shape;
}

// At each level of (.., Q, ..) the value between its two neighbours among the sorted ones.
Value between(CompositeContext& op, const Line& line, const Value& levels, bool ignore_nan) {
  const Shape shape = line.values.shape();
  const Value sorted = op.call_all("sort", {line.values}, {{"axis", line.axis}})[0];
  const Value missing = op.call("isnan", {line.values});
  // Places are computed as doubles: float16 cannot count beyond 2048.
  const Value known =
      op.call("reduce_sum",
              {op.call("cast", {op.call("logical_not", {missing})}, {{"dtype", DType::Float64}})},
              {{"axis", IntList{line.axis}}, {"keep_dims", true}});
  const Value last = op.call("maximum", {known - 1.0, op.emitter().number(0)});
  const Value place = last * levels;
  const Value low = op.call("floor", {place});
  const auto at = [&](const Value& where) {
    const Value index = op.call("cast", {where}, {{"dtype", DType::Int64}});
    return op.call("gather_elements", {sorted, index}, {{"dim", line.axis}});
  };
  const Value share = cast_to(op, place - low, sorted.dtype());
  const Value found = op.call("lerp", {at(low), at(op.call("ceil", {place})), share});
  if (ignore_nan) return found;
  const Value poisoned =
      op.call("reduce_any", {missing}, {{"axis", IntList{line.axis}}, {"keep_dims", true}});
  return op.call("where",
                 {poisoned, op.emitter().number(std::numeric_limits<double>::quiet_NaN()), found});
}

void run_quantile(CompositeContext& op, bool ignore_nan) {
  const Line line = line_of(op);
  const Shape shape = line.values.shape();
  op.require(shape[static_cast<std::size_t>(line.axis)] > 0, ErrorKind::Value,
             "there must be at least one element along the axis, but got the shape ",
             op.input(0).shape(), ".");
  const Value levels = op.call("quantile_levels", {op.input(1)});
  const std::int64_t rank = line.values.rank(), count = levels.shape()[0];
  Shape spread(static_cast<std::size_t>(rank), 1);
  spread[static_cast<std::size_t>(line.axis)] = count;
  const Value found =
      between(op, line, op.call("reshape", {levels}, {{"shape", spread}}), ignore_nan);
  // The levels come first, then the axes that are left.
  IntList order{line.axis};
  for (std::int64_t i = 0; i < rank; ++i) {
    if (i != line.axis) order.push_back(i);
  }
  Shape result = op.is_none("axis") ? Shape(static_cast<std::size_t>(op.input(0).rank()), 1)
                                    : with_length(shape, line.axis, 1);
  if (!op.flag("keepdims")) {
    if (op.is_none("axis")) {
      result.clear();
    } else {
      result.erase(static_cast<std::size_t>(line.axis));
    }
  }
  if (op.input(1).rank() == 1) result.insert(0, count);
  const Value first = op.call("transpose", {found}, {{"perm", order}});
  op.set_output(0, op.call("reshape", {first}, {{"shape", result}}));
}

}  // namespace

MYCEL_OP(quantile_levels)
    .doc("The shares of a quantile as a vector of doubles, each in [0, 1].")
    .input("q", "A number or a vector.", kReal)
    .output("levels", "float64.")
    .infer([](InferContext& op) {
      const TensorSpec& q = op.input(0);
      op.require(q.rank() <= 1, ErrorKind::Value,
                 "'q' must be a number or have one axis, but got the shape ", q.shape, ".");
      op.cast_input(0, DType::Float64);
      op.set_output(0, DType::Float64, {q.rank() == 0 ? 1 : q.shape[0]});
    })
    .gradient([](GradientContext& op) {
      const Value same =
          op.call("reshape", {op.output_gradient(0)}, {{"shape", op.input_shape(0)}});
      op.set_input_gradient(0, op.call("cast", {same}, {{"dtype", op.input_dtype(0)}}));
    })
    .sample("some", {values({3}, {0.1, 0.3, 0.9})})
    .sample("one", {constant({}, 0.5)});
MYCEL_CPU_KERNEL(quantile_levels) {
  const Tensor q = kernel.dense(0);
  for (std::int64_t i = 0; i < q.size(); ++i) {
    const double level = q.data<double>()[i];
    kernel.require(level >= 0 && level <= 1, ErrorKind::Value,
                   "every element of 'q' must be in [0, 1], but got ", level, ".");
    kernel.output(0).data<double>()[i] = level;
  }
}

namespace {

Define define_quantile(const char* name, const char* doc, void (*run)(CompositeContext&)) {
  Define op(name);
  op.names({.function = name, .method = name})
      .doc(doc)
      .input("input", "Floating-point tensor.", kFloating)
      .input("q", "Shares in [0, 1]: a number, or a vector, whose axis comes first in the result.",
             kReal)
      .attribute("axis", "The axis; None: all elements.", optional(AttributeType::Int))
      .attribute("keepdims", "Whether the axis stays, with length 1.", false)
      .output("output", "In the type of `input`.")
      .composite(run)
      .sample("several", {normal({3, 5}), values({2}, {0.1, 0.7})}, {{"axis", 1}});
  return op;
}

Define define_plain_quantile() {
  Define op = define_quantile(
      "quantile",
      "Values below which shares of the elements lie, linear between neighbours; of NaN NaN.",
      [](CompositeContext& context) { run_quantile(context, false); });
  op.numpy("np.quantile(input, q, axis, keepdims=keepdims).astype(input.dtype)")
      .sample("middle", {normal({3, 5}), constant({}, 0.47)})
      .sample("kept", {normal({4, 3}), values({2}, {0.2, 0.8})},
              {{"axis", -2}, {"keepdims", true}});
  return op;
}

const Define quantile_operators[] = {
    define_plain_quantile(),
    define_quantile(
        "nanquantile",
        "Values below which shares of the elements that are numbers lie; see `quantile`.",
        [](CompositeContext& context) { run_quantile(context, true); })};

}  // namespace

}  // namespace mycel::ops
