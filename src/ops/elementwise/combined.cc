// SPDX-License-Identifier: Apache-2.0
// Functions that only choose or combine other elementwise operators.
#include <algorithm>
#include <cmath>
#include <limits>

#include "operator/define.h"

namespace mycel::ops {
namespace {

struct Range {
  std::int64_t low, high;
};

// Of a type of whole numbers, as far as int64 has them.
Range range_of(DType dtype) {
  return with_integer_type(dtype, []<class T>() -> Range {
    using Limits = std::numeric_limits<T>;
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    const bool beyond =
        static_cast<std::uint64_t>(Limits::max()) > static_cast<std::uint64_t>(kMost);
    return {static_cast<std::int64_t>(Limits::min()),
            beyond ? kMost : static_cast<std::int64_t>(Limits::max())};
  });
}

// A bound in the type of what it limits; nothing where none is given. One that a type of whole
// numbers does not have becomes its last number: as a cast -1 would be 255 of uint8.
Value bound_like(CompositeContext& op, std::size_t i) {
  if (!op.has_input(i)) return {};
  const DType dtype = op.input(0).dtype();
  Value bound = op.input(i);
  if (bound.dtype() == dtype) return bound;
  if (is_integral(dtype) && is_integral(bound.dtype())) {
    const Range own = range_of(bound.dtype()), wanted = range_of(dtype);
    const Value low = op.emitter().integer(std::max(own.low, wanted.low));
    const Value high = op.emitter().integer(std::min(own.high, wanted.high));
    bound = op.call("clamp_between", {bound, low, high});
  }
  return op.call("cast", {bound}, {{"dtype", dtype}});
}

// Beyond the digits of any type there is nothing to round, or nothing left.
constexpr std::int64_t kMostDecimals = 308;

Value rounded(CompositeContext& op, const Value& x, std::int64_t decimals) {
  const double scale = std::pow(10.0, static_cast<double>(std::abs(decimals)));
  if (decimals < 0) return op.call("round", {x / scale}) * scale;
  const Value scaled = x * scale;
  // What overflows has no digits after the point.
  return op.call("where", {op.call("isfinite", {scaled}), op.call("round", {scaled}) / scale, x});
}

void run_round(CompositeContext& op) {
  const Value& x = op.input(0);
  const DType dtype = x.dtype();
  const std::int64_t decimals = op.integer("decimals");
  const bool whole = is_integral(dtype);
  if (decimals == 0) return op.set_output(0, op.call("round", {x}));
  if (decimals > kMostDecimals || (whole && decimals > 0)) return op.set_output(0, x);
  if (decimals < -kMostDecimals) return op.set_output(0, op.call("zeros_like", {x}));
  if (dtype == DType::Float32 || dtype == DType::Float64)
    return op.set_output(0, rounded(op, x, decimals));
  const Value wide = op.call("cast", {x}, {{"dtype", whole ? DType::Float64 : DType::Float32}});
  op.set_output(0, op.call("cast", {rounded(op, wide, decimals)}, {{"dtype", dtype}}));
}

}  // namespace

MYCEL_OP(div_rounded)
    .names({.function = "div", .method = "div"})
    .function_aliases({"divide"})
    .method_aliases({"divide"})
    .doc("Quotient, exact or rounded to a whole number.")
    .input("input", "Dividend.")
    .input("other", "Divisor.")
    .attribute("rounding_mode", "None, 'floor' or 'trunc'.", optional(AttributeType::Text))
    .output("output", "Elementwise result.")
    .composite([](CompositeContext& op) {
      std::string_view operation = "div";
      if (!op.is_none("rounding_mode")) {
        const std::string& mode = op.text("rounding_mode");
        op.require(mode == "floor" || mode == "trunc", ErrorKind::Value,
                   "rounding_mode value should be None, 'floor' or 'trunc', but got '", mode, "'.");
        operation = mode == "floor" ? "floor_div" : "truncate_div";
      }
      op.set_output(0, op.call(operation, {op.input(0), op.input(1)}));
    })
    .sample("exact", {normal({3, 4}), positive({4})})
    .sample("floor", {values({3}, {7, -7, 5}), values({3}, {2, 2, 3})},
            {{"rounding_mode", "floor"}})
    .sample("trunc", {values({3}, {7, -7, 5}), values({3}, {2, 2, 3})},
            {{"rounding_mode", "trunc"}});

MYCEL_OP(subtract)
    .names({.function = "subtract", .method = "subtract"})
    .doc("`input - alpha * other`.")
    .input("input", "Any tensor.")
    .input("other", "Tensor or number.")
    .attribute("alpha", "Factor of `other`.", Nullable{AttributeType::Number, 1})
    .output("output", "Elementwise result.")
    .composite([](CompositeContext& op) {
      const AttributeValue& alpha = op.attribute("alpha");
      if (alpha.is_none() || alpha == AttributeValue(1)) {
        return op.set_output(0, op.input(0) - op.input(1));
      }
      // One formula, not a product first: of two Python numbers it would be a tensor with a type.
      const Value factor = alpha.is_float() ? op.emitter().number(alpha.real())
                                            : op.emitter().integer(alpha.integer());
      op.set_output(0, op.call("sub_scaled", {op.input(0), op.input(1), factor}));
    })
    .numpy("input - alpha * other")
    .sample("twice", {normal({3}), normal({3})}, {{"alpha", 2}});

MYCEL_OP(clamp)
    .names({.function = "clamp", .method = "clamp"})
    .function_aliases({"clip"})
    .method_aliases({"clip"})
    .doc("`input` kept inside [min, max] in its type; NaN stays NaN, `max` wins where they cross.")
    .input("input", "Any tensor.")
    .optional_input("min", "Lower bound, a tensor or a number.")
    .optional_input("max", "Upper bound, a tensor or a number.")
    .output("output", "Elementwise result.")
    .composite([](CompositeContext& op) {
      op.require(op.has_input(1) || op.has_input(2), ErrorKind::Value,
                 "at least one of 'min' and 'max' must not be None.");
      const Value& x = op.input(0);
      const Value low = bound_like(op, 1), high = bound_like(op, 2);
      if (!high.defined()) {
        op.set_output(0, op.call("clamp_below", {x, low}));
      } else if (!low.defined()) {
        op.set_output(0, op.call("clamp_above", {x, high}));
      } else {
        op.set_output(0, op.call("clamp_between", {x, low, high}));
      }
    })
    .sample("both bounds", {values({4}, {-2, -0.5, 0.5, 2}), number(-1), number(1)})
    .sample("lower bound", {values({4}, {-2, -0.5, 0.5, 2}), number(-1), absent()})
    .sample("upper bound", {values({4}, {-2, -0.5, 0.5, 2}), absent(), number(1)});

MYCEL_OP(clip_by_value)
    .names({.function = "clip_by_value"})
    .doc("`x` kept inside the bounds, in its type; at a bound half of the gradient passes.")
    .input("x", "Any tensor.")
    .optional_input("clip_value_min", "Lower bound, a tensor or a number.")
    .optional_input("clip_value_max", "Upper bound, a tensor or a number.")
    .output("output", "Elementwise result.")
    .composite([](CompositeContext& op) {
      op.require(op.has_input(1) || op.has_input(2), ErrorKind::Value,
                 "at least one of 'clip_value_min' and 'clip_value_max' must not be None.");
      Value result = op.input(0);
      if (const Value low = bound_like(op, 1); low.defined())
        result = op.call("maximum", {result, low});
      if (const Value high = bound_like(op, 2); high.defined())
        result = op.call("minimum", {result, high});
      op.set_output(0, result);
    })
    .sample("both bounds", {values({4}, {-2, -0.5, 0.5, 2}), number(-1), number(1)});

MYCEL_OP(gelu)
    .names({.function = "gelu"})
    .doc("Gaussian error linear unit.")
    .input("input", "Any tensor.")
    .attribute("approximate", "'none' for the exact function, 'tanh' for an approximation.", "none")
    .output("output", "Elementwise result.")
    .composite([](CompositeContext& op) {
      const std::string& kind = op.text("approximate");
      op.require(kind == "none" || kind == "tanh", ErrorKind::Value,
                 "'approximate' must be 'none' or 'tanh', but got '", kind, "'.");
      op.set_output(0, op.call(kind == "none" ? "gelu_erf" : "gelu_tanh", {op.input(0)}));
    })
    .sample("exact", {normal({3, 4})})
    .sample("tanh", {normal({3, 4})}, {{"approximate", "tanh"}});

MYCEL_OP(prelu)
    .names({.primitive = "PReLU", .function = "prelu"})
    .doc(
        "`x` where positive, `weight * x` elsewhere, with one weight for all or one per channel; "
        "in "
        "the type of `x`.")
    .input("x", "Any tensor; axis 1 is the channel.", kFloating)
    .input("weight", "Shape (1,) or (channels,).", kFloating)
    .output("output", "Same shape as `x`.")
    .composite([](CompositeContext& op) {
      const Shape shape = op.input(0).shape();
      const Shape weight = op.input(1).shape();
      const std::int64_t channels = shape.size() < 2 ? 1 : shape[1];
      const bool fits = weight.size() == 1 && (weight[0] == 1 || weight[0] == channels);
      op.require(fits, ErrorKind::Value, "the shape of 'weight' must be (1,) or (", channels,
                 ",), but got ", weight, ".");
      Shape stretched(shape.empty() ? 0 : shape.size() > 2 ? shape.size() - 1 : 1, 1);
      if (!stretched.empty()) stretched[0] = weight[0];
      Value slope = op.call("reshape", {op.input(1)}, {{"shape", stretched}});
      if (slope.dtype() != op.input(0).dtype())
        slope = op.call("cast", {slope}, {{"dtype", op.input(0).dtype()}});
      op.set_output(0, op.call("prelu_slope", {op.input(0), slope}));
    })
    .sample("channels", {normal({2, 3, 4}), positive({3})})
    .sample("one weight", {normal({2, 3}), positive({1})})
    .sample("no axes", {constant({}, -2), positive({1})});

MYCEL_OP(addn)
    .names({.primitive = "AddN", .function = "addn"})
    .doc("Sum of a list of tensors.")
    .variadic_input("x", "Tensors of one shape and type.", kAny)
    .output("output", "Elementwise result.")
    .composite([](CompositeContext& op) {
      op.require(op.input_count() > 0, ErrorKind::Value, "'x' must not be empty.");
      Value total = op.input(0);
      for (std::size_t i = 1; i < op.input_count(); ++i) {
        op.require(op.input(i).shape() == total.shape(), ErrorKind::Value,
                   "all tensors must have the same shape, but got ", total.shape(), " and ",
                   op.input(i).shape(), ".");
        total = total + op.input(i);
      }
      op.set_output(
          0, op.input_count() == 1 ? op.call("mul", {total, op.emitter().integer(1)}) : total);
    })
    .sample("three", {normal({2, 3}), normal({2, 3}), normal({2, 3})});

MYCEL_OP(addcmul_scaled)
    .names({.function = "addcmul", .method = "addcmul"})
    .doc("`input + value * tensor1 * tensor2`.")
    .input("input", "Any tensor.")
    .input("tensor1", "Tensor.")
    .input("tensor2", "Tensor.")
    .optional_input("value", "Tensor or number, 1 when left out.")
    .output("output", "Elementwise result.")
    .composite([](CompositeContext& op) {
      const Value value = op.has_input(3) ? op.input(3) : op.emitter().integer(1);
      op.set_output(0, op.call("addcmul", {op.input(0), op.input(1), op.input(2), value}));
    })
    .sample("no factor", {normal({2, 3}), normal({2, 3}), normal({3}), absent()});

MYCEL_OP(addcdiv_scaled)
    .names({.function = "addcdiv", .method = "addcdiv"})
    .doc("`input + value * tensor1 / tensor2`.")
    .input("input", "Any tensor.")
    .input("tensor1", "Tensor.")
    .input("tensor2", "Tensor.")
    .optional_input("value", "Tensor or number, 1 when left out.")
    .output("output", "Elementwise result.")
    .composite([](CompositeContext& op) {
      const Value value = op.has_input(3) ? op.input(3) : op.emitter().integer(1);
      op.set_output(0, op.call("addcdiv", {op.input(0), op.input(1), op.input(2), value}));
    })
    .sample("no factor", {normal({2, 3}), normal({2, 3}), positive({3}), absent()});

MYCEL_OP(angle)
    .names({.primitive = "Angle", .function = "angle", .method = "angle"})
    .doc("Argument of a complex number; of a real one 0 or pi by its sign.")
    .input("input", "Any tensor.")
    .output("output", "Angle in radians.")
    .composite([](CompositeContext& op) {
      const Value& x = op.input(0);
      op.set_output(0, op.call("atan2", {op.call("imag", {x}), op.call("real", {x})}));
    })
    .numpy("np.angle(input)")
    .sample("both signs", {values({4}, {1, -1, 2, -3})});

MYCEL_OP(round_decimals)
    .doc("`input` rounded to a number of decimals, halves to even digits.")
    .input("input", "Any real tensor.", kReal)
    .attribute("decimals", "Digits after the point; negative ones before it.", 0)
    .output("output", "In the type of `input`.")
    .composite(run_round)
    .numpy("np.round(input, decimals)")
    .sample("two", {values({4}, {1.234, -2.567, 1000.5, 0})}, {{"decimals", 2}})
    .sample("tens", {values({4}, {14, -26, 1234, 5})}, {{"decimals", -1}})
    .sample("none", {values({3}, {1.5, 2.5, -0.4})})
    .sample_dtypes(DTypeSet{DType::Float32, DType::Float64, DType::Int32});

MYCEL_OP(float_power)
    .names({.function = "float_power", .method = "float_power"})
    .doc("`input` to the power of `exponent`, computed in float64.")
    .input("input", "Any tensor.")
    .input("exponent", "Tensor or number.")
    .output("output", "float64, or complex128.")
    .composite([](CompositeContext& op) {
      const bool wide = is_complex(op.input(0).dtype()) || is_complex(op.input(1).dtype());
      const DType dtype = wide ? DType::Complex128 : DType::Float64;
      const Value base = op.call("cast", {op.input(0)}, {{"dtype", dtype}});
      const Value exponent = op.call("cast", {op.input(1)}, {{"dtype", dtype}});
      op.set_output(0, op.call("pow", {base, exponent}));
    })
    .numpy("np.float_power(input, exponent)")
    .sample("positive", {positive({3}), normal({3})});

}  // namespace mycel::ops
