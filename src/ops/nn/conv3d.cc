// SPDX-License-Identifier: Apache-2.0
// Convolution over three axes: windows over the depth become channels of a convolution over two.
#include <algorithm>
#include <array>

#include "operator/define.h"
#include "ops/nn/sliding_window.h"

namespace mycel::ops {
namespace {

using Triple = std::array<std::int64_t, 3>;  // depth, height, width

Triple triple_of(const CompositeContext& op, std::string_view name, std::int64_t least) {
  const IntList given = op.ints(name);
  op.require(given.size() == 1 || given.size() == 3 || given.size() == 5, ErrorKind::Value, "'",
             name, "' must be an int or a tuple of three ints, but got ", given, ".");
  const std::size_t last = given.size() - 1;
  const Triple triple{given[last < 2 ? 0 : last - 2], given[last < 2 ? 0 : last - 1], given[last]};
  const std::int64_t limit = std::int64_t{1} << 31;
  for (const std::int64_t number : triple) {
    op.require(number >= least && number < limit, ErrorKind::Value, "'", name,
               "' must not be less than ", least, ", but got ", given, ".");
  }
  return triple;
}

// Before and after each axis, from one, three or six numbers.
IntList six_sides(const CompositeContext& op, std::string_view name, PadMode mode) {
  const IntList given = op.ints(name);
  op.require(given.size() == 1 || given.size() == 3 || given.size() == 6, ErrorKind::Value, "'",
             name, "' must be an int or a tuple of three or six ints, but got ", given, ".");
  IntList sides;
  for (std::size_t i = 0; i < 6; ++i) {
    sides.push_back(given.size() == 6 ? given[i] : given[given.size() == 1 ? 0 : i / 2]);
    op.require(sides[i] >= 0 && sides[i] < (std::int64_t{1} << 31), ErrorKind::Value, "'", name,
               "' must not be negative, but got ", given, ".");
    op.require(sides[i] == 0 || mode == PadMode::Pad, ErrorKind::Value, "'", name,
               "' must be zero when 'pad_mode' is not 'pad', but got '", name, "': ", given,
               " and 'pad_mode': ", op.text("pad_mode"), ".");
  }
  return sides;
}

struct Window {
  IntList pad;  // six sides
  Triple kernel, stride, dilation;
  std::int64_t groups;
};

IntList sides_of_planes(const Window& w) { return {w.pad[2], w.pad[3], w.pad[4], w.pad[5]}; }

void require_volumes(const CompositeContext& op, std::size_t input) {
  op.require(op.input(input).rank() == 5, ErrorKind::Value, "the ", input == 0 ? "x" : "w",
             " shape size must be equal to 5, but got ", op.input(input).rank(), ": ",
             op.input(input).shape(), ".");
}

void require_bias(const CompositeContext& op, std::int64_t channels) {
  op.require(!op.has_input(2) || op.input(2).shape() == Shape{channels}, ErrorKind::Value,
             "the shape of 'bias' must be (", channels, ",), but got ",
             op.has_input(2) ? op.input(2).shape() : Shape{}, ".");
}

// The kernel with its depth among the channels.
Value flat_kernel(CompositeContext& op) {
  const Shape& w = op.input(1).shape();
  return op.call("reshape", {op.input(1)}, {{"shape", IntList{w[0], w[1] * w[2], w[3], w[4]}}});
}

void pad_same(Window& window, const Triple& size) {
  window.pad.clear();
  for (std::size_t i = 0; i < 3; ++i) {
    const Pair sides =
        same_padding(size[i], window.kernel[i], window.stride[i], window.dilation[i]);
    window.pad.push_back(sides[0]);
    window.pad.push_back(sides[1]);
  }
}

Window window_of(const CompositeContext& op, std::string_view padding, std::string_view groups) {
  const Shape& w = op.input(1).shape();
  const Window window{six_sides(op, padding, pad_mode_of(op)),
                      {w[2], w[3], w[4]},
                      triple_of(op, "stride", 1),
                      triple_of(op, "dilation", 1),
                      op.integer(groups)};
  op.require(window.groups > 0, ErrorKind::Value, "'", groups, "' must be positive, but got ",
             window.groups, ".");
  return window;
}

void run_convolution(CompositeContext& op, std::string_view padding, std::string_view groups) {
  require_volumes(op, 0);
  require_volumes(op, 1);
  const Shape& x = op.input(0).shape();
  const Shape& w = op.input(1).shape();
  Window window = window_of(op, padding, groups);
  op.require(x[1] == w[1] * window.groups, ErrorKind::Value,
             "the channels of the input, C_in = ", x[1],
             ", must be 'weight' shape[1] * group = ", w[1], " * ", window.groups,
             ": the input has the shape ", x, " (N, C, D, H, W), the weight ", w, ".");
  require_bias(op, w[0]);
  if (pad_mode_of(op) == PadMode::Same) pad_same(window, {x[2], x[3], x[4]});
  const Value images = op.call("depth_windows", {op.input(0)},
                               {{"kernel_size", w[2]},
                                {"pad", IntList{window.pad[0], window.pad[1]}},
                                {"stride", window.stride[0]},
                                {"dilation", window.dilation[0]}});
  const Value y =
      op.call("conv2d", {images, flat_kernel(op), op.has_input(2) ? op.input(2) : Value()},
              {{"pad", sides_of_planes(window)},
               {"stride", IntList{window.stride[1], window.stride[2]}},
               {"dilation", IntList{window.dilation[1], window.dilation[2]}},
               {"groups", window.groups}});
  const Shape& s = y.shape();
  const std::int64_t depth =
      window_count(x[2], window.pad[0], window.pad[1], w[2], window.stride[0], window.dilation[0]);
  const Value volumes =
      op.call("reshape", {y}, {{"shape", IntList{x[0], depth, s[1], s[2], s[3]}}});
  op.set_output(0, op.call("transpose", {volumes}, {{"perm", IntList{0, 2, 1, 3, 4}}}));
}

// Lengths of what a transposed convolution gives, and the padding of the convolution it undoes.
Triple enlarged(const CompositeContext& op, Window& window, const Shape& dy) {
  const PadMode mode = pad_mode_of(op);
  const Triple extra = triple_of(op, "output_padding", 0);
  Triple size;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::int64_t length = dy[i + 2] * window.stride[i];
    const std::int64_t reach = window.dilation[i] * (window.kernel[i] - 1) + 1;
    op.require(extra[i] == 0 || (mode == PadMode::Pad &&
                                 extra[i] < std::max(window.stride[i], window.dilation[i])),
               ErrorKind::Value,
               "'output_padding' must be zero unless 'pad_mode' is 'pad', and smaller than stride "
               "or dilation, but got ",
               op.ints("output_padding"), ".");
    size[i] = mode == PadMode::Same ? length
              : mode == PadMode::Valid
                  ? length + std::max<std::int64_t>(reach - window.stride[i], 0)
                  : length - window.pad[2 * i] - window.pad[2 * i + 1] + reach - window.stride[i] +
                        extra[i];
    op.require(size[i] > 0, ErrorKind::Value, "the output size would be ≤ 0: ", size[i], ".");
  }
  if (mode == PadMode::Same) pad_same(window, size);
  return size;
}

void run_transposed(CompositeContext& op) {
  require_volumes(op, 0);
  require_volumes(op, 1);
  const Shape& dy = op.input(0).shape();
  const Shape& w = op.input(1).shape();
  Window window = window_of(op, "pad", "group");
  op.require(dy[1] == w[0], ErrorKind::Value, "the channels of the input, C_in = ", dy[1],
             ", must be 'weight' shape[0] = ", w[0], ": the input has the shape ", dy,
             " (N, C, D, H, W), the weight ", w, ".");
  const std::int64_t channels = w[1] * window.groups;
  require_bias(op, channels);
  const Triple size = enlarged(op, window, dy);
  const Value layers = op.call("transpose", {op.input(0)}, {{"perm", IntList{0, 2, 1, 3, 4}}});
  const Value images =
      op.call("reshape", {layers}, {{"shape", IntList{dy[0] * dy[2], dy[1], dy[3], dy[4]}}});
  const Value spread = op.call("conv2d_input_gradient", {images, flat_kernel(op)},
                               {{"input_size", IntList{size[1], size[2]}},
                                {"pad", sides_of_planes(window)},
                                {"stride", IntList{window.stride[1], window.stride[2]}},
                                {"dilation", IntList{window.dilation[1], window.dilation[2]}},
                                {"groups", window.groups}});
  Value y = op.call("depth_windows_sum", {spread},
                    {{"depth", size[0]},
                     {"kernel_size", w[2]},
                     {"pad", IntList{window.pad[0], window.pad[1]}},
                     {"stride", window.stride[0]},
                     {"dilation", window.dilation[0]}});
  if (op.has_input(2)) {
    const Value bias =
        op.call("reshape", {op.input(2)}, {{"shape", IntList{1, channels, 1, 1, 1}}});
    y = op.call("add", {y, bias});
  }
  op.set_output(0, y);
}

void require_layout(const CompositeContext& op) {
  op.require(op.text("data_format") == "NCDHW", ErrorKind::Value,
             "'data_format' must be 'NCDHW', but got '", op.text("data_format"), "'.");
  op.require(op.integer("mode") == 1, ErrorKind::Value, "'mode' must be 1, but got ",
             op.integer("mode"), ".");
}

void require_kernel(const CompositeContext& op, std::int64_t channels, std::int64_t wanted) {
  const Triple kernel = triple_of(op, "kernel_size", 1);
  const Shape& w = op.input(1).shape();
  op.require(channels == wanted && std::equal(kernel.begin(), kernel.end(), w.begin() + 2),
             ErrorKind::Value, "'weight' must have ", wanted, " output channels and kernel size (",
             kernel[0], ", ", kernel[1], ", ", kernel[2], "), but got shape ", w, ".");
}

}  // namespace

