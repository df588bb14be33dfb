// SPDX-License-Identifier: Apache-2.0
// Softmax, logarithm and choice of the labelled class in one walk over the scores.
#include "backend/cpu/half_tensor.h"
#include "backend/cpu/loops/softmax_loops.h"
#include "operator/define.h"
#include "ops/nn/class_labels.h"
#include "ops/nn/mindir_classes.h"
#include "ops/nn/onnx_classes.h"
#include "ops/reduce/mindir_reductions.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {
namespace {

DType statistics_type(DType dtype) { return dtype == DType::Float64 ? dtype : DType::Float32; }

void check_rows(const InferContext& op, const TensorSpec& logits, const TensorSpec& labels) {
  op.require(logits.rank() == 2, ErrorKind::Value, "the dimension of 'logits' must be 2, but got ",
             logits.rank(), ".");
  op.require(labels.shape == Shape{logits.shape[0]}, ErrorKind::Value,
             "the shape of 'labels' must be (", logits.shape[0], ",), but got ",
             to_string(labels.shape), ".");
}

template <class T>
void run_forward(KernelContext& kernel) {
  const Tensor x = backend::widened(kernel.input(0));
  const std::int64_t rows = x.shape()[0], classes = x.shape()[1];
  const std::vector<std::int64_t> labels = checked_labels(kernel, kernel.input(1), classes);
  T* loss = kernel.output(0).data<T>();
  T* sums = kernel.output(1).data<T>();
  platform::parallel_for(rows, classes * 4, [&](std::int64_t begin, std::int64_t end) {
    backend::softmax_loops<T>().log_sums(x.data<T>() + begin * classes, sums + begin, end - begin,
                                         classes);
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t label = labels[static_cast<std::size_t>(i)];
      loss[i] = label == kIgnored ? T(0) : sums[i] - x.data<T>()[i * classes + label];
    }
  });
}

template <class T>
void run_gradient(KernelContext& kernel) {
  const Tensor x = backend::widened(kernel.input(1));
  const Tensor dx = backend::wide_like(kernel.output(0));
  const Tensor sums = kernel.dense(3);
  const std::int64_t rows = x.shape()[0], classes = x.shape()[1];
  const std::vector<std::int64_t> labels = checked_labels(kernel, kernel.input(2), classes);
  const Tensor given = kernel.dense(0);
  std::vector<T> factors(given.data<T>(), given.data<T>() + rows);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (labels[i] == kIgnored) factors[i] = T(0);
  }
  platform::parallel_for(rows, classes * 4, [&](std::int64_t begin, std::int64_t end) {
    backend::softmax_loops<T>().scaled_softmax(
        x.data<T>() + begin * classes, sums.data<T>() + begin, factors.data() + begin,
        dx.data<T>() + begin * classes, end - begin, classes);
    for (std::int64_t i = begin; i < end; ++i) {
      const auto row = static_cast<std::size_t>(i);
      if (labels[row] != kIgnored) dx.data<T>()[i * classes + labels[row]] -= factors[row];
    }
  });
  backend::narrow_into(dx, kernel.output(0));
}

Value column(GradientContext& op, const Value& value) {
  return op.call("expand_dims", {value}, {{"axis", 1}});
}

Value typed(GradientContext& op, const Value& value, DType dtype) {
  return value.dtype() == dtype ? value : op.call("cast", {value}, {{"dtype", dtype}});
}

}  // namespace

MYCEL_OP(sparse_cross_entropy)
    .doc("Per row: logarithm of the sum of exponentials, minus the score of the labelled class.")
    .input("logits", "(N, C).", kFloating)
    .input("labels", "(N,), class numbers.", kIndex)
    .attribute("ignore_index", "Label whose rows have a loss of 0. None: no label.",
               Nullable{AttributeType::Int, -100})
    .output("loss", "(N,).")
    .output("log_sum", "(N,), the logarithm of the sum of exponentials.")
    .infer([](InferContext& op) {
      check_rows(op, op.input(0), op.input(1));
      for (std::size_t i = 0; i < 2; ++i) {
        op.set_output(i, statistics_type(op.input(0).dtype), {op.input(0).shape[0]});
      }
    })
    .gradient([](GradientContext& op) {
      Value dx = op.call("sparse_cross_entropy_gradient",
                         {op.output_gradient(0), op.input(0), op.input(1), op.output(1)},
                         {{"ignore_index", op.attribute("ignore_index")}});
      if (op.has_output_gradient(1)) {
        const Value p = op.call("exp", {op.input(0) - column(op, op.output(1))});
        dx = dx + typed(op, p * column(op, op.output_gradient(1)), dx.dtype());
      }
      op.set_input_gradient(0, dx);
    })
    .keeps({"logits", "labels", "log_sum"})
    .sample("rows", {normal({4, 5}), integers({4}, 0, 5)})
    .sample("many classes", {normal({3, 40}), integers({3}, 0, 40, DType::Int32)})
    .sample_dtypes(kFloating);
