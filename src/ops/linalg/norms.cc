// SPDX-License-Identifier: Apache-2.0
// Norms of vectors and matrices, and slices shrunk to a norm.
#include <cmath>
#include <limits>
#include <utility>

#include "operator/define.h"

namespace mycel::ops {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Value cast_to(CompositeContext& op, const Value& value, DType dtype) {
  return value.dtype() == dtype ? value : op.call("cast", {value}, {{"dtype", dtype}});
}

// What sums of squares and quotients are computed in.
DType wide_type(DType dtype) { return is_half(dtype) ? DType::Float32 : dtype; }

// The input in the type asked for; whole numbers in float32.
Value prepared(CompositeContext& op) {
  const Value& x = op.input(0);
  const bool exact = is_floating(x.dtype()) || is_complex(x.dtype());
  const DType wanted =
      op.is_none("dtype") ? (exact ? x.dtype() : DType::Float32) : op.dtype("dtype");
  return cast_to(op, x, wanted);
}

// Over axes as reductions take them: none named means all.
Value power_norm(CompositeContext& op, const Value& x, double order, const AttributeValue& axes,
                 bool keep) {
  const Value size = op.call("abs", {x});
  const auto reduce = [&](std::string_view how, const Value& value) {
    return op.call(how, {value}, {{"axis", axes}, {"keep_dims", keep}});
  };
  if (order == kInfinity) return reduce("reduce_max", size);
  if (order == -kInfinity) return reduce("reduce_min", size);
  if (order == 0) {
    const Value counted = op.call("not_equal", {x, op.emitter().integer(0)});
    return reduce("reduce_sum", op.call("cast", {counted}, {{"dtype", size.dtype()}}));
  }
  if (order == 1) return reduce("reduce_sum", size);
  if (order == 2) return op.call("sqrt", {reduce("reduce_sum", op.call("square", {size}))});
  const Value sum = reduce("reduce_sum", op.call("pow", {size, op.emitter().number(order)}));
  return op.call("pow", {sum, op.emitter().number(1 / order)});
}

struct Plane {
  std::int64_t row, column;
};

Plane plane_of(const CompositeContext& op, std::int64_t rank) {
  const IntList axes = op.ints("axis");
  op.require(rank >= 2, ErrorKind::Value, "a matrix has at least two axes, but got an input with ",
             rank, ".");
  op.require(axes.size() == 2, ErrorKind::Value, "'axis' must name two axes, but got ", axes, ".");
  const Plane plane{normalize_axis(axes[0], rank, op.name(), "axis"),
                    normalize_axis(axes[1], rank, op.name(), "axis")};
  op.require(plane.row != plane.column, ErrorKind::Value,
             "'axis' must name two different axes, but got ", axes, ".");
  return plane;
}

// Of the sums of sizes along one axis the largest, or the smallest, along the other.
Value extreme_of_sums(CompositeContext& op, const Value& x, std::int64_t summed,
                      std::int64_t searched, bool largest) {
  const Value sums = op.call("reduce_sum", {op.call("abs", {x})},
                             {{"axis", IntList{summed}}, {"keep_dims", true}});
  return op.call(largest ? "reduce_max" : "reduce_min", {sums},
                 {{"axis", IntList{searched}}, {"keep_dims", true}});
}

// From the singular values of the matrices in the plane, which becomes the last two axes for them.
Value of_singular_values(CompositeContext& op, const Value& x, const Plane& plane,
                         std::string_view how) {
  const Shape shape = x.shape();
  IntList order;
  Shape kept = shape;
  for (std::int64_t i = 0; i < x.rank(); ++i) {
    if (i != plane.row && i != plane.column) order.push_back(i);
  }
  order.push_back(plane.row);
  order.push_back(plane.column);
  const Value matrices = op.call("transpose", {x}, {{"perm", order}});
  const Value values = op.call_all("svd_factors", {matrices})[0];
  const Value norm = op.call(how, {values}, {{"axis", IntList{-1}}});
  kept[static_cast<std::size_t>(plane.row)] = 1;
  kept[static_cast<std::size_t>(plane.column)] = 1;
  return op.call("reshape", {norm}, {{"shape", kept}});
}

void run_matrix_norm(CompositeContext& op) {
  const Value given = prepared(op), x = cast_to(op, given, wide_type(given.dtype()));
  const auto [row, column] = plane_of(op, x.rank());
  const std::string& order = op.text("ord");
  Value norm;  // with both axes kept
  if (order == "fro") {
    norm = power_norm(op, x, 2, IntList{row, column}, true);
  } else if (order == "1" || order == "-1") {
    norm = extreme_of_sums(op, x, row, column, order == "1");
  } else if (order == "inf" || order == "-inf") {
    norm = extreme_of_sums(op, x, column, row, order == "inf");
  } else {
    const std::string_view how = order == "nuc" ? "reduce_sum"
                                 : order == "2" ? "reduce_max"
                                                : "reduce_min";
    norm = of_singular_values(op, x, {row, column}, how);
  }
  if (!op.flag("keepdims")) norm = op.call("squeeze", {norm}, {{"axis", IntList{row, column}}});
  op.set_output(0, is_half(given.dtype()) ? cast_to(op, norm, given.dtype()) : norm);
}

// Slices longer than `maxnorm` are scaled down to it; the small number keeps the quotient finite.
void run_renorm(CompositeContext& op) {
  const Value x = cast_to(op, op.input(0), wide_type(op.input(0).dtype()));
  const double order = op.real("p"), longest = op.real("maxnorm");
  op.require(x.rank() > 0, ErrorKind::Value, "'input' must have at least one axis, but got none.");
  op.require(order > 0, ErrorKind::Value, "'p' must be positive, but got ", order, ".");
  op.require(longest >= 0, ErrorKind::Value, "'maxnorm' must not be negative, but got ", longest,
             ".");
  const std::int64_t axis = normalize_axis(op.integer("axis"), x.rank(), op.name(), "axis");
  IntList others;
  for (std::int64_t i = 0; i < x.rank(); ++i) {
    if (i != axis) others.push_back(i);
  }
  const Value length =
      others.empty() ? op.call("abs", {x}) : power_norm(op, x, order, others, true);
  const Value limit = op.emitter().number(longest);
  const Value shrunk = op.call("div", {limit, length + 1e-7});
  const Value factor = op.call(
      "where", {op.call("greater", {length, limit}), shrunk, op.call("ones_like", {length})});
  op.set_output(0, cast_to(op, x * factor, op.input(0).dtype()));
}

}  // namespace