MYCEL_OP(conv3d_function)
    .names({.function = "conv3d"})
    .doc(
        "Convolution of volumes (N, C, D, H, W) with weights (out, C / groups, depth, height, "
        "width).")
    .input("input", "(N, C, D, H, W).", kFloating)
    .input("weight", "(out, C / groups, depth, height, width).", kFloating)
    .optional_input("bias", "(out,).", kFloating)
    .attribute("stride", "An int or (depth, height, width).", IntList{1})
    .attribute("pad_mode", "'valid', 'same' or 'pad'.", "valid")
    .attribute("padding", "For 'pad': an int, (depth, height, width), or six ints.", IntList{0})
    .attribute("dilation", "An int or (depth, height, width).", IntList{1})
    .attribute("groups", "Groups of channels that do not mix.", 1)
    .output("output", "(N, out, D', H', W').")
    .composite([](CompositeContext& op) { run_convolution(op, "padding", "groups"); })
    .sample("valid", {normal({2, 2, 4, 4, 3}), normal({3, 2, 2, 3, 2}), absent()})
    .sample("same, strides, bias", {normal({1, 2, 5, 4, 4}), normal({3, 2, 3, 2, 3}), normal({3})},
            {{"pad_mode", "same"}, {"stride", IntList{2, 1, 2}}})
    .sample("pad, dilation, groups", {normal({1, 4, 4, 3, 4}), normal({4, 2, 2, 2, 2}), absent()},
            {{"pad_mode", "pad"},
             {"padding", IntList{1, 1, 0, 1, 2, 0}},
             {"dilation", IntList{2, 1, 2}},
             {"groups", 2}});

