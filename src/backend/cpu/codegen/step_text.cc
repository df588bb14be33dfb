// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/codegen/step_text.h"

#include <bit>
#include <cstdint>

#include "platform/error/error.h"

namespace mycel::cpu::codegen {
namespace {

using op::ScalarOp;
using platform::join;

struct Named {
  ScalarOp op;
  const char* name;
};

const char* find(std::initializer_list<Named> names, ScalarOp op) {
  for (const Named& entry : names) {
    if (entry.op == op) return entry.name;
  }
  return nullptr;
}

const char* arithmetic_name(ScalarOp op) {
  return find({{ScalarOp::Add, "fadd"},
               {ScalarOp::Sub, "fsub"},
               {ScalarOp::Mul, "fmul"},
               {ScalarOp::Div, "fdiv"}},
              op);
}

const char* intrinsic_name(ScalarOp op) {
  return find({{ScalarOp::Abs, "fabs"},
               {ScalarOp::Sqrt, "sqrt"},
               {ScalarOp::Floor, "floor"},
               {ScalarOp::Ceil, "ceil"},
               {ScalarOp::Round, "rint"},
               {ScalarOp::Trunc, "trunc"},
               {ScalarOp::CopySign, "copysign"}},
              op);
}

// A comparison with NaN is false, except "not equal".
const char* predicate_name(ScalarOp op) {
  return find({{ScalarOp::Equal, "oeq"},
               {ScalarOp::NotEqual, "une"},
               {ScalarOp::Less, "olt"},
               {ScalarOp::LessEqual, "ole"},
               {ScalarOp::Greater, "ogt"},
               {ScalarOp::GreaterEqual, "oge"}},
              op);
}

const char* logic_name(ScalarOp op) {
  return find({{ScalarOp::And, "and"}, {ScalarOp::Or, "or"}, {ScalarOp::Xor, "xor"}}, op);
}

std::string hexadecimal(double number) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::uint64_t bits = std::bit_cast<std::uint64_t>(number);
  std::string text(16, '0');
  for (std::size_t i = 16; i-- > 0; bits >>= 4U) text[i] = kDigits[bits & 15U];
  return "0x" + text;
}

std::string repeated(const std::string& item, int count) {
  std::string text = "<" + item;
  for (int i = 1; i < count; ++i) text += ", " + item;
  return text + ">";
}

}  // namespace

StepText::StepText(VectorShape shape, std::string prefix)
    : shape_(shape), prefix_(std::move(prefix)) {}

std::string StepText::vector() const { return join("<", shape_.lanes(), " x ", element(), ">"); }
std::string StepText::masks() const { return join("<", shape_.lanes(), " x i1>"); }
std::string StepText::suffix() const {
  return join("v", shape_.lanes(), shape_.doubles ? "f64" : "f32");
}
std::string StepText::name() { return join("%", prefix_, count_++); }

void StepText::declare(const std::string& function) { declarations[function] = true; }

VectorValue StepText::constant(double number) const {
  const double stored = shape_.doubles ? number : static_cast<double>(static_cast<float>(number));
  return {repeated(element() + " " + hexadecimal(stored), shape_.lanes()), false, true, stored};
}

VectorValue StepText::loaded(const std::string& pointer) {
  const std::string scalar = let(join("load ", element(), ", ", element(), "* ", pointer));
  const std::string one =
      let(join("insertelement ", vector(), " undef, ", element(), " ", scalar, ", i32 0"));
  return {let(join("shufflevector ", vector(), " ", one, ", ", vector(), " undef, <",
                   shape_.lanes(), " x i32> zeroinitializer")),
          false, true, std::nullopt};
}

std::string StepText::let(const std::string& text) {
  std::string result = name();
  line(result + " = " + text);
  return result;
}

std::string StepText::call(const std::string& function, const std::vector<std::string>& args) {
  std::string types;
  std::string values;
  for (const std::string& arg : args) {
    types += (types.empty() ? "" : ", ") + vector();
    values += (values.empty() ? "" : ", ") + vector() + " " + arg;
  }
  declare(join(vector(), " @", function, "(", types, ")"));
  return let(join("call ", vector(), " @", function, "(", values, ")"));
}

std::string StepText::intrinsic(const char* name, const std::vector<std::string>& args) {
  return call(join("llvm.", name, ".", suffix()), args);
}

std::string StepText::arithmetic(const char* name, const std::string& a, const std::string& b) {
  return let(join(name, " ", vector(), " ", a, ", ", b));
}

