// SPDX-License-Identifier: Apache-2.0
#include "operator/scalar_expr.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "platform/error/error.h"

namespace mycel::op {
namespace {

using platform::ErrorKind;

constexpr std::string_view kNames[] = {
    "input",       "constant",  "attribute",     "neg",        "abs",
    "sign",        "sqrt",      "rsqrt",         "reciprocal", "square",
    "exp",         "exp2",      "expm1",         "log",        "log2",
    "log10",       "log1p",     "sin",           "cos",        "tan",
    "asin",        "acos",      "atan",          "sinh",       "cosh",
    "tanh",        "asinh",     "acosh",         "atanh",      "erf",
    "erfc",        "erfinv",    "lgamma",        "digamma",    "sigmoid",
    "floor",       "ceil",      "round",         "trunc",      "bit_not",
    "conj",        "real",      "imag",          "add",        "sub",
    "mul",         "div",       "floor_div",     "trunc_div",  "floor_mod",
    "trunc_mod",   "pow",       "maximum",       "minimum",    "atan2",
    "hypot",       "bit_and",   "bit_or",        "bit_xor",    "shift_left",
    "shift_right", "copy_sign", "equal",         "not_equal",  "less",
    "less_equal",  "greater",   "greater_equal", "is_nan",     "is_inf",
    "is_finite",   "sign_bit",  "and",           "or",         "xor",
    "not",         "select",    "from_mask",     "to_mask"};
static_assert(std::size(kNames) == static_cast<std::size_t>(ScalarOp::ToMask) + 1);

bool between(ScalarOp op, ScalarOp first, ScalarOp last) { return first <= op && op <= last; }

Expr leaf(ScalarOp op, double number, int index, bool is_mask) {
  return Expr(std::make_shared<const ExprNode>(ExprNode{op, {}, number, index, is_mask}));
}

}  // namespace

std::string_view name_of(ScalarOp op) { return kNames[static_cast<std::size_t>(op)]; }

int arity_of(ScalarOp op) {
  if (op <= ScalarOp::Attribute) return 0;
  if (op == ScalarOp::Select) return 3;
  const bool binary = between(op, ScalarOp::Add, ScalarOp::GreaterEqual) ||
                      between(op, ScalarOp::And, ScalarOp::Xor);
  return binary ? 2 : 1;
}

bool gives_mask(ScalarOp op) {
  return between(op, ScalarOp::Equal, ScalarOp::Not) || op == ScalarOp::ToMask;
}

Expr::Expr(double constant) : Expr(leaf(ScalarOp::Constant, constant, 0, false)) {}
Expr Expr::input(int index, bool is_mask) { return leaf(ScalarOp::Input, 0, index, is_mask); }
Expr Expr::attribute(int index) { return leaf(ScalarOp::Attribute, 0, index, false); }

Expr Expr::make(ScalarOp op, std::vector<Expr> args) {
  platform::require(static_cast<int>(args.size()) == arity_of(op), ErrorKind::Internal,
                    "scalar operation ", name_of(op), " takes ", arity_of(op), " arguments");
  return Expr(
      std::make_shared<const ExprNode>(ExprNode{op, std::move(args), 0, 0, gives_mask(op)}));
}

bool Expr::is_mask() const { return node_->is_mask; }
bool Expr::is_constant(double value) const {
  return defined() && node_->op == ScalarOp::Constant && node_->number == value;
}

Expr apply(ScalarOp op, Expr a) { return Expr::make(op, {std::move(a)}); }
Expr apply(ScalarOp op, Expr a, Expr b) { return Expr::make(op, {std::move(a), std::move(b)}); }

// The shortcuts keep derived gradients short; they are exact for every number.
Expr operator+(Expr a, Expr b) { return apply(ScalarOp::Add, a, b); }
Expr operator-(Expr a, Expr b) { return apply(ScalarOp::Sub, a, b); }
Expr operator*(Expr a, Expr b) {
  if (a.is_constant(1)) return b;
  if (b.is_constant(1)) return a;
  return apply(ScalarOp::Mul, a, b);
}
Expr operator/(Expr a, Expr b) {
  if (b.is_constant(1)) return a;
  return apply(ScalarOp::Div, a, b);
}
Expr operator-(Expr a) { return apply(ScalarOp::Neg, a); }
Expr operator>(Expr a, Expr b) { return apply(ScalarOp::Greater, a, b); }
Expr operator>=(Expr a, Expr b) { return apply(ScalarOp::GreaterEqual, a, b); }
Expr operator<(Expr a, Expr b) { return apply(ScalarOp::Less, a, b); }
Expr operator<=(Expr a, Expr b) { return apply(ScalarOp::LessEqual, a, b); }
Expr operator==(Expr a, Expr b) { return apply(ScalarOp::Equal, a, b); }
Expr operator!=(Expr a, Expr b) { return apply(ScalarOp::NotEqual, a, b); }
Expr operator&&(Expr a, Expr b) { return apply(ScalarOp::And, a, b); }
Expr operator||(Expr a, Expr b) { return apply(ScalarOp::Or, a, b); }
Expr operator!(Expr a) { return apply(ScalarOp::Not, a); }
Expr select(Expr mask, Expr yes, Expr no) { return Expr::make(ScalarOp::Select, {mask, yes, no}); }

std::uint32_t inputs_read(const Expr& expr) {
  const ExprNode& node = expr.node();
  if (node.op == ScalarOp::Input) return 1U << node.index;
  std::uint32_t bits = 0;
  for (const Expr& arg : node.args) bits |= inputs_read(arg);
  return bits;
}

std::string to_string(const Expr& expr) {
  const ExprNode& node = expr.node();
  if (node.op == ScalarOp::Input) return platform::join("x", node.index);
  if (node.op == ScalarOp::Attribute) return platform::join("attribute", node.index);
  if (node.op == ScalarOp::Constant) return platform::join(node.number);
  std::string text = platform::join(name_of(node.op), "(");
  for (std::size_t i = 0; i < node.args.size(); ++i) {
    if (i > 0) text += ", ";
    text += to_string(node.args[i]);
  }
  return text + ")";
}

namespace {

struct Flattener {
  ScalarProgram program;
  std::unordered_map<const ExprNode*, std::uint8_t> seen;

