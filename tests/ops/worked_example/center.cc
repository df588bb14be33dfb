// SPDX-License-Identifier: Apache-2.0
#include "operator/define.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {
namespace {

template <class T>
void center_rows(const T* from, T* to, std::int64_t rows, std::int64_t length) {
  platform::parallel_for(rows, length, [=](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      double sum = 0;
      for (std::int64_t i = 0; i < length; ++i) sum += from[row * length + i];
      const double mean = sum / static_cast<double>(length);
      for (std::int64_t i = 0; i < length; ++i)
        to[row * length + i] = static_cast<T>(from[row * length + i] - mean);
    }
  });
}

}  // namespace

MYCEL_OP(center)
    .names({.primitive = "Center", .function = "center", .method = "center"})
    .doc("Every row of the last axis without its mean.")
    .numpy("input - input.mean(-1, keepdims=True)")
    .input("input", "At least one axis.", {DType::Float32, DType::Float64})
    .output("output", "Shape and type of the input.")
    .infer([](InferContext& op) {
      op.require(op.input(0).rank() > 0, ErrorKind::Value,
                 "the dimension of 'input' must be at least 1, but got 0.");
      op.set_output(0, op.input(0));
    })
    .gradient([](GradientContext& op) {
      op.set_input_gradient(0, op.call("center", {op.output_gradient(0)}));
    })
    .sample("matrix", {normal({3, 5})})
    .sample("no rows", {normal({0, 5})});

MYCEL_CPU_KERNEL(center) {
  const Tensor input = kernel.dense(0);
  const std::int64_t length = input.shape().back();
  if (input.size() == 0) return;
  const std::int64_t rows = input.size() / length;
  if (input.dtype() == DType::Float32)
    center_rows(input.data<float>(), kernel.output(0).data<float>(), rows, length);
  else
    center_rows(input.data<double>(), kernel.output(0).data<double>(), rows, length);
}

}  // namespace mycel::ops
