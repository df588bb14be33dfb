// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <vector>

#include "backend/cpu/half_tensor.h"
#include "backend/cpu/loops/norm_loops.h"
#include "operator/define.h"
#include "operator/mindir_call.h"
#include "ops/reduce/onnx_reductions.h"
#include "ops/shape/onnx_windows.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {
namespace {

DType statistics_type(DType dtype) { return dtype == DType::Float64 ? dtype : DType::Float32; }

Shape trailing(const Shape& shape, std::int64_t first) {
  return Shape(shape.begin() + first, shape.end());
}

// Mean and variance have a length of one where values were averaged.
Shape statistics_shape(const Shape& shape, std::int64_t begin) {
  Shape result = shape;
  for (std::size_t i = static_cast<std::size_t>(begin); i < result.size(); ++i) result[i] = 1;
  return result;
}

void check_axes(InferContext& op, const Shape& shape) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  op.require(rank >= 1, ErrorKind::Value,
             "the dimension of the input must be at least 1, but got a tensor without axes.");
  op.normalize_axis("begin_norm_axis", rank);
  op.normalize_axis("begin_params_axis", rank);
}

void check_shape(const InferContext& op, std::size_t input, const Shape& expected) {
  op.require(op.input(input).shape == expected, ErrorKind::Value, "the shape of '",
             op.definition().inputs[input].name, "' must be ", expected, ", but got ",
             op.input(input).shape, ".");
}

void check_parameter(const InferContext& op, std::size_t input, const Shape& shape) {
  if (op.has_input(input)) check_shape(op, input, trailing(shape, op.integer("begin_params_axis")));
}

template <class T>
const T* values_or_null(const Tensor& tensor) {
  return tensor.defined() ? tensor.data<T>() : nullptr;
}

Tensor wide_input(const KernelContext& kernel, std::size_t i, DType dtype) {
  return kernel.has_input(i) ? backend::as_floating(kernel.input(i), dtype) : Tensor();
}

// Scale or shift, repeated until it covers a normalised line of n values.
template <class T>
Tensor covering(const Tensor& parameter, std::int64_t n) {
  if (!parameter.defined() || parameter.size() >= n) return parameter;
  const std::int64_t count = parameter.size();  // divides n: both are products of trailing axes
  Tensor repeated = Tensor::empty({n}, parameter.dtype());
  for (std::int64_t i = 0; i < n; ++i) repeated.data<T>()[i] = parameter.data<T>()[i % count];
  return repeated;
}

// The part of scale or shift that belongs to a normalised line.
template <class T>
struct Parameters {
  const T* values = nullptr;
  std::int64_t count = 1, line = 1;
  const T* of(std::int64_t index) const {
    return values == nullptr ? nullptr : values + (index * line) % count;
  }
};

template <class T>
void run_forward(KernelContext& kernel) {
  const DType dtype = kDTypeOf<T>;
  const Tensor x = backend::widened(kernel.input(0));
  const Tensor y = backend::wide_like(kernel.output(0));
  const std::int64_t lines = kernel.output(1).size();
  const std::int64_t n = lines == 0 ? 0 : x.size() / lines;
  const Tensor gamma = covering<T>(wide_input(kernel, 1, dtype), n);
  const Tensor beta = covering<T>(wide_input(kernel, 2, dtype), n);
  const std::int64_t count =
      std::max(n, element_count(trailing(x.shape(), kernel.integer("begin_params_axis"))));
  const Parameters<T> scale{values_or_null<T>(gamma), count, n},
      shift{values_or_null<T>(beta), count, n};
  T* mean = kernel.output(1).data<T>();
  T* variance = kernel.output(2).data<T>();
  if (x.size() == 0) {  // the mean of nothing
    std::fill_n(mean, lines, std::numeric_limits<T>::quiet_NaN());
    std::fill_n(variance, lines, std::numeric_limits<T>::quiet_NaN());
    return;
  }
  const T epsilon = T(kernel.real("epsilon"));
  const auto& loops = backend::norm_loops<T>();
  const bool one_block = count == n;
  platform::parallel_for(lines, n * 2, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t step = one_block ? end - begin : 1;
    for (std::int64_t i = begin; i < end; i += step) {
      loops.layer_lines(x.data<T>() + i * n, scale.of(i), shift.of(i), y.data<T>() + i * n,
                        mean + i, variance + i, step, n, epsilon);
    }
  });
  backend::narrow_into(y, kernel.output(0));
}

