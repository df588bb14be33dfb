// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/codegen/vector_math.h"

#include <deque>

#include <dlfcn.h>

#include "platform/error/error.h"

namespace mycel::cpu::codegen {
namespace {

using op::ScalarOp;

struct Entry {
  ScalarOp op;
  const char* name;  // of the scalar function on doubles
};

constexpr Entry kEntries[] = {
    {ScalarOp::Exp, "exp"},     {ScalarOp::Exp2, "exp2"},   {ScalarOp::Expm1, "expm1"},
    {ScalarOp::Log, "log"},     {ScalarOp::Log2, "log2"},   {ScalarOp::Log10, "log10"},
    {ScalarOp::Log1p, "log1p"}, {ScalarOp::Sin, "sin"},     {ScalarOp::Cos, "cos"},
    {ScalarOp::Tan, "tan"},     {ScalarOp::Asin, "asin"},   {ScalarOp::Acos, "acos"},
    {ScalarOp::Atan, "atan"},   {ScalarOp::Sinh, "sinh"},   {ScalarOp::Cosh, "cosh"},
    {ScalarOp::Tanh, "tanh"},   {ScalarOp::Asinh, "asinh"}, {ScalarOp::Acosh, "acosh"},
    {ScalarOp::Atanh, "atanh"}, {ScalarOp::Erf, "erf"},     {ScalarOp::Erfc, "erfc"},
    {ScalarOp::Pow, "pow"},     {ScalarOp::Atan2, "atan2"}, {ScalarOp::Hypot, "hypot"},
};

// The interpreter has erf of float32 from the narrower set on every machine: see loop_choice.cc.
bool stays_narrow(ScalarOp op, VectorShape shape) {
  return !shape.doubles && (op == ScalarOp::Erf || op == ScalarOp::Erfc);
}

VectorFunction named(const Entry& entry, VectorShape shape) {
  if (stays_narrow(entry.op, shape)) shape.wide = false;
  const char* operands = op::arity_of(entry.op) == 2 ? "vv_" : "v_";
  return {platform::join("_ZGV", shape.wide ? "eN" : "dN", shape.lanes(), operands, entry.name,
                         shape.doubles ? "" : "f"),
          shape.lanes()};
}

}  // namespace

VectorFunction vector_function(ScalarOp op, VectorShape shape) {
  for (const Entry& entry : kEntries) {
    if (entry.op == op) return named(entry, shape);
  }
  return {};
}

std::vector<Symbol> vector_symbols() {
  static std::deque<std::string> names;  // what the symbols point at
  std::vector<Symbol> symbols;
  void* const library = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return symbols;
  for (const Entry& entry : kEntries) {
    for (const VectorShape shape :
         {VectorShape{false, false}, {true, false}, {false, true}, {true, true}}) {
      const std::string name = named(entry, shape).name;
      void* const address = dlsym(library, name.c_str());
      if (address == nullptr || (!names.empty() && names.back() == name)) continue;
      names.push_back(name);
      symbols.push_back({names.back().c_str(), address});
    }
  }
  return symbols;
}

}  // namespace mycel::cpu::codegen
