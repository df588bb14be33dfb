// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/loops/float_functions.h"

namespace mycel::cpu::MYCEL_ISA {

void fill_double_steps(LoopTable& table) { fill_floating<double>(table, Number::F64, 1); }

}  // namespace mycel::cpu::MYCEL_ISA
