// SPDX-License-Identifier: Apache-2.0
// The vector functions that the interpreter's loops call, by name: generated code calls the same
// ones, so that it gives the same bits.
#pragma once

#include <string>
#include <vector>

#include "backend/cpu/codegen/code_generator.h"
#include "operator/scalar_expr.h"

namespace mycel::cpu::codegen {

// What the code is written for.
struct VectorShape {
  bool wide = false;     // AVX-512, else AVX2
  bool doubles = false;  // of float64, else of float32
  int lanes() const { return (wide ? 16 : 8) / (doubles ? 2 : 1); }
};

struct VectorFunction {
  std::string name;  // empty: there is none
  int lanes = 0;     // may be half of the vector
};

// The function behind an operation of one or two operands, `Exp` for instance.
VectorFunction vector_function(op::ScalarOp op, VectorShape shape);

// All of them that this machine's library has.
std::vector<Symbol> vector_symbols();

}  // namespace mycel::cpu::codegen
