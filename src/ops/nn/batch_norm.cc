// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/batch_norm.h"

#include <algorithm>
#include <limits>

#include "backend/cpu/half_tensor.h"
#include "operator/blocking.h"
#include "operator/define.h"
#include "operator/writes_both.h"
#include "ops/nn/written_training.h"
#include "ops/reduce/mindir_reductions.h"
#include "ops/reduce/onnx_reductions.h"
#include "ops/shape/onnx_windows.h"

namespace mycel::ops {
namespace {

DType statistics_type(DType dtype) { return dtype == DType::Float64 ? dtype : DType::Float32; }

void check_channels(const InferContext& op, std::size_t x, std::size_t first, std::size_t last) {
  const Shape& shape = op.input(x).shape;
  op.require(shape.size() >= 2, ErrorKind::Value,
             "the dimension of the input must be at least 2, but got ", shape.size(), ".");
  for (std::size_t i = first; i < last; ++i) {
    if (!op.has_input(i)) continue;
    op.require(op.input(i).shape == Shape{shape[1]}, ErrorKind::Value, "the shape of '",
               op.definition().inputs[i].name, "' must be (", shape[1],
               ",), the channels of the input, but got ", op.input(i).shape, ".");
  }
}

backend::BatchNormShape channels_of(const Shape& shape) {
  backend::BatchNormShape s{shape[0], shape[1], 1};
  for (std::size_t i = 2; i < shape.size(); ++i) s.inner *= shape[i];
  return s;
}

Tensor wide_input(const KernelContext& kernel, std::size_t i, DType dtype) {
  return kernel.has_input(i) ? backend::as_floating(kernel.input(i), dtype) : Tensor();
}

void fill_each(std::initializer_list<Tensor> tensors, float value) {
  for (const Tensor& values : tensors) {
    with_float_type(values.dtype(),
                    [&]<class T>() { std::fill_n(values.data<T>(), values.size(), T(value)); });
  }
}

// Mean and variance of nothing, as NumPy has them; sums over nothing are 0.
constexpr float kNoMean = std::numeric_limits<float>::quiet_NaN();

// Shapes and sums for rules written on whole tensors.
template <class Context>
class Channels {
 public:
  Channels(Context& op, const Shape& shape) : op_(op) {
    stretched_ = Shape(shape.size(), 1);
    stretched_[1] = shape[1];
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (i == 1) continue;
      axes_.push_back(static_cast<std::int64_t>(i));
      count_ *= static_cast<double>(shape[i]);
    }
  }
  Value sum(const Value& value) const { return op_.call("reduce_sum", {value}, {{"axis", axes_}}); }
  Value stretch(const Value& per_channel) const {
    return op_.call("reshape", {per_channel}, {{"shape", stretched_}});
  }
  double count() const { return count_; }

