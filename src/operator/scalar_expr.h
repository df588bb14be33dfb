// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mycel::op {

// The vocabulary of elementwise arithmetic. Every device implements these once; an elementwise
// operator is an expression over them, so it needs no kernel of its own.
enum class ScalarOp : std::uint8_t {
  Input,      // operand `index`
  Constant,   // `number`
  Attribute,  // attribute `index` of the operator, as a number
  // number -> number
  Neg,
  Abs,
  Sign,
  Sqrt,
  Rsqrt,
  Reciprocal,
  Square,
  Exp,
  Exp2,
  Expm1,
  Log,
  Log2,
  Log10,
  Log1p,
  Sin,
  Cos,
  Tan,
  Asin,
  Acos,
  Atan,
  Sinh,
  Cosh,
  Tanh,
  Asinh,
  Acosh,
  Atanh,
  Erf,
  Erfc,
  Erfinv,
  Lgamma,
  Digamma,
  Sigmoid,
  Floor,
  Ceil,
  Round,
  Trunc,
  BitNot,
  Conj,
  Real,
  Imag,
  // number, number -> number
  Add,
  Sub,
  Mul,
  Div,
  FloorDiv,
  TruncDiv,
  FloorMod,
  TruncMod,
  Pow,
  Maximum,
  Minimum,
  Atan2,
  Hypot,
  BitAnd,
  BitOr,
  BitXor,
  ShiftLeft,
  ShiftRight,
  CopySign,
  // number, number -> mask
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  // number -> mask
  IsNan,
  IsInf,
  IsFinite,
  SignBit,
  // masks
  And,
  Or,
  Xor,
  Not,
  Select,    // mask, number, number -> number
  FromMask,  // mask -> 0 or 1
  ToMask,    // number -> number != 0
};

std::string_view name_of(ScalarOp op);
int arity_of(ScalarOp op);
bool gives_mask(ScalarOp op);

struct ExprNode;

// A scalar formula. Immutable and shared; written with ordinary operators:
//   .scalar([](Expr x) { return select(x > 0, x, 0); })
class Expr {
 public:
  Expr() = default;
  Expr(double constant);
  Expr(int constant) : Expr(static_cast<double>(constant)) {}
  explicit Expr(std::shared_ptr<const ExprNode> node) : node_(std::move(node)) {}

  static Expr input(int index, bool is_mask = false);
  static Expr attribute(int index);
  static Expr make(ScalarOp op, std::vector<Expr> args);

  const ExprNode& node() const { return *node_; }
  const ExprNode* id() const { return node_.get(); }
  bool defined() const { return node_ != nullptr; }
  bool is_mask() const;
  bool is_constant(double value) const;

 private:
  std::shared_ptr<const ExprNode> node_;
};

struct ExprNode {
  ScalarOp op;
  std::vector<Expr> args;
  double number = 0;
  int index = 0;
  bool is_mask = false;
};

Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr operator/(Expr a, Expr b);
Expr operator-(Expr a);
Expr operator>(Expr a, Expr b);
Expr operator>=(Expr a, Expr b);
Expr operator<(Expr a, Expr b);
Expr operator<=(Expr a, Expr b);
Expr operator==(Expr a, Expr b);
Expr operator!=(Expr a, Expr b);
Expr operator&&(Expr a, Expr b);
Expr operator||(Expr a, Expr b);
Expr operator!(Expr a);
Expr select(Expr mask, Expr yes, Expr no);
Expr apply(ScalarOp op, Expr a);
Expr apply(ScalarOp op, Expr a, Expr b);

// d expr / d input(index). Undefined result when the expression does not depend on that input in a
// differentiable way (masks, rounding), which means zero.
Expr differentiate(const Expr& expr, int index);

// Inputs the expression reads, as a bit per input.
std::uint32_t inputs_read(const Expr& expr);

std::string to_string(const Expr& expr);

// The expression as a straight list, common parts once; what an interpreter or code generator
// walks.
struct ScalarStep {
  ScalarOp op;
  std::uint8_t args[3] = {0, 0, 0};  // earlier steps
  double number = 0;
  int index = 0;
  bool is_mask = false;
};
struct ScalarProgram {
  std::vector<ScalarStep> steps;  // the last one is the result
  int input_count = 0;
};
ScalarProgram flatten(const Expr& expr);

}  // namespace mycel::op
