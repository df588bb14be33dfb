// SPDX-License-Identifier: Apache-2.0
#include "formats/mindir/numbers.h"

#include <cmath>
#include <optional>
#include <unordered_map>

#include "formats/mindir/types.h"
#include "formats/mindir/values.h"
#include "platform/error/error.h"

namespace mycel::formats::mindir {

namespace {

using op::Value;
using platform::ErrorKind;
using Given = std::span<const Datum>;

std::vector<Datum> operands_of(const Primitive& primitive, Given arguments, std::size_t least) {
  std::vector<Datum> operands;
  for (const Datum& datum : arguments)
    if (!is_monad(datum)) operands.push_back(datum);
  platform::require(operands.size() >= least, ErrorKind::Type, "'", primitive.name(), "' takes ",
                    least, " arguments, but got ", operands.size(), ".");
  return operands;
}

double real_of(const Primitive& primitive, const Datum& datum) {
  double value = 0;
  platform::require(op::to_real(datum, value), ErrorKind::Type, "'", primitive.name(),
                    "' takes numbers, but got ", datum.type_name(), ".");
  return value;
}

bool is_whole(const Datum& datum) { return datum.is_int() || datum.is_bool(); }

std::int64_t whole_of(const Datum& datum) {
  return datum.is_bool() ? static_cast<std::int64_t>(datum.flag()) : datum.integer();
}

// One of the operations below, on tensors, whole and real numbers.
struct Arithmetic {
  std::string_view op;
  std::optional<Datum> (*on_wholes)(std::int64_t, std::int64_t);  // nothing: as for real numbers
  Datum (*on_reals)(double, double);
};

constexpr auto kNever = [](std::int64_t, std::int64_t) -> std::optional<Datum> {
  return std::nullopt;
};

template <auto kFunction>  // true: it did not fit
std::optional<Datum> checked(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (kFunction(a, b, &result)) return std::nullopt;
  return Datum(result);
}

constexpr auto kAdd = [](auto a, auto b, auto* c) { return __builtin_add_overflow(a, b, c); };
constexpr auto kSubtract = [](auto a, auto b, auto* c) { return __builtin_sub_overflow(a, b, c); };
constexpr auto kMultiply = [](auto a, auto b, auto* c) { return __builtin_mul_overflow(a, b, c); };

// As Python's // and %; what does not fit in 64 bits is nothing.
std::optional<Datum> floor_quotient(std::int64_t a, std::int64_t b) {
  if (b == -1) return checked<kSubtract>(0, a);
  const std::int64_t quotient = a / b;
  return Datum(quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient);
}

std::optional<Datum> floor_remainder(std::int64_t a, std::int64_t b) {
  if (b == -1) return Datum(std::int64_t{0});
  const std::int64_t rest = a % b;
  return Datum(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
}

std::optional<Datum> whole_power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) return std::nullopt;
  std::int64_t result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1 && __builtin_mul_overflow(result, base, &result)) return std::nullopt;
    if (exponent > 1 && __builtin_mul_overflow(base, base, &base)) return std::nullopt;
  }
  return Datum(result);
}

const Arithmetic* arithmetic(std::string_view name) {
  using I = std::int64_t;
  const auto require_divisor = [](auto divisor) {
    platform::require(divisor != 0, ErrorKind::Value, "A number is divided by zero.");
  };
  static const auto divisor_of = require_divisor;
  static const std::unordered_map<std::string_view, Arithmetic> known{
      {"add", {"add", checked<kAdd>, [](double a, double b) { return Datum(a + b); }}},
      {"sub", {"sub", checked<kSubtract>, [](double a, double b) { return Datum(a - b); }}},
      {"mul", {"mul", checked<kMultiply>, [](double a, double b) { return Datum(a * b); }}},
      {"div",
       {"div", kNever,
        [](double a, double b) {
          divisor_of(b);
          return Datum(a / b);
        }}},
      {"floordiv",
       {"floor_div",
        [](I a, I b) -> std::optional<Datum> {
          divisor_of(b);
          return floor_quotient(a, b);
        },
        [](double a, double b) {
          divisor_of(b);
          return Datum(std::floor(a / b));
        }}},
      {"mod",
       {"floor_mod",
        [](I a, I b) -> std::optional<Datum> {
          divisor_of(b);
          return floor_remainder(a, b);
        },
        [](double a, double b) {
          divisor_of(b);
          return Datum(a - std::floor(a / b) * b);
        }}},
      {"pow", {"pow", whole_power, [](double a, double b) { return Datum(std::pow(a, b)); }}},
      {"max",
       {"maximum", [](I a, I b) -> std::optional<Datum> { return Datum(std::max(a, b)); },
        [](double a, double b) { return Datum(std::max(a, b)); }}},
      {"min",
       {"minimum", [](I a, I b) -> std::optional<Datum> { return Datum(std::min(a, b)); },
        [](double a, double b) { return Datum(std::min(a, b)); }}},
      {"gt",
       {"greater", [](I a, I b) -> std::optional<Datum> { return Datum(a > b); },
        [](double a, double b) { return Datum(a > b); }}},
      {"lt",
       {"less", [](I a, I b) -> std::optional<Datum> { return Datum(a < b); },
        [](double a, double b) { return Datum(a < b); }}},
      {"ge",
       {"greater_equal", [](I a, I b) -> std::optional<Datum> { return Datum(a >= b); },
        [](double a, double b) { return Datum(a >= b); }}},
      {"le",
       {"less_equal", [](I a, I b) -> std::optional<Datum> { return Datum(a <= b); },
        [](double a, double b) { return Datum(a <= b); }}},
  };
  const auto found = known.find(name);
  return found == known.end() ? nullptr : &found->second;
}