 private:
  Context& op_;
  Shape stretched_;
  IntList axes_;
  double count_ = 1;
};

Value as_type(GradientContext& op, const Value& value, DType dtype) {
  return value.dtype() == dtype ? value : op.call("cast", {value}, {{"dtype", dtype}});
}

void training_rule(GradientContext& op) {
  const bool affine = op.has_input(1);
  const ValueList gradients =
      op.call_all("batch_norm_gradient",
                  {op.output_gradient(0), op.input(0), affine ? op.input(1) : Value(), op.output(1),
                   op.output(2)},
                  {{"epsilon", op.attribute("epsilon")}});
  const Channels channels(op, op.input_shape(0));
  Value dx = gradients[0];
  if (op.has_output_gradient(1)) {
    const Value share = channels.stretch(op.output_gradient(1) / channels.count());
    dx = dx + as_type(op, share, dx.dtype());
  }
  if (op.has_output_gradient(2)) {
    const Value distance = op.input(0) - channels.stretch(op.output(1));
    const Value share = channels.stretch(op.output_gradient(2) * (2.0 / channels.count()));
    dx = dx + as_type(op, share * distance, dx.dtype());
  }
  op.set_input_gradient(0, dx);
  if (affine && op.wants(1)) op.set_input_gradient(1, as_type(op, gradients[1], op.input_dtype(1)));
  if (op.has_input(2) && op.wants(2)) {
    op.set_input_gradient(2, as_type(op, gradients[2], op.input_dtype(2)));
  }
}

// Second derivative. With xh = (x - m) v, v = 1 / sqrt(var + eps), c = gamma v and G the gradients
// arriving here, per channel of N values:
//   L = c (sum(Gx dy) - db sum(Gx) / N - ds sum(Gx xh) / N) + Gs ds + Gb db,
// where ds = sum(dy xh) and db = sum(dy).
void training_gradient_rule(GradientContext& op) {
  const Channels ch(op, op.input_shape(1));
  const double n = ch.count();
  const Value dy = op.input(0), x = op.input(1);
  const Value v = op.call("rsqrt", {op.input(4) + op.real("epsilon")});
  const Value distance = x - ch.stretch(op.input(3));
  const Value xh = distance * ch.stretch(v);
  const bool affine = op.has_input(2);
  const Value c = affine ? op.input(2) * v : v;
  const Value gx = op.output_gradient(0), gs = op.output_gradient(1), gb = op.output_gradient(2);
  const Value a = ch.sum(gx), b = ch.sum(gx * xh), ds = ch.sum(dy * xh), db = ch.sum(dy);
  const Value by_ds = gs - c * b / n;
  const Value by_xh = ch.stretch(by_ds) * dy - ch.stretch(c * ds / n) * gx;
  const Value by_c = ch.sum(gx * dy) - db * a / n - ds * b / n;
  if (op.wants(0)) {
    op.set_input_gradient(0,
                          ch.stretch(c) * gx + ch.stretch(by_ds) * xh + ch.stretch(gb - c * a / n));
  }
  if (op.wants(1)) op.set_input_gradient(1, by_xh * ch.stretch(v));
  if (affine && op.wants(2)) op.set_input_gradient(2, by_c * v);
  if (op.wants(3)) op.set_input_gradient(3, -(v * ch.sum(by_xh)));
  if (op.wants(4)) {
    const Value by_v = (affine ? by_c * op.input(2) : by_c) + ch.sum(by_xh * distance);
    op.set_input_gradient(4, by_v * v * v * v * -0.5);
  }
}

void inference_rule(GradientContext& op) {
  const Channels ch(op, op.input_shape(0));
  const DType wide = statistics_type(op.input_dtype(0));
  const auto widen = [&](const Value& value) { return as_type(op, value, wide); };
  const Value dy = widen(op.output_gradient(0)), mean = widen(op.input(3));
  const Value v = op.call("rsqrt", {widen(op.input(4)) + op.real("epsilon")});
  const bool affine = op.has_input(1);
  const Value c = affine ? widen(op.input(1)) * v : v;
  const auto give = [&](std::size_t input, const Value& value) {
    op.set_input_gradient(input, as_type(op, value, op.input_dtype(input)));
  };
  if (op.wants(0)) give(0, dy * ch.stretch(c));
  const bool wants_shift = op.has_input(2) && op.wants(2);
  const Value db = wants_shift || op.wants(3) ? ch.sum(dy) : Value();
  if (wants_shift) give(2, db);
  if (op.wants(3)) give(3, -(db * c));
  if ((affine && op.wants(1)) || op.wants(4)) {
    const Value ds = ch.sum(dy * (widen(op.input(0)) - ch.stretch(mean)));
    if (affine && op.wants(1)) give(1, ds * v);
    if (op.wants(4)) give(4, ds * c * v * v * -0.5);
  }
}

// The variance that is remembered is Bessel-corrected; a single value counts as it is.
Value sample_variance(const Value& variance, double count) {
  return count > 1 ? variance * (count / (count - 1)) : variance;
}

struct BatchNormCall {
  Value x, scale, bias, mean, variance;
  bool training;
  double momentum, epsilon;
};

// Returns output, and in training also the batch's mean and variance.
ValueList run_batch_norm(CompositeContext& op, const BatchNormCall& call) {
  if (!call.training) {
    op.require(call.mean.defined() && call.variance.defined(), ErrorKind::Type,
               "the moving mean and variance must be Tensors in inference, but got None.");
    return op.call_all("batch_norm_inference",
                       {call.x, call.scale, call.bias, call.mean, call.variance},
                       {{"epsilon", call.epsilon}});
  }
  ValueList results = op.call_all("batch_norm_training", {call.x, call.scale, call.bias},
                                  {{"epsilon", call.epsilon}});
  const double count = Channels(op, call.x.shape()).count();
  if (count == 0) return results;  // an empty batch teaches nothing
  if (call.mean.defined() && call.momentum != 0) {
    op.call("moving_average_update", {call.mean, results[1]}, {{"momentum", call.momentum}});
  }
  if (call.variance.defined() && call.momentum != 0) {
    op.call("moving_average_update", {call.variance, sample_variance(results[2], count)},
            {{"momentum", call.momentum}});
  }
  return results;
}

Value optional_value(const CompositeContext& op, std::size_t i) {
  return op.has_input(i) ? op.input(i) : Value();
}

void run_function(CompositeContext& op) {
  op.require(op.input(0).rank() >= 2, ErrorKind::Value,
             "the dimension of 'input_x' must be at least 2, but got ", op.input(0).rank(), ".");
  const ValueList results = run_batch_norm(
      op, {op.input(0), optional_value(op, 3), optional_value(op, 4), optional_value(op, 1),
           optional_value(op, 2), op.flag("training"), op.real("momentum"), op.real("eps")});
  op.set_output(0, results[0]);
}

void run_primitive(CompositeContext& op) {
  const bool last = op.text("data_format") == "NHWC";
  op.require(last || op.text("data_format") == "NCHW", ErrorKind::Value,
             "'data_format' must be 'NCHW' or 'NHWC', but got '", op.text("data_format"), "'.");
  const std::int64_t rank = op.input(0).rank();
  op.require(rank >= 2 && (!last || rank == 4), ErrorKind::Value,
             "the dimension of 'input_x' must be ", last ? "4" : "at least 2", ", but got ", rank,
             ".");
  const Value x =
      last ? op.call("transpose", {op.input(0)}, {{"perm", IntList{0, 3, 1, 2}}}) : op.input(0);
  const bool training = op.flag("is_training");
  const ValueList results =
      run_batch_norm(op, {x, op.input(1), op.input(2), op.input(3), op.input(4), training,
                          op.real("momentum"), op.real("epsilon")});
  const Value mean = training ? results[1] : op.input(3);
  const Value variance = training ? results[2] : op.input(4);
  op.set_output(
      0, last ? op.call("transpose", {results[0]}, {{"perm", IntList{0, 2, 3, 1}}}) : results[0]);
  for (std::size_t i = 0; i < 2; ++i) {
    op.set_output(1 + 2 * i, mean);
    op.set_output(2 + 2 * i, variance);
  }
}

}  // namespace

