// SPDX-License-Identifier: Apache-2.0
// Convolutions as users know them: padding modes, channel order, fewer or more axes.
#include "operator/define.h"
#include "ops/nn/sliding_window.h"

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
  const Value y = op.call("conv2d", {x, w, {}},
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

MYCEL_OP(conv2d_primitive)
    .names({.primitive = "Conv2D"})
    .doc("Convolution whose number and size of kernels are fixed beforehand.")
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
    .composite(run_primitive)
    .sample(
        "pad", {normal({1, 2, 5, 5}), normal({3, 2, 3, 3})},
        {{"out_channel", 3}, {"kernel_size", IntList{3}}, {"pad_mode", "pad"}, {"pad", IntList{1}}})
    .sample("channels last", {normal({1, 5, 5, 2}), normal({3, 3, 3, 2})},
            {{"out_channel", 3}, {"kernel_size", IntList{3}}, {"data_format", "NHWC"}});

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

}  // namespace mycel::ops