std::string StepText::compare(const char* predicate, const std::string& a, const std::string& b) {
  return let(join("fcmp ", predicate, " ", vector(), " ", a, ", ", b));
}

std::string StepText::choose(const std::string& mask, const std::string& yes,
                             const std::string& no) {
  return let(
      join("select ", masks(), " ", mask, ", ", vector(), " ", yes, ", ", vector(), " ", no));
}

std::string StepText::library(ScalarOp op, const std::vector<std::string>& args) {
  const VectorFunction function = vector_function(op, shape_);
  if (function.name.empty()) return {};
  return function.lanes == shape_.lanes() ? call(function.name, args) : halves(function, args);
}

// A function that exists for half a vector only.
std::string StepText::halves(const VectorFunction& function, const std::vector<std::string>& args) {
  const std::string half = join("<", function.lanes, " x ", element(), ">");
  const std::string places = join("<", function.lanes, " x i32> ");
  std::string parts[2];
  for (int part = 0; part < 2; ++part) {
    std::string indices;
    for (int lane = 0; lane < function.lanes; ++lane) {
      indices += join(lane > 0 ? ", i32 " : "i32 ", part * function.lanes + lane);
    }
    const std::string piece = let(join("shufflevector ", vector(), " ", args[0], ", ", vector(),
                                       " undef, ", places, "<", indices, ">"));
    parts[part] = let(join("call ", half, " @", function.name, "(", half, " ", piece, ")"));
  }
  declare(join(half, " @", function.name, "(", half, ")"));
  std::string indices;
  for (int lane = 0; lane < 2 * function.lanes; ++lane)
    indices += join(lane > 0 ? ", i32 " : "i32 ", lane);
  return let(join("shufflevector ", half, " ", parts[0], ", ", half, " ", parts[1], ", <",
                  2 * function.lanes, " x i32> <", indices, ">"));
}

// The interpreter's shortcuts for an exponent that is one number.
std::string StepText::power(const Args& args) {
  const std::string& x = args[0].text;
  if (args[0].uniform || !args[1].uniform) return library(ScalarOp::Pow, {x, args[1].text});
  if (!args[1].constant) return call(kPowerFunction, {x, args[1].text});
  if (*args[1].constant == 2) return arithmetic("fmul", x, x);
  if (*args[1].constant == 3) return arithmetic("fmul", arithmetic("fmul", x, x), x);
  if (*args[1].constant == -1) return arithmetic("fdiv", constant(1).text, x);
  return library(ScalarOp::Pow, {x, args[1].text});
}

// `a` where the comparison holds or `a` is NaN: NaN of either side survives.
std::string StepText::larger(const char* predicate, const std::string& a, const std::string& b) {
  const std::string holds = compare(predicate, a, b);
  const std::string missing = compare("uno", a, a);
  return choose(let(join("or ", masks(), " ", holds, ", ", missing)), a, b);
}

// One less where the quotient was rounded up to a whole number, as in the interpreter's loops.
std::string StepText::floor_quotient(const std::string& a, const std::string& b) {
  const std::string zero = constant(0).text;
  const std::string whole = intrinsic("floor", {arithmetic("fdiv", a, b)});
  const std::string rest = intrinsic("fma", {let(join("fneg ", vector(), " ", whole)), b, a});
  const auto both = [&](const char* of_rest, const char* of_divisor) {
    return let(join("and ", masks(), " ", compare(of_rest, rest, zero), ", ",
                    compare(of_divisor, b, zero)));
  };
  const std::string below = both("olt", "ogt"), above = both("ogt", "olt");
  const std::string too_far = let(join("or ", masks(), " ", below, ", ", above));
  return arithmetic("fsub", whole, choose(too_far, constant(1).text, zero));
}