void layer_norm_rule(GradientContext& op) {
  const bool affine = op.has_input(1);
  ValueList gradients = op.call_all("layer_norm_gradient",
                                    {op.output_gradient(0), op.input(0),
                                     affine ? op.input(1) : Value(), op.output(1), op.output(2)},
                                    {{"begin_norm_axis", op.attribute("begin_norm_axis")},
                                     {"begin_params_axis", op.attribute("begin_params_axis")},
                                     {"epsilon", op.attribute("epsilon")}});
  Value dx = gradients[0];
  const Shape stats = statistics_shape(op.input_shape(0), op.integer("begin_norm_axis"));
  const double n = static_cast<double>(element_count(op.input_shape(0))) /
                   static_cast<double>(std::max<std::int64_t>(1, element_count(stats)));
  if (op.has_output_gradient(1))
    dx = dx + op.call("cast", {op.output_gradient(1) / n}, {{"dtype", dx.dtype()}});
  if (op.has_output_gradient(2)) {
    const Value distance = op.input(0) - op.output(1);
    dx = dx +
         op.call("cast", {op.output_gradient(2) * distance * (2.0 / n)}, {{"dtype", dx.dtype()}});
  }
  op.set_input_gradient(0, dx);
  const auto typed = [&](const Value& value, std::size_t input) {
    return value.dtype() == op.input_dtype(input)
               ? value
               : op.call("cast", {value}, {{"dtype", op.input_dtype(input)}});
  };
  if (affine && op.wants(1)) op.set_input_gradient(1, typed(gradients[1], 1));
  if (op.has_input(2) && op.wants(2)) op.set_input_gradient(2, typed(gradients[2], 2));
}

// Threads add up their own dgamma and dbeta; these are then joined in a fixed order.
template <class T>
void run_gradient(KernelContext& kernel) {
  const DType dtype = kDTypeOf<T>;
  const Tensor dy = wide_input(kernel, 0, dtype), x = wide_input(kernel, 1, dtype);
  const Tensor mean = wide_input(kernel, 3, dtype), variance = wide_input(kernel, 4, dtype);
  const Tensor dx = backend::wide_like(kernel.output(0));
  T* dgamma = kernel.output(1).data<T>();
  T* dbeta = kernel.output(2).data<T>();
  const std::int64_t lines = mean.size(), n = lines == 0 ? 0 : x.size() / lines;
  const Tensor gamma = covering<T>(wide_input(kernel, 2, dtype), n);
  const std::int64_t parameters = kernel.output(1).size();
  const std::int64_t count = std::max(parameters, n);
  std::fill_n(dgamma, parameters, T(0));
  std::fill_n(dbeta, parameters, T(0));
  if (x.size() == 0) return;
  const Parameters<T> scale{values_or_null<T>(gamma), std::max<std::int64_t>(count, 1), n};
  const auto& loops = backend::norm_loops<T>();
  constexpr std::int64_t kBlocks = 16;  // of lines; does not depend on the number of threads
  const std::int64_t block = (lines + kBlocks - 1) / kBlocks;
  const bool one_line = count == n;
  std::vector<T> sums(static_cast<std::size_t>(2 * count * kBlocks), T(0));
  platform::parallel_for(kBlocks, block * n * 3, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) {
      T* own = sums.data() + 2 * count * b;
      const std::int64_t last = std::min(lines, (b + 1) * block);
      const std::int64_t step = one_line ? std::max<std::int64_t>(1, last - b * block) : 1;
      for (std::int64_t i = b * block; i < last; i += step) {
        const std::int64_t at = (i * n) % std::max<std::int64_t>(count, 1);
        loops.layer_gradient_lines(dy.data<T>() + i * n, x.data<T>() + i * n, scale.of(i),
                                   mean.data<T>() + i, variance.data<T>() + i, dx.data<T>() + i * n,
                                   own + at, own + count + at, step, n, T(kernel.real("epsilon")));
      }
    }
  });
  for (std::int64_t b = 0; b < kBlocks; ++b) {
    for (std::int64_t i = 0; i < count; ++i) {
      dgamma[i % parameters] += sums[static_cast<std::size_t>(2 * count * b + i)];
      dbeta[i % parameters] += sums[static_cast<std::size_t>(2 * count * b + count + i)];
    }
  }
  backend::narrow_into(dx, kernel.output(0));
}

