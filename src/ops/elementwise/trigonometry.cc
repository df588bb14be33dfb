// SPDX-License-Identifier: Apache-2.0
#include <numbers>

#include "operator/define.h"
#include "operator/onnx_call.h"
#include "operator/stored_call.h"

namespace mycel::ops {

MYCEL_OP(sin)
    .names({.primitive = "Sin", .function = "sin", .method = "sin"})
    .doc("Sine.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return apply(ScalarOp::Sin, x); })
    .numpy("np.sin(input)")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample("large", {values({4}, {100, -1000, 12345, 1e5})})
    .sample_dtypes(kFloating | kComplex);

MYCEL_OP(cos)
    .names({.primitive = "Cos", .function = "cos", .method = "cos"})
    .doc("Cosine.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return apply(ScalarOp::Cos, x); })
    .numpy("np.cos(input)")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(kFloating | kComplex);

MYCEL_OP(tan)
    .names({.primitive = "Tan", .function = "tan", .method = "tan"})
    .doc("Tangent.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return apply(ScalarOp::Tan, x); })
    .numpy("np.tan(input)")
    .sample("inside", {uniform({3, 4}, -0.9, 0.9)})
    .sample_dtypes(kFloating | kComplex);

MYCEL_OP(asin)
    .names({.primitive = "Asin", .function = "asin", .method = "asin"})
    .function_aliases({"arcsin"})
    .method_aliases({"arcsin"})
    .doc("Inverse sine.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return apply(ScalarOp::Asin, x); })
    .numpy("np.arcsin(input)")
    .sample("inside", {uniform({3, 4}, -0.9, 0.9)})
    .sample_dtypes(kFloating);

MYCEL_OP(acos)
    .names({.primitive = "ACos", .function = "acos", .method = "acos"})
    .function_aliases({"arccos"})
    .method_aliases({"arccos"})
    .doc("Inverse cosine.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return apply(ScalarOp::Acos, x); })
    .numpy("np.arccos(input)")
    .sample("inside", {uniform({3, 4}, -0.9, 0.9)})
    .sample_dtypes(kFloating);

MYCEL_OP(atan)
    .names({.primitive = "Atan", .function = "atan", .method = "atan"})
    .function_aliases({"arctan"})
    .method_aliases({"arctan"})
    .doc("Inverse tangent.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return apply(ScalarOp::Atan, x); })
    .numpy("np.arctan(input)")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(kFloating);

MYCEL_OP(sinh)
    .names({.primitive = "Sinh", .function = "sinh", .method = "sinh"})
    .doc("Hyperbolic sine.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return apply(ScalarOp::Sinh, x); })
    .numpy("np.sinh(input)")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(kFloating | kComplex);

MYCEL_OP(cosh)
    .names({.primitive = "Cosh", .function = "cosh", .method = "cosh"})
    .doc("Hyperbolic cosine.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return apply(ScalarOp::Cosh, x); })
    .numpy("np.cosh(input)")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(kFloating | kComplex);

MYCEL_OP(tanh)
    .names({.primitive = "Tanh", .function = "tanh", .method = "tanh"})
    .doc("Hyperbolic tangent.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return apply(ScalarOp::Tanh, x); })
    .numpy("np.tanh(input)")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample("extreme", {values({3}, {-100, 1e-6, 100})})
    .sample_dtypes(kFloating | kComplex);

MYCEL_OP(asinh)
    .names({.primitive = "Asinh", .function = "asinh", .method = "asinh"})
    .function_aliases({"arcsinh"})
    .method_aliases({"arcsinh"})
    .doc("Inverse hyperbolic sine.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return apply(ScalarOp::Asinh, x); })
    .numpy("np.arcsinh(input)")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(kFloating);

MYCEL_OP(acosh)
    .names({.primitive = "Acosh", .function = "acosh", .method = "acosh"})
    .function_aliases({"arccosh"})
    .method_aliases({"arccosh"})
    .doc("Inverse hyperbolic cosine.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return apply(ScalarOp::Acosh, x); })
    .numpy("np.arccosh(input)")
    .sample("above one", {uniform({3, 4}, 1.1, 4)})
    .sample_dtypes(kFloating);

MYCEL_OP(atanh)
    .names({.primitive = "Atanh", .function = "atanh", .method = "atanh"})
    .function_aliases({"arctanh"})
    .method_aliases({"arctanh"})
    .doc("Inverse hyperbolic tangent.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return apply(ScalarOp::Atanh, x); })
    .numpy("np.arctanh(input)")
    .sample("inside", {uniform({3, 4}, -0.9, 0.9)})
    .sample_dtypes(kFloating);

MYCEL_OP(sinc)
    .names({.primitive = "Sinc", .function = "sinc", .method = "sinc"})
    .doc("sin(pi x) / (pi x), and 1 at zero.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat,
            [](Expr x) {
              const Expr angle = x * std::numbers::pi;
              return select(x == 0, 1, apply(ScalarOp::Sin, angle) / angle);
            })
    .numpy("np.sinc(input)")
    .sample("plain", {uniform({3, 4}, 0.1, 2)})
    .sample_dtypes(DTypeSet({DType::Float32, DType::Float64}));

static const onnx::Twins onnx_trigonometry{
    {"Acos", "acos"}, {"Acosh", "acosh"}, {"Asin", "asin"}, {"Asinh", "asinh"},
    {"Atan", "atan"}, {"Atanh", "atanh"}, {"Cos", "cos"},   {"Cosh", "cosh"},
    {"Sin", "sin"},   {"Sinh", "sinh"},   {"Tan", "tan"},   {"Tanh", "tanh"}};

MYCEL_WRITES_ONNX(sinc) {
  const auto x = call.typed();
  const auto is_zero = x.equals(0);
  const auto turned = is_zero.where(1, x * std::numbers::pi);
  return is_zero.where(1, turned.add("Sin") / turned);
}

}  // namespace mycel::ops
