// SPDX-License-Identifier: Apache-2.0
#include "operator/define.h"
#include "operator/stored_call.h"
#include "ops/shape/mindir_windows.h"
#include "ops/shape/onnx_windows.h"

namespace mycel::ops {
namespace {

// Each axis n repeated r times, written as the two axes r and n.
struct Paired {
  Shape shape;
  Strides source;
  IntList repeat_axes;
};

Paired paired_axes(const Shape& shape, const Strides& strides, const IntList& dims) {
  Paired paired;
  const std::size_t extra = dims.size() - shape.size();
  for (std::size_t i = 0; i < dims.size(); ++i) {
    paired.repeat_axes.push_back(static_cast<std::int64_t>(paired.shape.size()));
    paired.shape.push_back(dims[i]);
    paired.source.push_back(0);
    paired.shape.push_back(i < extra ? 1 : shape[i - extra]);
    paired.source.push_back(i < extra ? 0 : strides[i - extra]);
  }
  return paired;
}

}  // namespace

MYCEL_OP(tile)
    .names({.primitive = "Tile", .function = "tile", .method = "tile"})
    .doc("Repeats a whole tensor along each axis.")
    .numpy("np.tile(input, dims)")
    .input("input", "Any tensor.")
    .attribute("dims", "How often along each axis, counted from the last one.",
               required(AttributeType::Ints), {.in_call = true})
    .output("output", "Each axis is as many times longer.")
    .infer([](InferContext& op) {
      IntList dims = op.ints("dims");
      const Shape& shape = op.input(0).shape;
      while (dims.size() < shape.size()) dims.insert(0, 1);
      op.set_attribute("dims", dims);
      Shape result;
      const std::size_t extra = dims.size() - shape.size();
      for (std::size_t i = 0; i < dims.size(); ++i) {
        op.require(dims[i] >= 0, ErrorKind::Value, "'dims' must not be negative, but got ", dims,
                   ".");
        std::int64_t length = 0;
        const bool overflow =
            __builtin_mul_overflow(dims[i], i < extra ? 1 : shape[i - extra], &length);
        op.require(!overflow, ErrorKind::Value, "'dims' is too large, got ", dims, ".");
        result.push_back(length);
      }
      op.set_output(0, op.input(0).dtype, result);
    })
    .gradient([](GradientContext& op) {
      const Shape& shape = op.input_shape(0);
      const Paired paired = paired_axes(shape, shape, op.ints("dims"));
      const Value parts = op.call("reshape", {op.output_gradient(0)}, {{"shape", paired.shape}});
      const Value sum = paired.repeat_axes.empty()
                            ? parts
                            : op.call("reduce_sum", {parts}, {{"axis", paired.repeat_axes}});
      op.set_input_gradient(0, op.call("reshape", {sum}, {{"shape", shape}}));
    })
    .sample("rows", {normal({2, 3})}, {{"dims", IntList{2, 1}}})
    .sample("more axes", {normal({2, 3})}, {{"dims", IntList{2, 1, 2}}})
    .sample("fewer axes", {normal({2, 3})}, {{"dims", IntList{2}}})
    .sample("zero times", {normal({2})}, {{"dims", IntList{0}}})
    .sample_dtypes(kAny);

MYCEL_CPU_KERNEL(tile) {
  const Tensor& input = kernel.input(0);
  const Tensor& output = kernel.output(0);
  const Paired paired = paired_axes(input.shape(), input.strides(), kernel.ints("dims"));
  copy_elements(
      Tensor::view(input, paired.shape, paired.source, input.body().offset),
      Tensor::view(output, paired.shape, contiguous_strides(paired.shape), output.body().offset));
}

MYCEL_ONNX(Tile, "input repeats.numbers") {
  return call.call("tile", {call.tensor("input")}, {{"dims", call.flat_integers("repeats")}});
}

MYCEL_WRITES_MINDIR(tile) {
  const IntList dims = call.ints("dims");
  const Shape ones(call.shape().size(), 1);
  const Shape whole = call.shape();
  const auto rank = call.rank();
  const auto x =
      call.input().reshape(joint({cut(ones, 0, rank - call.rank_of()), call.shape_of()}));
  const IntList times = joint({cut(ones, 0, rank - static_cast<std::int64_t>(dims.size())), dims});
  return times == ones ? x : x.add("Tile", {times}, {.shape = whole});
}

MYCEL_WRITES_ONNX(tile) {
  auto x = call.input();
  const IntList dims = call.ints("dims");
  const auto missing = static_cast<std::int64_t>(dims.size()) - call.rank_of();
  const IntList ones(static_cast<std::size_t>(std::abs(missing)), 1);
  if (missing > 0) x = x.reshape(joint({ones, call.shape_of()}));
  const IntList times = missing < 0 ? joint({ones, dims}) : dims;
  return times.empty() ? x : x.add("Tile", {times});
}

}  // namespace mycel::ops
