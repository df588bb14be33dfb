// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>

#include "operator/define.h"
#include "operator/stored_call.h"
#include "operator/writes_both.h"

namespace mycel::ops {
namespace {

// Kept inside [low, high]. Asking for what is outside, and not for what is inside, lets NaN
// through.
Expr limited(const Expr& x, const Expr& low, const Expr& high) {
  return select(x <= low, low, select(x >= high, high, x));
}

}  // namespace

MYCEL_OP(sigmoid)
    .names({.primitive = "Sigmoid", .function = "sigmoid", .method = "sigmoid"})
    .doc("Logistic function.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return apply(ScalarOp::Sigmoid, x); })
    .numpy("1 / (1 + np.exp(-input))")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample("extreme", {values({3}, {-100, 0, 100})})
    .sample_dtypes(kFloating | kComplex);

MYCEL_OP(relu)
    .names({.primitive = "ReLU", .function = "relu", .method = "relu"})
    .doc("`input` where positive, 0 elsewhere; NaN stays NaN.")
    .input("input", "Any real tensor.", kReal | kBool)
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Expr x) { return select(x <= 0, 0, x); })
    .numpy("np.maximum(input, 0)")
    .traits({.slope_follows_result = true})
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(kReal);

MYCEL_OP(relu6)
    .names({.primitive = "ReLU6", .function = "relu6"})
    .doc("`x` kept inside [0, 6].")
    .input("x", "Any real tensor.", kReal | kBool)
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote, [](Expr x) { return limited(x, 0, 6); })
    .numpy("np.minimum(np.maximum(x, 0), 6)")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample("large", {values({3}, {-1, 3, 9})})
    .sample_dtypes(kFloating);

MYCEL_OP(leaky_relu)
    .names({.function = "leaky_relu"})
    .doc("`input` where positive, `alpha * input` elsewhere; in the type of `input`.")
    .input("input", "Any real tensor.", kReal | kBool)
    .attribute("alpha", "Slope below zero.", 0.2)
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote,
            [](Define& op) {
              const Expr x = op.in(0);
              return select(x > 0, x, x * op.attr("alpha"));
            })
    .numpy("np.where(input > 0, input, input * alpha)")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample("steep", {normal({2, 3})}, {{"alpha", 0.9}})
    .sample_dtypes(kFloating);

MYCEL_OP(elu)
    .names({.primitive = "Elu", .function = "elu"})
    .doc("`input_x` where positive, `alpha * (exp(input_x) - 1)` elsewhere.")
    .input("input_x", "Any real tensor.", kReal | kBool)
    .attribute("alpha", "Limit below zero.", 1.0)
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat,
            [](Define& op) {
              const Expr x = op.in(0);
              return select(x > 0, x, op.attr("alpha") * apply(ScalarOp::Expm1, x));
            })
    .numpy("np.where(input_x > 0, input_x, alpha * np.expm1(input_x))")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(kFloating);

MYCEL_OP(celu)
    .names({.primitive = "CeLU", .function = "celu"})
    .doc("ELU with a slope that is continuous for every `alpha`.")
    .input("x", "Any real tensor.", kReal | kBool)
    .attribute("alpha", "Limit below zero.", 1.0)
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat,
            [](Define& op) {
              const Expr x = op.in(0);
              const Expr alpha = op.attr("alpha");
              return select(x > 0, x, alpha * apply(ScalarOp::Expm1, x / alpha));
            })
    .numpy("np.where(x > 0, x, alpha * np.expm1(x / alpha))")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample("wide", {normal({2, 3})}, {{"alpha", 2.0}})
    .sample_dtypes(kFloating);

