// SPDX-License-Identifier: Apache-2.0
// One scalar operation on whole vectors, as text for the compiler. Every operation is rounded as
// the interpreter's loops round it; none is contracted with its neighbour.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backend/cpu/codegen/vector_math.h"
#include "operator/scalar_expr.h"

namespace mycel::cpu::codegen {

struct VectorValue {
  std::string text;  // a name or a constant
  bool is_mask = false;
  bool uniform = false;  // all lanes are equal, in every vector
  std::optional<double> constant;
};

class StepText {
 public:
  StepText(VectorShape shape, std::string prefix);

  // Appends the operation to `lines`. Nothing: it has no vector form here.
  std::optional<VectorValue> add(op::ScalarOp op, const std::vector<VectorValue>& args);

  VectorValue constant(double number) const;
  VectorValue loaded(const std::string& pointer);  // of one number: in all lanes
  std::string name();                              // a new one
  void line(const std::string& text) { lines += "  " + text + "\n"; }

  std::string element() const { return shape_.doubles ? "double" : "float"; }
  std::string vector() const;
  std::string masks() const;
  std::string suffix() const;                 // of intrinsics: v16f32
  void declare(const std::string& function);  // everything after `declare`

  std::string lines;
  std::map<std::string, bool> declarations;

 private:
  using Args = std::vector<VectorValue>;
  std::string let(const std::string& text);
  std::string call(const std::string& function, const std::vector<std::string>& args);
  std::string intrinsic(const char* name, const std::vector<std::string>& args);
  std::string arithmetic(const char* name, const std::string& a, const std::string& b);
  std::string compare(const char* predicate, const std::string& a, const std::string& b);
  std::string choose(const std::string& mask, const std::string& yes, const std::string& no);
  std::string library(op::ScalarOp op, const std::vector<std::string>& args);
  std::string halves(const VectorFunction& function, const std::vector<std::string>& args);
  std::string power(const Args& args);
  std::string power_of_unknown(const Args& args);
  std::string number(op::ScalarOp op, const Args& args);
  std::string larger(const char* predicate, const std::string& a, const std::string& b);
  std::string floor_quotient(const std::string& a, const std::string& b);
  std::string mask(op::ScalarOp op, const Args& args);
  std::string sign_bit(const std::string& value);

  VectorShape shape_;
  std::string prefix_;
  int count_ = 0;
};

// A function several kernels may need: x to the power of an exponent that is equal in all lanes.
std::string power_function(VectorShape shape);
constexpr const char* kPowerFunction = "uniform_power";

}  // namespace mycel::cpu::codegen