// Second derivative, from formulas on whole tensors. With xh = (x - m) v, v = 1 / sqrt(var + eps),
// h = dy gamma and G the gradients arriving here, per line of N values:
//   L = v (sum(Gx h) - sum(h) sum(Gx) / N - sum(h xh) sum(Gx xh) / N) + Gs . dgamma + Gb . dbeta
void layer_norm_gradient_rule(GradientContext& op) {
  const Shape& shape = op.input_shape(1);
  const auto rank = static_cast<std::int64_t>(shape.size());
  IntList axes, outer_axes;
  for (std::int64_t i = op.integer("begin_norm_axis"); i < rank; ++i) axes.push_back(i);
  for (std::int64_t i = 0; i < op.integer("begin_params_axis"); ++i) outer_axes.push_back(i);
  const double n =
      static_cast<double>(element_count(trailing(shape, op.integer("begin_norm_axis"))));
  const auto sum = [&](const Value& value) {
    return op.call("reduce_sum", {value}, {{"axis", axes}, {"keep_dims", true}});
  };
  const Value dy = op.input(0), x = op.input(1), mean = op.input(3);
  const Value v = op.call("rsqrt", {op.input(4) + op.real("epsilon")});
  const Value xh = (x - mean) * v;
  const bool affine = op.has_input(2);
  const Value h = affine ? dy * op.input(2) : dy;
  const Value gx = op.output_gradient(0), gs = op.output_gradient(1), gb = op.output_gradient(2);
  const Value a = sum(gx), b = sum(gx * xh), h_sum = sum(h), h_xh = sum(h * xh);
  const Value by_h = v * (gx - a / n - xh * (b / n));
  const Value by_xh = gs * dy - v * (h * (b / n) + gx * (h_xh / n));
  if (op.wants(0)) op.set_input_gradient(0, (affine ? by_h * op.input(2) : by_h) + gs * xh + gb);
  if (op.wants(1)) op.set_input_gradient(1, by_xh * v);
  if (affine && op.wants(2)) {
    const Value product = dy * by_h;
    op.set_input_gradient(
        2, outer_axes.empty() ? product : op.call("reduce_sum", {product}, {{"axis", outer_axes}}));
  }
  if (op.wants(3)) op.set_input_gradient(3, -(v * sum(by_xh)));
  if (op.wants(4)) {
    const Value by_v = sum(gx * h) - h_sum * a / n - h_xh * b / n + sum(by_xh * (x - mean));
    op.set_input_gradient(4, by_v * v * v * v * -0.5);
  }
}

}  // namespace

MYCEL_OP(layer_norm)
    .names({.primitive = "LayerNorm"})
    .doc("Normalises the trailing axes to mean 0 and variance 1, then scales and shifts.")
    .input("input_x", "Any tensor with at least one axis.", kFloating)
    .optional_input("gamma", "Scale: the shape of the axes from begin_params_axis.", kFloating)
    .optional_input("beta", "Shift, the same shape.", kFloating)
    .attribute("begin_norm_axis", "First axis that is normalised.", 1)
    .attribute("begin_params_axis", "First axis of gamma and beta.", 1)
    .attribute("epsilon", "Added to the variance.", 1e-7)
    .output("output", "Shape and dtype of the input.")
    .output("mean", "Mean of the normalised axes, kept with length 1.")
    .output("variance", "Population variance of the same.")
    .infer([](InferContext& op) {
      const TensorSpec& x = op.input(0);
      check_axes(op, x.shape);
      check_parameter(op, 1, x.shape);
      check_parameter(op, 2, x.shape);
      const Shape stats = statistics_shape(x.shape, op.integer("begin_norm_axis"));
      op.set_output(0, x.dtype, x.shape);
      op.set_output(1, statistics_type(x.dtype), stats);
      op.set_output(2, statistics_type(x.dtype), stats);
    })
    .gradient(layer_norm_rule)
    .keeps({"input_x", "gamma", "mean", "variance"})
    .sample("last axis", {normal({3, 5}), normal({5}), normal({5})}, {{"epsilon", 1e-5}})
    .sample("two axes", {normal({2, 3, 4}), normal({3, 4}), normal({3, 4})}, {{"epsilon", 1e-5}})
    .sample("different axes", {normal({2, 3, 4}), normal({4}), normal({4})},
            {{"begin_params_axis", 2}, {"epsilon", 1e-5}})
    .sample("plain", {normal({3, 5}), absent(), absent()}, {{"epsilon", 1e-5}})
    .sample_dtypes(kFloating);