MYCEL_OP(selu)
    .names({.primitive = "SeLU", .function = "selu"})
    .doc("Scaled ELU that keeps mean and variance.")
    .input("input_x", "Any real tensor.", kReal | kBool)
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat,
            [](Expr x) {
              constexpr double kScale = 1.0507009873554805;
              constexpr double kAlpha = 1.6732632423543772;
              return select(x > 0, x * kScale, apply(ScalarOp::Expm1, x) * (kScale * kAlpha));
            })
    .numpy(
        "1.0507009873554805 * np.where(input_x > 0, input_x, 1.6732632423543772 * "
        "np.expm1(input_x))")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(kFloating);

MYCEL_OP(gelu_erf)
    .doc("`input` times the normal distribution function.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat,
            [](Expr x) {
              return x * 0.5 * (apply(ScalarOp::Erf, x * std::numbers::sqrt2 * 0.5) + 1);
            })
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(kFloating);

MYCEL_OP(gelu_tanh)
    .names({.primitive = "GeLU"})
    .primitive_aliases({"Gelu"})
    .doc("The approximation of GELU by tanh.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat,
            [](Expr x) {
              constexpr double kRoot = 0.7978845608028654;  // sqrt(2 / pi)
              const Expr inner = x * (apply(ScalarOp::Square, x) * (kRoot * 0.044715) + kRoot);
              return x * 0.5 * (apply(ScalarOp::Tanh, inner) + 1);
            })
    .numpy("0.5 * input * (1 + np.tanh((2 / np.pi) ** 0.5 * (input + 0.044715 * input ** 3)))")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(kFloating);

MYCEL_OP(fast_gelu)
    .names({.primitive = "FastGeLU", .function = "fast_gelu"})
    .primitive_aliases({"FastGelu"})
    .doc("GELU approximated by a logistic function.")
    .input("x", "Any real tensor.", kReal | kBool)
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat,
            [](Expr x) {
              const Expr size = apply(ScalarOp::Abs, x);
              return x / (apply(ScalarOp::Exp, size * -1.702) + 1) *
                     apply(ScalarOp::Exp, (x - size) * 0.851);
            })
    .numpy("x / (1 + np.exp(-1.702 * np.abs(x))) * np.exp(0.851 * (x - np.abs(x)))")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(kFloating);

MYCEL_OP(silu)
    .names({.primitive = "SiLU", .function = "silu"})
    .doc("`input * sigmoid(input)`.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return x * apply(ScalarOp::Sigmoid, x); })
    .numpy("input / (1 + np.exp(-input))")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(kFloating);

MYCEL_OP(softplus_exact)
    .names({.primitive = "Softplus"})
    .doc("log(1 + exp(x)) without overflow.")
    .input("input_x", "Any real tensor.", kReal | kBool)
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat,
            [](Expr x) {
              return apply(ScalarOp::Maximum, x, 0) +
                     apply(ScalarOp::Log1p, apply(ScalarOp::Exp, -apply(ScalarOp::Abs, x)));
            })
    .numpy("np.log1p(np.exp(input_x))")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(kFloating);

MYCEL_OP(softplus)
    .names({.function = "softplus"})
    .doc("log(1 + exp(beta x)) / beta, and x itself above the threshold.")
    .input("input", "Any real tensor.", kReal | kBool)
    .attribute("beta", "Sharpness.", 1.0)
    .attribute("threshold", "Above this the function is linear.", 20.0)
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat,
            [](Define& op) {
              const Expr x = op.in(0);
              const Expr scaled = x * op.attr("beta");
              return select(scaled > op.attr("threshold"), x,
                            apply(ScalarOp::Log1p, apply(ScalarOp::Exp, scaled)) / op.attr("beta"));
            })
    .numpy("np.where(input * beta > threshold, input, np.log1p(np.exp(input * beta)) / beta)")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample("sharp", {values({3}, {-1, 2, 30})}, {{"beta", 2.0}})
    .sample_dtypes(kFloating);