Datum computed(const Primitive& primitive, std::string_view name, Given arguments, Host& host) {
  const Arithmetic& work = *arithmetic(name);
  const std::vector<Datum> operands = operands_of(primitive, arguments, 2);
  const Datum &a = operands[0], &b = operands[1];
  if (a.is_tensor() || b.is_tensor()) {
    op::Emitter& emitter = host.emitter();
    return Datum(emitter.call(work.op, {op::operand_of(a, emitter), op::operand_of(b, emitter)}));
  }
  if (is_whole(a) && is_whole(b)) {
    if (std::optional<Datum> result = work.on_wholes(whole_of(a), whole_of(b))) return *result;
  }
  return work.on_reals(real_of(primitive, a), real_of(primitive, b));
}

// The number of a name is its last part.
template <std::size_t kLength>
struct Name {
  constexpr Name(const char (&text)[kLength]) { std::copy_n(text, kLength, letters); }
  char letters[kLength];
};

template <Name kName>
Datum binary(const Primitive& primitive, Given arguments, Host& host) {
  return computed(primitive, kName.letters, arguments, host);
}

Datum equals(const Primitive& primitive, Given arguments, Host& host) {
  const std::vector<Datum> operands = operands_of(primitive, arguments, 2);
  const Datum &a = operands[0], &b = operands[1];
  if (!a.is_tensor() && !b.is_tensor()) return Datum(is_equal(a, b));
  op::Emitter& emitter = host.emitter();
  return Datum(emitter.call("equal", {op::operand_of(a, emitter), op::operand_of(b, emitter)}));
}

Datum negative(const Primitive& primitive, Given arguments, Host&) {
  const Datum value = operands_of(primitive, arguments, 1)[0];
  if (value.is_tensor()) return Datum(-value.tensor());
  if (is_whole(value)) {
    if (const auto result = checked<kSubtract>(0, whole_of(value))) return *result;
  }
  return Datum(-real_of(primitive, value));
}

Datum itself(const Primitive& primitive, Given arguments, Host&) {
  return operands_of(primitive, arguments, 1)[0];
}

Datum logarithm(const Primitive& primitive, Given arguments, Host&) {
  return Datum(std::log(real_of(primitive, operands_of(primitive, arguments, 1)[0])));
}

Datum truth(const Primitive& primitive, Given arguments, Host& host) {
  return Datum(host.truth_of(operands_of(primitive, arguments, 1)[0]));
}

Datum negated(const Primitive& primitive, Given arguments, Host& host) {
  return Datum(!host.truth_of(operands_of(primitive, arguments, 1)[0]));
}

template <bool kBoth>
Datum combined(const Primitive& primitive, Given arguments, Host& host) {
  const std::vector<Datum> operands = operands_of(primitive, arguments, 2);
  const bool one = host.truth_of(operands[0]);
  return Datum(one == kBoth ? host.truth_of(operands[1]) : one);
}

// ---- between numbers and tensors ----------------------------------------------------------------

std::optional<tensor::DType> type_of(const Primitive& primitive, const Datum& datum) {
  if (datum.is_dtype()) return datum.dtype();
  if (datum.is_none()) return std::nullopt;
  std::optional<tensor::DType> dtype;
  if (datum.is_int()) dtype = argument_type(datum.integer(), primitive.version());
  platform::require(dtype.has_value(), ErrorKind::Type, "'", primitive.name(),
                    "' takes a type, but got ", datum.type_name(), ".");
  return dtype;
}

Datum as_tensor(const Primitive& primitive, Given arguments, Host& host) {
  const std::vector<Datum> operands = operands_of(primitive, arguments, 1);
  const auto dtype =
      type_of(primitive, operands.size() > 1 ? operands[1] : primitive.attribute("dtype"));
  Value made = op::tensor_of(operands[0], dtype, host.emitter());
  platform::require(made.defined(), ErrorKind::Type, "'", primitive.name(),
                    "' takes numbers, but got ", operands[0].type_name(), ".");
  return Datum(std::move(made));
}

Datum cast_number(const Primitive& primitive, Given arguments, Host&) {
  const std::vector<Datum> operands = operands_of(primitive, arguments, 2);
  const auto dtype = type_of(primitive, operands[1]);
  platform::require(dtype.has_value(), ErrorKind::Type, "'", primitive.name(),
                    "' takes a type, but got None.");
  if (*dtype == tensor::DType::Bool) return Datum(op::truth_of(operands[0]));
  if (!tensor::is_integral(*dtype)) return Datum(real_of(primitive, operands[0]));
  std::int64_t whole = 0;
  if (op::to_integer(operands[0], whole)) return Datum(whole);
  const double real = std::trunc(real_of(primitive, operands[0]));
  platform::require(std::abs(real) < 0x1p63, ErrorKind::Value, "'", primitive.name(),
                    "' makes an int of ", real, ".");
  return Datum(static_cast<std::int64_t>(real));
}

