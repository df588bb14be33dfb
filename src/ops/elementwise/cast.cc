// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/convert.h"
#include "operator/define.h"
#include "operator/stored_call.h"
#include "operator/writes_both.h"

namespace mycel::ops {

MYCEL_OP(cast)
    .names({.primitive = "Cast", .function = "cast"})
    .doc(
        "Elements converted to another type: float to integer cuts toward zero and saturates, NaN "
        "becomes 0, complex to real drops the imaginary part, anything to bool is `!= 0`.")
    .input("input_x", "Any tensor.")
    .attribute("dtype", "Type of the result.", required(AttributeType::DType), {.in_call = true})
    .output("output", "Same shape.")
    .infer([](InferContext& op) { op.set_output(0, op.dtype("dtype"), op.input(0).shape); })
    .view([](ViewContext& op) {
      // The same type is the same memory.
      if (op.input().dtype() != op.output(0).dtype) return false;
      op.set_view(0, {op.input().shape(), op.input().strides(), op.input().body().offset});
      return true;
    })
    .gradient([](GradientContext& op) {
      const DType from = op.input_dtype(0);
      const DType to = op.dtype("dtype");
      if (is_integral(from) || from == DType::Bool || is_integral(to) || to == DType::Bool) return;
      op.set_input_gradient(0, op.call("cast", {op.output_gradient(0)}, {{"dtype", from}}));
    })
    .traits({.is_same_if_types_agree = true, .converts = true})
    .sample("to half", {normal({3, 4})}, {{"dtype", DType::Float16}})
    .sample("to double", {normal({3, 4})}, {{"dtype", DType::Float64}})
    .sample("to int", {values({5}, {1.7, -1.7, 0.5, 100, 3})}, {{"dtype", DType::Int32}})
    .sample("to bool", {values({4}, {0, 1, 2.5, -1})}, {{"dtype", DType::Bool}})
    .sample("no elements", {normal({0, 3})}, {{"dtype", DType::Int64}})
    .sample_dtypes(kAny);

MYCEL_CPU_KERNEL(cast) { cpu::convert_elements(kernel.input(0), kernel.output(0)); }

MYCEL_ONNX(Cast, "input") {
  const std::int64_t number = call.integer("to");
  const std::optional<DType> dtype = stored_type(number);
  if (!dtype) call.refuse("a cast to the type ", number);
  return call.call("cast", {call.tensor("input")}, {{"dtype", *dtype}});
}

MYCEL_ONNX(CastLike, "input target_type.shape") {
  const DType dtype = call.tensor("target_type").dtype();
  return call.call("cast", {call.tensor("input")}, {{"dtype", dtype}});
}

// ---- whole numbers that stand for real ones ----------------------------------------------------

// A scale or zero point: one for all elements, or for each position of an axis.
static Value spread_along(const StoredCall& call, std::string_view name, std::int64_t rank) {
  if (call.integer("block_size", 0) != 0) call.refuse("quantising by blocks");
  const Value part = call.tensor(name);
  if (element_count(part.shape()) == 1) return call.reshape(part, {});
  const std::int64_t axis = tensor::normalize_axis(call.integer("axis", 1), rank, call.name());
  IntList shape(static_cast<std::size_t>(rank), 1);
  shape[static_cast<std::size_t>(axis)] = -1;
  return call.reshape(part, std::move(shape));
}

MYCEL_ONNX(DequantizeLinear, "x x_scale x_zero_point") {
  const Value x = call.tensor("x");
  Value wide = call.cast(x, DType::Int32);
  if (call.has("x_zero_point"))
    wide = wide - call.cast(spread_along(call, "x_zero_point", x.rank()), DType::Int32);
  const Value scale = spread_along(call, "x_scale", x.rank());
  return call.cast(wide, scale.dtype()) * scale;
}

static std::pair<double, double> limits_of(const StoredCall& call, DType dtype) {
  switch (dtype) {
    case DType::Int8: return {-128, 127};
    case DType::UInt8: return {0, 255};
    case DType::Int16: return {-32768, 32767};
    case DType::UInt16: return {0, 65535};
    default: call.refuse("quantising to ", dtype);
  }
}

MYCEL_ONNX(QuantizeLinear, "x y_scale y_zero_point") {
  const Value x = call.tensor("x");
  const bool has_zero = call.has("y_zero_point");
  const DType dtype = has_zero ? call.tensor("y_zero_point").dtype() : DType::UInt8;
  const auto [low, high] = limits_of(call, dtype);
  Value steps = call.call("round", {x / spread_along(call, "y_scale", x.rank())});
  if (has_zero) steps = steps + call.cast(spread_along(call, "y_zero_point", x.rank()), x.dtype());
  const Value kept = call.call("hardtanh", {steps}, {{"min_val", low}, {"max_val", high}});
  return call.cast(call.cast(kept, DType::Int32), dtype);
}

MYCEL_WRITES(cast) { return call.typed(); }

}  // namespace mycel::ops