MYCEL_OP(mish)
    .names({.primitive = "Mish", .function = "mish"})
    .doc("`x * tanh(softplus(x))`.")
    .input("x", "Any real tensor.", kReal | kBool)
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat,
            [](Expr x) {
              const Expr soft =
                  apply(ScalarOp::Maximum, x, 0) +
                  apply(ScalarOp::Log1p, apply(ScalarOp::Exp, -apply(ScalarOp::Abs, x)));
              return x * apply(ScalarOp::Tanh, soft);
            })
    .numpy("x * np.tanh(np.log1p(np.exp(x)))")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(kFloating);

MYCEL_OP(hswish)
    .names({.primitive = "HSwish", .function = "hardswish"})
    .doc("SiLU made of straight lines.")
    .input("x", "Any real tensor.", kReal | kBool)
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return x * limited(x + 3, 0, 6) * (1.0 / 6); })
    .numpy("x * np.minimum(np.maximum(x + 3, 0), 6) / 6")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample("far", {values({3}, {-5, 1, 5})})
    .sample_dtypes(kFloating);

MYCEL_OP(hsigmoid)
    .names({.primitive = "HSigmoid", .function = "hardsigmoid"})
    .doc("Logistic function made of straight lines.")
    .input("input", "Any real tensor.", kReal | kBool)
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return limited(x + 3, 0, 6) * (1.0 / 6); })
    .numpy("np.minimum(np.maximum(input + 3, 0), 6) / 6")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample("far", {values({3}, {-5, 1, 5})})
    .sample_dtypes(kFloating);

MYCEL_OP(log_sigmoid)
    .names({.function = "logsigmoid"})
    .doc("Logarithm of the logistic function, without overflow.")
    .input("x", "Any real tensor.", kReal | kBool)
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat,
            [](Expr x) {
              return apply(ScalarOp::Minimum, x, 0) -
                     apply(ScalarOp::Log1p, apply(ScalarOp::Exp, -apply(ScalarOp::Abs, x)));
            })
    .numpy("-np.log1p(np.exp(-x))")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(kFloating);

MYCEL_OP(hard_shrink)
    .names({.primitive = "HShrink", .function = "hardshrink"})
    .doc("`x` where its size is above `lambd`, 0 elsewhere.")
    .input("x", "Any real tensor.", kReal | kBool)
    .attribute("lambd", "Threshold.", 0.5)
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat,
            [](Define& op) {
              const Expr x = op.in(0);
              return select(x <= op.attr("lambd") && x >= -op.attr("lambd"), 0, x);
            })
    .numpy("np.where(np.abs(x) > lambd, x, 0)")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(kFloating);

MYCEL_OP(soft_shrink)
    .names({.primitive = "SoftShrink", .function = "softshrink"})
    .doc("`x` moved toward zero by `lambd`, 0 when it would pass it.")
    .input("x", "Any real tensor.", kReal | kBool)
    .attribute("lambd", "Threshold.", 0.5)
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat,
            [](Define& op) {
              const Expr x = op.in(0);
              const Expr lambd = op.attr("lambd");
              const Expr small = select(apply(ScalarOp::IsNan, x), x, 0);
              return select(x > lambd, x - lambd, select(x < -lambd, x + lambd, small));
            })
    .numpy("np.sign(x) * np.maximum(np.abs(x) - lambd, 0)")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(kFloating);

MYCEL_OP(hardtanh)
    .names({.function = "hardtanh", .method = "hardtanh"})
    .doc("`input` kept inside [min_val, max_val], in its type.")
    .input("input", "Any real tensor.", kReal | kBool)
    .attribute("min_val", "Lower bound.", -1.0)
    .attribute("max_val", "Upper bound.", 1.0)
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote,
            [](Define& op) {
              return apply(ScalarOp::Minimum,
                           apply(ScalarOp::Maximum, op.in(0), op.attr("min_val")),
                           op.attr("max_val"));
            })
    .numpy("np.minimum(np.maximum(input, min_val), max_val)")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(kFloating);

