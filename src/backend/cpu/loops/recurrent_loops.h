// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend/cpu/instruction_set.h"

namespace mycel::backend {

// One step of one row of n units. `x` is what the input contributes to the gates, `u` what the
// state before contributes. T is float or double.
template <class T>
struct RecurrentLoops {
  // Gates in the order input, forget, cell, output.
  void (*lstm)(const T* x, const T* u, const T* cell_before, T* gates, T* cell, T* hidden,
               std::int64_t n);
  // `dcell` is the gradient of the cell on entry and that of the cell before on return; `extra`
  // (or null) are gradients that reach the gates directly.
  void (*lstm_gradient)(const T* dhidden, T* dcell, const T* gates, const T* cell,
                        const T* cell_before, const T* extra, T* dgates, std::int64_t n);

  // Gates in the order reset, update, new; a fourth part keeps what the state gives to the new one.
  void (*gru)(const T* x, const T* u, const T* hidden_before, T* gates, T* hidden, std::int64_t n);
  // `dhidden` becomes the part of the gradient that skips the product with the state.
  void (*gru_gradient)(T* dhidden, const T* gates, const T* hidden_before, const T* extra, T* dx,
                       T* du, std::int64_t n);

  // hidden = tanh(x + u) or max(x + u, 0)
  void (*simple)(bool relu, const T* x, const T* u, T* hidden, std::int64_t n);
  void (*simple_gradient)(bool relu, const T* dhidden, const T* hidden, T* dx, std::int64_t n);
};

namespace avx2 {
extern const RecurrentLoops<float> recurrent_loops_float;
extern const RecurrentLoops<double> recurrent_loops_double;
}  // namespace avx2
namespace avx512 {
extern const RecurrentLoops<float> recurrent_loops_float;
extern const RecurrentLoops<double> recurrent_loops_double;
}  // namespace avx512

template <class T>
const RecurrentLoops<T>& recurrent_loops();
template <>
inline const RecurrentLoops<float>& recurrent_loops<float>() {
  return has_avx512() ? avx512::recurrent_loops_float : avx2::recurrent_loops_float;
}
template <>
inline const RecurrentLoops<double>& recurrent_loops<double>() {
  return has_avx512() ? avx512::recurrent_loops_double : avx2::recurrent_loops_double;
}

}  // namespace mycel::backend
