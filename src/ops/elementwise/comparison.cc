// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "operator/define.h"
#include "operator/onnx_call.h"
#include "operator/stored_call.h"
#include "ops/elementwise/mindir_elements.h"
#include "ops/elementwise/onnx_elements.h"

namespace mycel::ops {

MYCEL_OP(equal)
    .names({.primitive = "Equal", .function = "equal", .method = "equal"})
    .function_aliases({"eq"})
    .method_aliases({"eq"})
    .doc("Whether elements are equal; NaN equals nothing.")
    .input("input", "Any tensor.")
    .input("other", "Tensor or number that stretches to `input`.")
    .output("output", "Truth values.")
    .scalar(TypeRule::Compare, [](Expr x, Expr y) { return x == y; })
    .numpy("np.equal(input, other)")
    .sample("same shape", {values({6}, {1, 2, 3, 1, 2, 3}), values({6}, {1, 1, 3, 2, 2, 2})})
    .sample("stretched", {normal({2, 3, 4}), normal({3, 1})})
    .sample("with a number", {normal({3, 4}), number(0)})
    .sample_dtypes(kAny);

MYCEL_OP(not_equal)
    .names({.primitive = "NotEqual", .function = "not_equal", .method = "not_equal"})
    .function_aliases({"ne"})
    .method_aliases({"ne"})
    .doc("Whether elements differ.")
    .input("input", "Any tensor.")
    .input("other", "Tensor or number that stretches to `input`.")
    .output("output", "Truth values.")
    .scalar(TypeRule::Compare, [](Expr x, Expr y) { return x != y; })
    .numpy("np.not_equal(input, other)")
    .sample("same shape", {values({6}, {1, 2, 3, 1, 2, 3}), values({6}, {1, 1, 3, 2, 2, 2})})
    .sample("stretched", {normal({2, 3, 4}), normal({3, 1})})
    .sample("with a number", {normal({3, 4}), number(0)})
    .sample_dtypes(kAny);

MYCEL_OP(less)
    .names({.primitive = "Less", .function = "less", .method = "less"})
    .function_aliases({"lt", "tensor_lt"})
    .method_aliases({"lt"})
    .doc("Whether `input` is smaller.")
    .input("input", "Any tensor.")
    .input("other", "Tensor or number that stretches to `input`.")
    .output("output", "Truth values.")
    .scalar(TypeRule::Compare, [](Expr x, Expr y) { return x < y; })
    .numpy("np.less(input, other)")
    .sample("same shape", {values({6}, {1, 2, 3, 1, 2, 3}), values({6}, {1, 1, 3, 2, 2, 2})})
    .sample("stretched", {normal({2, 3, 4}), normal({3, 1})})
    .sample("with a number", {normal({3, 4}), number(0)})
    .sample_dtypes(kReal | kBool);

MYCEL_OP(less_equal)
    .names({.primitive = "LessEqual", .function = "less_equal", .method = "less_equal"})
    .function_aliases({"le", "tensor_le"})
    .method_aliases({"le"})
    .doc("Whether `input` is not larger.")
    .input("input", "Any tensor.")
    .input("other", "Tensor or number that stretches to `input`.")
    .output("output", "Truth values.")
    .scalar(TypeRule::Compare, [](Expr x, Expr y) { return x <= y; })
    .numpy("np.less_equal(input, other)")
    .sample("same shape", {values({6}, {1, 2, 3, 1, 2, 3}), values({6}, {1, 1, 3, 2, 2, 2})})
    .sample("stretched", {normal({2, 3, 4}), normal({3, 1})})
    .sample("with a number", {normal({3, 4}), number(0)})
    .sample_dtypes(kReal | kBool);

MYCEL_OP(greater)
    .names({.primitive = "Greater", .function = "greater", .method = "greater"})
    .function_aliases({"gt", "tensor_gt"})
    .method_aliases({"gt"})
    .doc("Whether `input` is larger.")
    .input("input", "Any tensor.")
    .input("other", "Tensor or number that stretches to `input`.")
    .output("output", "Truth values.")
    .scalar(TypeRule::Compare, [](Expr x, Expr y) { return x > y; })
    .numpy("np.greater(input, other)")
    .sample("same shape", {values({6}, {1, 2, 3, 1, 2, 3}), values({6}, {1, 1, 3, 2, 2, 2})})
    .sample("stretched", {normal({2, 3, 4}), normal({3, 1})})
    .sample("with a number", {normal({3, 4}), number(0)})
    .sample_dtypes(kReal | kBool);

MYCEL_OP(greater_equal)
    .names({.primitive = "GreaterEqual", .function = "greater_equal", .method = "greater_equal"})
    .function_aliases({"ge", "tensor_ge"})
    .method_aliases({"ge"})
    .doc("Whether `input` is not smaller.")
    .input("input", "Any tensor.")
    .input("other", "Tensor or number that stretches to `input`.")
    .output("output", "Truth values.")
    .scalar(TypeRule::Compare, [](Expr x, Expr y) { return x >= y; })
    .numpy("np.greater_equal(input, other)")
    .sample("same shape", {values({6}, {1, 2, 3, 1, 2, 3}), values({6}, {1, 1, 3, 2, 2, 2})})
    .sample("stretched", {normal({2, 3, 4}), normal({3, 1})})
    .sample("with a number", {normal({3, 4}), number(0)})
    .sample_dtypes(kReal | kBool);

MYCEL_OP(approximate_equal)
    .names({.primitive = "ApproximateEqual", .function = "approximate_equal"})
    .doc("Whether elements differ by less than `tolerance`.")
    .input("x", "Any tensor.")
    .input("y", "Tensor.")
    .attribute("tolerance", "Largest difference, exclusive.", 1e-5)
    .output("output", "Truth values.")
    .scalar(TypeRule::PromoteFloat,
            [](Define& op) {
              return apply(ScalarOp::Abs, op.in(0) - op.in(1)) < op.attr("tolerance");
            })
    .result(DType::Bool)
    .numpy("np.abs(x - y) < tolerance")
    .sample("near and far", {values({3}, {1, 2, 3}), values({3}, {1, 2.5, 3.000001})})
    .sample_dtypes(DTypeSet({DType::Float32, DType::Float64}));

MYCEL_OP(isclose)
    .names({.primitive = "IsClose", .function = "isclose", .method = "isclose"})
    .doc("Whether elements agree within a relative and an absolute tolerance.")
    .input("input", "Any tensor.")
    .input("other", "Tensor or number that stretches to `input`.")
    .attribute("rtol", "Relative tolerance.", 1e-5)
    .attribute("atol", "Absolute tolerance.", 1e-8)
    .attribute("equal_nan", "Whether NaN equals NaN.", false)
    .output("output", "Truth values.")
    .scalar(TypeRule::PromoteFloat,
            [](Define& op) {
              const Expr x = op.in(0);
              const Expr y = op.in(1);
              const Expr bound = op.attr("atol") + op.attr("rtol") * apply(ScalarOp::Abs, y);
              const Expr near =
                  apply(ScalarOp::Abs, x - y) <= bound && apply(ScalarOp::IsFinite, y);
              const Expr both_nan = apply(ScalarOp::IsNan, x) && apply(ScalarOp::IsNan, y);
              return near || x == y || (both_nan && op.attr("equal_nan") != 0);
            })
    .result(DType::Bool)
    .numpy("np.isclose(input, other, rtol, atol, equal_nan)")
    .sample("near and far", {values({3}, {1, 2, 3}), values({3}, {1, 2.5, 3.000001})})
    .sample("loose", {values({2}, {1, 2}), values({2}, {1.05, 2.5})}, {{"rtol", 0.1}})
    .sample_dtypes(DTypeSet({DType::Float32, DType::Float64}));

MYCEL_OP(isnan)
    .names({.primitive = "IsNan", .function = "isnan", .method = "isnan"})
    .doc("Whether elements are NaN.")
    .input("input", "Any tensor.")
    .output("output", "Truth values.")
    .scalar(TypeRule::Promote, [](Expr x) { return apply(ScalarOp::IsNan, x); })
    .numpy("np.isnan(input)")
    .sample("special values", {values({4}, {1, NAN, INFINITY, -INFINITY})})
    .sample_dtypes(kFloating);

MYCEL_OP(isinf)
    .names({.primitive = "IsInf", .function = "isinf", .method = "isinf"})
    .doc("Whether elements are infinite.")
    .input("input", "Any tensor.")
    .output("output", "Truth values.")
    .scalar(TypeRule::Promote, [](Expr x) { return apply(ScalarOp::IsInf, x); })
    .numpy("np.isinf(input)")
    .sample("special values", {values({4}, {1, NAN, INFINITY, -INFINITY})})
    .sample_dtypes(kFloating);

MYCEL_OP(isfinite)
    .names({.primitive = "IsFinite", .function = "isfinite", .method = "isfinite"})
    .doc("Whether elements are neither NaN nor infinite.")
    .input("input", "Any tensor.")
    .output("output", "Truth values.")
    .scalar(TypeRule::Promote, [](Expr x) { return apply(ScalarOp::IsFinite, x); })
    .numpy("np.isfinite(input)")
    .sample("special values", {values({4}, {1, NAN, INFINITY, -INFINITY})})
    .sample_dtypes(kFloating);

MYCEL_OP(isposinf)
    .names({.function = "isposinf", .method = "isposinf"})
    .doc("Whether elements are plus infinity.")
    .input("input", "Any tensor.")
    .output("output", "Truth values.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return x == INFINITY; })
    .numpy("np.isposinf(input)")
    .sample("special values", {values({4}, {1, NAN, INFINITY, -INFINITY})})
    .sample_dtypes(DTypeSet({DType::Float32, DType::Float64}));

MYCEL_OP(isneginf)
    .names({.function = "isneginf", .method = "isneginf"})
    .doc("Whether elements are minus infinity.")
    .input("input", "Any tensor.")
    .output("output", "Truth values.")
    .scalar(TypeRule::PromoteFloat, [](Expr x) { return x == -INFINITY; })
    .numpy("np.isneginf(input)")
    .sample("special values", {values({4}, {1, NAN, INFINITY, -INFINITY})})
    .sample_dtypes(DTypeSet({DType::Float32, DType::Float64}));

MYCEL_OP(isreal)
    .names({.function = "isreal", .method = "isreal"})
    .doc("Whether the imaginary part is zero.")
    .input("input", "Any tensor.")
    .output("output", "Truth values.")
    .scalar(TypeRule::Promote, [](Expr x) { return apply(ScalarOp::Imag, x) == 0; })
    .numpy("np.isreal(input)")
    .sample("plain", {normal({3})})
    .sample_dtypes(kReal | kComplex);

MYCEL_OP(signbit)
    .names({.function = "signbit", .method = "signbit"})
    .doc("Whether the sign bit is set.")
    .input("input", "Any tensor.")
    .output("output", "Truth values.")
    .scalar(TypeRule::Promote, [](Expr x) { return apply(ScalarOp::SignBit, x); })
    .numpy("np.signbit(input)")
    .sample("both signs", {values({4}, {-1, 0, 1, -3})})
    .sample_dtypes(kFloating);

static const OnnxNames onnx_comparison{
    {"Equal", "equal"}, {"Greater", "greater"}, {"GreaterOrEqual", "greater_equal"},
    {"IsNaN", "isnan"}, {"Less", "less"},       {"LessOrEqual", "less_equal"}};

MYCEL_ONNX(IsInf, "X") {
  const Value x = call.tensor("X");
  const bool up = call.flag("detect_positive", true), down = call.flag("detect_negative", true);
  if (!up && !down) return call.call("zeros_like", {x}, {{"dtype", DType::Bool}});
  return call.call(up && down ? "isinf" : up ? "isposinf" : "isneginf", {x});
}

static mindir::Symbol is_infinite(const mindir::Call& call, double infinity) {
  const auto x = call.input();
  if (is_floating(call.dtype_of(0))) return x.equals(infinity);
  return (x < 0).add("LogicalAnd", {x > 0});
}

MYCEL_WRITES_MINDIR(isposinf) { return is_infinite(call, std::numeric_limits<double>::infinity()); }
MYCEL_WRITES_MINDIR(isneginf) {
  return is_infinite(call, -std::numeric_limits<double>::infinity());
}

MYCEL_WRITES_MINDIR(isreal) {
  if (!is_complex(call.dtype_of(0))) return call.filled(call.shape(), 1);
  return call.input().add("Imag", {}, {.dtype = real_type_of(call.dtype_of(0))}).equals(0);
}

MYCEL_WRITES_MINDIR(signbit) { return is_negative(call.input()); }

static onnx::Symbol compared(const onnx::Call& call, std::string_view kind) {
  const auto operands = call.inputs(call.common_type());
  return operands[0].add(kind, {operands[1]});
}

MYCEL_WRITES_ONNX(equal) { return compared(call, "Equal"); }
MYCEL_WRITES_ONNX(not_equal) { return compared(call, "Equal").add("Not"); }
MYCEL_WRITES_ONNX(less) { return compared(call, "Less"); }
MYCEL_WRITES_ONNX(less_equal) { return compared(call, "LessOrEqual"); }
MYCEL_WRITES_ONNX(greater) { return compared(call, "Greater"); }
MYCEL_WRITES_ONNX(greater_equal) { return compared(call, "GreaterOrEqual"); }

// What a test of floats is given, which whole numbers never or always pass.
static onnx::Symbol as_float(const onnx::Call& call) {
  return call.input(0, is_floating(call.dtype_of(0)) ? call.dtype_of(0) : DType::Float32);
}

MYCEL_WRITES_ONNX(isnan) { return is_nan(as_float(call)); }
MYCEL_WRITES_ONNX(isinf) { return is_infinite(as_float(call)); }
MYCEL_WRITES_ONNX(isposinf) { return is_infinite(as_float(call), true, false); }
MYCEL_WRITES_ONNX(isneginf) { return is_infinite(as_float(call), false, true); }

MYCEL_WRITES_ONNX(isfinite) {
  const auto x = as_float(call);
  return is_nan(x).add("Or", {is_infinite(x)}).add("Not");
}

MYCEL_WRITES_ONNX(approximate_equal) {
  const auto x = call.inputs(DType::Float32);
  return (x[0] - x[1]).add("Abs") < call.attribute("tolerance");
}

MYCEL_WRITES_ONNX(isclose) {
  const auto x = call.inputs(DType::Float32);
  const auto distance = (x[0] - x[1]).add("Abs");
  const auto allowed = x[1].add("Abs") * call.attribute("rtol") + call.attribute("atol");
  const auto is_near = distance <= allowed;
  return is_near.add("Or", {x[0].equals(x[1])});
}

}  // namespace mycel::ops