MYCEL_CPU_KERNEL(sparse_cross_entropy) {
  if (kernel.input(0).dtype() == DType::Float64) {
    run_forward<double>(kernel);
  } else {
    run_forward<float>(kernel);
  }
}

MYCEL_OP(sparse_cross_entropy_gradient)
    .doc("(softmax - one_hot(labels)) * loss_gradient, row by row.")
    .input("loss_gradient", "(N,).", kFloating)
    .input("logits", "(N, C).", kFloating)
    .input("labels", "(N,), class numbers.", kIndex)
    .input("log_sum", "(N,), as sparse_cross_entropy gave it.", kFloating)
    .attribute("ignore_index", "Label whose rows have a gradient of 0. None: no label.",
               Nullable{AttributeType::Int, -100})
    .output("logits_gradient", "(N, C).")
    .infer([](InferContext& op) {
      check_rows(op, op.input(1), op.input(2));
      const DType wide = statistics_type(op.input(1).dtype);
      for (const std::size_t i : {std::size_t{0}, std::size_t{3}}) {
        op.require(op.input(i).shape == op.input(2).shape && op.input(i).dtype == wide,
                   ErrorKind::Value, "'", op.definition().inputs[i].name,
                   "' must be a number per row of type ", wide, ".");
      }
      op.set_output(0, op.input(1));
    })
    .gradient([](GradientContext& op) {
      // z = (p - t) d with p = exp(x - s); ignored rows have d = 0.
      const Value g = op.output_gradient(0);
      const NamedAttribute ignore{"ignore_index", op.attribute("ignore_index")};
      const Value one =
          op.call("class_weights", {op.input(2), {}},
                  {ignore, {"classes", op.input_shape(1)[1]}, {"dtype", op.input_dtype(0)}});
      const Value d = op.input(0) * one;
      const Value p = op.call("exp", {op.input(1) - column(op, op.input(3))});
      const Value gp = g * p;
      const Value total = op.call("reduce_sum", {gp}, {{"axis", IntList{1}}});
      if (op.wants(0)) {
        const Value picked = op.call("pick_class", {g, op.input(2)}, {ignore});
        op.set_input_gradient(0, typed(op, (total - picked) * one, op.input_dtype(0)));
      }
      if (op.wants(1)) op.set_input_gradient(1, typed(op, gp * column(op, d), op.input_dtype(1)));
      if (op.wants(3)) op.set_input_gradient(3, typed(op, -(total * d), op.input_dtype(3)));
    })
    .keeps({"loss_gradient", "logits", "labels", "log_sum"})
    .sample("rows", {normal({4}), normal({4, 5}), integers({4}, 0, 5), normal({4})});
MYCEL_CPU_KERNEL(sparse_cross_entropy_gradient) {
  if (kernel.input(1).dtype() == DType::Float64) {
    run_gradient<double>(kernel);
  } else {
    run_gradient<float>(kernel);
  }
}

MYCEL_WRITES_MINDIR(sparse_cross_entropy) {
  const auto x = call.input();
  const auto most = reduced(x, "ReduceMax", {1});
  const auto sum = reduced((x - most).add("Exp"), "ReduceSum", {1});
  const auto total = (sum.add("Log") + most).reshape(call.shape());
  const auto chosen = chosen_classes(call, x.size(1), x.rank());
  const auto picked = reduced(chosen.where(x, 0), "ReduceSum", {1}, false);
  const auto counts = counting(call, call.input(1));
  return std::vector{counts.where(total - picked, 0), total};
}

MYCEL_WRITES_ONNX(sparse_cross_entropy) {
  const auto logits = call.input();
  const auto loss = -OnnxLabels(call, 1).picked(logits.add("LogSoftmax", {}, {{"axis", 1}}));
  const auto log_sum =
      logits.add("ReduceLogSumExp", {}, {{"axes", IntList{1}}, {"keepdims", false}});
  return std::vector{loss, log_sum};
}

}  // namespace mycel::ops
