// SPDX-License-Identifier: Apache-2.0
// Symbolic derivatives of scalar expressions: the reason why elementwise operators need no gradient
// rule.
#include <cmath>
#include <numbers>

#include "operator/scalar_expr.h"
#include "platform/error/error.h"

namespace mycel::op {
namespace {

Expr square(Expr x) { return apply(ScalarOp::Square, x); }

// f'(x) for y = f(x). Undefined: the derivative is zero wherever it exists.
Expr unary_derivative(ScalarOp op, const Expr& x, const Expr& y) {
  switch (op) {
    case ScalarOp::Neg: return Expr(-1);
    // Of a complex x the steepest way up is x / |x| itself, which the chain rule will conjugate.
    case ScalarOp::Abs: return apply(ScalarOp::Conj, apply(ScalarOp::Sign, x));
    case ScalarOp::Sqrt: return Expr(0.5) / y;
    case ScalarOp::Rsqrt: return Expr(-0.5) * y / x;
    case ScalarOp::Reciprocal: return -square(y);
    case ScalarOp::Square: return Expr(2) * x;
    case ScalarOp::Exp: return y;
    case ScalarOp::Exp2: return y * Expr(std::numbers::ln2);
    case ScalarOp::Expm1: return y + Expr(1);
    case ScalarOp::Log: return apply(ScalarOp::Reciprocal, x);
    case ScalarOp::Log2: return Expr(1 / std::numbers::ln2) / x;
    case ScalarOp::Log10: return Expr(1 / std::numbers::ln10) / x;
    case ScalarOp::Log1p: return apply(ScalarOp::Reciprocal, x + Expr(1));
    case ScalarOp::Sin: return apply(ScalarOp::Cos, x);
    case ScalarOp::Cos: return -apply(ScalarOp::Sin, x);
    case ScalarOp::Tan: return Expr(1) + square(y);
    case ScalarOp::Asin: return apply(ScalarOp::Rsqrt, Expr(1) - square(x));
    case ScalarOp::Acos: return -apply(ScalarOp::Rsqrt, Expr(1) - square(x));
    case ScalarOp::Atan: return apply(ScalarOp::Reciprocal, Expr(1) + square(x));
    case ScalarOp::Sinh: return apply(ScalarOp::Cosh, x);
    case ScalarOp::Cosh: return apply(ScalarOp::Sinh, x);
    case ScalarOp::Tanh: return Expr(1) - square(y);
    case ScalarOp::Asinh: return apply(ScalarOp::Rsqrt, square(x) + Expr(1));
    case ScalarOp::Acosh: return apply(ScalarOp::Rsqrt, square(x) - Expr(1));
    case ScalarOp::Atanh: return apply(ScalarOp::Reciprocal, Expr(1) - square(x));
    case ScalarOp::Erf:
      return Expr(2 * std::numbers::inv_sqrtpi) * apply(ScalarOp::Exp, -square(x));
    case ScalarOp::Erfc:
      return Expr(-2 * std::numbers::inv_sqrtpi) * apply(ScalarOp::Exp, -square(x));
    case ScalarOp::Erfinv:
      return Expr(0.5 / std::numbers::inv_sqrtpi) * apply(ScalarOp::Exp, square(y));
    case ScalarOp::Lgamma: return apply(ScalarOp::Digamma, x);
    case ScalarOp::Sigmoid: return y * (Expr(1) - y);
    case ScalarOp::Conj:
    case ScalarOp::Real: return Expr(1);
    default: return Expr();
  }
}

struct Partials {
  Expr a, b;  // undefined: zero
};

Partials binary_partials(ScalarOp op, const Expr& a, const Expr& b, const Expr& y) {
  const Expr half = Expr(0.5);
  switch (op) {
    case ScalarOp::Add: return {Expr(1), Expr(1)};
    case ScalarOp::Sub: return {Expr(1), Expr(-1)};
    case ScalarOp::Mul: return {b, a};
    case ScalarOp::Div: return {apply(ScalarOp::Reciprocal, b), -(y / b)};
    case ScalarOp::FloorMod: return {Expr(1), -apply(ScalarOp::FloorDiv, a, b)};
    case ScalarOp::TruncMod: return {Expr(1), -apply(ScalarOp::Trunc, a / b)};
    case ScalarOp::Pow: {
      // x**0 has the derivative 0 even at x = 0, and 0**y does not change with a positive y.
      const Expr base = select(b == Expr(0), Expr(0), b * apply(ScalarOp::Pow, a, b - Expr(1)));
      const Expr exponent =
          select(a == Expr(0) && b > Expr(0), Expr(0), y * apply(ScalarOp::Log, a));
      return {base, exponent};
    }
    case ScalarOp::Maximum:  // equal operands share the gradient
      return {select(a > b, Expr(1), select(a == b, half, Expr(0))),
              select(b > a, Expr(1), select(a == b, half, Expr(0)))};
    case ScalarOp::Minimum:
      return {select(a < b, Expr(1), select(a == b, half, Expr(0))),
              select(b < a, Expr(1), select(a == b, half, Expr(0)))};
    case ScalarOp::Atan2: return {b / (square(a) + square(b)), -a / (square(a) + square(b))};
    case ScalarOp::Hypot: return {a / y, b / y};
    case ScalarOp::CopySign: return {apply(ScalarOp::Sign, a) * apply(ScalarOp::Sign, y), Expr()};
    default: return {};
  }
}

Expr chain(const Expr& outer, const Expr& inner) {
  if (!outer.defined() || !inner.defined()) return Expr();
  return inner * outer;
}

Expr sum(const Expr& a, const Expr& b) {
  if (!a.defined()) return b;
  if (!b.defined()) return a;
  return a + b;
}

}  // namespace

Expr differentiate(const Expr& expr, int index) {
  const ExprNode& node = expr.node();
  if (node.op == ScalarOp::Input) return node.index == index && !node.is_mask ? Expr(1) : Expr();
  if (node.op == ScalarOp::Constant || node.op == ScalarOp::Attribute || node.is_mask)
    return Expr();
  if (node.op == ScalarOp::Select) {
    const Expr yes = differentiate(node.args[1], index);
    const Expr no = differentiate(node.args[2], index);
    if (!yes.defined() && !no.defined()) return Expr();
    return select(node.args[0], yes.defined() ? yes : Expr(0), no.defined() ? no : Expr(0));
  }
  if (arity_of(node.op) == 1) {
    return chain(unary_derivative(node.op, node.args[0], expr), differentiate(node.args[0], index));
  }
  const Expr inner_a = differentiate(node.args[0], index);
  const Expr inner_b = differentiate(node.args[1], index);
  if (!inner_a.defined() && !inner_b.defined()) return Expr();
  const Partials outer = binary_partials(node.op, node.args[0], node.args[1], expr);
  return sum(chain(outer.a, inner_a), chain(outer.b, inner_b));
}

}  // namespace mycel::op