MYCEL_OP(conv3d_primitive)
    .names({.primitive = "Conv3D"})
    .doc("Convolution of volumes whose number and size of kernels are fixed beforehand.")
    .input("x", "(N, C, D, H, W).", kFloating)
    .input("weight", "(out, C / group, depth, height, width).", kFloating)
    .optional_input("bias", "(out,).", kFloating)
    .attribute("out_channel", "Number of kernels.", required(AttributeType::Int))
    .attribute("kernel_size", "An int or (depth, height, width).", required(AttributeType::Ints))
    .attribute("mode", "1: cross-correlation.", 1)
    .attribute("pad_mode", "'valid', 'same' or 'pad'.", "valid")
    .attribute("pad", "An int or six ints, for 'pad'.", IntList{0})
    .attribute("stride", "An int or (depth, height, width).", IntList{1})
    .attribute("dilation", "An int or (depth, height, width).", IntList{1})
    .attribute("group", "Groups of channels that do not mix.", 1)
    .attribute("data_format", "Order of the axes.", "NCDHW")
    .output("output", "(N, out, D', H', W').")
    .composite([](CompositeContext& op) {
      require_layout(op);
      require_volumes(op, 1);
      require_kernel(op, op.input(1).shape()[0], op.integer("out_channel"));
      run_convolution(op, "pad", "group");
    })
    .sample("pad", {normal({1, 2, 4, 3, 3}), normal({3, 2, 3, 3, 3}), absent()},
            {{"out_channel", 3},
             {"kernel_size", IntList{3}},
             {"pad_mode", "pad"},
             {"pad", IntList{1}}});

