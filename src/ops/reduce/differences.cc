// SPDX-License-Identifier: Apache-2.0
// Differences of neighbours, and the integral that is made of them.
#include <algorithm>

#include "operator/define.h"

namespace mycel::ops {
namespace {

std::int64_t axis_of(const CompositeContext& op, std::string_view attribute) {
  const Value& x = op.input(0);
  op.require(x.rank() > 0, ErrorKind::Value, "'", op.definition().inputs[0].name,
             "' must have at least one axis, but got none.");
  return normalize_axis(op.integer(attribute), x.rank(), op.name(), attribute);
}

std::int64_t length_of(const Value& x, std::int64_t axis) {
  return x.shape()[static_cast<std::size_t>(axis)];
}

Value part(CompositeContext& op, const Value& x, std::int64_t axis, std::int64_t start,
           std::int64_t length) {
  return op.call("narrow", {x}, {{"axis", axis}, {"start", start}, {"length", length}});
}

// All but the first elements along an axis, and all but the last; nothing of an empty axis.
struct Neighbours {
  Value later, earlier;
};
Neighbours neighbours_of(CompositeContext& op, const Value& x, std::int64_t axis) {
  const std::int64_t length = length_of(x, axis);
  const std::int64_t count = std::max<std::int64_t>(length - 1, 0);
  return {part(op, x, axis, std::min<std::int64_t>(length, 1), count), part(op, x, axis, 0, count)};
}

void run_diff(CompositeContext& op) {
  const std::int64_t axis = axis_of(op, "axis");
  const std::int64_t times = op.integer("n");
  op.require(times >= 0, ErrorKind::Value, "'n' must not be negative, but got ", times, ".");
  ValueList parts;
  for (const std::size_t i : {std::size_t{1}, std::size_t{0}, std::size_t{2}}) {
    if (op.has_input(i)) parts.push_back(op.input(i));
  }
  Value x = parts[0];
  if (parts.size() > 1) {
    const NamedAttribute along[] = {{"axis", axis}};
    x = op.emitter().call_all("concat", parts, along)[0];
  }
  if (times >= length_of(x, axis)) return op.set_output(0, part(op, x, axis, 0, 0));
  for (std::int64_t i = 0; i < times; ++i) {
    const Neighbours n = neighbours_of(op, x, axis);
    x = x.dtype() == DType::Bool ? op.call("logical_xor", {n.later, n.earlier})
                                 : n.later - n.earlier;
  }
  op.set_output(0, x);
}

void run_trapz(CompositeContext& op) {
  const std::int64_t axis = axis_of(op, "dim");
  const Neighbours y = neighbours_of(op, op.input(0), axis);
  const Value heights = y.later + y.earlier;
  const auto sum = [&](const Value& value) {
    return op.call("reduce_sum", {value}, {{"axis", IntList{axis}}});
  };
  if (!op.has_input(1)) return op.set_output(0, sum(heights) * (op.real("dx") / 2));
  Value x = op.input(1);
  if (x.rank() == 1) {
    const std::int64_t length = length_of(op.input(0), axis);
    op.require(x.shape()[0] == length, ErrorKind::Value, "'x' must have a place for each of the ",
               length, " elements of 'y', but got ", x.shape()[0], ".");
    Shape stretched(static_cast<std::size_t>(op.input(0).rank()), 1);
    stretched[static_cast<std::size_t>(axis)] = length;
    x = op.call("reshape", {x}, {{"shape", stretched}});
  }
  op.require(x.rank() == op.input(0).rank(), ErrorKind::Value,
             "'x' must have one axis or as many as 'y', but got the shapes ", x.shape(), " and ",
             op.input(0).shape(), ".");
  const Neighbours places = neighbours_of(op, x, axis);
  op.set_output(0, sum(heights * (places.later - places.earlier)) * 0.5);
}

}  // namespace

MYCEL_OP(diff)
    .names({.function = "diff", .method = "diff"})
    .doc("Differences of neighbours along an axis, taken several times.")
    .input("x", "Any tensor.")
    .optional_input("prepend", "What comes before `x` along the axis.")
    .optional_input("append", "What comes after it.")
    .attribute("n", "How many times.", 1)
    .attribute("axis", "The axis.", -1)
    .order({"x", "n", "axis", "prepend", "append"})
    .output("output", "Shorter by one element each time.")
    .composite(run_diff)
    .sample("once", {normal({3, 4}), absent(), absent()})
    .sample("twice", {normal({4, 3}), absent(), absent()}, {{"n", 2}, {"axis", 0}})
    .sample("longer", {normal({4}), normal({1}), normal({2})})
    .sample("no elements", {normal({0}), absent(), absent()});

MYCEL_OP(trapz)
    .doc("Integral by the trapezoid rule along one axis.")
    .input("y", "Heights.")
    .optional_input("x", "Places: one axis, or like `y`.")
    .attribute("dx", "Distance of neighbours, without `x`.", 1.0)
    .attribute("dim", "The axis.", -1)
    .output("output", "Without the axis.")
    .composite(run_trapz)
    .sample("even", {normal({3, 4}), absent()}, {{"dx", 0.5}})
    .sample("places", {normal({3, 4}), values({3}, {0, 1, 3})}, {{"dim", 0}})
    .sample("no elements", {normal({2, 0}), absent()});

}  // namespace mycel::ops
