// SPDX-License-Identifier: Apache-2.0
// The value of the labelled class, its adjoint, and weights of labels.
#include <cstring>

#include "backend/cpu/half_tensor.h"
#include "operator/define.h"
#include "ops/nn/class_labels.h"
#include "ops/nn/mindir_classes.h"
#include "ops/nn/onnx_classes.h"
#include "ops/reduce/mindir_reductions.h"

namespace mycel::ops {
namespace {

// (N, C, ...) without C
Shape without_classes(const Shape& shape) {
  Shape rest = shape;
  rest.erase(1);
  return rest;
}

std::int64_t inner_count(const Shape& shape) {
  std::int64_t count = 1;
  for (std::size_t i = 2; i < shape.size(); ++i) count *= shape[i];
  return count;
}

// Where class `label` of position i lies in a dense (N, C, ...).
std::int64_t element_at(std::int64_t i, std::int64_t label, std::int64_t classes,
                        std::int64_t inner) {
  return (i / inner * classes + label) * inner + i % inner;
}

}  // namespace

MYCEL_OP(pick_class)
    .doc("From (N, C, ...) the value of the labelled class at every position; 0 where ignored.")
    .input("input", "(N, C, ...).", kFloating)
    .input("labels", "(N, ...), class numbers.", kIndex)
    .attribute("ignore_index", "Label to pass over. None: no label.",
               Nullable{AttributeType::Int, -100})
    .output("output", "(N, ...).")
    .infer([](InferContext& op) {
      const TensorSpec& x = op.input(0);
      op.require(x.rank() >= 2, ErrorKind::Value,
                 "the dimension of 'input' must be at least 2, but got ", x.rank(), ".");
      const Shape expected = without_classes(x.shape);
      op.require(op.input(1).shape == expected, ErrorKind::Value, "the shape of 'labels' must be ",
                 to_string(expected), ", but got ", to_string(op.input(1).shape), ".");
      op.set_output(0, x.dtype, expected);
    })
    .gradient([](GradientContext& op) {
      op.set_input_gradient(0, op.call("place_class", {op.output_gradient(0), op.input(1)},
                                       {{"classes", op.input_shape(0)[1]},
                                        {"ignore_index", op.attribute("ignore_index")}}));
    })
    .keeps({"labels"})
    .sample("rows", {normal({4, 3}), integers({4}, 0, 3)})
    .sample("planes", {normal({2, 3, 4}), integers({2, 4}, 0, 3)});
MYCEL_CPU_KERNEL(pick_class) {
  const Tensor x = kernel.dense(0);
  const std::int64_t classes = x.shape()[1], inner = inner_count(x.shape());
  const auto labels = checked_labels(kernel, kernel.input(1), classes);
  with_bits_type(x.dtype(), [&]<class T>() {
    T* y = kernel.output(0).data<T>();
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      y[i] = labels[i] == kIgnored ? T(0) : x.data<T>()[element_at(at, labels[i], classes, inner)];
    }
  });
}

MYCEL_OP(place_class)
    .doc("Zeros (N, C, ...) with the input at the labelled class of every position.")
    .input("input", "(N, ...).", kFloating)
    .input("labels", "(N, ...), class numbers.", kIndex)
    .attribute("classes", "C.", required(AttributeType::Int))
    .attribute("ignore_index", "Label to pass over. None: no label.",
               Nullable{AttributeType::Int, -100})
    .output("output", "(N, C, ...).")
    .infer([](InferContext& op) {
      op.require(op.input(0).shape == op.input(1).shape && op.input(0).rank() >= 1,
                 ErrorKind::Value, "'input' and 'labels' must have one shape, but got ",
                 to_string(op.input(0).shape), " and ", to_string(op.input(1).shape), ".");
      op.require(op.integer("classes") >= 0, ErrorKind::Value,
                 "'classes' must not be negative, but got ", op.integer("classes"), ".");
      Shape shape = op.input(0).shape;
      shape.insert(1, op.integer("classes"));
      op.set_output(0, op.input(0).dtype, shape);
    })
    .gradient([](GradientContext& op) {
      op.set_input_gradient(0, op.call("pick_class", {op.output_gradient(0), op.input(1)},
                                       {{"ignore_index", op.attribute("ignore_index")}}));
    })
    .keeps({"labels"})
    .sample("rows", {normal({4}), integers({4}, 0, 3)}, {{"classes", 3}});
