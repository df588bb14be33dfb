// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "backend/cpu/instruction_set.h"
#include "backend/cpu/loops/loop_table.h"

namespace mycel::cpu {
namespace {

std::unique_ptr<const LoopTable> choose() {
  auto table = std::make_unique<LoopTable>();
  if (backend::has_avx512()) {
    avx512::fill_float_steps(*table);
    avx512::fill_double_steps(*table);
    avx512::fill_integer_steps(*table);
    avx512::fill_wide_integer_steps(*table);
    avx512::fill_complex_steps(*table);
    avx512::fill_conversions(*table);
    avx512::fill_folds(*table);
    avx512::fill_fused(*table);
    avx512::fill_half_steps(*table);
    // erf looks its coefficients up in a table: wide gathers cost more than they bring.
    avx2::fill_erf_family(*table);
  } else {
    avx2::fill_float_steps(*table);
    avx2::fill_double_steps(*table);
    avx2::fill_integer_steps(*table);
    avx2::fill_wide_integer_steps(*table);
    avx2::fill_complex_steps(*table);
    avx2::fill_conversions(*table);
    avx2::fill_folds(*table);
    avx2::fill_fused(*table);
    avx2::fill_half_steps(*table);
  }
  return table;
}

}  // namespace

const LoopTable& loop_table() {
  static const std::unique_ptr<const LoopTable> table = choose();
  return *table;
}

}  // namespace mycel::cpu
