// SPDX-License-Identifier: Apache-2.0
// Elements under a mask: select, scatter, and where a tensor is not zero.
#include <cstring>

#include "operator/define.h"
#include "operator/stored_call.h"
#include "ops/index/rows.h"

namespace mycel::ops {
namespace {

// A tensor stretched to a shape, dense.
Tensor stretched(const Tensor& tensor, const Shape& shape) {
  const Strides strides = broadcast_strides(tensor.shape(), tensor.strides(), shape);
  return contiguous(Tensor::view(tensor, shape, strides, tensor.body().offset));
}

std::int64_t count_true(const bool* mask, std::int64_t count) {
  std::int64_t found = 0;
  for (std::int64_t i = 0; i < count; ++i) found += mask[i] ? 1 : 0;
  return found;
}

template <class T>
bool is_set(const T& value) {
  if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>)
    return static_cast<float>(value) != 0;
  else
    return value != T();
}

// Rows of the last axis are walked with the outer coordinates standing still.
template <class T>
void nonzero_of(KernelContext& kernel, const Tensor& input) {
  const T* data = input.data<T>();
  const std::int64_t size = input.size();
  std::int64_t found = 0;
  for (std::int64_t i = 0; i < size; ++i) found += is_set(data[i]) ? 1 : 0;
  const std::int64_t rank = input.rank();
  auto* next =
      kernel.allocate_output(0, DType::Int64, Shape{found, rank}).template data<std::int64_t>();
  if (found == 0 || rank == 0) return;
  if (rank == 1) {  // without a branch that the values make unpredictable
    std::int64_t* const last = next + found;
    for (std::int64_t i = 0; next != last; ++i) {
      *next = i;
      next += is_set(data[i]) ? 1 : 0;
    }
    return;
  }
  const std::int64_t length = input.shape().back();
  IntList place(static_cast<std::size_t>(rank), 0);
  std::int64_t* const end = next + found * rank;
  for (; next != end; data += length) {
    for (std::int64_t i = 0; i < length; ++i) {
      if (!is_set(data[i])) continue;
      std::copy_n(place.data(), rank - 1, next);
      next[rank - 1] = i;
      next += rank;
    }
    for (std::size_t axis = static_cast<std::size_t>(rank) - 1; axis-- > 0;) {
      if (++place[axis] < input.shape()[axis]) break;
      place[axis] = 0;
    }
  }
}

}  // namespace

MYCEL_OP(masked_select)
    .names({.primitive = "MaskedSelect", .function = "masked_select", .method = "masked_select"})
    .doc("The elements where the mask is true, in order, as a vector.")
    .numpy("np.broadcast_arrays(input, mask)[0][np.broadcast_arrays(input, mask)[1]]")
    .input("input", "Any tensor.")
    .input("mask", "Stretched with the input to one shape.", kBool)
    .output("output", "One axis.")
    .dynamic_outputs()
    .infer([](InferContext& op) {
      broadcast_shapes(op.input(0).shape, op.input(1).shape, op.name());
      op.set_output(0, op.input(0).dtype, Shape{0});  // the real length depends on the mask
    })
    .gradient([](GradientContext& op) {
      const Shape shape = broadcast_shapes(op.input_shape(0), op.input_shape(1), op.name());
      const Value zeros =
          op.call("fill", {}, {{"shape", shape}, {"value", 0}, {"dtype", op.input_dtype(0)}});
      const Value full = op.call("masked_scatter", {zeros, op.input(1), op.output_gradient(0)});
      op.set_input_gradient(0, sum_to(full, op.input_specs[0]));
    })
    .keeps({"mask"})
    .sample("matrix", {normal({3, 4}), mask({3, 4})})
    .sample("stretched", {normal({3, 1}), mask({4})})
    .sample("nothing", {normal({0}), mask({0})})
    .sample_dtypes(kAny);

MYCEL_CPU_KERNEL(masked_select) {
  const Shape shape =
      broadcast_shapes(kernel.input(0).shape(), kernel.input(1).shape(), kernel.name());
  const Tensor input = stretched(kernel.input(0), shape);
  const Tensor mask = stretched(kernel.input(1), shape);
  const bool* const chosen = mask.data<bool>();
  const Tensor& output =
      kernel.allocate_output(0, input.dtype(), Shape{count_true(chosen, mask.size())});
  with_bits_type(input.dtype(), [&]<class T>() {
    const T* const from = input.data<T>();
    T* to = output.data<T>();
    T* const end = to + output.size();
    for (std::int64_t i = 0; to != end;
         ++i) {  // without a branch that the mask makes unpredictable
      *to = from[i];
      to += chosen[i] ? 1 : 0;
    }
  });
}

