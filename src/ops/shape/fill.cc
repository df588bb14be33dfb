// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "operator/mindir_call.h"
#include "operator/onnx_call.h"
#include "operator/stored_call.h"
#include "ops/shape/fill_value.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {
namespace {

// Conversions as `cast` makes them: integers wrap, floats saturate, NaN becomes 0.
template <class T>
T number_as(const AttributeValue& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value.is_float() ? value.real() != 0 : value.integer() != 0;
  } else if constexpr (std::is_integral_v<T>) {
    if (!value.is_float()) return static_cast<T>(value.integer());
    const double real = value.real();
    if (std::isnan(real)) return 0;
    if (real <= static_cast<double>(std::numeric_limits<T>::lowest()))
      return std::numeric_limits<T>::lowest();
    if (real >= static_cast<double>(std::numeric_limits<T>::max()))
      return std::numeric_limits<T>::max();
    return static_cast<T>(real);
  } else if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
    return T(static_cast<float>(value.real()));
  } else {
    return T(static_cast<decltype(std::abs(T()))>(value.real()));
  }
}

}  // namespace

void fill_tensor(const Tensor& target, const AttributeValue& value) {
  const std::int64_t count = target.size();
  if (count == 0) return;
  const bool zero =
      value.is_float() ? value.real() == 0 && !std::signbit(value.real()) : value.integer() == 0;
  with_any_type(target.dtype(), [&]<class T>() {
    T* const data = target.data<T>();
    const T element = number_as<T>(value);
    platform::parallel_for(count, 1, [&](std::int64_t begin, std::int64_t end) {
      if (zero) {
        std::memset(static_cast<void*>(data + begin), 0,
                    static_cast<std::size_t>(end - begin) * sizeof(T));
      } else {
        std::fill(data + begin, data + end, element);
      }
    });
  });
}

DType dtype_of_number(const AttributeValue& value) {
  if (value.is_bool()) return DType::Bool;
  return value.is_int() ? DType::Int64 : DType::Float32;
}

Shape checked_shape(const AttributeReader& op, std::string_view attribute) {
  const Shape shape = op.ints(attribute);
  for (const std::int64_t length : shape) {
    op.require(length >= 0, ErrorKind::Value, "'", attribute,
               "' must not have negative entries, but got ", shape, ".");
  }
  element_count(shape);  // throws when it does not fit
  return shape;
}

namespace {

void infer_filled(InferContext& op, std::string_view shape, DType fallback) {
  const DType dtype = op.is_none("dtype") ? fallback : op.dtype("dtype");
  op.set_attribute("dtype", dtype);
  op.set_output(0, dtype, checked_shape(op, shape));
}

void infer_like(InferContext& op) {
  const DType dtype = op.is_none("dtype") ? op.input(0).dtype : op.dtype("dtype");
  op.set_attribute("dtype", dtype);
  op.set_output(0, dtype, op.input(0).shape);
}

}  // namespace

MYCEL_OP(fill)
    .names({.primitive = "Fill", .function = "fill"})
    .doc("A tensor with one number everywhere.")
    .numpy("np.full(shape, value, dtype)")
    .attribute("dtype", "Element type; None follows the number.", optional(AttributeType::DType),
               {.in_call = true})
    .attribute("shape", "Its shape.", required(AttributeType::Ints), {.in_call = true})
    .attribute("value", "The number.", required(AttributeType::Number), {.in_call = true})
    .output("output", "The tensor.")
    .infer([](InferContext& op) {
      infer_filled(op, "shape", dtype_of_number(op.attribute("value")));
    })
    .not_differentiable()
    .sample("matrix", {}, {{"shape", IntList{2, 3}}, {"value", 1.5}, {"dtype", DType::Float32}})
    .sample("nothing", {}, {{"shape", IntList{0}}, {"value", 1}, {"dtype", DType::Int32}});

MYCEL_CPU_KERNEL(fill) { fill_tensor(kernel.output(0), kernel.attribute("value")); }

MYCEL_OP(full)
    .names({.function = "full"})
    .doc("A tensor with one number everywhere; its type follows the number unless given.")
    .numpy("np.full(size, fill_value, dtype)")
    .attribute("size", "Its shape.", required(AttributeType::Ints))
    .attribute("fill_value", "The number.", required(AttributeType::Number))
    .attribute("dtype", "Element type; None follows the number.", optional(AttributeType::DType))
    .output("output", "The tensor.")
    .infer([](InferContext& op) {
      infer_filled(op, "size", dtype_of_number(op.attribute("fill_value")));
    })
    .not_differentiable()
    .sample("integers", {}, {{"size", IntList{2, 3}}, {"fill_value", 7}});

MYCEL_CPU_KERNEL(full) { fill_tensor(kernel.output(0), kernel.attribute("fill_value")); }

MYCEL_OP(zeros)
    .names({.primitive = "Zeros", .function = "zeros"})
    .doc("A tensor of zeros.")
    .numpy("np.zeros(size, dtype or np.float32)")
    .attribute("size", "Its shape.", required(AttributeType::Ints), {.in_call = true})
    .attribute("dtype", "Element type; None means float32.", optional(AttributeType::DType),
               {.in_call = true})
    .output("output", "The tensor.")
    .infer([](InferContext& op) { infer_filled(op, "size", DType::Float32); })
    .not_differentiable()
    .sample("matrix", {}, {{"size", IntList{2, 3}}})
    .sample("scalar", {}, {{"size", IntList{}}, {"dtype", DType::Int64}});

