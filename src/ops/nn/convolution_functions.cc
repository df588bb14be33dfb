// SPDX-License-Identifier: Apache-2.0
// Convolutions as users know them: padding modes, channel order, fewer or more axes.
#include "operator/define.h"
#include "ops/nn/sliding_window.h"
#include "ops/onnx_arguments.h"

namespace mycel::ops {
namespace {

// "pad" lists top, bottom, left, right; other modes want it to be zero.
void require_no_padding(const CompositeContext& op, PadMode mode, const IntList& pad) {
  if (mode == PadMode::Pad) return;
  for (const std::int64_t side : pad) {
    platform::require(
        side == 0, ErrorKind::Value,
        "For 'Conv2D', the 'pad' must be zero when 'pad_mode' is not 'pad', but got 'pad': ",
        pad.size() == 1 ? std::to_string(side) : to_string(pad),
        " and 'pad_mode': ", op.text("pad_mode"), ".");
  }
}

IntList four_sides(const CompositeContext& op, const IntList& pad) {
  op.require(pad.size() == 1 || pad.size() == 4, ErrorKind::Value,
             "'pad' must be an int or a tuple of four ints, but got ", pad, ".");
  return pad.size() == 4 ? pad : IntList{pad[0], pad[0], pad[0], pad[0]};
}

void require_rank(const CompositeContext& op, std::size_t input, std::int64_t rank) {
  platform::require(op.input(input).rank() == rank, ErrorKind::Value, "For 'Conv2D', the ",
                    input == 0 ? "x" : "w", " shape size must be equal to ", rank, ", but got ",
                    op.input(input).rank(), ".");
}

Pair plane_of(const Value& value) { return {value.shape()[2], value.shape()[3]}; }

void run_conv2d(CompositeContext& op) {
  require_rank(op, 0, 4);
  require_rank(op, 1, 4);
  const PadMode mode = pad_mode_of(op);
  const IntList given = op.ints("padding");
  require_no_padding(op, mode, given);
  op.require(given.size() <= 2 && !given.empty(), ErrorKind::Value,
             "'padding' must be an int or a tuple of two ints, but got ", given, ".");
  const Pair stride = positive_pair_of(op, "stride"), dilation = positive_pair_of(op, "dilation");
  const IntList sides{given[0], given[0], given.back(), given.back()};
  const IntList pad =
      resolved_padding(mode, sides, plane_of(op.input(0)), plane_of(op.input(1)), stride, dilation);
  op.set_output(
      0, op.call("conv2d", {op.input(0), op.input(1), op.has_input(2) ? op.input(2) : Value()},
                 {{"pad", pad},
                  {"stride", to_list(stride)},
                  {"dilation", to_list(dilation)},
                  {"groups", op.integer("groups")}}));
}

void run_primitive(CompositeContext& op) {
  require_rank(op, 0, 4);
  require_rank(op, 1, 4);
  const Value bias = op.has_input(2) ? op.input(2) : Value();
  const bool last = is_channels_last(op);
  const Value x = last ? channels_first(op, op.input(0)) : op.input(0);
  const Value w = last ? channels_first(op, op.input(1)) : op.input(1);
  const Pair kernel = positive_pair_of(op, "kernel_size");
  op.require(w.shape()[0] == op.integer("out_channel") && plane_of(w) == kernel, ErrorKind::Value,
             "'weight' must have ", op.integer("out_channel"), " output channels and kernel size (",
             kernel[0], ", ", kernel[1], "), but got shape ", op.input(1).shape(), ".");
  op.require(op.integer("mode") == 1, ErrorKind::Value, "'mode' must be 1, but got ",
             op.integer("mode"), ".");
  const PadMode mode = pad_mode_of(op);
  require_no_padding(op, mode, op.ints("pad"));
  const Pair stride = positive_pair_of(op, "stride"), dilation = positive_pair_of(op, "dilation");
  const IntList pad =
      resolved_padding(mode, four_sides(op, op.ints("pad")), plane_of(x), kernel, stride, dilation);
  const Value y = op.call("conv2d", {x, w, bias},
                          {{"pad", pad},
                           {"stride", to_list(stride)},
                           {"dilation", to_list(dilation)},
                           {"groups", op.integer("group")}});
  op.set_output(0, last ? channels_last(op, y) : y);
}

void run_transposed(CompositeContext& op) {
  require_rank(op, 0, 4);
  require_rank(op, 1, 4);
  const bool last = is_channels_last(op);
  const Value dy = last ? channels_first(op, op.input(0)) : op.input(0);
  Value w = last ? channels_first(op, op.input(1)) : op.input(1);
  if (w.dtype() != dy.dtype()) w = op.call("cast", {w}, {{"dtype", dy.dtype()}});
  const IntList shape = op.ints("input_size");
  op.require(shape.size() == 4, ErrorKind::Value, "'input_size' must be four ints, but got ", shape,
             ".");
  const Pair size{shape[last ? 1 : 2], shape[last ? 2 : 3]};
  const PadMode mode = pad_mode_of(op);
  require_no_padding(op, mode, op.ints("pad"));
  const Pair stride = positive_pair_of(op, "stride"), dilation = positive_pair_of(op, "dilation");
  IntList pad =
      resolved_padding(mode, four_sides(op, op.ints("pad")), size, plane_of(w), stride, dilation);
  if (!op.is_none("pad_list") && mode == PadMode::Pad) pad = four_sides(op, op.ints("pad_list"));
  const Value y = op.call("conv2d_input_gradient", {dy, w},
                          {{"input_size", to_list(size)},
                           {"pad", pad},
                           {"stride", to_list(stride)},
                           {"dilation", to_list(dilation)},
                           {"groups", op.integer("group")}});
  op.set_output(0, last ? channels_last(op, y) : y);
}

Define convolution_of_images(std::string_view name) {
  Define op(name);
  op.doc("Convolution whose number and size of kernels are fixed beforehand.")
      .input("x", "(N, C, H, W), or (N, H, W, C).", kFloating)
      .input("weight", "(out, C / group, height, width), or (out, height, width, C / group).",
             kFloating)
      .attribute("out_channel", "Number of kernels.", required(AttributeType::Int))
      .attribute("kernel_size", "An int or (height, width).", required(AttributeType::Ints))
      .attribute("mode", "1: cross-correlation.", 1)
      .attribute("pad_mode", "'valid', 'same' or 'pad'.", "valid")
      .attribute("pad", "An int or (top, bottom, left, right), for 'pad'.", IntList{0})
      .attribute("stride", "An int or (height, width).", IntList{1})
      .attribute("dilation", "An int or (height, width).", IntList{1})
      .attribute("group", "Groups of channels that do not mix.", 1)
      .attribute("data_format", "Order of the axes.", "NCHW")
      .output("output", "In the order of `x`.")
      .composite(run_primitive);
  return op;
}

}  // namespace

MYCEL_OP(conv2d_function)
    .names({.function = "conv2d"})
    .doc("Convolution of images (N, C, H, W) with weights (out, C / groups, height, width).")
    .input("input", "(N, C, H, W).", kFloating)
    .input("weight", "(out, C / groups, height, width).", kFloating)
    .optional_input("bias", "(out,).", kFloating)
    .attribute("stride", "An int or (height, width).", IntList{1})
    .attribute("pad_mode", "'valid', 'same' or 'pad'.", "valid")
    .attribute("padding", "An int or (height, width), for 'pad'.", IntList{0})
    .attribute("dilation", "An int or (height, width).", IntList{1})
    .attribute("groups", "Groups of channels that do not mix.", 1)
    .output("output", "(N, out, H', W').")
    .composite(run_conv2d)
    .sample("valid", {normal({1, 2, 5, 5}), normal({3, 2, 3, 3}), absent()})
    .sample("same", {normal({1, 2, 5, 6}), normal({3, 2, 2, 3}), normal({3})},
            {{"pad_mode", "same"}, {"stride", IntList{2}}})
    .sample("pad", {normal({1, 2, 5, 5}), normal({3, 2, 3, 3}), absent()},
            {{"pad_mode", "pad"}, {"padding", IntList{1, 2}}});

static const Define define_conv2d_primitive = [] {
  Define op = convolution_of_images("conv2d_primitive");
  op.names({.primitive = "Conv2D"})
      .traits({.with_bias = "conv2d_primitive_with_bias"})
      .sample("pad", {normal({1, 2, 5, 5}), normal({3, 2, 3, 3})},
              {{"out_channel", 3},
               {"kernel_size", IntList{3}},
               {"pad_mode", "pad"},
               {"pad", IntList{1}}})
      .sample("channels last", {normal({1, 5, 5, 2}), normal({3, 3, 3, 2})},
              {{"out_channel", 3}, {"kernel_size", IntList{3}}, {"data_format", "NHWC"}});
  return op;
}();

// What files keep as two primitives.
static const Define define_conv2d_primitive_with_bias = [] {
  Define op = convolution_of_images("conv2d_primitive_with_bias");
  op.input("bias", "(out,).", kFloating)
      .sample("pad", {normal({1, 2, 5, 5}), normal({3, 2, 3, 3}), normal({3})},
              {{"out_channel", 3},
               {"kernel_size", IntList{3}},
               {"pad_mode", "pad"},
               {"pad", IntList{1}}})
      .sample("channels last", {normal({1, 5, 5, 2}), normal({3, 3, 3, 2}), normal({3})},
              {{"out_channel", 3}, {"kernel_size", IntList{3}}, {"data_format", "NHWC"}});
  return op;
}();

MYCEL_OP(conv2d_transpose)
    .names({.primitive = "Conv2DTranspose"})
    .primitive_aliases({"Conv2DBackpropInput"})
    .doc("Transposed convolution: the gradient of a convolution with respect to its input.")
    .input("dout", "Gradient with respect to the output of the convolution.", kFloating)
    .input("weight", "Weights of the convolution.", kFloating)
    .attribute("out_channel", "Number of kernels.", required(AttributeType::Int))
    .attribute("kernel_size", "An int or (height, width).", required(AttributeType::Ints))
    .attribute("pad_mode", "'valid', 'same' or 'pad'.", "valid")
    .attribute("pad", "An int or (top, bottom, left, right), for 'pad'.", IntList{0})
    .attribute("pad_list", "Overrides `pad`.", optional(AttributeType::Ints))
    .attribute("mode", "1: cross-correlation.", 1)
    .attribute("stride", "An int or (height, width).", IntList{1})
    .attribute("dilation", "An int or (height, width).", IntList{1})
    .attribute("group", "Groups of channels that do not mix.", 1)
    .attribute("data_format", "Order of the axes.", "NCHW")
    .attribute("input_size", "Shape of the result.", required(AttributeType::Ints),
               {.in_call = true})
    .output("output", "As `input_size` says.")
    .composite(run_transposed)
    .sample("strides", {normal({1, 3, 3, 3}), normal({3, 2, 3, 3})},
            {{"out_channel", 3},
             {"kernel_size", IntList{3}},
             {"stride", IntList{2}},
             {"pad_mode", "same"},
             {"input_size", IntList{1, 2, 6, 6}}});

// ---- ONNX files: one to three axes, lines are images of height 1 --------------------------------

static Value lifted(const StoredCall& call, const Value& x) {
  return call.call("expand_dims", {x}, {{"axis", 2}});
}

static Value lowered(const StoredCall& call, const Value& x) {
  return call.call("squeeze", {x}, {{"axis", IntList{2}}});
}

MYCEL_ONNX(Conv, "X W B") {
  const Value x = call.tensor("X"), weight = call.tensor("W"), bias = call.optional_tensor("B");
  const std::int64_t groups = call.integer("group", 1);
  const OnnxWindow window(call, onnx_image(call, x), onnx_image(call, weight));
  const std::size_t rank = window.rank();
  if (rank == 3) {
    return call.call("conv3d_function", {x, weight, bias},
                     {{"stride", window.strides},
                      {"pad_mode", "pad"},
                      {"padding", window.sides(0, 3)},
                      {"dilation", window.dilations},
                      {"groups", groups}});
  }
  if (rank > 3) call.refuse("a convolution of ", rank, " axes");
  const auto convolved = [&](const Value& images, const Value& kernels) {
    return call.call("conv2d", {images, kernels, bias},
                     {{"pad", window.sides(0, rank)},
                      {"stride", OnnxWindow::plane(window.strides, 0, rank)},
                      {"dilation", OnnxWindow::plane(window.dilations, 0, rank)},
                      {"groups", groups}});
  };
  if (rank == 2) return convolved(x, weight);
  return lowered(call, convolved(lifted(call, x), lifted(call, weight)));
}

namespace {

// The window of a transposed convolution, and the lengths of what it gives.
struct TransposedWindow : OnnxWindow {
  TransposedWindow(const StoredCall& call, const IntList& lengths, const IntList& weight)
      : OnnxWindow(call, lengths, weight, false), result(rank(), 0) {
    const std::string mode = call.text("auto_pad", "NOTSET");
    const IntList more =
        call.has("output_padding") ? call.integers("output_padding") : IntList(rank(), 0);
    IntList wanted = call.has("output_shape") ? call.integers("output_shape") : IntList();
    if (wanted.empty() && mode.starts_with("SAME")) wanted = IntList(rank(), -1);
    call.require(more.size() == rank() && (wanted.empty() || wanted.size() >= rank()),
                 ErrorKind::Value, "its attributes do not fit ", rank(), " axes.");
    for (std::size_t i = 0; i < rank(); ++i) {
      call.require(more[i] >= 0 && more[i] < std::int64_t{1} << 31, ErrorKind::Value, "the number ",
                   more[i], " among its attributes is out of range.");
      const std::int64_t whole =
          (lengths[i] - 1) * strides[i] + (kernel[i] - 1) * dilations[i] + 1 + more[i];
      if (wanted.empty()) {
        result[i] = whole - pads[i] - pads[i + rank()];
        continue;
      }
      const std::int64_t told = wanted[wanted.size() - rank() + i];
      result[i] = told < 0 ? lengths[i] * strides[i] : told;
      const std::int64_t total = std::max<std::int64_t>(whole - result[i], 0);
      pads[i] = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
      pads[i + rank()] = total - pads[i];
    }
  }
  IntList result;
};

// Everything the kernels reach, then the part that padding leaves; lengths beyond that hold zeros.
Value transposed_volumes(const StoredCall& call, const Value& x, const Value& weight,
                         const TransposedWindow& window, std::int64_t groups) {
  const Value whole = call.call("conv3d_transpose", {x, weight, Value()},
                                {{"in_channel", x.shape()[1]},
                                 {"out_channel", weight.shape()[1] * groups},
                                 {"kernel_size", window.kernel},
                                 {"stride", window.strides},
                                 {"dilation", window.dilations},
                                 {"group", groups}});
  IntList pairs{0, 0, 0, 0};
  for (std::size_t i = 0; i < 3; ++i) {
    pairs.push_back(-window.pads[i]);
    pairs.push_back(window.pads[i] + window.result[i] - whole.shape()[2 + i]);
  }
  return call.call("pad_constant", {whole}, {{"paddings", pairs}, {"value", 0}});
}

}  // namespace

MYCEL_ONNX(ConvTranspose, "X W B") {
  const Value x = call.tensor("X"), weight = call.tensor("W");
  const std::int64_t groups = call.integer("group", 1);
  const TransposedWindow window(call, onnx_image(call, x), onnx_image(call, weight));
  const std::size_t rank = window.rank();
  if (rank > 3) call.refuse("a convolution of ", rank, " axes");
  const auto spread = [&](const Value& images, const Value& kernels) {
    return call.call("conv2d_input_gradient", {images, kernels},
                     {{"input_size", OnnxWindow::plane(window.result, 0, rank)},
                      {"pad", window.sides(0, rank)},
                      {"stride", OnnxWindow::plane(window.strides, 0, rank)},
                      {"dilation", OnnxWindow::plane(window.dilations, 0, rank)},
                      {"groups", groups}});
  };
  const Value result = rank == 3   ? transposed_volumes(call, x, weight, window, groups)
                       : rank == 2 ? spread(x, weight)
                                   : lowered(call, spread(lifted(call, x), lifted(call, weight)));
  if (!call.has("B")) return result;
  IntList shape(rank + 1, 1);
  shape[0] = -1;
  return result + call.reshape(call.tensor("B"), shape);
}

}  // namespace mycel::ops