MYCEL_OP(conv3d_transpose)
    .names({.primitive = "Conv3DTranspose"})
    .doc("Transposed convolution of volumes: the adjoint of a convolution in its input.")
    .input("dout", "(N, C, D, H, W).", kFloating)
    .input("weight", "(C, out / group, depth, height, width).", kFloating)
    .optional_input("bias", "(out,).", kFloating)
    .attribute("in_channel", "C.", required(AttributeType::Int))
    .attribute("out_channel", "Channels of the result.", required(AttributeType::Int))
    .attribute("kernel_size", "An int or (depth, height, width).", required(AttributeType::Ints))
    .attribute("mode", "1: cross-correlation.", 1)
    .attribute("pad_mode", "'valid', 'same' or 'pad'.", "valid")
    .attribute("pad", "An int or six ints, for 'pad'.", IntList{0})
    .attribute("stride", "An int or (depth, height, width).", IntList{1})
    .attribute("dilation", "An int or (depth, height, width).", IntList{1})
    .attribute("group", "Groups of channels that do not mix.", 1)
    .attribute("output_padding", "Added to the lengths of the result, for 'pad'.", IntList{0})
    .attribute("data_format", "Order of the axes.", "NCDHW")
    .output("output", "(N, out, D', H', W').")
    .composite([](CompositeContext& op) {
      require_layout(op);
      require_volumes(op, 1);
      require_kernel(op, op.input(1).shape()[1] * op.integer("group"), op.integer("out_channel"));
      run_transposed(op);
    })
    .sample("valid", {normal({1, 2, 2, 3, 2}), normal({2, 3, 2, 3, 2}), normal({3})},
            {{"in_channel", 2},
             {"out_channel", 3},
             {"kernel_size", IntList{2, 3, 2}},
             {"stride", IntList{2}}})
    .sample("pad, groups", {normal({1, 4, 2, 3, 2}), normal({4, 1, 3, 3, 3}), absent()},
            {{"in_channel", 4},
             {"out_channel", 2},
             {"kernel_size", IntList{3}},
             {"pad_mode", "pad"},
             {"pad", IntList{1, 1, 0, 1, 1, 1}},
             {"stride", IntList{2, 1, 2}},
             {"output_padding", IntList{1, 0, 1}},
             {"group", 2}})
    .sample("same", {normal({1, 2, 2, 3, 2}), normal({2, 2, 3, 2, 3}), absent()},
            {{"in_channel", 2},
             {"out_channel", 2},
             {"kernel_size", IntList{3, 2, 3}},
             {"pad_mode", "same"},
             {"stride", IntList{2}}});

}  // namespace mycel::ops
