// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platform/thread/tiny_numbers.h"
#include "tensor/tensor.h"

namespace mycel::backend {

// Products of ever new rows with one matrix: c = a b, a is (m, k), b is (k, n). The matrix is
// brought into the order the product reads it in once; with few rows that is a good part of the
// work (15 % at 32 rows). float32 and float64.
class RepeatedProduct {
 public:
  RepeatedProduct(const tensor::Tensor& matrix, std::int64_t rows);

  // Both dense. One thread at a time.
  void run(const void* a, void* c);

 private:
  void pack();

  tensor::Tensor matrix_, packed_;  // `packed_` is undefined when there is no better order
  std::int64_t rows_;
  // What one product gives goes into the next.
  platform::TinyNumbersAreZero scope_;
};

}  // namespace mycel::backend
