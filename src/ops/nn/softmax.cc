// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/half_tensor.h"
#include "backend/cpu/loops/softmax_loops.h"
#include "operator/define.h"
#include "operator/mindir_call.h"
#include "operator/onnx_call.h"
#include "operator/stored_call.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {
namespace {

using backend::SoftmaxKind;

struct Lines {
  std::int64_t outer = 1, length = 1, inner = 1;

  Lines(const Shape& shape, std::int64_t axis) {
    if (shape.empty()) return;  // one number is a line of length one
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      (at < axis ? outer : at == axis ? length : inner) *= shape[i];
    }
  }
};

constexpr std::int64_t kCostPerElement = 4;  // an exponential costs several plain elements

template <class Body>
void with_wide_type(DType dtype, const Body& body) {
  if (dtype == DType::Float64) {
    body.template operator()<double>();
  } else {
    body.template operator()<float>();
  }
}

// Runs lines(first, count) where lines are dense, else columns(outer index, begin, end).
template <class RunLines, class RunColumns>
void share_out(const Lines& l, const RunLines& lines, const RunColumns& columns) {
  if (l.inner == 1) {
    platform::parallel_for(
        l.outer, l.length * kCostPerElement,
        [&](std::int64_t begin, std::int64_t end) { lines(begin, end - begin); });
    return;
  }
  constexpr std::int64_t kBlock = 128;
  const std::int64_t blocks = (l.inner + kBlock - 1) / kBlock;
  platform::parallel_for(l.outer * blocks, l.length * kBlock * kCostPerElement,
                         [&](std::int64_t begin, std::int64_t end) {
                           for (std::int64_t job = begin; job < end; ++job) {
                             const std::int64_t first = job % blocks * kBlock;
                             columns(job / blocks, first, std::min(first + kBlock, l.inner));
                           }
                         });
}

void run_forward(KernelContext& kernel, SoftmaxKind kind) {
  const Tensor x = backend::widened(kernel.input(0));
  const Tensor y = backend::wide_like(kernel.output(0));
  if (x.size() == 0) return;
  const Lines l(x.shape(), kernel.integer("axis"));
  with_wide_type(x.dtype(), [&]<class T>() {
    const backend::SoftmaxLoops<T>& loops = backend::softmax_loops<T>();
    const T* from = x.data<T>();
    T* to = y.data<T>();
    share_out(
        l,
        [&](std::int64_t first, std::int64_t count) {
          loops.lines(kind, from + first * l.length, to + first * l.length, count, l.length);
        },
        [&](std::int64_t outer, std::int64_t begin, std::int64_t end) {
          const std::int64_t at = outer * l.length * l.inner;
          loops.columns(kind, from + at, to + at, l.length, l.inner, begin, end);
        });
  });
  backend::narrow_into(y, kernel.output(0));
}

void run_gradient(KernelContext& kernel, SoftmaxKind kind) {
  const Tensor dy = backend::widened(kernel.input(0)), y = backend::widened(kernel.input(1));
  const Tensor dx = backend::wide_like(kernel.output(0));
  if (y.size() == 0) return;
  const Lines l(y.shape(), kernel.integer("axis"));
  with_wide_type(y.dtype(), [&]<class T>() {
    const backend::SoftmaxLoops<T>& loops = backend::softmax_loops<T>();
    const T* g = dy.data<T>();
    const T* v = y.data<T>();
    T* to = dx.data<T>();
    share_out(
        l,
        [&](std::int64_t first, std::int64_t count) {
          const std::int64_t at = first * l.length;
          loops.gradient_lines(kind, g + at, v + at, to + at, count, l.length);
        },
        [&](std::int64_t outer, std::int64_t begin, std::int64_t end) {
          const std::int64_t at = outer * l.length * l.inner;
          loops.gradient_columns(kind, g + at, v + at, to + at, l.length, l.inner, begin, end);
        });
  });
  backend::narrow_into(dx, kernel.output(0));
}

