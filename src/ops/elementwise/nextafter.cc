// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ops/elementwise/mindir_elements.h"
#include "ops/elementwise/number_functions.h"

namespace mycel::ops {

MYCEL_OP(nextafter)
    .names({.primitive = "NextAfter", .function = "nextafter", .method = "nextafter"})
    .doc("The next number that the type can hold, in the direction of another.")
    .numpy("np.nextafter(input, other)")
    .input("input", "Where to start.", DTypeSet{DType::Float32, DType::Float64})
    .input("other", "Where to go.", DTypeSet{DType::Float32, DType::Float64})
    .output("output", "In the common shape.")
    .infer(infer_broadcast)
    .not_differentiable()
    .sample("vectors", {normal({5}), normal({5})})
    .sample("stretched", {normal({2, 1}), normal({3})});
MYCEL_CPU_KERNEL(nextafter) {
  const Tensor& y = kernel.output(0);
  const Tensor a = stretched(kernel.input(0), y.shape()), b = stretched(kernel.input(1), y.shape());
  with_float_type(y.dtype(), [&]<class T>() {
    if constexpr (std::is_floating_point_v<T>) {
      const T* from = a.data<T>();
      const T* to = b.data<T>();
      T* result = y.data<T>();
      platform::parallel_for(y.size(), 4, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) result[i] = std::nextafter(from[i], to[i]);
      });
    }
  });
}

MYCEL_WRITES_MINDIR(nextafter) { return stretched(call, "NextAfter"); }

}  // namespace mycel::ops
