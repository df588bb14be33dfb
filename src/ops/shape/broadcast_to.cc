// SPDX-License-Identifier: Apache-2.0
#include "operator/define.h"
#include "operator/mindir_call.h"
#include "operator/onnx_call.h"
#include "operator/stored_call.h"

namespace mycel::ops {
namespace {

// Every -1 keeps the input's length; the rest must fit by stretching axes of length one.
Shape stretched_shape(const InferContext& op, const Shape& from, Shape target) {
  op.require(target.size() >= from.size(), ErrorKind::Value, "in order to broadcast, the 'shape' ",
             target, " must have at least as many axes as the input of shape ", from, ".");
  const std::size_t extra = target.size() - from.size();
  for (std::size_t i = 0; i < target.size(); ++i) {
    const bool is_new = i < extra;
    if (target[i] == -1) {
      op.require(!is_new, ErrorKind::Value,
                 "in order to broadcast, a new axis cannot be -1, but got 'shape' ", target, ".");
      target[i] = from[i - extra];
    }
    op.require(target[i] >= 0 && (is_new || from[i - extra] == 1 || from[i - extra] == target[i]),
               ErrorKind::Value, "in order to broadcast, the input of shape ", from,
               " must fit the 'shape' ", target, ".");
  }
  return target;
}

}  // namespace

MYCEL_OP(broadcast_to)
    .names({.primitive = "BroadcastTo", .function = "broadcast_to", .method = "broadcast_to"})
    .doc("Stretches axes of length one to a larger shape without copying. A view.")
    .numpy("np.broadcast_to(input, shape)")
    .input("input", "Any tensor.")
    .attribute("shape", "Target shape; -1 keeps the length of an axis.",
               required(AttributeType::Ints))
    .output("output", "A view of `input`.")
    .infer([](InferContext& op) {
      const Shape target = stretched_shape(op, op.input(0).shape, op.ints("shape"));
      op.set_attribute("shape", target);
      op.set_output(0, op.input(0).dtype, target);
    })
    .view([](ViewContext& op) {
      const Shape& target = op.output(0).shape;
      op.set_view(0, {target, broadcast_strides(op.input().shape(), op.input().strides(), target),
                      op.input().body().offset});
      return true;
    })
    .gradient([](GradientContext& op) {
      op.set_input_gradient(0, sum_to(op.output_gradient(0), op.input_specs[0]));
    })
    .traits({.is_same_if_types_agree = true})
    .sample("rows", {normal({3})}, {{"shape", IntList{2, 3}}})
    .sample("columns", {normal({2, 1})}, {{"shape", IntList{2, 4}}})
    .sample("scalar", {normal({})}, {{"shape", IntList{2, 2}}})
    .sample("nothing", {normal({1, 3})}, {{"shape", IntList{0, 3}}})
    .sample_dtypes(kAny);

MYCEL_OP(expand)
    .names({.function = "expand", .method = "expand"})
    .doc("Stretches axes of length one to a larger shape without copying. A view.")
    .numpy("np.broadcast_to(input_x, size)")
    .input("input_x", "Any tensor.")
    .attribute("size", "Target shape; -1 keeps the length of an axis.",
               required(AttributeType::Ints))
    .output("output", "A view of `input_x`.")
    .composite([](CompositeContext& op) {
      op.set_output(0, op.call("broadcast_to", {op.input(0)}, {{"shape", op.ints("size")}}));
    })
    .sample("rows", {normal({1, 3})}, {{"size", IntList{2, 3}}})
    .sample_dtypes(kAny);

MYCEL_OP(expand_as)
    .names({.method = "expand_as"})
    .doc("Stretches `input` to the shape of `x` without copying. A view.")
    .numpy("np.broadcast_to(input, x.shape)")
    .input("input", "Any tensor.")
    .input("x", "Gives the shape.")
    .output("output", "A view of `input`.")
    .composite([](CompositeContext& op) {
      op.set_output(0, op.call("broadcast_to", {op.input(0)}, {{"shape", op.input(1).shape()}}));
    })
    .sample("rows", {normal({1, 3}), normal({2, 3})})
    .sample_dtypes(kAny);

// Also lengths of 1 that are wanted are stretched to those that are there.
MYCEL_ONNX(Expand, "input shape.numbers") {
  const Value x = call.tensor("input");
  const IntList wanted = call.flat_integers("shape");
  return call.call("broadcast_to", {x},
                   {{"shape", broadcast_shapes(x.shape(), wanted, call.name())}});
}

MYCEL_WRITES_MINDIR(broadcast_to) { return call.input().broadcast(call.shape()); }

MYCEL_WRITES_ONNX(broadcast_to) { return call.input().expand(call.shape()); }

}  // namespace mycel::ops