void normalize_line_axis(InferContext& op) {
  if (op.input(0).rank() == 0) {
    const std::int64_t axis = op.integer("axis");
    op.require(axis == 0 || axis == -1, ErrorKind::Value, "'axis' must be in [-1, 1), but got ",
               axis, ".");
    op.set_attribute("axis", 0);
  } else {
    op.normalize_axis("axis", op.input(0).rank());
  }
}

void infer_gradient(InferContext& op) {
  op.require(op.input(0).shape == op.input(1).shape && op.input(0).dtype == op.input(1).dtype,
             ErrorKind::Value, "both inputs must have one shape and dtype, but got ",
             op.input(0).shape, " and ", op.input(1).shape, ".");
  normalize_line_axis(op);
  op.set_output(0, op.input(0));
}

Value line_sum(GradientContext& op, const Value& value) {
  if (value.rank() == 0) return value;
  return op.call("reduce_sum", {value},
                 {{"axis", IntList{op.integer("axis")}}, {"keep_dims", true}});
}

}  // namespace

MYCEL_OP(softmax)
    .names({.primitive = "Softmax", .function = "softmax"})
    .doc("Exponentials along one axis, scaled to sum to one.")
    .numpy(
        "(lambda e: e / e.sum(axis, keepdims=True))"
        "(np.exp(input - input.max(axis, keepdims=True, initial=-np.inf)))")
    .input("input", "Scores of any shape.", kFloating)
    .attribute("axis", "Axis the result sums to one along.", -1)
    .attribute("dtype", "Type to compute in; None: that of `input`.",
               optional(AttributeType::DType), {.in_call = true})
    .output("output", "Same shape as `input`.")
    .infer([](InferContext& op) {
      normalize_line_axis(op);
      const DType dtype = op.is_none("dtype") ? op.input(0).dtype : op.dtype("dtype");
      op.require(is_floating(dtype), ErrorKind::Type, "'dtype' must be a floating type, but got ",
                 dtype, ".");
      if (dtype != op.input(0).dtype) op.cast_input(0, dtype);
      op.set_output(0, dtype, op.input(0).shape);
    })
    .gradient([](GradientContext& op) {
      op.set_input_gradient(0, op.call("softmax_gradient", {op.output_gradient(0), op.output(0)},
                                       {{"axis", op.attribute("axis")}}));
    })
    .keeps({"output"})
    .sample("rows", {normal({4, 7})})
    .sample("columns", {normal({3, 5, 4})}, {{"axis", 1}})
    .sample("huge scores do not overflow", {constant({2, 3}, 1e4)})
    .sample("empty", {normal({0, 3})})
    .sample_dtypes(kFloating);
MYCEL_CPU_KERNEL(softmax) { run_forward(kernel, SoftmaxKind::Plain); }

MYCEL_OP(softmax_gradient)
    .doc("y * (dy - sum(dy * y)) along one axis.")
    .input("output_gradient", "dy.", kFloating)
    .input("output", "y, a softmax.", kFloating)
    .attribute("axis", "Axis of the softmax.", -1)
    .output("input_gradient", "Same shape.")
    .infer(infer_gradient)
    .gradient([](GradientContext& op) {
      const Value g = op.output_gradient(0), dy = op.input(0), y = op.input(1);
      if (op.wants(0)) {
        op.set_input_gradient(
            0, op.call("softmax_gradient", {g, y}, {{"axis", op.attribute("axis")}}));
      }
      if (op.wants(1)) {
        op.set_input_gradient(1, g * (dy - line_sum(op, dy * y)) - dy * line_sum(op, g * y));
      }
    })
    .keeps({"output_gradient", "output"})
    .sample("rows", {normal({3, 4}), uniform({3, 4}, 0.1, 0.4)});
MYCEL_CPU_KERNEL(softmax_gradient) { run_gradient(kernel, SoftmaxKind::Plain); }

