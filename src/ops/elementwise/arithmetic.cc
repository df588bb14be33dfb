// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>

#include "operator/define.h"
#include "operator/stored_call.h"
#include "operator/writes_both.h"
#include "ops/elementwise/mindir_elements.h"
#include "ops/elementwise/onnx_elements.h"

namespace mycel::ops {

MYCEL_OP(add)
    .names({.primitive = "Add", .function = "add", .method = "add"})
    .function_aliases({"tensor_add"})
    .primitive_aliases({"TensorAdd"})
    .doc("Sum of two tensors.")
    .input("input", "Any tensor.")
    .input("other", "Tensor or number that stretches to `input`.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Expr x, Expr y) { return x + y; })
    .numpy("np.add(input, other)")
    .traits({.adds = true})
    .sample("same shape", {normal({3, 4}), normal({3, 4})})
    .sample("stretched", {normal({2, 3, 4}), normal({3, 1})})
    .sample("with a number", {normal({3, 4}), number(2)})
    .sample("no elements", {normal({0, 3}), normal({1, 3})})
    .sample("no axes", {normal({}), normal({})})
    .sample_dtypes(kAny);

MYCEL_OP(sub)
    .names({.primitive = "Sub", .function = "sub", .method = "sub"})
    .function_aliases({"tensor_sub"})
    .doc("Difference of two tensors.")
    .input("input", "Any tensor.")
    .input("other", "Tensor or number that stretches to `input`.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Expr x, Expr y) { return x - y; })
    .numpy("np.subtract(input, other)")
    .sample("same shape", {normal({3, 4}), normal({3, 4})})
    .sample("stretched", {normal({2, 3, 4}), normal({3, 1})})
    .sample("with a number", {normal({3, 4}), number(2)})
    .sample("no elements", {normal({0, 3}), normal({1, 3})})
    .sample("no axes", {normal({}), normal({})})
    .sample_dtypes(kNumber);

MYCEL_OP(mul)
    .names({.primitive = "Mul", .function = "mul", .method = "mul"})
    .function_aliases({"multiply", "tensor_mul"})
    .method_aliases({"multiply"})
    .doc("Product of two tensors.")
    .input("input", "Any tensor.")
    .input("other", "Tensor or number that stretches to `input`.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Expr x, Expr y) { return x * y; })
    .numpy("np.multiply(input, other)")
    .sample("same shape", {normal({3, 4}), normal({3, 4})})
    .sample("stretched", {normal({2, 3, 4}), normal({3, 1})})
    .sample("with a number", {normal({3, 4}), number(2)})
    .sample("no elements", {normal({0, 3}), normal({1, 3})})
    .sample("no axes", {normal({}), normal({})})
    .sample_dtypes(kAny);

MYCEL_OP(div)
    .names({.primitive = "Div", .function = "true_divide", .method = "true_divide"})
    .function_aliases({"tensor_div"})
    .primitive_aliases({"RealDiv"})
    .doc("Quotient of two tensors; integers give float32.")
    .input("input", "Any tensor.")
    .input("other", "Tensor or number that stretches to `input`.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x, Expr y) { return x / y; })
    .numpy("np.true_divide(input, other)")
    .sample("same shape", {normal({3, 4}), positive({3, 4})})
    .sample("stretched", {normal({2, 3, 4}), positive({3, 1})})
    .sample("by a number", {normal({3, 4}), number(2)})
    .sample_dtypes(kIntegral | kFloating);

MYCEL_OP(floor_div)
    .names({.primitive = "FloorDiv", .function = "floor_divide", .method = "floor_divide"})
    .function_aliases({"floor_div", "tensor_floordiv"})
    .method_aliases({"floor_div"})
    .doc("Quotient rounded toward minus infinity.")
    .input("input", "Any tensor.")
    .input("other", "Tensor or number that stretches to `input`.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Expr x, Expr y) { return apply(ScalarOp::FloorDiv, x, y); })
    .numpy("np.floor_divide(input, other)")
    .sample("both signs",
            {values({8}, {7, -7, 7, -7, 6, -6, 0, 1}), values({8}, {3, 3, -3, -3, 4, 4, 5, 9})})
    .sample_dtypes(DTypeSet({DType::Int8, DType::Int16, DType::Int32, DType::Int64, DType::Float32,
                             DType::Float64}));

MYCEL_OP(floor_mod)
    .names({.primitive = "FloorMod", .function = "remainder", .method = "remainder"})
    .function_aliases({"floor_mod", "tensor_mod"})
    .method_aliases({"floor_mod"})
    .doc("Remainder with the sign of the divisor.")
    .input("input", "Any tensor.")
    .input("other", "Tensor or number that stretches to `input`.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Expr x, Expr y) { return apply(ScalarOp::FloorMod, x, y); })
    .numpy("np.mod(input, other)")
    .sample("both signs",
            {values({8}, {7, -7, 7, -7, 6, -6, 0, 1}), values({8}, {3, 3, -3, -3, 4, 4, 5, 9})})
    .sample_dtypes(DTypeSet({DType::Int8, DType::Int16, DType::Int32, DType::Int64, DType::Float32,
                             DType::Float64}));

MYCEL_OP(truncate_div)
    .names({.primitive = "TruncateDiv", .function = "truncate_div"})
    .doc("Quotient rounded toward zero.")
    .input("x", "Any tensor.")
    .input("y", "Divisor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Expr x, Expr y) { return apply(ScalarOp::TruncDiv, x, y); })
    .numpy("np.trunc(np.true_divide(x, y)).astype(x.dtype)")
    .sample("both signs",
            {values({8}, {7, -7, 7, -7, 6, -6, 0, 1}), values({8}, {3, 3, -3, -3, 4, 4, 5, 9})})
    .sample_dtypes(DTypeSet({DType::Int32, DType::Int64, DType::Float32, DType::Float64}));

MYCEL_OP(truncate_mod)
    .names({.primitive = "TruncateMod", .function = "fmod", .method = "fmod"})
    .function_aliases({"truncate_mod"})
    .primitive_aliases({"Mod"})
    .doc("Remainder with the sign of the dividend.")
    .input("input", "Any tensor.")
    .input("other", "Tensor or number that stretches to `input`.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Expr x, Expr y) { return apply(ScalarOp::TruncMod, x, y); })
    .numpy("np.fmod(input, other)")
    .sample("both signs",
            {values({8}, {7, -7, 7, -7, 6, -6, 0, 1}), values({8}, {3, 3, -3, -3, 4, 4, 5, 9})})
    .sample_dtypes(DTypeSet({DType::Int8, DType::Int32, DType::Int64, DType::Float32,
                             DType::Float64}));

MYCEL_OP(pow)
    .names({.primitive = "Pow", .function = "pow", .method = "pow"})
    .function_aliases({"tensor_pow"})
    .doc("`input` to the power of `exponent`.")
    .input("input", "Any tensor.")
    .input("exponent", "Tensor or number.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Expr x, Expr y) { return apply(ScalarOp::Pow, x, y); })
    .numpy("np.power(input, exponent)")
    .sample("same shape", {positive({3, 4}), normal({3, 4})})
    .sample("square", {normal({3, 4}), number(2)})
    .sample("stretched", {positive({2, 3}), positive({3})})
    .sample_dtypes(kFloating);

MYCEL_OP(maximum)
    .names({.primitive = "Maximum", .function = "maximum", .method = "maximum"})
    .doc("The larger of two elements; NaN wins, equal ones share the gradient.")
    .input("input", "Any tensor.")
    .input("other", "Tensor or number that stretches to `input`.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Expr x, Expr y) { return apply(ScalarOp::Maximum, x, y); })
    .numpy("np.maximum(input, other)")
    .sample("same shape", {normal({3, 4}), normal({3, 4})})
    .sample("stretched", {normal({2, 3, 4}), normal({3, 1})})
    .sample("with a number", {normal({3, 4}), number(2)})
    .sample("no elements", {normal({0, 3}), normal({1, 3})})
    .sample("no axes", {normal({}), normal({})})
    .sample_dtypes(kReal | kBool);

MYCEL_OP(minimum)
    .names({.primitive = "Minimum", .function = "minimum", .method = "minimum"})
    .doc("The smaller of two elements; NaN wins, equal ones share the gradient.")
    .input("input", "Any tensor.")
    .input("other", "Tensor or number that stretches to `input`.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Expr x, Expr y) { return apply(ScalarOp::Minimum, x, y); })
    .numpy("np.minimum(input, other)")
    .sample("same shape", {normal({3, 4}), normal({3, 4})})
    .sample("stretched", {normal({2, 3, 4}), normal({3, 1})})
    .sample("with a number", {normal({3, 4}), number(2)})
    .sample("no elements", {normal({0, 3}), normal({1, 3})})
    .sample("no axes", {normal({}), normal({})})
    .sample_dtypes(kReal | kBool);

MYCEL_OP(fmax)
    .names({.function = "fmax"})
    .doc("The larger of two elements; a number wins over NaN.")
    .input("input", "Any tensor.")
    .input("other", "Tensor or number that stretches to `input`.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote,
            [](Expr x, Expr y) {
              return select(apply(ScalarOp::IsNan, x), y,
                            select(apply(ScalarOp::IsNan, y), x, apply(ScalarOp::Maximum, x, y)));
            })
    .numpy("np.fmax(input, other)")
    .sample("same shape", {normal({3, 4}), normal({3, 4})})
    .sample("stretched", {normal({2, 3, 4}), normal({3, 1})})
    .sample_dtypes(kReal);

MYCEL_OP(fmin)
    .names({.function = "fmin"})
    .doc("The smaller of two elements; a number wins over NaN.")
    .input("input", "Any tensor.")
    .input("other", "Tensor or number that stretches to `input`.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote,
            [](Expr x, Expr y) {
              return select(apply(ScalarOp::IsNan, x), y,
                            select(apply(ScalarOp::IsNan, y), x, apply(ScalarOp::Minimum, x, y)));
            })
    .numpy("np.fmin(input, other)")
    .sample("same shape", {normal({3, 4}), normal({3, 4})})
    .sample("stretched", {normal({2, 3, 4}), normal({3, 1})})
    .sample_dtypes(kReal);

MYCEL_OP(squared_difference)
    .names({.primitive = "SquaredDifference"})
    .doc("Square of the difference.")
    .input("x", "Any tensor.")
    .input("y", "Tensor or number.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Expr x, Expr y) { return apply(ScalarOp::Square, x - y); })
    .numpy("np.square(x - y)")
    .sample("same shape", {normal({3, 4}), normal({3, 4})})
    .sample("stretched", {normal({2, 3, 4}), normal({3, 1})})
    .sample("with a number", {normal({3, 4}), number(2)})
    .sample_dtypes(kFloating | kComplex | DTypeSet({DType::Int32}));

MYCEL_OP(atan2)
    .names({.primitive = "Atan2", .function = "atan2", .method = "atan2"})
    .function_aliases({"arctan2"})
    .method_aliases({"arctan2"})
    .doc("Angle of the point (other, input).")
    .input("input", "Any tensor.")
    .input("other", "Tensor or number that stretches to `input`.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x, Expr y) { return apply(ScalarOp::Atan2, x, y); })
    .numpy("np.arctan2(input, other)")
    .sample("same shape", {normal({3, 4}), normal({3, 4})})
    .sample("stretched", {normal({2, 3, 4}), normal({3, 1})})
    .sample("with a number", {normal({3, 4}), number(2)})
    .sample_dtypes(kFloating);

MYCEL_OP(hypot)
    .names({.primitive = "Hypot", .function = "hypot", .method = "hypot"})
    .doc("Length of the hypotenuse.")
    .input("input", "Any tensor.")
    .input("other", "Tensor or number that stretches to `input`.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x, Expr y) { return apply(ScalarOp::Hypot, x, y); })
    .numpy("np.hypot(input, other)")
    .sample("same shape", {normal({3, 4}), normal({3, 4})})
    .sample("stretched", {normal({2, 3, 4}), normal({3, 1})})
    .sample("with a number", {normal({3, 4}), number(2)})
    .sample_dtypes(kFloating);

MYCEL_OP(xlogy)
    .names({.primitive = "Xlogy", .function = "xlogy", .method = "xlogy"})
    .doc("`input * log(other)`, and 0 where `input` is 0.")
    .input("input", "Any tensor.")
    .input("other", "Tensor or number that stretches to `input`.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat,
            [](Expr x, Expr y) { return select(x == 0, 0, x * apply(ScalarOp::Log, y)); })
    .numpy("np.where(input == 0, 0, input * np.log(other))")
    .sample("same shape", {positive({3, 4}), positive({3, 4})})
    .sample("stretched", {positive({2, 3, 4}), positive({3, 1})})
    .sample_dtypes(kFloating | kComplex);

MYCEL_OP(xdivy)
    .names({.primitive = "Xdivy", .function = "xdivy"})
    .doc("`x / y`, and 0 where `x` is 0.")
    .input("x", "Any tensor.")
    .input("y", "Tensor or number.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x, Expr y) { return select(x == 0, 0, x / y); })
    .numpy("np.where(x == 0, 0, x / y)")
    .sample("same shape", {positive({3, 4}), positive({3, 4})})
    .sample("stretched", {positive({2, 3, 4}), positive({3, 1})})
    .sample_dtypes(kFloating | kComplex);

MYCEL_OP(div_no_nan)
    .names({.primitive = "DivNoNan"})
    .doc("Quotient, and 0 where the divisor is 0.")
    .input("x1", "Any tensor.")
    .input("x2", "Tensor or number.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x, Expr y) { return select(y == 0, 0, x / y); })
    .numpy("np.divide(x1, x2, out=np.zeros_like(x1 + x2), where=x2 != 0)")
    .sample("some zeros", {normal({4}), values({4}, {0, 1, 2, -3})})
    .sample_dtypes(kFloating);

MYCEL_OP(mul_no_nan)
    .names({.primitive = "MulNoNan"})
    .doc("Product, and 0 where `y` is 0 whatever `x` is.")
    .input("x", "Any tensor.")
    .input("y", "Tensor or number.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Expr x, Expr y) { return select(y == 0, 0, x * y); })
    // Not derived from the formula: the slope with respect to `y` at 0 is `x`, not that of the 0.
    .gradient([](GradientContext& op) {
      const Value gradient = op.output_gradient(0);
      const auto conjugate = [&](const Value& value) {
        return is_complex(value.dtype()) ? op.call("conj", {value}) : value;
      };
      const Value by_x = op.call("mul_no_nan", {gradient, conjugate(op.input(1))});
      const Value by_y = op.call("mul_no_nan", {conjugate(op.input(0)), gradient});
      op.set_input_gradient(0, sum_to(by_x, op.input_specs[0]));
      op.set_input_gradient(1, sum_to(by_y, op.input_specs[1]));
    })
    .keeps({"x", "y"})
    .numpy("np.where(y == 0, 0, x * y)")
    .sample("some zeros", {normal({4}), values({4}, {0, 1, 2, -3})})
    .sample_dtypes(kFloating);

MYCEL_OP(copysign)
    .names({.function = "copysign", .method = "copysign"})
    .doc("Size of `x` with the sign of `other`.")
    .input("x", "Any tensor.")
    .input("other", "Tensor or number.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x, Expr y) { return apply(ScalarOp::CopySign, x, y); })
    .numpy("np.copysign(x, other)")
    .sample("same shape", {normal({3, 4}), normal({3, 4})})
    .sample("stretched", {normal({2, 3, 4}), normal({3, 1})})
    .sample_dtypes(kFloating);

MYCEL_OP(heaviside)
    .names({.primitive = "Heaviside", .function = "heaviside", .method = "heaviside"})
    .doc("Step function: 0 below zero, `values` at it, 1 above.")
    .input("input", "Any tensor.", kReal | kBool)
    .input("values", "Result where `input` is zero.", kReal | kBool)
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote,
            [](Expr x, Expr y) { return select(x == 0, y, select(x > 0, 1, select(x < 0, 0, x))); })
    .numpy("np.heaviside(input, values)")
    .sample("all three cases", {values({3}, {-1, 0, 2}), values({3}, {5, 6, 7})})
    .sample_dtypes(kFloating);

MYCEL_OP(logaddexp)
    .names({.function = "logaddexp", .method = "logaddexp"})
    .doc("`log(exp(input) + exp(other))` without overflow.")
    .input("input", "Any tensor.", kReal | kBool)
    .input("other", "Tensor or number that stretches to `input`.", kReal | kBool)
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat,
            [](Expr x, Expr y) {
              const Expr gap = apply(ScalarOp::Abs, x - y);
              return select(x == y, x + std::numbers::ln2,
                            apply(ScalarOp::Maximum, x, y) +
                                apply(ScalarOp::Log1p, apply(ScalarOp::Exp, -gap)));
            })
    .numpy("np.logaddexp(input, other)")
    .sample("same shape", {normal({3, 4}), normal({3, 4})})
    .sample("stretched", {normal({2, 3, 4}), normal({3, 1})})
    .sample_dtypes(DTypeSet({DType::Float16, DType::Float32, DType::Float64}));

MYCEL_OP(logaddexp2)
    .names({.function = "logaddexp2", .method = "logaddexp2"})
    .doc("`log2(2**input + 2**other)` without overflow.")
    .input("input", "Any tensor.", kReal | kBool)
    .input("other", "Tensor or number that stretches to `input`.", kReal | kBool)
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat,
            [](Expr x, Expr y) {
              const Expr gap = apply(ScalarOp::Abs, x - y);
              return select(
                  x == y, x + 1,
                  apply(ScalarOp::Maximum, x, y) +
                      apply(ScalarOp::Log1p, apply(ScalarOp::Exp2, -gap)) / std::numbers::ln2);
            })
    .numpy("np.logaddexp2(input, other)")
    .sample("same shape", {normal({3, 4}), normal({3, 4})})
    .sample("stretched", {normal({2, 3, 4}), normal({3, 1})})
    .sample_dtypes(DTypeSet({DType::Float16, DType::Float32, DType::Float64}));

MYCEL_OP(ldexp)
    .names({.function = "ldexp"})
    .doc("`x * 2**other`.")
    .input("x", "Any tensor.")
    .input("other", "Exponent.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x, Expr y) { return x * apply(ScalarOp::Exp2, y); })
    .numpy("x * np.exp2(other)")
    .sample("same shape", {normal({3, 4}), values({4}, {0, 1, -2, 3})})
    .sample_dtypes(DTypeSet({DType::Float32, DType::Float64}));

static const onnx::Twins onnx_arithmetic{{"Add", "add"}, {"Mul", "mul"}, {"Sub", "sub"}};

MYCEL_ONNX(Div, "A B") {
  const Value a = call.tensor("A");
  return call.call(is_integral(a.dtype()) ? "truncate_div" : "div", {a, call.tensor("B")});
}

MYCEL_ONNX(Mod, "A B") {
  return call.call(call.flag("fmod", false) ? "truncate_mod" : "floor_mod",
                   {call.tensor("A"), call.tensor("B")});
}

MYCEL_ONNX(Pow, "X Y") {
  const Value x = call.tensor("X");
  return call.cast(call.call("pow", {x, call.tensor("Y")}), x.dtype());
}

// Of any number of tensors.
static Value joined(const StoredCall& call, std::string_view op) {
  const ValueList parts = call.tensors("data_0");
  call.require(!parts.empty(), ErrorKind::Value, "there must be an input.");
  Value found = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) found = call.call(op, {found, parts[i]});
  return found;
}

MYCEL_ONNX(Max, "data_0...") { return joined(call, "maximum"); }
MYCEL_ONNX(Min, "data_0...") { return joined(call, "minimum"); }
MYCEL_ONNX(Sum, "data_0...") { return joined(call, "add"); }
MYCEL_ONNX(Mean, "data_0...") {
  return joined(call, "add") / static_cast<double>(call.arguments().size());
}

// What was chosen of two values, or the other where one is none.
template <class Symbol>
static Symbol unless_nan(const Symbol& x, const Symbol& y, const Symbol& chosen) {
  if (!is_floating(x.dtype())) return chosen;
  const auto x_is_nan = is_nan(x);
  const auto y_is_nan = is_nan(y);
  return x_is_nan.where(y, y_is_nan.where(x, chosen));
}

MYCEL_WRITES(fmax) {
  const auto x = call.typed(0);
  const auto y = call.typed(1);
  return unless_nan(x, y, x.maximum(y));
}

MYCEL_WRITES(fmin) {
  const auto x = call.typed(0);
  const auto y = call.typed(1);
  return unless_nan(x, y, x.minimum(y));
}

MYCEL_WRITES_MINDIR(copysign) {
  const auto x = call.typed(0);
  const auto y = call.typed(1);
  const auto is_minus = is_negative(y);
  const auto below = -x.add("Abs");
  return is_minus.where(below, x.add("Abs"));
}

template <class Symbol>
static Symbol log_of_sum(const Symbol& x, const Symbol& y) {
  const auto most = x.maximum(y);
  return most + (-(x - y).add("Abs")).add("Exp").add("Add", {1.0}).add("Log");
}

MYCEL_WRITES(logaddexp) {
  const auto x = call.typed(0);
  return log_of_sum(x, call.typed(1));
}

MYCEL_WRITES(logaddexp2) {
  const auto x = call.typed(0);
  const auto y = call.typed(1);
  const auto scaled = x * std::log(2.0);
  return log_of_sum(scaled, y * std::log(2.0)) * (1 / std::log(2.0));
}

MYCEL_WRITES(ldexp) {
  const auto x = call.typed(0);
  const auto y = call.typed(1);
  return x * x.number(2).add("Pow", {y});
}

MYCEL_WRITES_ONNX(div) { return call.same("Div"); }
MYCEL_WRITES_ONNX(maximum) { return call.same("Max"); }
MYCEL_WRITES_ONNX(minimum) { return call.same("Min"); }
MYCEL_WRITES_ONNX(pow) { return call.same("Pow"); }
MYCEL_WRITES_ONNX(truncate_mod) { return call.same("Mod", {{"fmod", 1}}); }

// The angle of the point (x, y), from the quadrant and the angle of its slope.
MYCEL_WRITES_ONNX(atan2) {
  const auto y = call.typed(0);
  const auto x = call.typed(1);
  const auto is_upright = x.equals(0);
  const auto slope = (y / is_upright.where(1, x)).add("Atan");
  const auto left = (y < 0).where(slope - std::numbers::pi, slope + std::numbers::pi);
  const auto beside = (x < 0).where(left, slope);
  return is_upright.where(y.add("Sign") * (std::numbers::pi / 2), beside);
}

MYCEL_WRITES_ONNX(div_no_nan) {
  const auto x = call.typed(0);
  const auto y = call.typed(1);
  const auto is_zero = y.equals(0);
  return is_zero.where(0, x / is_zero.where(1, y));
}

MYCEL_WRITES_ONNX(mul_no_nan) {
  const auto x = call.typed(0);
  const auto y = call.typed(1);
  return y.equals(0).where(0, x * y);
}

MYCEL_WRITES_ONNX(xdivy) {
  const auto x = call.typed(0);
  return x.equals(0).where(0, x / call.typed(1));
}

MYCEL_WRITES_ONNX(xlogy) {
  const auto x = call.typed(0);
  return x.equals(0).where(0, x * call.typed(1).add("Log"));
}

MYCEL_WRITES_ONNX(heaviside) {
  const auto x = call.typed(0);
  return x.equals(0).where(call.typed(1), (x > 0).to(x.dtype()));
}

MYCEL_WRITES_ONNX(hypot) {
  const auto x = call.typed(0);
  const auto y = call.typed(1);
  return (x * x + y * y).add("Sqrt");
}

MYCEL_WRITES_ONNX(squared_difference) {
  const auto difference = call.typed(0) - call.typed(1);
  return difference * difference;
}

MYCEL_WRITES_ONNX(floor_mod) {
  const auto x = call.typed(0);
  const auto y = call.typed(1);
  if (!is_floating(call.dtype())) return x.modulo(y);
  return x - (x / y).add("Floor") * y;
}

MYCEL_WRITES_ONNX(floor_div) {
  const auto x = call.typed(0);
  const auto y = call.typed(1);
  return is_floating(call.dtype()) ? (x / y).add("Floor") : (x - x.modulo(y)) / y;
}

MYCEL_WRITES_ONNX(truncate_div) {
  const auto quotient = call.typed(0) / call.typed(1);
  return is_floating(call.dtype()) ? truncated(quotient) : quotient;
}

}  // namespace mycel::ops