MYCEL_OP(batch_norm_training)
    .doc("Normalises every channel by the mean and variance of the batch, then scales and shifts.")
    .input("input", "(N, C, ...).", kFloating)
    .optional_input("scale", "(C,).", kFloating)
    .optional_input("bias", "(C,).", kFloating)
    .attribute("epsilon", "Added to the variance.", 1e-5)
    .output("output", "Like the input.")
    .output("mean", "(C,).")
    .output("variance", "(C,), of the population.")
    .infer([](InferContext& op) {
      check_channels(op, 0, 1, 3);
      const TensorSpec& x = op.input(0);
      op.set_output(0, x.dtype, x.shape);
      op.set_output(1, statistics_type(x.dtype), {x.shape[1]});
      op.set_output(2, statistics_type(x.dtype), {x.shape[1]});
    })
    .gradient(training_rule)
    .keeps({"input", "scale", "mean", "variance"})
    .traits({.plan_blocks = block_first})
    .sample("images", {normal({3, 2, 2, 3}), positive({2}), normal({2})})
    .sample("rows", {normal({5, 4}), positive({4}), normal({4})})
    .sample("plain", {normal({3, 2, 4}), absent(), absent()})
    .sample_dtypes(kFloating);
MYCEL_CPU_KERNEL(batch_norm_training) {
  const Tensor x = backend::widened(kernel.input(0));
  const Tensor y = backend::wide_like(kernel.output(0));
  if (x.size() == 0) return fill_each({kernel.output(1), kernel.output(2)}, kNoMean);
  backend::batch_norm_training(channels_of(x.shape()), x, wide_input(kernel, 1, x.dtype()),
                               wide_input(kernel, 2, x.dtype()), kernel.real("epsilon"), y,
                               kernel.output(1), kernel.output(2));
  backend::narrow_into(y, kernel.output(0));
}

MYCEL_OP(batch_norm_gradient)
    .doc("Gradients of batch_norm_training with respect to its input, scale and bias.")
    .input("output_gradient", "Gradient of the output.", kFloating)
    .input("input", "Input of the forward operator.", kFloating)
    .optional_input("scale", "(C,).", kFloating)
    .input("mean", "As the forward operator gave it.", kFloating)
    .input("variance", "As the forward operator gave it.", kFloating)
    .attribute("epsilon", "Added to the variance.", 1e-5)
    .output("input_gradient", "Like the input.")
    .output("scale_gradient", "(C,).")
    .output("bias_gradient", "(C,).")
    .infer([](InferContext& op) {
      check_channels(op, 1, 2, 5);
      const TensorSpec& x = op.input(1);
      op.require(op.input(0).shape == x.shape, ErrorKind::Value,
                 "both tensors must have one shape, but got ", op.input(0).shape, " and ", x.shape,
                 ".");
      op.set_output(0, x.dtype, x.shape);
      op.set_output(1, statistics_type(x.dtype), {x.shape[1]});
      op.set_output(2, statistics_type(x.dtype), {x.shape[1]});
    })
    .gradient(training_gradient_rule)
    .keeps({"output_gradient", "input", "scale", "mean", "variance"})
    .traits({.plan_blocks = block_first_two})
    .sample("images",
            {normal({3, 2, 2}), normal({3, 2, 2}), positive({2}), normal({2}), positive({2})});