MYCEL_OP(log_softmax)
    .names({.primitive = "LogSoftmax", .function = "log_softmax"})
    .doc("Logarithm of the softmax along one axis.")
    .numpy(
        "(lambda d: d - np.log(np.exp(d).sum(axis, keepdims=True)))"
        "(logits - logits.max(axis, keepdims=True, initial=-np.inf))")
    .input("logits", "Scores of any shape.", kFloating)
    .attribute("axis", "Axis the probabilities sum to one along.", -1)
    .output("output", "Same shape and type as `logits`.")
    .infer([](InferContext& op) {
      normalize_line_axis(op);
      op.set_output(0, op.input(0));
    })
    .gradient([](GradientContext& op) {
      op.set_input_gradient(0,
                            op.call("log_softmax_gradient", {op.output_gradient(0), op.output(0)},
                                    {{"axis", op.attribute("axis")}}));
    })
    .keeps({"output"})
    .sample("rows", {normal({4, 7})})
    .sample("columns", {normal({3, 5, 4})}, {{"axis", 1}})
    .sample("huge scores do not overflow", {constant({2, 3}, 1e4)})
    .sample_dtypes(kFloating);
MYCEL_CPU_KERNEL(log_softmax) { run_forward(kernel, SoftmaxKind::Logarithm); }

MYCEL_OP(log_softmax_gradient)
    .doc("dy - exp(y) * sum(dy) along one axis.")
    .input("output_gradient", "dy.", kFloating)
    .input("output", "y, a logarithm of a softmax.", kFloating)
    .attribute("axis", "Axis of the softmax.", -1)
    .output("input_gradient", "Same shape.")
    .infer(infer_gradient)
    .gradient([](GradientContext& op) {
      const Value g = op.output_gradient(0);
      const Value p = op.call("exp", {op.input(1)});
      if (op.wants(0)) op.set_input_gradient(0, g - line_sum(op, g * p));
      if (op.wants(1)) op.set_input_gradient(1, -(g * p * line_sum(op, op.input(0))));
    })
    .keeps({"output_gradient", "output"})
    .sample("rows", {normal({3, 4}), uniform({3, 4}, -2, -0.5)});
MYCEL_CPU_KERNEL(log_softmax_gradient) { run_gradient(kernel, SoftmaxKind::Logarithm); }

// Along one axis; before version 13 along this and all later ones together.
static Value along_axis(const StoredCall& call, std::string_view op) {
  const Value x = call.tensor("input");
  if (call.version() >= 13) return call.call(op, {x}, {{"axis", call.integer("axis", -1)}});
  const Shape shape = x.shape();
  std::int64_t axis = call.integer("axis", 1);
  if (axis < 0) axis += x.rank();
  call.require(axis >= 0 && axis <= x.rank(), ErrorKind::Value, "there is no axis ", axis, ".");
  IntList kept(shape.begin(), shape.begin() + axis);
  kept.push_back(element_count(Shape(shape.begin() + axis, shape.end())));
  return call.reshape(call.call(op, {call.reshape(x, kept)}, {{"axis", -1}}), shape);
}

MYCEL_ONNX(Softmax, "input") { return along_axis(call, "softmax"); }
MYCEL_ONNX(LogSoftmax, "input") { return along_axis(call, "log_softmax"); }

MYCEL_WRITES_MINDIR(softmax) {
  const auto x = call.typed();
  return x.rank() == 0 ? x.number(1)
                       : x.add("Softmax", {}, {}, {{"axis", IntList{call.integer("axis")}}});
}

MYCEL_WRITES_ONNX(softmax) { return call.same("Softmax", {{"axis", call.integer("axis")}}); }
MYCEL_WRITES_ONNX(log_softmax) { return call.same("LogSoftmax", {{"axis", call.integer("axis")}}); }

}  // namespace mycel::ops