MYCEL_CPU_KERNEL(place_class) {
  const Tensor x = kernel.dense(0);
  const Tensor& y = kernel.output(0);
  std::memset(y.raw(), 0, y.bytes());
  const std::int64_t classes = y.shape()[1], inner = inner_count(y.shape());
  const auto labels = checked_labels(kernel, kernel.input(1), classes);
  with_bits_type(x.dtype(), [&]<class T>() {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] == kIgnored) continue;
      const auto at = static_cast<std::int64_t>(i);
      y.data<T>()[element_at(at, labels[i], classes, inner)] = x.data<T>()[i];
    }
  });
}

MYCEL_OP(class_weights)
    .doc("The weight of every label: 0 where ignored, else that of its class, or 1.")
    .input("labels", "Class numbers.", kIndex)
    .optional_input("weight", "(C,).", kFloating)
    .attribute("classes", "C.", required(AttributeType::Int))
    .attribute("dtype", "Type of the result.", required(AttributeType::DType))
    .attribute("ignore_index", "Label of weight 0. None: no label.",
               Nullable{AttributeType::Int, -100})
    .output("output", "Shape of the labels.")
    .infer([](InferContext& op) {
      const Shape expected{op.integer("classes")};
      op.require(!op.has_input(1) || op.input(1).shape == expected, ErrorKind::Value,
                 "the shape of 'weight' must be ", to_string(expected), ", a number per class.");
      op.require(is_floating(op.dtype("dtype")), ErrorKind::Type,
                 "'dtype' must be a floating type.");
      op.set_output(0, op.dtype("dtype"), op.input(0).shape);
    })
    .gradient([](GradientContext& op) {
      if (!op.has_input(1) || !op.wants(1)) return;
      const auto flat = [&](const Value& value) {
        return op.call("reshape", {value}, {{"shape", Shape{element_count(value.shape())}}});
      };
      const Value placed = op.call(
          "place_class", {flat(op.output_gradient(0)), flat(op.input(0))},
          {{"classes", op.attribute("classes")}, {"ignore_index", op.attribute("ignore_index")}});
      const Value sum = op.call("reduce_sum", {placed}, {{"axis", IntList{0}}});
      op.set_input_gradient(1, op.call("cast", {sum}, {{"dtype", op.input_dtype(1)}}));
    })
    .keeps({"labels"})
    .sample("weights", {integers({4}, 0, 3), positive({3})},
            {{"classes", 3}, {"dtype", DType::Float32}})
    .sample("double weights", {integers({4}, 0, 3), positive({3})},
            {{"classes", 3}, {"dtype", DType::Float64}});
MYCEL_CPU_KERNEL(class_weights) {
  const auto labels = checked_labels(kernel, kernel.input(0), kernel.integer("classes"));
  const Tensor weight =
      kernel.has_input(1) ? backend::as_floating(kernel.input(1), DType::Float64) : Tensor();
  with_float_type(kernel.output(0).dtype(), [&]<class T>() {
    T* y = kernel.output(0).data<T>();
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const double value = labels[i] == kIgnored ? 0.0
                           : weight.defined()    ? weight.data<double>()[labels[i]]
                                                 : 1.0;
      y[i] = T(static_cast<Accumulator<T>>(value));
    }
  });
}

MYCEL_WRITES_MINDIR(pick_class) {
  const auto x = call.input();
  const auto chosen = chosen_classes(call, x.size(1), x.rank());
  return reduced(chosen.where(x, 0), "ReduceSum", {1}, false);
}

MYCEL_WRITES_MINDIR(place_class) {
  const auto x = call.input();
  const auto chosen = chosen_classes(call, call.integer("classes"), call.rank());
  return chosen.where(x.reshape(joint({{x.size(0), 1}, cut(x.shape(), 1, x.rank())})), 0);
}

MYCEL_WRITES_MINDIR(class_weights) {
  const auto labels = call.input();
  const auto counts = counting(call, labels);
  if (!call.has(1)) return counts.to(call.dtype());
  const auto weights = call.typed(1);
  return counts.where(weights.take(counts.where(labels, 0), 0), 0);
}

MYCEL_WRITES_ONNX(pick_class) { return OnnxLabels(call, 1).picked(call.input()); }

MYCEL_WRITES_ONNX(class_weights) {
  const OnnxLabels labels(call, 0);
  if (call.has(1)) return labels.counted(call.typed(1).take(labels.classes, 0));
  return labels.counted(call.number(1).add("Expand", {labels.classes.add("Shape")}));
}

}  // namespace mycel::ops