  bool same(const ScalarStep& a, const ScalarStep& b) const {
    // Bits, not values: 0 and -0 are different constants.
    return a.op == b.op && std::equal(a.args, a.args + 3, b.args) &&
           std::bit_cast<std::uint64_t>(a.number) == std::bit_cast<std::uint64_t>(b.number) &&
           a.index == b.index && a.is_mask == b.is_mask;
  }

  std::uint8_t add(const Expr& expr) {
    if (const auto found = seen.find(expr.id()); found != seen.end()) return found->second;
    const ExprNode& node = expr.node();
    ScalarStep step{node.op, {0, 0, 0}, node.number, node.index, node.is_mask};
    for (std::size_t i = 0; i < node.args.size(); ++i) step.args[i] = add(node.args[i]);
    if (node.op == ScalarOp::Input)
      program.input_count = std::max(program.input_count, node.index + 1);
    std::size_t position = 0;
    while (position < program.steps.size() && !same(program.steps[position], step)) ++position;
    if (position == program.steps.size()) program.steps.push_back(step);
    platform::require(position < 250, ErrorKind::Internal, "scalar expression too long");
    seen[expr.id()] = static_cast<std::uint8_t>(position);
    return static_cast<std::uint8_t>(position);
  }
};

}  // namespace

ScalarProgram flatten(const Expr& expr) {
  Flattener flattener;
  const std::uint8_t result = flattener.add(expr);
  // The result is the last step by contract; an expression that is a bare input repeats it.
  if (result + 1U != flattener.program.steps.size()) {
    flattener.program.steps.push_back(flattener.program.steps[result]);
  }
  return flattener.program;
}

}  // namespace mycel::op