MYCEL_CPU_KERNEL(batch_norm_gradient) {
  const Tensor x = backend::widened(kernel.input(1));
  const auto given = [&](std::size_t i) { return wide_input(kernel, i, x.dtype()); };
  const Tensor dx = backend::wide_like(kernel.output(0));
  if (x.size() == 0) return fill_each({kernel.output(1), kernel.output(2)}, 0);
  backend::batch_norm_gradient(channels_of(x.shape()), given(0), x, given(2), given(3), given(4),
                               kernel.real("epsilon"), dx, kernel.output(1), kernel.output(2));
  backend::narrow_into(dx, kernel.output(0));
}

MYCEL_OP(batch_norm_inference)
    .doc("Normalises every channel by a given mean and variance, then scales and shifts.")
    .input("input", "(N, C, ...).", kFloating)
    .optional_input("scale", "(C,).", kFloating)
    .optional_input("bias", "(C,).", kFloating)
    .input("mean", "(C,).", kFloating)
    .input("variance", "(C,).", kFloating)
    .attribute("epsilon", "Added to the variance.", 1e-5)
    .output("output", "Like the input.")
    .infer([](InferContext& op) {
      check_channels(op, 0, 1, 5);
      op.set_output(0, op.input(0));
    })
    .gradient(inference_rule)
    .keeps({"input", "scale", "mean", "variance"})
    .traits({.plan_blocks = block_first})
    .sample("images",
            {normal({3, 2, 2, 3}), positive({2}), normal({2}), normal({2}), positive({2})})
    .sample("rows", {normal({3, 4}), positive({4}), normal({4}), normal({4}), positive({4})})
    .sample_dtypes(kFloating);
MYCEL_CPU_KERNEL(batch_norm_inference) {
  const Tensor x = backend::widened(kernel.input(0));
  const Tensor y = backend::wide_like(kernel.output(0));
  const DType wide = x.dtype();
  backend::batch_norm_inference(channels_of(x.shape()), x, wide_input(kernel, 1, wide),
                                wide_input(kernel, 2, wide), wide_input(kernel, 3, wide),
                                wide_input(kernel, 4, wide), kernel.real("epsilon"), y);
  backend::narrow_into(y, kernel.output(0));
}

MYCEL_OP(moving_average_update)
    .doc("Moves a remembered value towards a new one: (1 - momentum) * moving + momentum * value.")
    .input("moving", "Written in place.", kFloating)
    .input("value", "Same shape.", kFloating)
    .attribute("momentum", "Share of the new value.", 0.1)
    .in_place_output("updated", "`moving` itself.", 0)
    .infer([](InferContext& op) {
      op.require(op.input(0).shape == op.input(1).shape, ErrorKind::Value,
                 "both inputs must have one shape, but got ", op.input(0).shape, " and ",
                 op.input(1).shape, ".");
      op.set_output(0, op.input(0));
    })
    .not_differentiable()
    .sample("plain", {normal({4}), normal({4})});
MYCEL_CPU_KERNEL(moving_average_update) {
  const Tensor& moving = kernel.output(0);
  const Tensor old = backend::as_floating(moving, DType::Float64);
  const Tensor value = backend::as_floating(kernel.input(1), DType::Float64);
  const Tensor mixed = Tensor::empty(moving.shape(), DType::Float64);
  const double share = kernel.real("momentum");
  for (std::int64_t i = 0; i < mixed.size(); ++i) {
    mixed.data<double>()[i] = (1 - share) * old.data<double>()[i] + share * value.data<double>()[i];
  }
  copy_elements(backend::as_floating(mixed, moving.dtype()), moving);
}

MYCEL_OP(batch_norm)
    .names({.function = "batch_norm"})
    .doc("Normalises every channel. In training the moving mean and variance follow the batch's.")
    .input("input_x", "(N, C, ...).", kFloating)
    .optional_input("running_mean", "(C,), updated in training.", kFloating)
    .optional_input("running_var", "(C,), updated in training.", kFloating)
    .optional_input("weight", "(C,).", kFloating)
    .optional_input("bias", "(C,).", kFloating)
    .attribute("training", "Use and remember the batch's statistics.", false)
    .attribute("momentum", "Share of the batch in the moving values.", 0.1)
    .attribute("eps", "Added to the variance.", 1e-5)
    .output("output", "Like the input.")
    .effects()
    .composite(run_function)
    .sample("inference",
            {normal({2, 3, 2, 2}), normal({3}), positive({3}), normal({3}), normal({3})});

