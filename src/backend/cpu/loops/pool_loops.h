// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend/cpu/instruction_set.h"

namespace mycel::backend {

struct PoolWindow {
  std::int64_t height = 0, width = 0, out_height = 0, out_width = 0;
  std::int64_t kernel_height = 1, kernel_width = 1;
  std::int64_t stride_height = 1, stride_width = 1;
  std::int64_t pad_top = 0, pad_bottom = 0, pad_left = 0, pad_right = 0;
  std::int64_t dilation_height = 1, dilation_width = 1;
  bool count_padding = false;  // averages: padded cells count in the divisor
  std::int64_t divisor = 0;    // averages: fixed divisor, 0: the number of cells
};

// One plane (height x width) each. T is float or double.
template <class T>
struct PoolLoops {
  // indices: position of the maximum in the plane
  void (*max)(const PoolWindow& window, const T* x, T* y, std::int32_t* indices);
  void (*average)(const PoolWindow& window, const T* x, T* y);
  void (*average_gradient)(const PoolWindow& window, const T* dy, T* dx);
};

namespace avx2 {
extern const PoolLoops<float> pool_loops_float;
extern const PoolLoops<double> pool_loops_double;
}  // namespace avx2
namespace avx512 {
extern const PoolLoops<float> pool_loops_float;
extern const PoolLoops<double> pool_loops_double;
}  // namespace avx512

template <class T>
const PoolLoops<T>& pool_loops();
template <>
inline const PoolLoops<float>& pool_loops<float>() {
  return has_avx512() ? avx512::pool_loops_float : avx2::pool_loops_float;
}
template <>
inline const PoolLoops<double>& pool_loops<double>() {
  return has_avx512() ? avx512::pool_loops_double : avx2::pool_loops_double;
}

}  // namespace mycel::backend
