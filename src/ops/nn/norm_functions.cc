// SPDX-License-Identifier: Apache-2.0
// Normalisations built from others.
#include "operator/define.h"
#include "ops/onnx_arguments.h"

namespace mycel::ops {
namespace {

Value optional_value(const CompositeContext& op, std::size_t i) {
  return op.has_input(i) ? op.input(i) : Value();
}

void run_layer_norm(CompositeContext& op) {
  const Shape shape = op.input(0).shape();
  const Shape wanted = op.ints("normalized_shape");
  const bool fits = !wanted.empty() && wanted.size() <= shape.size() &&
                    Shape(shape.end() - wanted.size(), shape.end()) == wanted;
  op.require(fits, ErrorKind::Value,
             "'normalized_shape' must be the last lengths of the input's shape ", to_string(shape),
             ", but got ", to_string(wanted), ".");
  const auto axis = static_cast<std::int64_t>(shape.size() - wanted.size());
  op.set_output(
      0, op.call_all("layer_norm", {op.input(0), optional_value(op, 1), optional_value(op, 2)},
                     {{"begin_norm_axis", axis},
                      {"begin_params_axis", axis},
                      {"epsilon", op.real("eps")}})[0]);
}

void run_group_norm(CompositeContext& op) {
  const Shape shape = op.input(0).shape();
  const std::int64_t groups = op.integer("num_groups");
  op.require(shape.size() >= 2, ErrorKind::Value,
             "the dimension of 'input' must be at least 2, but got ", shape.size(), ".");
  op.require(groups > 0 && shape[1] % groups == 0, ErrorKind::Value,
             "the channels of 'input' must be divisible by 'num_groups', but got ", shape[1],
             " and ", groups, ".");
  Shape grouped{shape[0], groups, shape[1] / groups};
  for (std::size_t i = 2; i < shape.size(); ++i) grouped.push_back(shape[i]);
  const Value x = op.call("reshape", {op.input(0)}, {{"shape", grouped}});
  const Value y = op.call_all(
      "layer_norm", {x, {}, {}},
      {{"begin_norm_axis", 2}, {"begin_params_axis", 2}, {"epsilon", op.real("eps")}})[0];
  Value result = op.call("reshape", {y}, {{"shape", shape}});
  Shape channels(shape.size(), 1);
  channels[1] = shape[1];
  const auto stretched = [&](std::size_t i) {
    return op.call("reshape", {op.input(i)}, {{"shape", channels}});
  };
  if (op.has_input(1)) result = result * stretched(1);
  if (op.has_input(2)) result = result + stretched(2);
  op.set_output(0, result);
}

void run_bias_add(CompositeContext& op) {
  const Value& x = op.input(0);
  const Value& bias = op.input(1);
  const std::string& format = op.text("data_format");
  op.require(format == "NCHW" || format == "NHWC" || format == "NCDHW", ErrorKind::Value,
             "'data_format' must be 'NCHW', 'NHWC' or 'NCDHW', but got '", format, "'.");
  op.require(x.dtype() == bias.dtype(), ErrorKind::Type,
             "the input type must be same, but got 'input_x' with type Tensor[", x.dtype(),
             "] and 'bias' with type Tensor[", bias.dtype(), "].");
  op.require(x.rank() >= 2 && bias.rank() == 1, ErrorKind::Value,
             "'input_x' must have at least 2 axes and 'bias' one, but got ", to_string(x.shape()),
             " and ", to_string(bias.shape()), ".");
  const std::size_t axis = format == "NHWC" ? x.shape().size() - 1 : 1;
  op.require(x.shape()[axis] == bias.shape()[0], ErrorKind::Value, "'bias' must have ",
             x.shape()[axis], " values, one per channel, but got ", bias.shape()[0], ".");
  Shape shape(x.shape().size(), 1);
  shape[axis] = bias.shape()[0];
  op.set_output(0, x + op.call("reshape", {bias}, {{"shape", shape}}));
}

}  // namespace

MYCEL_OP(layer_norm_function)
    .names({.function = "layer_norm"})
    .doc("Normalises the last axes to mean 0 and variance 1, then scales and shifts.")
    .input("input", "Any tensor.", kFloating)
    .optional_input("weight", "Scale, of shape `normalized_shape`.", kFloating)
    .optional_input("bias", "Shift, of the same shape.", kFloating)
    .attribute("normalized_shape", "The last lengths of the input's shape.",
               required(AttributeType::Ints))
    .attribute("eps", "Added to the variance.", 1e-5)
    .order({"input", "normalized_shape", "weight", "bias", "eps"})
    .output("output", "Like the input.")
    .composite(run_layer_norm)
    .sample("last axis", {normal({3, 5}), normal({5}), normal({5})},
            {{"normalized_shape", IntList{5}}});

MYCEL_OP(group_norm)
    .names({.function = "group_norm"})
    .doc("Normalises groups of channels to mean 0 and variance 1, then scales and shifts channels.")
    .input("input", "(N, C, ...).", kFloating)
    .optional_input("weight", "(C,).", kFloating)
    .optional_input("bias", "(C,).", kFloating)
    .attribute("num_groups", "Groups the channels fall into.", required(AttributeType::Int))
    .attribute("eps", "Added to the variance.", 1e-5)
    .order({"input", "num_groups", "weight", "bias", "eps"})
    .output("output", "Like the input.")
    .composite(run_group_norm)
    .sample("images", {normal({2, 4, 3, 2}), normal({4}), normal({4})}, {{"num_groups", 2}});

MYCEL_OP(bias_add)
    .names({.primitive = "BiasAdd"})
    .doc("Adds one number per channel.")
    .input("input_x", "(N, C, ...), or with the channels last.", kNumber)
    .input("bias", "(C,).", kNumber)
    .attribute("data_format", "Where the channels are.", "NCHW")
    .output("output", "Like the input.")
    .composite(run_bias_add)
    .sample("images", {normal({2, 3, 2, 2}), normal({3})})
    .sample("channels last", {normal({2, 2, 2, 3}), normal({3})}, {{"data_format", "NHWC"}});

MYCEL_OP(bias_add_function)
    .names({.function = "bias_add"})
    .doc("Adds one number per channel, the second axis.")
    .input("input_x", "(N, C, ...).", kNumber)
    .input("bias", "(C,).", kNumber)
    .output("output", "Like the input.")
    .composite([](CompositeContext& op) {
      op.set_output(0, op.call("bias_add", {op.input(0), op.input(1)}));
    })
    .sample("rows", {normal({2, 3}), normal({3})});

MYCEL_OP(l2_normalize)
    .names({.primitive = "L2Normalize"})
    .doc("Divides by the root of the sum of squares along one axis, but at least of epsilon.")
    .numpy("x / np.sqrt(np.maximum((x ** 2).sum(axis[0], keepdims=True), epsilon))")
    .input("x", "Any tensor.", kFloating)
    .attribute("axis", "The summed axis.", IntList{0})
    .attribute("epsilon", "Smallest sum of squares.", 1e-4)
    .output("output", "Like the input.")
    .composite([](CompositeContext& op) {
      const Value& x = op.input(0);
      const Value sum =
          op.call("reduce_sum", {x * x}, {{"axis", op.ints("axis")}, {"keep_dims", true}});
      const Value bounded = op.call("maximum", {sum, op.emitter().number(op.real("epsilon"))});
      op.set_output(0, x * op.call("rsqrt", {bounded}));
    })
    .sample("columns", {normal({3, 4})})
    .sample("rows", {normal({3, 4})}, {{"axis", IntList{1}}});

// ---- ONNX files ------------------------------------------------------------------------------

MYCEL_ONNX(BatchNormalization, "X scale B input_mean input_var") {
  if (call.flag("training_mode", false)) call.refuse("training mode");
  return call.call("batch_norm_inference",
                   {call.tensor("X"), call.tensor("scale"), call.tensor("B"),
                    call.tensor("input_mean"), call.tensor("input_var")},
                   {{"epsilon", call.real("epsilon", 1e-5)}});
}

// Mean 0 and variance 1 over the axes from one on; then the means and variances.
static ValueList normalised(const StoredCall& call, const Value& x, std::int64_t axis) {
  return call.call_all("layer_norm", {x, Value(), Value()},
                       {{"begin_norm_axis", axis},
                        {"begin_params_axis", axis},
                        {"epsilon", call.real("epsilon", 1e-5)}});
}

MYCEL_ONNX(InstanceNormalization, "input scale B") {
  const Value x = call.tensor("input");
  IntList shape(onnx_image(call, x).size() + 1, 1);
  shape[0] = -1;
  return normalised(call, x, 2)[0] * call.reshape(call.tensor("scale"), shape) +
         call.reshape(call.tensor("B"), shape);
}

// Since version 21 with a scale for each channel, before for each group.
MYCEL_ONNX(GroupNormalization, "X scale bias") {
  const Value x = call.tensor("X"), scale = call.tensor("scale"), bias = call.tensor("bias");
  const std::int64_t groups = call.integer("num_groups");
  const double epsilon = call.real("epsilon", 1e-5);
  if (call.version() >= 21)
    return call.call("group_norm", {x, scale, bias}, {{"num_groups", groups}, {"eps", epsilon}});
  const Value normal =
      call.call("group_norm", {x, Value(), Value()}, {{"num_groups", groups}, {"eps", epsilon}});
  const Value grouped = call.reshape(normal, {x.shape()[0], groups, -1});
  return call.reshape(
      grouped * call.reshape(scale, {1, groups, 1}) + call.reshape(bias, {1, groups, 1}),
      x.shape());
}

MYCEL_ONNX(LayerNormalization, "X Scale B") {
  const Value x = call.tensor("X");
  const std::int64_t axis = onnx_axis(call, call.integer("axis", -1), x.rank());
  const ValueList found = normalised(call, x, axis);
  Value result = found[0] * call.tensor("Scale");
  if (call.has("B")) result = result + call.tensor("B");
  if (call.results() < 2) return result;
  return ValueList{result, found[1], call.call("rsqrt", {found[2] + call.real("epsilon", 1e-5)})};
}

MYCEL_ONNX(LpNormalization, "input") {
  const Value x = call.tensor("input");
  const bool is_plain = call.integer("p", 2) == 1;
  const Value total = call.call("reduce_sum", {call.call(is_plain ? "abs" : "square", {x})},
                                {{"axis", IntList{call.integer("axis", -1)}}, {"keep_dims", true}});
  return call.call("div_no_nan", {x, is_plain ? total : call.call("sqrt", {total})});
}

MYCEL_ONNX(MeanVarianceNormalization, "X") {
  const Value x = call.tensor("X");
  const IntList axes = call.has("axes") ? call.integers("axes") : IntList{0, 2, 3};
  const auto mean = [&](const Value& value) {
    return call.call("reduce_mean", {value}, {{"axis", axes}, {"keep_dims", true}});
  };
  const Value centred = x - mean(x);
  return centred / (call.call("sqrt", {mean(call.call("square", {centred}))}) + 1e-9);
}

}  // namespace mycel::ops