MYCEL_OP(batch_norm_primitive)
    .names({.primitive = "BatchNorm"})
    .doc("Normalises every channel. In training the moving mean and variance follow the batch's.")
    .input("input_x", "(N, C, ...), or (N, H, W, C).", kFloating)
    .input("scale", "(C,).", kFloating)
    .input("bias", "(C,).", kFloating)
    .input("mean", "(C,), updated in training.", kFloating)
    .input("variance", "(C,), updated in training.", kFloating)
    .attribute("is_training", "Use and remember the batch's statistics.", false)
    .attribute("epsilon", "Added to the variance.", 1e-5)
    .attribute("momentum", "Share of the batch in the moving values.", 0.1)
    .attribute("data_format", "Order of the axes.", "NCHW")
    .output("output_x", "Like the input.")
    .output("batch_mean", "(C,).")
    .output("batch_variance", "(C,).")
    .output("reserve_space_1", "The mean again.")
    .output("reserve_space_2", "The variance again.")
    .effects()
    .composite(run_primitive)
    .sample("inference",
            {normal({2, 3, 2, 2}), normal({3}), normal({3}), normal({3}), positive({3})});

static mindir::Symbol vector_or(const mindir::Call& call, std::size_t i, double value) {
  return call.has(i) ? call.input(i) : call.filled({call.shape()[1]}, value, DType::Float32);
}

MYCEL_WRITES_MINDIR(batch_norm_inference) {
  const auto scale = vector_or(call, 1, 1);
  const auto bias = vector_or(call, 2, 0);
  auto x = call.input();
  if (x.rank() != 2 && x.rank() != 4)  // kernels know rows and images
    x = x.reshape({x.size(0), x.size(1), element_count(cut(x.shape(), 2, x.rank())), 1});
  std::vector<TensorSpec> types(5, scale.spec());
  types[0] = x.spec();
  const auto mean = call.input(3);
  return x
      .several("BatchNorm", {scale, bias, mean, call.input(4)}, types,
               {{"is_training", false},
                {"epsilon", call.real("epsilon")},
                {"momentum", 0.1},
                {"format", "NCHW"}},
               1)[0]
      .reshape(call.shape());
}

MYCEL_WRITES_MINDIR(batch_norm_training) {
  const auto x = call.input();
  IntList axes = counted(0, x.rank());
  axes.erase(1);
  const auto mean = reduced(x, "ReduceMean", axes);
  const auto variance = reduced(squared_distance(x, axes), "ReduceMean", axes);
  const auto distance = x - mean;
  auto result = distance / (variance + call.attribute("epsilon")).add("Sqrt");
  const Shape along = with_size(Shape(x.shape().size() - 1, 1), 0, x.size(1));
  if (call.has(1)) result = result * call.typed(1).reshape(along);
  if (call.has(2)) result = result + call.typed(2).reshape(along);
  const auto flat_mean = mean.reshape({x.size(1)});
  return std::vector{result, flat_mean, variance.reshape({x.size(1)})};
}

MYCEL_WRITES(moving_average_update) { refuse_training(call); }

MYCEL_WRITES_ONNX(batch_norm_inference) {
  const Shape channels{call.shape()[1]};
  const auto scale = call.has(1) ? call.typed(1) : call.filled(channels, 1);
  const auto bias = call.has(2) ? call.typed(2) : call.filled(channels, 0);
  return call.input().add("BatchNormalization", {scale, bias, call.typed(3), call.typed(4)},
                          {{"epsilon", call.real("epsilon")}});
}

MYCEL_WRITES_ONNX(batch_norm_training) {
  const auto x = call.input();
  const IntList axes = joint({{0}, counted(2, call.rank())});
  const auto mean = reduced(x, "ReduceMean", axes);
  const auto spread = variance(x, axes);
  auto result = (x - mean) / (spread + call.attribute("epsilon")).add("Sqrt");
  const Shape channels{call.shape()[1]};
  const Shape stretched = joint({channels, Shape(call.shape().size() - 2, 1)});
  if (call.has(1)) result = result * call.typed(1).reshape(stretched);
  if (call.has(2)) result = result + call.typed(2).reshape(stretched);
  return std::vector{result, mean.reshape(channels), spread.reshape(channels)};
}

}  // namespace mycel::ops
