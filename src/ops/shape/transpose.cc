// SPDX-License-Identifier: Apache-2.0
#include "operator/define.h"
#include "operator/mindir_call.h"
#include "operator/onnx_call.h"
#include "operator/stored_call.h"

namespace mycel::ops {
namespace {

// Negative entries made positive; every axis must appear once.
IntList checked_permutation(const AttributeReader& op, IntList perm, std::int64_t rank) {
  op.require(static_cast<std::int64_t>(perm.size()) == rank, ErrorKind::Value,
             "the length of 'perm' must be the number of axes, ", rank, ", but got ", perm, ".");
  std::vector<bool> used(perm.size(), false);
  for (std::int64_t& axis : perm) {
    const std::int64_t given = axis;
    op.require(given >= -rank && given < rank, ErrorKind::Value,
               "each entry of 'perm' must be in [", -rank, ", ", rank, "), but got ", given, ".");
    axis = given < 0 ? given + rank : given;
    op.require(!used[static_cast<std::size_t>(axis)], ErrorKind::Value,
               "'perm' must not repeat an axis, but got ", perm, ".");
    used[static_cast<std::size_t>(axis)] = true;
  }
  return perm;
}

IntList inverse_of(const IntList& perm) {
  IntList inverse(perm.size());
  for (std::size_t i = 0; i < perm.size(); ++i)
    inverse[static_cast<std::size_t>(perm[i])] = static_cast<std::int64_t>(i);
  return inverse;
}

IntList identity_permutation(std::int64_t rank) {
  IntList perm;
  for (std::int64_t i = 0; i < rank; ++i) perm.push_back(i);
  return perm;
}

void swap_two(CompositeContext& op, std::string_view first, std::string_view second) {
  const std::int64_t rank = op.input(0).rank();
  IntList perm = identity_permutation(rank);
  const std::int64_t a = normalize_axis(op.integer(first), rank, op.name(), first);
  const std::int64_t b = normalize_axis(op.integer(second), rank, op.name(), second);
  if (rank > 0) std::swap(perm[static_cast<std::size_t>(a)], perm[static_cast<std::size_t>(b)]);
  op.set_output(0, op.call("transpose", {op.input(0)}, {{"perm", perm}}));
}

void move_axes(CompositeContext& op) {
  const std::int64_t rank = op.input(0).rank();
  const IntList source = op.ints("source");
  const IntList destination = op.ints("destination");
  op.require(source.size() == destination.size(), ErrorKind::Value,
             "'source' and 'destination' must have the same number of axes, but got ", source,
             " and ", destination, ".");
  IntList perm(static_cast<std::size_t>(rank), -1);
  std::vector<bool> moved(static_cast<std::size_t>(rank), false);
  for (std::size_t i = 0; i < source.size(); ++i) {
    const auto from =
        static_cast<std::size_t>(normalize_axis(source[i], rank, op.name(), "source"));
    const auto to =
        static_cast<std::size_t>(normalize_axis(destination[i], rank, op.name(), "destination"));
    op.require(rank > 0 && !moved[from] && perm[to] < 0, ErrorKind::Value,
               "'source' and 'destination' must not repeat an axis, but got ", source, " and ",
               destination, ".");
    moved[from] = true;
    perm[to] = static_cast<std::int64_t>(from);
  }
  std::size_t next = 0;
  for (std::int64_t& axis : perm) {
    if (axis >= 0) continue;
    while (moved[next]) ++next;
    axis = static_cast<std::int64_t>(next++);
  }
  op.set_output(0, op.call("transpose", {op.input(0)}, {{"perm", perm}}));
}

}  // namespace

MYCEL_OP(transpose)
    .names({.primitive = "Transpose", .function = "transpose"})
    .function_aliases({"permute"})
    .doc("Reorders the axes: axis i of the result is axis perm[i] of the input. A view.")
    .numpy("np.transpose(input, perm)")
    .input("input", "Any tensor.")
    .attribute("perm", "The axes in their new order.", required(AttributeType::Ints),
               {.in_call = true})
    .output("output", "A view of `input`.")
    .infer([](InferContext& op) {
      const IntList perm = checked_permutation(op, op.ints("perm"), op.input(0).rank());
      op.set_attribute("perm", perm);
      Shape shape;
      for (const std::int64_t axis : perm)
        shape.push_back(op.input(0).shape[static_cast<std::size_t>(axis)]);
      op.set_output(0, op.input(0).dtype, shape);
    })
    .view([](ViewContext& op) {
      Strides strides;
      for (const std::int64_t axis : op.ints("perm")) {
        strides.push_back(op.input().strides()[static_cast<std::size_t>(axis)]);
      }
      op.set_view(0, {op.output(0).shape, strides, op.input().body().offset});
      return true;
    })
    .gradient([](GradientContext& op) {
      op.set_input_gradient(0, op.call("transpose", {op.output_gradient(0)},
                                       {{"perm", inverse_of(op.ints("perm"))}}));
    })
    .traits({.axis_order = "perm"})
    .sample("matrix", {normal({2, 3})}, {{"perm", IntList{1, 0}}})
    .sample("negative axes", {normal({2, 3, 4})}, {{"perm", IntList{-1, 0, 1}}})
    .sample("scalar", {normal({})}, {{"perm", IntList{}}})
    .sample("nothing", {normal({0, 3})}, {{"perm", IntList{1, 0}}})
    .sample_dtypes(kAny);

MYCEL_OP(swapaxes)
    .names({.function = "swapaxes", .method = "swapaxes"})
    .doc("Exchanges two axes. A view.")
    .numpy("np.swapaxes(input, axis0, axis1)")
    .input("input", "Any tensor.")
    .attribute("axis0", "One axis.", required(AttributeType::Int))
    .attribute("axis1", "The other axis.", required(AttributeType::Int))
    .output("output", "A view of `input`.")
    .composite([](CompositeContext& op) { swap_two(op, "axis0", "axis1"); })
    .sample("negative axis", {normal({2, 3, 4})}, {{"axis0", 0}, {"axis1", -1}})
    .sample_dtypes(kAny);

MYCEL_OP(swapdims)
    .names({.function = "swapdims", .method = "swapdims"})
    .doc("Exchanges two axes. A view.")
    .numpy("np.swapaxes(input, dim0, dim1)")
    .input("input", "Any tensor.")
    .attribute("dim0", "One axis.", required(AttributeType::Int))
    .attribute("dim1", "The other axis.", required(AttributeType::Int))
    .output("output", "A view of `input`.")
    .composite([](CompositeContext& op) { swap_two(op, "dim0", "dim1"); })
    .sample("matrix", {normal({2, 3})}, {{"dim0", 0}, {"dim1", 1}})
    .sample_dtypes(kAny);

MYCEL_OP(movedim)
    .names({.function = "movedim", .method = "movedim"})
    .function_aliases({"moveaxis"})
    .method_aliases({"moveaxis"})
    .doc("Moves axes to other positions; the rest keeps its order. A view.")
    .numpy("np.moveaxis(x, source, destination)")
    .input("x", "Any tensor.")
    .attribute("source", "Axes to move.", required(AttributeType::Ints))
    .attribute("destination", "Where they go.", required(AttributeType::Ints))
    .output("output", "A view of `x`.")
    .composite(move_axes)
    .sample("one", {normal({2, 3, 4})}, {{"source", 0}, {"destination", -1}})
    .sample("two", {normal({2, 3, 4})}, {{"source", IntList{0, 1}}, {"destination", IntList{2, 0}}})
    .sample_dtypes(kAny);

MYCEL_ONNX(Transpose, "data") {
  const Value x = call.tensor("data");
  IntList perm = call.has("perm") ? call.integers("perm") : IntList();
  if (perm.empty())
    for (std::int64_t axis = x.rank(); axis > 0;) perm.push_back(--axis);
  return call.call("transpose", {x}, {{"perm", std::move(perm)}});
}

MYCEL_WRITES_MINDIR(transpose) { return call.input().transpose(call.ints("perm")); }

MYCEL_WRITES_ONNX(transpose) {
  IntList order = call.ints("perm");
  for (std::int64_t& axis : order) axis += axis < 0 ? call.rank() : 0;
  return call.input().transpose(order);
}

}  // namespace mycel::ops