MYCEL_CPU_KERNEL(layer_norm) {
  if (kernel.input(0).dtype() == DType::Float64) {
    run_forward<double>(kernel);
  } else {
    run_forward<float>(kernel);
  }
}

MYCEL_OP(layer_norm_gradient)
    .doc("Gradients of layer_norm with respect to its input, gamma and beta.")
    .input("output_gradient", "Gradient of the output.", kFloating)
    .input("input_x", "Input of layer_norm.", kFloating)
    .optional_input("gamma", "Scale.", kFloating)
    .input("mean", "As layer_norm gave it.", kFloating)
    .input("variance", "As layer_norm gave it.", kFloating)
    .attribute("begin_norm_axis", "First axis that is normalised.", 1)
    .attribute("begin_params_axis", "First axis of gamma and beta.", 1)
    .attribute("epsilon", "Added to the variance.", 1e-7)
    .output("input_gradient", "Like the input.")
    .output("gamma_gradient", "Like gamma.")
    .output("beta_gradient", "Like beta.")
    .infer([](InferContext& op) {
      const TensorSpec& x = op.input(1);
      check_axes(op, x.shape);
      check_parameter(op, 2, x.shape);
      check_shape(op, 0, x.shape);
      const Shape stats = statistics_shape(x.shape, op.integer("begin_norm_axis"));
      check_shape(op, 3, stats);
      check_shape(op, 4, stats);
      const Shape parameters = trailing(x.shape, op.integer("begin_params_axis"));
      op.set_output(0, x.dtype, x.shape);
      op.set_output(1, statistics_type(x.dtype), parameters);
      op.set_output(2, statistics_type(x.dtype), parameters);
    })
    .gradient(layer_norm_gradient_rule)
    .keeps({"output_gradient", "input_x", "gamma", "mean", "variance"})
    .sample("last axis",
            {normal({3, 5}), normal({3, 5}), normal({5}), normal({3, 1}), positive({3, 1})},
            {{"epsilon", 1e-5}})
    .sample("different axes",
            {normal({2, 3, 4}), normal({2, 3, 4}), normal({4}), normal({2, 1, 1}),
             positive({2, 1, 1})},
            {{"begin_params_axis", 2}, {"epsilon", 1e-5}});
MYCEL_CPU_KERNEL(layer_norm_gradient) {
  if (kernel.input(1).dtype() == DType::Float64) {
    run_gradient<double>(kernel);
  } else {
    run_gradient<float>(kernel);
  }
}

MYCEL_WRITES_MINDIR(layer_norm) {
  const auto x = call.input();
  const std::int64_t axis = call.axis("begin_norm_axis", x.rank());
  const std::int64_t of_scale = call.axis("begin_params_axis", x.rank());
  const Shape scaled(x.shape().begin() + of_scale, x.shape().end());
  const auto scale =
      call.has(1) ? call.typed(1) : call.filled(scaled, 1, DType::Float32).to(call.dtype());
  const auto bias =
      call.has(2) ? call.typed(2) : call.filled(scaled, 0, DType::Float32).to(call.dtype());
  std::vector<TensorSpec> types(3, {DType::Float32, call.outputs()[1].shape});
  types[0] = call.outputs()[0];
  return x.several("LayerNorm", {scale, bias}, types,
                   {{"begin_norm_axis", axis},
                    {"begin_params_axis", of_scale},
                    {"epsilon", call.real("epsilon")}},
                   call.wanted());
}

MYCEL_WRITES_ONNX(layer_norm) {
  const auto x = call.input();
  const std::int64_t rank = call.rank(), axis = call.axis("begin_norm_axis", rank);
  const bool is_read = call.is_read(1) || call.is_read(2);  // mean or variance
  if (axis == call.axis("begin_params_axis", rank) && !is_read) {
    const auto scale = call.has(1) ? call.typed(1) : call.filled(cut(call.shape(), axis, rank), 1);
    return x.add("LayerNormalization", {scale, call.typed(2)},
                 {{"axis", axis}, {"epsilon", call.real("epsilon")}});
  }
  const IntList axes = counted(axis, rank);
  const auto mean = reduced(x, "ReduceMean", axes);
  const auto spread = variance(x, axes);
  auto result = (x - mean) / (spread + call.attribute("epsilon")).add("Sqrt");
  if (call.has(1)) result = result * call.typed(1);
  if (call.has(2)) result = result + call.typed(2);
  return std::vector{result, mean, spread};
}

}  // namespace mycel::ops
