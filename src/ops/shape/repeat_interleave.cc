// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "operator/define.h"

namespace mycel::ops {

MYCEL_OP(repeat_indices)
    .doc("0 as often as the first number says, then 1 as often as the second, ...")
    .numpy("np.repeat(np.arange(len(repeats)), repeats)")
    .attribute("repeats", "How often each index appears.", required(AttributeType::Ints))
    .output("output", "One axis, int64.")
    .infer([](InferContext& op) {
      std::int64_t total = 0;
      for (const std::int64_t count : op.ints("repeats")) {
        op.require(count >= 0 && !__builtin_add_overflow(total, count, &total), ErrorKind::Value,
                   "'repeats' must not be negative or too large, but got ", count, ".");
      }
      op.set_output(0, DType::Int64, Shape{total});
    })
    .not_differentiable()
    .sample("uneven", {}, {{"repeats", IntList{2, 0, 3}}});

MYCEL_CPU_KERNEL(repeat_indices) {
  const IntList repeats = kernel.ints("repeats");
  auto* next = kernel.output(0).data<std::int64_t>();
  for (std::size_t i = 0; i < repeats.size(); ++i) {
    next = std::fill_n(next, repeats[i], static_cast<std::int64_t>(i));
  }
}

MYCEL_OP(repeat_interleave)
    .names({.function = "repeat_interleave", .method = "repeat_interleave"})
    .method_aliases({"repeat"})
    .doc("Repeats each element (or each slice along `axis`) in place.")
    .numpy("np.repeat(input, repeats, axis)")
    .input("input", "Any tensor.")
    .attribute("repeats", "How often: one number for all, or one per position.",
               required(AttributeType::Ints))
    .attribute("axis", "The axis; None flattens the input first.", optional(AttributeType::Int))
    .output("output", "Longer along `axis`.")
    .composite([](CompositeContext& op) {
      const IntList repeats = op.ints("repeats");
      const bool flat = op.is_none("axis") || op.input(0).rank() == 0;
      const Value x =
          flat ? op.call("reshape", {op.input(0)}, {{"shape", IntList{-1}}}) : op.input(0);
      Shape shape = x.shape();
      const auto axis = static_cast<std::size_t>(
          flat ? 0 : normalize_axis(op.integer("axis"), x.rank(), op.name()));
      if (repeats.size() == 1) {
        Shape stretched = shape;
        stretched.insert(axis + 1, repeats[0]);
        op.require(
            repeats[0] >= 0 && !__builtin_mul_overflow(shape[axis], repeats[0], &shape[axis]),
            ErrorKind::Value, "'repeats' must not be negative or too large, but got ", repeats[0],
            ".");
        const Value wide =
            op.call("expand_dims", {x}, {{"axis", static_cast<std::int64_t>(axis) + 1}});
        op.set_output(0,
                      op.call("reshape", {op.call("broadcast_to", {wide}, {{"shape", stretched}})},
                              {{"shape", shape}}));
        return;
      }
      op.require(static_cast<std::int64_t>(repeats.size()) == shape[axis], ErrorKind::Value,
                 "'repeats' must have one entry per position of axis ", axis, ", ", shape[axis],
                 ", but got ", repeats.size(), ".");
      const Value indices = op.call("repeat_indices", {}, {{"repeats", repeats}});
      op.set_output(0,
                    op.call("gather", {x, indices}, {{"axis", static_cast<std::int64_t>(axis)}}));
    })
    .sample("flattened", {normal({2, 2})}, {{"repeats", 2}})
    .sample("columns", {normal({2, 3})}, {{"repeats", 2}, {"axis", -1}})
    .sample("uneven rows", {normal({3, 2})}, {{"repeats", IntList{1, 0, 2}}, {"axis", 0}})
    .sample_dtypes(kAny);

MYCEL_OP(repeat_elements)
    .names({.function = "repeat_elements"})
    .doc("Repeats each slice along an axis in place.")
    .numpy("np.repeat(x, rep, axis)")
    .input("x", "Any tensor.")
    .attribute("rep", "How often.", required(AttributeType::Int))
    .attribute("axis", "The axis.", 0)
    .output("output", "Longer along `axis`.")
    .composite([](CompositeContext& op) {
      op.set_output(
          0, op.call("repeat_interleave", {op.input(0)},
                     {{"repeats", IntList{op.integer("rep")}}, {"axis", op.integer("axis")}}));
    })
    .sample("rows", {normal({2, 3})}, {{"rep", 2}})
    .sample_dtypes(kAny);

}  // namespace mycel::ops