std::string StepText::number(ScalarOp op, const Args& args) {
  const std::string& a = args[0].text;
  const std::string b = args.size() > 1 ? args[1].text : std::string();
  const std::string one = constant(1).text;
  std::string zero = constant(0).text;
  if (const char* name = arithmetic_name(op)) return arithmetic(name, a, b);
  if (const char* name = intrinsic_name(op))
    return args.size() > 1 ? intrinsic(name, {a, b}) : intrinsic(name, {a});
  switch (op) {
    case ScalarOp::Neg: return let(join("fneg ", vector(), " ", a));
    case ScalarOp::Square: return arithmetic("fmul", a, a);
    case ScalarOp::Reciprocal: return arithmetic("fdiv", one, a);
    case ScalarOp::Rsqrt: return arithmetic("fdiv", one, intrinsic("sqrt", {a}));
    case ScalarOp::Imag: return zero;
    case ScalarOp::Sign: {
      const std::string above = choose(compare("ogt", a, zero), one, zero);
      const std::string below = choose(compare("olt", a, zero), one, zero);
      return choose(compare("uno", a, a), a, arithmetic("fsub", above, below));
    }
    case ScalarOp::Sigmoid: {
      const std::string e = library(ScalarOp::Exp, {let(join("fneg ", vector(), " ", a))});
      return arithmetic("fdiv", one, arithmetic("fadd", one, e));
    }
    case ScalarOp::FloorDiv: return floor_quotient(a, b);
    case ScalarOp::TruncDiv: return intrinsic("trunc", {arithmetic("fdiv", a, b)});
    case ScalarOp::Maximum: return larger("ogt", a, b);
    case ScalarOp::Minimum: return larger("olt", a, b);
    case ScalarOp::Pow: return power(args);
    case ScalarOp::Select: return choose(a, b, args[2].text);
    case ScalarOp::FromMask: return choose(a, one, zero);
    default: return args.size() > 1 ? library(op, {a, b}) : library(op, {a});
  }
}

std::string StepText::sign_bit(const std::string& value) {
  const std::string whole = join("<", shape_.lanes(), shape_.doubles ? " x i64>" : " x i32>");
  const std::string bits = let(join("bitcast ", vector(), " ", value, " to ", whole));
  return let(join("icmp slt ", whole, " ", bits, ", zeroinitializer"));
}

std::string StepText::mask(ScalarOp op, const Args& args) {
  const std::string& a = args[0].text;
  const std::string infinity = constant(__builtin_inf()).text;
  if (const char* name = predicate_name(op)) return compare(name, a, args[1].text);
  if (const char* name = logic_name(op))
    return let(join(name, " ", masks(), " ", a, ", ", args[1].text));
  switch (op) {
    case ScalarOp::Not:
      return let(join("xor ", masks(), " ", a, ", ", repeated("i1 true", shape_.lanes())));
    case ScalarOp::ToMask: return compare("une", a, constant(0).text);
    case ScalarOp::IsNan: return compare("uno", a, a);
    case ScalarOp::IsInf: return compare("oeq", intrinsic("fabs", {a}), infinity);
    case ScalarOp::IsFinite: return compare("olt", intrinsic("fabs", {a}), infinity);
    case ScalarOp::SignBit: return sign_bit(a);
    default: return {};
  }
}

std::optional<VectorValue> StepText::add(ScalarOp op, const std::vector<VectorValue>& args) {
  const bool is_mask = op::gives_mask(op);
  VectorValue result{is_mask ? mask(op, args) : number(op, args), is_mask, true, std::nullopt};
  if (result.text.empty()) return std::nullopt;
  for (const VectorValue& arg : args) result.uniform = result.uniform && arg.uniform;
  return result;
}

std::string power_function(VectorShape shape) {
  StepText text(shape, "p");
  const std::string v = text.vector();
  const std::string e = text.element();
  const std::string head = join("define internal ", v, " @", kPowerFunction, "(", v, " %x, ", v,
                                " %e) nounwind {\n  %exponent = extractelement ", v,
                                " %e, i32 0\n  br label %start\nstart:\n");
  struct Case {
    const char* label;
    double exponent;
  };
  std::string body = head;
  for (const Case& each : {Case{"two", 2}, Case{"three", 3}, Case{"minus", -1}}) {
    const VectorValue exponent = text.constant(each.exponent);
    text.lines.clear();
    const auto value = text.add(ScalarOp::Pow, {{"%x", false, false, {}}, exponent});
    body += join("  %is_", each.label, " = fcmp oeq ", e, " %exponent, ",
                 hexadecimal(each.exponent), "\n  br i1 %is_", each.label, ", label %", each.label,
                 ", label %no_", each.label, "\n", each.label, ":\n", text.lines, "  ret ", v, " ",
                 value->text, "\nno_", each.label, ":\n");
  }
  text.lines.clear();
  const auto any = text.add(ScalarOp::Pow, {{"%x", false, false, {}}, {"%e", false, false, {}}});
  return join(body, text.lines, "  ret ", v, " ", any->text, "\n}\n");
}

}  // namespace mycel::cpu::codegen