Datum number_at(const tensor::Tensor& dense, std::int64_t place) {
  if (dense.dtype() == tensor::DType::Bool) return Datum(dense.data<bool>()[place]);
  if (tensor::is_integral(dense.dtype())) {
    return tensor::with_integer_type(dense.dtype(), [&]<class T>() {
      return Datum(static_cast<std::int64_t>(dense.data<T>()[place]));
    });
  }
  return tensor::with_float_type(dense.dtype(), [&]<class T>() {
    if constexpr (std::is_same_v<T, double>) return Datum(dense.data<T>()[place]);
    return Datum(static_cast<double>(static_cast<float>(dense.data<T>()[place])));
  });
}

tensor::Tensor dense_real(const Primitive& primitive, Given arguments) {
  const std::vector<Datum> operands = operands_of(primitive, arguments, 1);
  platform::require(operands[0].is_tensor() && !tensor::is_complex(operands[0].tensor().dtype()),
                    ErrorKind::Type, "'", primitive.name(), "' takes a real Tensor, but got ",
                    operands[0].type_name(), ".");
  return tensor::contiguous(operands[0].tensor().tensor().readable());
}

Datum as_number(const Primitive& primitive, Given arguments, Host&) {
  const tensor::Tensor dense = dense_real(primitive, arguments);
  platform::require(dense.size() == 1, ErrorKind::Value, "'", primitive.name(),
                    "' takes a Tensor of one element, but got ", dense.size(), ".");
  return number_at(dense, 0);
}

Datum as_tuple(const Primitive& primitive, Given arguments, Host&) {
  const tensor::Tensor dense = dense_real(primitive, arguments);
  platform::require(dense.rank() == 1, ErrorKind::Value, "'", primitive.name(),
                    "' takes a Tensor of one axis, but got ", dense.rank(), ".");
  std::vector<Datum> items;
  for (std::int64_t i = 0; i < dense.size(); ++i) items.push_back(number_at(dense, i));
  return Datum::tuple(std::move(items));
}

}  // namespace

bool is_equal(const Datum& one, const Datum& other) {
  if (one.is_number() && other.is_number()) {
    if (is_whole(one) && is_whole(other)) return whole_of(one) == whole_of(other);
    double a = 0, b = 0;
    return op::to_real(one, a) && op::to_real(other, b) && a == b;
  }
  return one.is_same_object(other);
}

StructuralWork number_work(std::string_view name) {
  static const std::unordered_map<std::string_view, StructuralWork> works{
      {"ScalarAdd", binary<"add">},
      {"scalar_add", binary<"add">},
      {"ScalarSub", binary<"sub">},
      {"scalar_sub", binary<"sub">},
      {"ScalarMul", binary<"mul">},
      {"scalar_mul", binary<"mul">},
      {"ScalarDiv", binary<"div">},
      {"scalar_div", binary<"div">},
      {"ScalarFloorDiv", binary<"floordiv">},
      {"scalar_floordiv", binary<"floordiv">},
      {"ScalarMod", binary<"mod">},
      {"scalar_mod", binary<"mod">},
      {"ScalarPow", binary<"pow">},
      {"scalar_pow", binary<"pow">},
      {"ScalarMax", binary<"max">},
      {"ScalarMin", binary<"min">},
      {"ScalarGt", binary<"gt">},
      {"scalar_gt", binary<"gt">},
      {"ScalarLt", binary<"lt">},
      {"scalar_lt", binary<"lt">},
      {"ScalarGe", binary<"ge">},
      {"scalar_ge", binary<"ge">},
      {"ScalarLe", binary<"le">},
      {"scalar_le", binary<"le">},
      {"ScalarEq", equals},
      {"scalar_eq", equals},
      {"bool_eq", equals},
      {"string_eq", equals},
      {"ScalarUsub", negative},
      {"scalar_usub", negative},
      {"ScalarUadd", itself},
      {"scalar_uadd", itself},
      {"ScalarLog", logarithm},
      {"scalar_log", logarithm},
      {"ScalarBool", truth},
      {"BoolNot", negated},
      {"bool_not", negated},
      {"string_not", negated},
      {"bool_and", combined<true>},
      {"bool_or", combined<false>},
      {"ScalarToTensor", as_tensor},
      {"ScalarToArray", as_tensor},
      {"TupleToTensor", as_tensor},
      {"TupleToArray", as_tensor},
      {"ListToTensor", as_tensor},
      {"ScalarCast", cast_number},
      {"TensorToScalar", as_number},
      {"TensorToTuple", as_tuple},
  };
  const auto found = works.find(name);
  return found == works.end() ? nullptr : found->second;
}

}  // namespace mycel::formats::mindir