MYCEL_OP(masked_scatter)
    .names({.primitive = "MaskedScatter", .method = "masked_scatter"})
    .doc(
        "A copy of `x` whose elements under the mask are replaced by those of `updates`, in order.")
    .input("x", "Any tensor.")
    .input("mask", "Stretched to the shape of `x`.", kBool)
    .input("updates", "At least as many elements as the mask has true ones.")
    .output("output", "Same shape and type as `x`.")
    .infer([](InferContext& op) {
      const Shape& shape = op.input(0).shape;
      op.require(broadcast_shapes(shape, op.input(1).shape, op.name()) == shape, ErrorKind::Value,
                 "the mask of shape ", op.input(1).shape, " must broadcast to ", shape, ".");
      op.cast_input(2, op.input(0).dtype);
      op.set_output(0, op.input(0).dtype, shape);
    })
    .gradient([](GradientContext& op) {
      const Value dy = op.output_gradient(0);
      if (op.wants(0))
        op.set_input_gradient(0, op.call("where", {op.input(1), op.call("zeros_like", {dy}), dy}));
      if (op.wants(2)) {
        op.set_input_gradient(
            2, op.call("masked_collect", {dy, op.input(1)}, {{"shape", op.input_shape(2)}}));
      }
    })
    .keeps({"mask"})
    .sample("matrix", {normal({3, 4}), mask({3, 4}), normal({12})})
    .sample("a row of the mask", {normal({2, 3}), mask({3}), normal({2, 4})})
    .sample_dtypes(kAny);

MYCEL_CPU_KERNEL(masked_scatter) {
  const Tensor& output = kernel.output(0);
  copy_elements(kernel.input(0), output);
  const Tensor mask = stretched(kernel.input(1), output.shape());
  const Tensor updates = kernel.dense(2);
  const bool* const chosen = mask.data<bool>();
  const std::int64_t needed = count_true(chosen, mask.size());
  kernel.require(needed <= updates.size(), ErrorKind::Value, "'updates' must have at least ",
                 needed, " elements, one per true element of the mask, but got ", updates.size(),
                 ".");
  with_bits_type(output.dtype(), [&]<class T>() {
    const T* from = updates.data<T>();
    T* const to = output.data<T>();
    for (std::int64_t i = 0; i < mask.size(); ++i) {
      if (chosen[i]) to[i] = *from++;
    }
  });
}

MYCEL_OP(masked_collect)
    .doc("The elements under the mask, in order, then zeros: masked_select with a known shape.")
    .input("input", "Any tensor.")
    .input("mask", "Stretched to the shape of `input`.", kBool)
    .attribute("shape", "Shape of the result, with room for every true element.",
               required(AttributeType::Ints))
    .output("output", "The elements.")
    .infer([](InferContext& op) {
      const Shape& shape = op.input(0).shape;
      op.require(broadcast_shapes(shape, op.input(1).shape, op.name()) == shape, ErrorKind::Value,
                 "'mask' must fit the shape ", shape, " of 'input', but got ", op.input(1).shape,
                 ".");
      op.set_output(0, op.input(0).dtype, op.ints("shape"));
    })
    .gradient([](GradientContext& op) {
      const Value zeros = op.call(
          "fill", {}, {{"shape", op.input_shape(0)}, {"value", 0}, {"dtype", op.input_dtype(0)}});
      op.set_input_gradient(0,
                            op.call("masked_scatter", {zeros, op.input(1), op.output_gradient(0)}));
    })
    .keeps({"mask"})
    .sample("matrix", {normal({3, 4}), mask({3, 4})}, {{"shape", IntList{12}}})
    .sample_dtypes(kAny);

MYCEL_CPU_KERNEL(masked_collect) {
  const Tensor input = kernel.dense(0);
  const Tensor mask = stretched(kernel.input(1), input.shape());
  const Tensor& output = kernel.output(0);
  const bool* const chosen = mask.data<bool>();
  kernel.require(count_true(chosen, mask.size()) <= output.size(), ErrorKind::Value, "the 'shape' ",
                 output.shape(), " has no room for all elements under the mask.");
  std::memset(output.raw(), 0, output.bytes());
  with_bits_type(input.dtype(), [&]<class T>() {
    T* to = output.data<T>();
    for (std::int64_t i = 0; i < input.size(); ++i) {
      if (chosen[i]) *to++ = input.data<T>()[i];
    }
  });
}

MYCEL_OP(nonzero)
    .names({.primitive = "NonZero", .function = "argwhere", .method = "argwhere"})
    .doc("Coordinates of all elements that are not zero, in row-major order.")
    .numpy("np.argwhere(input)")
    .input("input", "Any tensor.")
    .output("output", "int64, one row per element found, one column per axis.")
    .dynamic_outputs()
    .infer([](InferContext& op) {
      op.set_output(0, DType::Int64, Shape{0, op.input(0).rank()});
    })
    .not_differentiable()
    .sample("matrix", {integers({3, 4}, 0, 2)})
    .sample("nothing", {constant({3}, 0)})
    .sample("mask", {mask({2, 3})});

MYCEL_CPU_KERNEL(nonzero) {
  const Tensor input = kernel.dense(0);
  with_any_type(input.dtype(), [&]<class T>() { nonzero_of<T>(kernel, input); });
}

MYCEL_ONNX(NonZero, "X") {
  const Value places = call.cast(call.call("nonzero", {call.tensor("X")}), DType::Int64);
  return call.call("transpose", {places}, {{"perm", IntList{1, 0}}});
}

// What stands where a mask is set; without an axis, of all elements in a row.
MYCEL_ONNX(Compress, "input condition") {
  const Value x = call.tensor("input");
  const Value places = call.reshape(call.call("nonzero", {call.tensor("condition")}), {-1});
  return call.call("gather", {call.has("axis") ? x : call.reshape(x, {-1}), places},
                   {{"axis", call.integer("axis", 0)}});
}

}  // namespace mycel::ops
