// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>

#include "operator/define.h"
#include "operator/stored_call.h"
#include "operator/writes_both.h"
#include "ops/elementwise/onnx_elements.h"

namespace mycel::ops {

MYCEL_OP(neg)
    .names({.primitive = "Neg", .function = "neg", .method = "neg"})
    .function_aliases({"negative"})
    .method_aliases({"negative"})
    .doc("Opposite numbers.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Expr x) { return apply(ScalarOp::Neg, x); })
    .numpy("np.negative(input)")
    .traits({.is_own_inverse = true})
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(kNumber);

MYCEL_OP(abs)
    .names({.primitive = "Abs", .function = "abs", .method = "abs"})
    .function_aliases({"absolute"})
    .primitive_aliases({"ComplexAbs"})
    .method_aliases({"absolute"})
    .doc("Absolute value; of a complex number its length.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Expr x) { return apply(ScalarOp::Abs, x); })
    .real_result()
    .numpy("np.abs(input)")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(kNumber);

MYCEL_OP(sign)
    .names({.primitive = "Sign", .function = "sign", .method = "sign"})
    .function_aliases({"sgn"})
    .method_aliases({"sgn"})
    .doc("-1, 0 or 1 by the sign; NaN stays NaN.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Expr x) { return apply(ScalarOp::Sign, x); })
    // A real sign does not move; a complex one, z / |z|, moves along the circle only.
    .gradient([](GradientContext& op) {
      if (!is_complex(op.input_dtype(0))) return;
      const Value along =
          op.call("imag", {op.output_gradient(0) * op.call("conj", {op.output(0)})});
      const Value rate = op.call("div_no_nan", {along, op.call("abs", {op.input(0)})});
      const Value turned = op.call("complex", {op.call("zeros_like", {rate}), rate});
      op.set_input_gradient(0, turned * op.output(0));
    })
    .keeps({"input", "output"})
    .numpy("np.sign(input)")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample("zeros", {values({3}, {0, -2, 3})})
    .sample_dtypes(kReal);

MYCEL_OP(square)
    .names({.primitive = "Square", .function = "square", .method = "square"})
    .doc("Square.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Expr x) { return apply(ScalarOp::Square, x); })
    .numpy("np.square(input)")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(kNumber);

MYCEL_OP(reciprocal)
    .names({.primitive = "Reciprocal", .function = "reciprocal", .method = "reciprocal"})
    .function_aliases({"inv"})
    .primitive_aliases({"Inv"})
    .method_aliases({"inv"})
    .doc("1 divided by each element.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return apply(ScalarOp::Reciprocal, x); })
    .numpy("np.reciprocal(input)")
    .sample("plain", {positive({3, 4})})
    .sample("no axes", {positive({})})
    .sample_dtypes(kFloating | kComplex);

MYCEL_OP(sqrt)
    .names({.primitive = "Sqrt", .function = "sqrt", .method = "sqrt"})
    .doc("Square root.")
    .input("x", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return apply(ScalarOp::Sqrt, x); })
    .numpy("np.sqrt(x)")
    .sample("plain", {positive({3, 4})})
    .sample("no axes", {positive({})})
    .sample_dtypes(kFloating | kComplex);

MYCEL_OP(rsqrt)
    .names({.primitive = "Rsqrt", .function = "rsqrt", .method = "rsqrt"})
    .doc("Reciprocal of the square root.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return apply(ScalarOp::Rsqrt, x); })
    .numpy("1 / np.sqrt(input)")
    .sample("plain", {positive({3, 4})})
    .sample("no axes", {positive({})})
    .sample_dtypes(kFloating | kComplex);

MYCEL_OP(exp)
    .names({.primitive = "Exp", .function = "exp", .method = "exp"})
    .function_aliases({"tensor_exp"})
    .doc("Exponential function.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return apply(ScalarOp::Exp, x); })
    .numpy("np.exp(input)")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample("extreme", {values({4}, {-100, 0, 80, -INFINITY})})
    .sample_dtypes(kFloating | kComplex);

MYCEL_OP(exp2)
    .names({.function = "exp2", .method = "exp2"})
    .doc("2 to the power of each element.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return apply(ScalarOp::Exp2, x); })
    .numpy("np.exp2(input)")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(kFloating);

MYCEL_OP(expm1)
    .names({.primitive = "Expm1", .function = "expm1", .method = "expm1"})
    .doc("Exponential minus 1, exact near zero.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return apply(ScalarOp::Expm1, x); })
    .numpy("np.expm1(input)")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(kFloating);

MYCEL_OP(log)
    .names({.primitive = "Log", .function = "log", .method = "log"})
    .doc("Natural logarithm.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return apply(ScalarOp::Log, x); })
    .numpy("np.log(input)")
    .sample("plain", {positive({3, 4})})
    .sample("no axes", {positive({})})
    .sample_dtypes(kFloating | kComplex);

MYCEL_OP(log2)
    .names({.function = "log2", .method = "log2"})
    .doc("Logarithm of base 2.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return apply(ScalarOp::Log2, x); })
    .numpy("np.log2(input)")
    .sample("plain", {positive({3, 4})})
    .sample("no axes", {positive({})})
    .sample_dtypes(kFloating);

MYCEL_OP(log10)
    .names({.function = "log10", .method = "log10"})
    .doc("Logarithm of base 10.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return apply(ScalarOp::Log10, x); })
    .numpy("np.log10(input)")
    .sample("plain", {positive({3, 4})})
    .sample("no axes", {positive({})})
    .sample_dtypes(kFloating);

MYCEL_OP(log1p)
    .names({.primitive = "Log1p", .function = "log1p", .method = "log1p"})
    .doc("Logarithm of 1 plus each element, exact near zero.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return apply(ScalarOp::Log1p, x); })
    .numpy("np.log1p(input)")
    .sample("plain", {positive({3, 4})})
    .sample("no axes", {positive({})})
    .sample_dtypes(kFloating);

MYCEL_OP(floor)
    .names({.primitive = "Floor", .function = "floor", .method = "floor"})
    .doc("Largest whole number not above.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Expr x) { return apply(ScalarOp::Floor, x); })
    .numpy("np.floor(input)")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(kFloating);

MYCEL_OP(ceil)
    .names({.primitive = "Ceil", .function = "ceil", .method = "ceil"})
    .doc("Smallest whole number not below.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Expr x) { return apply(ScalarOp::Ceil, x); })
    .numpy("np.ceil(input)")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(kFloating);

MYCEL_OP(round)
    .names({.primitive = "Round", .function = "round", .method = "round"})
    .primitive_aliases({"Rint"})
    .doc("Nearest whole number, halves to the even one.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Expr x) { return apply(ScalarOp::Round, x); })
    .numpy("np.round(input)")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample("halves", {values({6}, {0.5, 1.5, 2.5, -0.5, -1.5, 2.2})})
    .sample_dtypes(kFloating);

MYCEL_OP(trunc)
    .names({.primitive = "Trunc", .function = "trunc", .method = "trunc"})
    .doc("Whole part, toward zero.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Expr x) { return apply(ScalarOp::Trunc, x); })
    .numpy("np.trunc(input)")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(kFloating);

MYCEL_OP(frac)
    .names({.function = "frac", .method = "frac"})
    .doc("What `trunc` cuts off.")
    .input("x", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Expr x) { return x - apply(ScalarOp::Trunc, x); })
    .numpy("x - np.trunc(x)")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(DTypeSet({DType::Float32, DType::Float64}));

MYCEL_OP(erf)
    .names({.primitive = "Erf", .function = "erf", .method = "erf"})
    .doc("Error function.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return apply(ScalarOp::Erf, x); })
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(kFloating);

MYCEL_OP(erfc)
    .names({.primitive = "Erfc", .function = "erfc", .method = "erfc"})
    .doc("1 minus the error function.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return apply(ScalarOp::Erfc, x); })
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(kFloating);

MYCEL_OP(erfinv)
    .names({.primitive = "Erfinv", .function = "erfinv", .method = "erfinv"})
    .doc("Inverse of the error function.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return apply(ScalarOp::Erfinv, x); })
    .sample("inside", {uniform({3, 4}, -0.9, 0.9)})
    .sample_dtypes(kFloating);

MYCEL_OP(rad2deg)
    .names({.function = "rad2deg", .method = "rad2deg"})
    .doc("Degrees from radians.")
    .input("x", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return x * (180 / std::numbers::pi); })
    .numpy("np.rad2deg(x)")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(DTypeSet({DType::Float16, DType::Float32, DType::Float64}));

MYCEL_OP(deg2rad)
    .names({.function = "deg2rad", .method = "deg2rad"})
    .doc("Radians from degrees.")
    .input("x", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return x * (std::numbers::pi / 180); })
    .numpy("np.deg2rad(x)")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(DTypeSet({DType::Float16, DType::Float32, DType::Float64}));

MYCEL_OP(conj)
    .names({.primitive = "Conj", .function = "conj", .method = "conj"})
    .doc("Complex conjugate.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Expr x) { return apply(ScalarOp::Conj, x); })
    .gradient([](GradientContext& op) {
      op.set_input_gradient(0, op.call("conj", {op.output_gradient(0)}));
    })
    .numpy("np.conj(input)")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(kFloating | kComplex);

MYCEL_OP(real)
    .names({.primitive = "Real", .function = "real", .method = "real"})
    .doc("Real part.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Expr x) { return apply(ScalarOp::Real, x); })
    .real_result()
    .numpy("np.real(input)")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(kFloating | kComplex);

MYCEL_OP(imag)
    .names({.primitive = "Imag", .function = "imag", .method = "imag"})
    .doc("Imaginary part.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Expr x) { return apply(ScalarOp::Imag, x); })
    .real_result()
    .gradient([](GradientContext& op) {
      if (!is_complex(op.input_dtype(0))) return;
      const Value gradient = op.output_gradient(0);
      op.set_input_gradient(0, op.call("complex", {op.call("zeros_like", {gradient}), gradient}));
    })
    .numpy("np.imag(input)")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(kFloating | kComplex);

static const onnx::Twins onnx_unary{
    {"Abs", "abs"},     {"Ceil", "ceil"}, {"Erf", "erf"},     {"Exp", "exp"},
    {"Log", "log"},     {"Neg", "neg"},   {"Floor", "floor"}, {"Reciprocal", "reciprocal"},
    {"Round", "round"}, {"Sign", "sign"}, {"Sqrt", "sqrt"}};

MYCEL_WRITES(exp2) {
  const auto x = call.typed();
  return x.number(2).add("Pow", {x});
}

MYCEL_WRITES(log2) { return call.typed().add("Log") * (1 / std::log(2.0)); }
MYCEL_WRITES(log10) { return call.typed().add("Log") * (1 / std::log(10.0)); }

MYCEL_WRITES_MINDIR(round) {
  const auto x = call.typed();
  return is_floating(call.dtype()) ? x.add("Rint") : x;  // Round has more arguments later
}

MYCEL_WRITES_MINDIR(frac) {
  const auto x = call.typed();
  return x - x.add("Trunc");
}

MYCEL_WRITES(rad2deg) { return call.typed() * (180 / std::numbers::pi); }
MYCEL_WRITES(deg2rad) { return call.typed() * (std::numbers::pi / 180); }

MYCEL_WRITES_ONNX(erfc) {
  const auto x = call.typed();
  return x.number(1) - x.add("Erf");
}

MYCEL_WRITES_ONNX(expm1) { return call.typed().add("Exp") - 1; }
MYCEL_WRITES_ONNX(log1p) { return (call.typed() + 1).add("Log"); }
MYCEL_WRITES_ONNX(rsqrt) { return call.typed().add("Sqrt").add("Reciprocal"); }
MYCEL_WRITES_ONNX(trunc) { return truncated(call.typed()); }

MYCEL_WRITES_ONNX(square) {
  const auto x = call.typed();
  return x * x;
}

MYCEL_WRITES_ONNX(frac) {
  const auto x = call.typed();
  return x - truncated(x);
}

}  // namespace mycel::ops