MYCEL_OP(threshold)
    .names({.function = "threshold"})
    .doc("`input` above `thr`, `value` elsewhere.")
    .input("input", "Any real tensor.", kReal | kBool)
    .attribute("thr", "Threshold.", required(AttributeType::Float))
    .attribute("value", "Result below.", required(AttributeType::Float))
    .output("output", "Elementwise result.")
    .scalar(TypeRule::Promote,
            [](Define& op) {
              const Expr x = op.in(0);
              return select(x <= op.attr("thr"), op.attr("value"), x);
            })
    .numpy("np.where(input > thr, input, value)")
    .sample("plain", {normal({2, 3})}, {{"thr", 0.1}, {"value", 2.0}})
    .sample_dtypes(kFloating);

MYCEL_OP(softsign)
    .names({.primitive = "Softsign", .function = "softsign"})
    .doc("`x / (1 + |x|)`.")
    .input("x", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return x / (apply(ScalarOp::Abs, x) + 1); })
    .numpy("x / (1 + np.abs(x))")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(kFloating);

MYCEL_OP(tanhshrink)
    .names({.function = "tanhshrink"})
    .doc("`input - tanh(input)`.")
    .input("input", "Any tensor.")
    .output("output", "Elementwise result.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return x - apply(ScalarOp::Tanh, x); })
    .numpy("input - np.tanh(input)")
    .sample("plain", {normal({3, 4})})
    .sample("no axes", {normal({})})
    .sample("no elements", {normal({0, 2})})
    .sample_dtypes(kFloating);

MYCEL_OP(prelu_slope)
    .doc("`x` where positive, `weight * x` elsewhere; the weight already fits.")
    .input("x", "Any real tensor.", kReal | kBool)
    .input("weight", "Slope.", kReal | kBool)
    .output("output", "Elementwise result.")
    .scalar(TypeRule::First, [](Expr x, Expr w) { return select(x > 0, x, w * x); })
    .numpy("np.where(x > 0, x, weight * x)")
    .sample("stretched", {normal({2, 3, 4}), normal({3, 1})})
    .sample_dtypes(kFloating);

static const onnx::Twins onnx_activations{
    {"HardSwish", "hswish"}, {"PRelu", "prelu_slope"},       {"Relu", "relu"},
    {"Sigmoid", "sigmoid"},  {"Softplus", "softplus_exact"}, {"Softsign", "softsign"}};
static const OnnxNames onnx_newer_activations{{"Mish", "mish"}};

MYCEL_ONNX(Celu, "X") {
  return call.call("celu", {call.tensor("X")}, {{"alpha", call.real("alpha", 1)}});
}
MYCEL_ONNX(Elu, "X") {
  return call.call("elu", {call.tensor("X")}, {{"alpha", call.real("alpha", 1)}});
}
MYCEL_ONNX(LeakyRelu, "X") {
  return call.call("leaky_relu", {call.tensor("X")}, {{"alpha", call.real("alpha", 0.01)}});
}
MYCEL_ONNX(Selu, "X") {
  const double alpha = call.real("alpha", 1.6732632423543772);
  return call.call("elu", {call.tensor("X")}, {{"alpha", alpha}}) *
         call.real("gamma", 1.0507009873554805);
}
MYCEL_ONNX(ThresholdedRelu, "X") {
  return call.call("threshold", {call.tensor("X")},
                   {{"thr", call.real("alpha", 1)}, {"value", 0.0}});
}
MYCEL_ONNX(Gelu, "X") {
  const bool is_rough = call.text("approximate", "none") == "tanh";
  return call.call(is_rough ? "gelu_tanh" : "gelu_erf", {call.tensor("X")});
}
MYCEL_ONNX(HardSigmoid, "X") {
  const Value line = call.tensor("X") * call.real("alpha", 0.2) + call.real("beta", 0.5);
  return call.call("hardtanh", {line}, {{"min_val", 0.0}, {"max_val", 1.0}});
}
MYCEL_ONNX(Shrink, "input") {
  const Value x = call.tensor("input");
  const double limit = call.real("lambd", 0.5), bias = call.real("bias", 0);
  const auto number = [&](double value) { return call.emitter().number(value); };
  const Value above = call.call(
      "where", {call.call("greater", {x, number(limit)}), x - bias, call.call("zeros_like", {x})});
  return call.call("where", {call.call("less", {x, number(-limit)}), x + bias, above});
}

MYCEL_WRITES_MINDIR(leaky_relu) {
  const auto x = call.typed();
  return (x > 0).where(x, x * call.attribute("alpha"));
}

MYCEL_WRITES(gelu_erf) {
  const auto x = call.typed();
  return x * ((x * std::sqrt(0.5)).add("Erf") + 1) * 0.5;
}

MYCEL_WRITES(softplus) {
  const auto x = call.typed();
  const auto scaled = x * call.attribute("beta");
  return (scaled > call.attribute("threshold"))
      .where(x, scaled.add("Softplus") / call.attribute("beta"));
}

MYCEL_WRITES(log_sigmoid) { return -(-call.typed()).add("Softplus"); }

MYCEL_WRITES_MINDIR(hardtanh) {
  return call.typed()
      .add("Maximum", {call.attribute("min_val")})
      .add("Minimum", {call.attribute("max_val")});
}

MYCEL_WRITES(threshold) {
  const auto x = call.typed();
  return (x > call.attribute("thr")).where(x, call.attribute("value"));
}

MYCEL_WRITES(tanhshrink) {
  const auto x = call.typed();
  return x - x.add("Tanh");
}

MYCEL_WRITES_MINDIR(prelu_slope) {
  const auto x = call.typed(0);
  const auto slope = call.typed(1);
  return (x > 0).where(x, slope * x);
}

MYCEL_WRITES_ONNX(celu) { return call.same("Celu", {{"alpha", call.real("alpha")}}); }
MYCEL_WRITES_ONNX(elu) { return call.same("Elu", {{"alpha", call.real("alpha")}}); }
MYCEL_WRITES_ONNX(leaky_relu) { return call.same("LeakyRelu", {{"alpha", call.real("alpha")}}); }
MYCEL_WRITES_ONNX(hsigmoid) {
  return call.same("HardSigmoid", {{"alpha", 1.0 / 6}, {"beta", 0.5}});
}
MYCEL_WRITES_ONNX(relu6) { return call.typed().add("Clip", {0, 6}); }

MYCEL_WRITES_ONNX(selu) {
  return call.same("Selu", {{"alpha", 1.6732632423543772}, {"gamma", 1.0507009873554805}});
}

MYCEL_WRITES_ONNX(hardtanh) {
  return call.typed().add("Clip", {call.attribute("min_val"), call.attribute("max_val")});
}

MYCEL_WRITES_ONNX(hard_shrink) {
  return call.same("Shrink", {{"lambd", call.real("lambd")}, {"bias", 0.0}});
}

MYCEL_WRITES_ONNX(soft_shrink) {
  return call.same("Shrink", {{"lambd", call.real("lambd")}, {"bias", call.real("lambd")}});
}

MYCEL_WRITES_ONNX(fast_gelu) {
  const auto x = call.typed();
  return x * (x * 1.702).add("Sigmoid");
}

MYCEL_WRITES_ONNX(gelu_tanh) {
  const auto x = call.typed();
  const auto scaled = (x + x * x * x * 0.044715) * std::sqrt(2 / std::numbers::pi);
  return x * (scaled.add("Tanh") + 1) * 0.5;
}

MYCEL_WRITES_ONNX(mish) {
  const auto x = call.typed();
  return x * x.add("Softplus").add("Tanh");
}

MYCEL_WRITES_ONNX(silu) {
  const auto x = call.typed();
  return x * x.add("Sigmoid");
}

}  // namespace mycel::ops