MYCEL_CPU_KERNEL(zeros) { fill_tensor(kernel.output(0), 0); }

MYCEL_OP(ones)
    .names({.primitive = "Ones", .function = "ones"})
    .doc("A tensor of ones.")
    .numpy("np.ones(shape, dtype or np.float32)")
    .attribute("shape", "Its shape.", required(AttributeType::Ints), {.in_call = true})
    .attribute("dtype", "Element type; None means float32.", optional(AttributeType::DType),
               {.in_call = true})
    .output("output", "The tensor.")
    .infer([](InferContext& op) { infer_filled(op, "shape", DType::Float32); })
    .not_differentiable()
    .sample("matrix", {}, {{"shape", IntList{2, 3}}})
    .sample("bool", {}, {{"shape", IntList{4}}, {"dtype", DType::Bool}});

MYCEL_CPU_KERNEL(ones) { fill_tensor(kernel.output(0), 1); }

MYCEL_OP(zeros_like)
    .names({.primitive = "ZerosLike", .function = "zeros_like"})
    .doc("Zeros in the shape of another tensor.")
    .numpy("np.zeros_like(input, dtype)")
    .input("input", "Gives shape and type.")
    .attribute("dtype", "Another element type.", optional(AttributeType::DType))
    .output("output", "The tensor.")
    .infer(infer_like)
    .gradient([](GradientContext&) {})  // the values of the input do not matter
    .sample("matrix", {normal({2, 3})})
    .sample_dtypes(kAny);

MYCEL_CPU_KERNEL(zeros_like) { fill_tensor(kernel.output(0), 0); }

MYCEL_OP(ones_like)
    .names({.primitive = "OnesLike", .function = "ones_like"})
    .doc("Ones in the shape of another tensor.")
    .numpy("np.ones_like(input, dtype)")
    .input("input", "Gives shape and type.")
    .attribute("dtype", "Another element type.", optional(AttributeType::DType))
    .output("output", "The tensor.")
    .infer(infer_like)
    .gradient([](GradientContext&) {})  // the values of the input do not matter
    .sample("matrix", {normal({2, 3})})
    .sample_dtypes(kAny);

MYCEL_CPU_KERNEL(ones_like) { fill_tensor(kernel.output(0), 1); }

MYCEL_OP(full_like)
    .names({.function = "full_like"})
    .doc("One number everywhere in the shape of another tensor.")
    .numpy("np.full_like(input, fill_value, dtype)")
    .input("input", "Gives shape and type.")
    .attribute("fill_value", "The number.", required(AttributeType::Number))
    .attribute("dtype", "Another element type.", optional(AttributeType::DType))
    .output("output", "The tensor.")
    .infer(infer_like)
    .gradient([](GradientContext&) {})  // the values of the input do not matter
    .sample("matrix", {normal({2, 3})}, {{"fill_value", 2}})
    .sample_dtypes(kReal);

MYCEL_CPU_KERNEL(full_like) { fill_tensor(kernel.output(0), kernel.attribute("fill_value")); }

MYCEL_ONNX(ConstantOfShape, "input.numbers") {
  const IntList shape = call.flat_integers("input");
  std::int64_t count = 1;
  for (const std::int64_t length : shape) {
    const bool is_possible = length >= 0 && !__builtin_mul_overflow(count, length, &count) &&
                             count <= std::int64_t{1} << 40;
    call.require(is_possible, ErrorKind::Value, "it asks for the impossible shape ", shape, ".");
  }
  const DType dtype = call.has("value") ? call.tensor("value").dtype() : DType::Float32;
  AttributeValue value = 0;
  if (std::int64_t whole = 0; to_integer(call["value"], whole)) {
    value = whole;
  } else if (call.has("value")) {
    const std::vector<double> values = call.reals("value");
    call.require(values.size() == 1, ErrorKind::Value, "its value must have one element.");
    value = values[0];
  }
  return call.call("fill", {}, {{"dtype", dtype}, {"shape", shape}, {"value", value}});
}

// A value of the file.
MYCEL_ONNX(Constant, "") {
  for (const std::string_view name : {"value_float", "value_floats"})
    if (call.has(name)) return tensor_of(call[name], DType::Float32, call.emitter());
  for (const std::string_view name : {"value_int", "value_ints"})
    if (call.has(name)) return tensor_of(call[name], DType::Int64, call.emitter());
  return call.tensor("value");
}

static mindir::Symbol filled_like(const mindir::Call& call, const mindir::Operand& value) {
  const auto filling = call.number(value);
  return filling.shaped_like(call.input(), call.shape());
}

MYCEL_WRITES_MINDIR(zeros_like) { return filled_like(call, 0); }
MYCEL_WRITES_MINDIR(ones_like) { return filled_like(call, 1); }
MYCEL_WRITES_MINDIR(full_like) { return filled_like(call, call.attribute("fill_value")); }

// Nodes of files fill a shape, not what a tensor is like.
static onnx::Symbol filled_like(const onnx::Call& call, const onnx::Operand& value) {
  return call.number(value).expand(call.shape());
}

MYCEL_WRITES_ONNX(zeros_like) { return filled_like(call, 0); }
MYCEL_WRITES_ONNX(ones_like) { return filled_like(call, 1); }
MYCEL_WRITES_ONNX(full_like) { return filled_like(call, call.attribute("fill_value")); }

}  // namespace mycel::ops