MYCEL_OP(vector_norm)
    .doc("Norm of the elements along axes.")
    .input("x", "Any tensor.")
    .attribute("ord", "Order: any number, infinities, or 0 for the count of others than 0.",
               Nullable{AttributeType::Number, 2})
    .attribute("axis", "Axes; None: all of them.", optional(AttributeType::Ints))
    .attribute("keepdims", "Whether reduced axes stay, with length 1.", false)
    .attribute("dtype", "Type to compute in.", optional(AttributeType::DType))
    .output("output", "Reduced tensor.")
    .composite([](CompositeContext& op) {
      const double order = op.is_none("ord") ? 2 : op.real("ord");
      const Value given = prepared(op), x = cast_to(op, given, wide_type(given.dtype()));
      const Value norm = power_norm(op, x, order, op.attribute("axis"), op.flag("keepdims"));
      op.set_output(0, is_half(given.dtype()) ? cast_to(op, norm, given.dtype()) : norm);
    })
    .numpy("np.linalg.norm(x.ravel() if axis is None else x, ord, axis and axis[0], keepdims)")
    .sample("all", {normal({2, 3})})
    .sample("third order", {normal({2, 3})}, {{"ord", 3}, {"axis", IntList{1}}})
    .sample("largest", {normal({2, 3})}, {{"ord", kInfinity}, {"axis", IntList{0}}})
    .sample("no axes", {constant({}, -3)}, {{"ord", 1}});

MYCEL_OP(matrix_norm)
    .doc("Norm of matrices.")
    .input("A", "At least two axes.")
    .attribute("ord", "By elements, sums or singular values.", "fro",
               {.choices = {"fro", "nuc", "inf", "-inf", "1", "-1", "2", "-2"}})
    .attribute("axis", "The axes of rows and columns.", IntList{-2, -1})
    .attribute("keepdims", "Whether reduced axes stay, with length 1.", false)
    .attribute("dtype", "Type to compute in.", optional(AttributeType::DType))
    .output("output", "Reduced tensor.")
    .composite(run_matrix_norm)
    .numpy("np.linalg.norm(A, ord if ord in ('fro', 'nuc') else float(ord), tuple(axis), keepdims)")
    .sample("elements", {normal({2, 3})})
    .sample("columns", {normal({2, 3})}, {{"ord", "1"}, {"keepdims", true}})
    .sample("rows", {normal({4, 2, 3})}, {{"ord", "-inf"}, {"axis", IntList{0, 2}}})
    .sample("largest singular value", {values({2, 2}, {2, 1, -1, 3})}, {{"ord", "2"}})
    .sample("smallest", {values({3, 2}, {2, 1, -1, 3, 4, 1})}, {{"ord", "-2"}})
    .sample("sum of them", {values({2, 2, 2}, {2, 1, -1, 3, 4, 1, 2, 5})},
            {{"ord", "nuc"}, {"axis", IntList{2, 0}}});

MYCEL_OP(renorm)
    .names({.function = "renorm", .method = "renorm"})
    .doc("Slices along an axis, shrunk so that their `p`-norm is at most `maxnorm`.")
    .input("input", "Floating-point or complex tensor.", kFloating | kComplex)
    .attribute("p", "Order of the norm, positive.", required(AttributeType::Float))
    .attribute("axis", "The axis.", required(AttributeType::Int))
    .attribute("maxnorm", "The longest norm.", required(AttributeType::Float))
    .output("output", "Like the input.")
    .composite(run_renorm)
    .sample("rows", {normal({3, 4})}, {{"p", 2.0}, {"axis", 0}, {"maxnorm", 0.7}})
    .sample("vector", {normal({3})}, {{"p", 1.0}, {"axis", -1}, {"maxnorm", 0.3}});

}  // namespace mycel::ops
