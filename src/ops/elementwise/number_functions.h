// SPDX-License-Identifier: Apache-2.0
// Elementwise operators whose formula is an algorithm on single numbers, in double precision.
#pragma once

#include <array>

#include "backend/cpu/half_tensor.h"
#include "operator/define.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {

// All inputs in their common dtype, and the output in that and their common shape.
inline void infer_broadcast(InferContext& op) {
  const DType dtype = op.promote_inputs(0, op.input_count());
  Shape shape = op.input(0).shape;
  for (std::size_t i = 1; i < op.input_count(); ++i)
    shape = broadcast_shapes(shape, op.input(i).shape, op.name());
  op.set_output(0, dtype, shape);
}

// A dense tensor of another shape, with axes repeated.
inline Tensor stretched(const Tensor& x, const Shape& shape) {
  return tensor::contiguous(
      Tensor::view(x, shape, broadcast_strides(x.shape(), x.strides(), shape), x.body().offset));
}

// output = function(inputs...), number by number.
template <std::size_t kInputs, class Function>
void run_on_numbers(const KernelContext& kernel, const Function& function) {
  const Tensor& y = kernel.output(0);
  std::array<Tensor, kInputs> inputs;
  for (std::size_t i = 0; i < kInputs; ++i)
    inputs[i] = stretched(backend::as_floating(kernel.input(i), DType::Float64), y.shape());
  with_float_type(y.dtype(), [&]<class T>() {
    platform::parallel_for(y.size(), 400, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const double value = [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
          return function(inputs[kIndex].template data<double>()[i]...);
        }
        (std::make_index_sequence<kInputs>());
        y.data<T>()[i] = T(static_cast<Accumulator<T>>(value));
      }
    });
  });
}

}  // namespace mycel::ops
