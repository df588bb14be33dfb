// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/loops/integer_functions.h"

namespace mycel::cpu::MYCEL_ISA {

void fill_wide_integer_steps(LoopTable& table) {
  fill_integral<std::int32_t>(table, Number::I32);
  fill_integral<std::int64_t>(table, Number::I64);
  fill_integral<std::uint32_t>(table, Number::U32);
  fill_integral<std::uint64_t>(table, Number::U64);
}

}  // namespace mycel::cpu::MYCEL_ISA
