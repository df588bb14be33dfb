// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/loops/integer_functions.h"

namespace mycel::cpu::MYCEL_ISA {
namespace {

template <ScalarOp kOp>
struct MaskBinary {
  static Mask run(Mask a, Mask b) {
    if constexpr (kOp == ScalarOp::And) return a & b;
    if constexpr (kOp == ScalarOp::Or) return a | b;
    if constexpr (kOp == ScalarOp::Xor) return a ^ b;
  }
};
struct MaskNot {
  static Mask run(Mask a) { return a ^ 1; }
};

template <ScalarOp kOp>
void fill_mask_operation(LoopTable& table) {
  for (auto& steps : table.steps) {
    StepVariants& entry = steps[static_cast<int>(kOp)];
    entry[kVectors] = binary_loop<Mask, Mask, MaskBinary<kOp>, kVectors>;
    entry[kSecondSingle] = binary_loop<Mask, Mask, MaskBinary<kOp>, kSecondSingle>;
    entry[kFirstSingle] = binary_loop<Mask, Mask, MaskBinary<kOp>, kFirstSingle>;
  }
}

}  // namespace

void fill_integer_steps(LoopTable& table) {
  fill_integral<std::int8_t>(table, Number::I8);
  fill_integral<std::int16_t>(table, Number::I16);
  fill_integral<std::uint8_t>(table, Number::U8);
  fill_integral<std::uint16_t>(table, Number::U16);
  fill_mask_operation<ScalarOp::And>(table);
  fill_mask_operation<ScalarOp::Or>(table);
  fill_mask_operation<ScalarOp::Xor>(table);
  for (auto& steps : table.steps) {
    steps[static_cast<int>(ScalarOp::Not)][0] = unary_loop<Mask, Mask, MaskNot>;
  }
}

}  // namespace mycel::cpu::MYCEL_ISA
