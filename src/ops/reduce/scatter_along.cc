// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "operator/define.h"
#include "operator/onnx_call.h"
#include "ops/index/mindir_places.h"
#include "ops/reduce/axis_lines.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {

MYCEL_OP(scatter_along)
    .doc("Zeros of length `length` along one axis, with every update added at its position.")
    .input("index", "Positions, of the shape of `updates`.", kIndex)
    .input("updates", "What is added.", kNumber)
    .attribute("axis", "Axis the positions count along.", required(AttributeType::Int))
    .attribute("length", "Length of that axis in the result.", required(AttributeType::Int))
    .output("output", "Shape of `updates` but for the axis.")
    .infer([](InferContext& op) {
      const TensorSpec& updates = op.input(1);
      op.require(op.input(0).shape == updates.shape && updates.rank() > 0, ErrorKind::Value,
                 "'index' must have the shape of 'updates', at least one axis, but got ",
                 to_string(op.input(0).shape), " and ", to_string(updates.shape), ".");
      op.require(op.integer("length") >= 0, ErrorKind::Value,
                 "'length' must not be negative, but got ", op.integer("length"), ".");
      Shape shape = updates.shape;
      shape[static_cast<std::size_t>(op.normalize_axis("axis", updates.rank()))] =
          op.integer("length");
      if (op.input(0).dtype != DType::Int64) op.cast_input(0, DType::Int64);
      op.set_output(0, updates.dtype, shape);
    })
    .gradient([](GradientContext& op) {
      op.set_input_gradient(1, op.call("gather_elements", {op.output_gradient(0), op.input(0)},
                                       {{"dim", op.attribute("axis")}}));
    })
    .keeps({"index"})
    .sample("rows", {integers({2, 2}, 0, 3), normal({2, 2})}, {{"axis", 1}, {"length", 3}});

MYCEL_CPU_KERNEL(scatter_along) {
  const Tensor index = kernel.dense(0);
  const Tensor updates = kernel.dense(1);
  const Tensor& output = kernel.output(0);
  const AxisLines from(updates.shape(), kernel.integer("axis"));
  const std::int64_t length = kernel.integer("length");
  const std::int64_t* at = index.data<std::int64_t>();
  with_any_type(updates.dtype(), [&]<class T>() {
    using Wide = Accumulator<T>;
    const T* x = updates.data<T>();
    T* y = output.data<T>();
    platform::parallel_for(
        from.outer, (from.length + length) * from.inner, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t o = begin; o < end; ++o) {
            T* to = y + o * length * from.inner;
            std::fill(to, to + length * from.inner, T(0));
            for (std::int64_t i = 0; i < from.length * from.inner; ++i) {
              const std::int64_t position = at[o * from.length * from.inner + i];
              kernel.require(0 <= position && position < length, ErrorKind::Index,
                             "'index' must be in [0, ", length, "), but got ", position, ".");
              T& target = to[position * from.inner + i % from.inner];
              target = static_cast<T>(static_cast<Wide>(target) +
                                      static_cast<Wide>(x[o * from.length * from.inner + i]));
            }
          }
        });
  });
}

MYCEL_WRITES_MINDIR(scatter_along) {
  const auto zeros = call.number(0).broadcast(call.shape());
  const auto places = call.input();
  return written_along(zeros, places, call.typed(1), call.axis("axis", call.rank()), true);
}

MYCEL_WRITES_ONNX(scatter_along) {
  const auto zeros = call.number(0).expand(call.shape());
  return zeros.add("ScatterElements", {call.input(0), call.typed(1)},
                   {{"axis", call.axis("axis", call.rank())}, {"reduction", "add"}});
}

}  // namespace mycel::ops
