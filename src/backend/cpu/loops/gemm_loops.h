// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace mycel::backend {

// c (+)= a b (+ bias), one matrix, one thread. Strides are in elements; columns of c are adjacent.
struct GemmProblem {
  std::int64_t m = 0, n = 0, k = 0;
  const void* a = nullptr;
  std::int64_t a_row = 0, a_column = 1;
  const void* b = nullptr;
  std::int64_t b_row = 0, b_column = 1;
  void* c = nullptr;
  std::int64_t c_row = 0;
  const void* bias = nullptr;  // n values, or null
  bool accumulate = false;     // add to what c holds; excludes bias
};

using GemmFunction = void (*)(const GemmProblem& problem);

// The loop for an element type (not for the 16-bit floating types, which are widened first, nor for
// bool); null when there is none.
GemmFunction gemm_loop(tensor::DType dtype);

namespace avx2 {
GemmFunction gemm_loop(tensor::DType dtype);
}
namespace avx512 {
GemmFunction gemm_loop(tensor::DType dtype);
}

}  // namespace mycel::backend
