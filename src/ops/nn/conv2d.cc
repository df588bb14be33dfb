// SPDX-License-Identifier: Apache-2.0
// Convolution over two axes, and its two adjoints. Each is linear in both operands, so the gradient
// of one is always another of the three.
#include "backend/cpu/convolution.h"
#include "operator/blocking.h"
#include "operator/define.h"
#include "operator/mindir_call.h"
#include "operator/onnx_call.h"
#include "ops/nn/onnx_pads.h"
#include "ops/nn/sliding_window.h"

namespace mycel::ops {
namespace {

struct Window {
  IntList pad;
  Pair stride, dilation;
  std::int64_t groups;
};

Window window_of(const AttributeReader& op) {
  Window window{op.ints("pad"), positive_pair_of(op, "stride"), positive_pair_of(op, "dilation"),
                op.integer("groups")};
  op.require(window.pad.size() == 4, ErrorKind::Value,
             "'pad' must be four ints (top, bottom, left, right), but got ", window.pad, ".");
  for (const std::int64_t side : window.pad) {
    op.require(side >= 0 && side < (std::int64_t{1} << 31), ErrorKind::Value,
               "'pad' must not be negative, but got ", window.pad, ".");
  }
  op.require(window.groups > 0, ErrorKind::Value, "'groups' must be positive, but got ",
             window.groups, ".");
  return window;
}

void require_planes(const InferContext& op, std::size_t input) {
  op.require(op.input(input).rank() == 4, ErrorKind::Value, "the ",
             op.definition().inputs[input].name, " shape size must be equal to 4, but got ",
             op.input(input).rank(), ".");
}

void require_one_type(const InferContext& op) {
  for (std::size_t i = 1; i < op.input_count(); ++i) {
    if (!op.has_input(i)) continue;
    op.require(op.input(i).dtype == op.input(0).dtype, ErrorKind::Type,
               "the input type must be same, but got '", op.definition().inputs[0].name,
               "' with type Tensor[", op.input(0).dtype, "] and '", op.definition().inputs[i].name,
               "' with type Tensor[", op.input(i).dtype, "].");
  }
}

Pair output_size(const AttributeReader& op, const Window& window, const Pair& size,
                 const Pair& kernel) {
  Pair out;
  for (std::size_t i = 0; i < 2; ++i) {
    op.require(kernel[i] > 0, ErrorKind::Value, "the kernel must not be empty, but its size is (",
               kernel[0], ", ", kernel[1], ").");
    out[i] = window_count(size[i], window.pad[2 * i], window.pad[2 * i + 1], kernel[i],
                          window.stride[i], window.dilation[i]);
    op.require(out[i] > 0, ErrorKind::Value,
               "input shape's h and w after padding must be greater than or equal to "
               "kernel_size's h and w respectively, but the output size would be ≤ 0: input (",
               size[0], ", ", size[1], "), kernel (", kernel[0], ", ", kernel[1], "), pad ",
               window.pad, ".");
  }
  return out;
}

void require_channels(const AttributeReader& op, std::int64_t in, std::int64_t out,
                      std::int64_t per_group, std::int64_t groups, const Shape& x, const Shape& w) {
  op.require(in % groups == 0 && out % groups == 0, ErrorKind::Value,
             "The argument 'group' should be divisible by 'in_channels' and 'out_channels', but "
             "got 'group': ",
             groups, ", 'in_channels': ", in, ", 'out_channels': ", out, ", for an input of shape ",
             x, " and a weight of shape ", w, ".");
  op.require(in == per_group * groups, ErrorKind::Runtime,
             "'C_in' of input 'x' shape divide by parameter 'group' must be ", per_group,
             ", which is 'weight' shape[1], but got 'C_in' = ", in, " and 'group' = ", groups,
             ": the input has the shape ", x, " (N, C, H, W), the weight ", w, ".");
}

void infer_conv2d(InferContext& op) {
  require_planes(op, 0);
  require_planes(op, 1);
  require_one_type(op);
  const Shape& x = op.input(0).shape;
  const Shape& w = op.input(1).shape;
  const Window window = window_of(op);
  require_channels(op, x[1], w[0], w[1], window.groups, x, w);
  if (op.has_input(2)) {
    op.require(op.input(2).shape == Shape{w[0]}, ErrorKind::Value, "the shape of 'bias' must be (",
               w[0], ",), but got ", op.input(2).shape, ".");
  }
  const Pair out = output_size(op, window, {x[2], x[3]}, {w[2], w[3]});
  op.set_output(0, op.input(0).dtype, {x[0], w[0], out[0], out[1]});
}

void require_output_fits(const InferContext& op, const Window& window, const Pair& size,
                         const Pair& kernel, const Shape& dy) {
  const Pair out = output_size(op, window, size, kernel);
  op.require(out[0] == dy[2] && out[1] == dy[3], ErrorKind::Value, "a window over (", size[0], ", ",
             size[1], ") gives (", out[0], ", ", out[1], "), but got an output gradient of (",
             dy[2], ", ", dy[3], ").");
}

backend::ConvolutionWindow kernel_window(const KernelContext& kernel) {
  const Window window = window_of(kernel);
  return {window.pad[0],    window.pad[1],      window.pad[2],      window.pad[3], window.stride[0],
          window.stride[1], window.dilation[0], window.dilation[1], window.groups};
}

Value related(GradientContext& op, std::string_view name, const Value& a, const Value& b,
              NamedAttribute extra) {
  return op.call(name, {a, b},
                 {{"pad", op.attribute("pad")},
                  {"stride", op.attribute("stride")},
                  {"dilation", op.attribute("dilation")},
                  {"groups", op.attribute("groups")},
                  std::move(extra)});
}

Value convolution(GradientContext& op, const Value& x, const Value& w) {
  return op.call("conv2d", {x, w, {}},
                 {{"pad", op.attribute("pad")},
                  {"stride", op.attribute("stride")},
                  {"dilation", op.attribute("dilation")},
                  {"groups", op.attribute("groups")}});
}

IntList last_two(const Shape& shape) { return {shape[2], shape[3]}; }

void conv2d_rule(GradientContext& op) {
  const Value dy = op.output_gradient(0);
  if (op.wants(0)) {
    op.set_input_gradient(0, related(op, "conv2d_input_gradient", dy, op.input(1),
                                     {"input_size", last_two(op.input_shape(0))}));
  }
  if (op.wants(1)) {
    op.set_input_gradient(1, related(op, "conv2d_weight_gradient", op.input(0), dy,
                                     {"kernel_size", last_two(op.input_shape(1))}));
  }
  if (op.has_input(2) && op.wants(2)) {
    op.set_input_gradient(2, op.call("reduce_sum", {dy}, {{"axis", IntList{0, 2, 3}}}));
  }
}

// ---- in blocks of channels ---------------------------------------------------------------------

// Up to here a first convolution reads images as they are.
constexpr std::int64_t kFewChannels = 4;

bool groups_fit(std::int64_t in, std::int64_t out, std::int64_t groups, std::int64_t block) {
  if (groups == 1 || (groups == in && groups == out)) return true;
  return in / groups % block == 0 && out / groups % block == 0;
}

// A product of matrices in the plain layout, where nothing is reordered.
bool is_pointwise(const BlockPlan& plan, const Shape& kernel) {
  const auto all = [&](std::string_view name, std::int64_t value) {
    const IntList values = plan.ints(name);
    return std::all_of(values.begin(), values.end(), [&](std::int64_t v) { return v == value; });
  };
  return kernel[kernel.size() - 2] == 1 && kernel[kernel.size() - 1] == 1 && all("stride", 1) &&
         all("pad", 0) && plan.integer("groups") == 1;
}

struct BlockedShapes {
  const TensorSpec &images, &results;
  const Shape& kernel;
  bool multiplies;             // a pointwise one is a plain product of matrices
  bool may_read_plain = true;  // images of few channels
};

bool plan_blocks_of(BlockPlan& plan, const BlockedShapes& shapes) {
  const Shape& x = shapes.images.shape;
  const std::int64_t groups = plan.integer("groups");
  const bool few = shapes.may_read_plain && x[1] <= kFewChannels && groups == 1;
  if (!plan.all_inputs_are(DType::Float32) || !can_block(shapes.results, plan.block)) return false;
  if (!few && !can_block(shapes.images, plan.block)) return false;
  if (!groups_fit(x[1], shapes.results.shape[1], groups, plan.block)) return false;
  if (!shapes.multiplies || !is_pointwise(plan, shapes.kernel)) {
    plan.reordered = element_count(shapes.results.shape) + (few ? 0 : element_count(x));
  }
  // The images come first among the operands.
  if (few) plan.operands.erase(plan.operands.begin());
  return true;
}

bool plan_blocked_convolution(BlockPlan& plan) {
  plan.operands = {0};
  plan.results = {0};
  return plan_blocks_of(plan,
                        {plan.input(0), plan.output(), plan.input(1).shape, !plan.has_input(2)});
}

bool plan_blocked_input_gradient(BlockPlan& plan) {
  plan.operands = {0};
  plan.results = {0};
  return plan_blocks_of(plan, {plan.output(), plan.input(0), plan.input(1).shape, true, false});
}

bool plan_blocked_weight_gradient(BlockPlan& plan) {
  plan.operands = {0, 1};
  return plan_blocks_of(plan, {plan.input(0), plan.input(1), plan.output().shape, false});
}

}  // namespace

MYCEL_OP(conv2d)
    .doc("Convolution of NCHW images with weights (out, in / groups, height, width).")
    .input("input", "(N, C, H, W).", kFloating)
    .input("weight", "(out, C / groups, height, width).", kFloating)
    .optional_input("bias", "(out,).", kFloating)
    .attribute("pad", "Top, bottom, left, right.", IntList{0, 0, 0, 0})
    .attribute("stride", "Height, width.", IntList{1, 1})
    .attribute("dilation", "Height, width.", IntList{1, 1})
    .attribute("groups", "Groups of channels that do not mix.", 1)
    .output("output", "(N, out, H', W').")
    .infer(infer_conv2d)
    .gradient(conv2d_rule)
    .keeps({"input", "weight"})
    .traits({.plan_blocks = plan_blocked_convolution})
    .sample("plain", {normal({2, 3, 5, 6}), normal({4, 3, 3, 2}), absent()})
    .sample("bias, pads, strides", {normal({2, 3, 6, 7}), normal({4, 3, 3, 3}), normal({4})},
            {{"pad", IntList{1, 2, 0, 1}}, {"stride", IntList{2, 1}}})
    .sample("groups and dilation", {normal({1, 4, 7, 7}), normal({6, 2, 2, 3}), absent()},
            {{"dilation", IntList{2, 2}}, {"groups", 2}, {"pad", IntList{1, 1, 1, 1}}})
    .sample("depthwise", {normal({2, 4, 5, 5}), normal({4, 1, 3, 3}), normal({4})},
            {{"groups", 4}, {"pad", IntList{1, 1, 1, 1}}})
    .sample("pointwise", {normal({2, 5, 4, 3}), normal({6, 5, 1, 1}), absent()})
    .sample("no images", {normal({0, 3, 5, 5}), normal({4, 3, 3, 3}), absent()})
    .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(conv2d) {
  backend::convolve(kernel.input(0), kernel.input(1),
                    kernel.has_input(2) ? kernel.input(2) : Tensor(), kernel_window(kernel),
                    kernel.output(0));
}

MYCEL_OP(conv2d_input_gradient)
    .doc("Adjoint of conv2d with respect to the images; also the transposed convolution.")
    .input("output_gradient", "(N, out, H', W').", kFloating)
    .input("weight", "(out, C / groups, height, width).", kFloating)
    .attribute("input_size", "Height and width of the images.", required(AttributeType::Ints))
    .attribute("pad", "Top, bottom, left, right.", IntList{0, 0, 0, 0})
    .attribute("stride", "Height, width.", IntList{1, 1})
    .attribute("dilation", "Height, width.", IntList{1, 1})
    .attribute("groups", "Groups of channels that do not mix.", 1)
    .output("input_gradient", "(N, C, H, W).")
    .infer([](InferContext& op) {
      require_planes(op, 0);
      require_planes(op, 1);
      require_one_type(op);
      const Shape& dy = op.input(0).shape;
      const Shape& w = op.input(1).shape;
      const Window window = window_of(op);
      const Pair size = positive_pair_of(op, "input_size");
      op.require(dy[1] == w[0], ErrorKind::Value, "the channels of the output gradient must be ",
                 w[0], ", the first length of 'weight', but got ", dy[1], ".");
      require_channels(op, w[1] * window.groups, w[0], w[1], window.groups, dy, w);
      require_output_fits(op, window, size, {w[2], w[3]}, dy);
      op.set_output(0, op.input(0).dtype, {dy[0], w[1] * window.groups, size[0], size[1]});
    })
    .gradient([](GradientContext& op) {
      const Value g = op.output_gradient(0);
      if (op.wants(0)) op.set_input_gradient(0, convolution(op, g, op.input(1)));
      if (op.wants(1)) {
        op.set_input_gradient(1, related(op, "conv2d_weight_gradient", g, op.input(0),
                                         {"kernel_size", last_two(op.input_shape(1))}));
      }
    })
    .keeps({"output_gradient", "weight"})
    .traits({.plan_blocks = plan_blocked_input_gradient})
    .sample("strides", {normal({2, 4, 3, 3}), normal({4, 3, 3, 2})},
            {{"input_size", IntList{6, 6}},
             {"stride", IntList{2, 2}},
             {"pad", IntList{1, 0, 0, 1}}});

MYCEL_CPU_KERNEL(conv2d_input_gradient) {
  backend::convolve_input_gradient(kernel.input(0), kernel.input(1), kernel_window(kernel),
                                   kernel.output(0));
}

MYCEL_OP(conv2d_weight_gradient)
    .doc("Adjoint of conv2d with respect to the weights.")
    .input("input", "(N, C, H, W).", kFloating)
    .input("output_gradient", "(N, out, H', W').", kFloating)
    .attribute("kernel_size", "Height and width of the weights.", required(AttributeType::Ints))
    .attribute("pad", "Top, bottom, left, right.", IntList{0, 0, 0, 0})
    .attribute("stride", "Height, width.", IntList{1, 1})
    .attribute("dilation", "Height, width.", IntList{1, 1})
    .attribute("groups", "Groups of channels that do not mix.", 1)
    .output("weight_gradient", "(out, C / groups, height, width).")
    .infer([](InferContext& op) {
      require_planes(op, 0);
      require_planes(op, 1);
      require_one_type(op);
      const Shape& x = op.input(0).shape;
      const Shape& dy = op.input(1).shape;
      const Window window = window_of(op);
      const Pair size = positive_pair_of(op, "kernel_size");
      op.require(x[0] == dy[0], ErrorKind::Value,
                 "both inputs must hold the same number of images, but got ", x[0], " and ", dy[0],
                 ".");
      require_channels(op, x[1], dy[1], x[1] / window.groups, window.groups, x, dy);
      require_output_fits(op, window, {x[2], x[3]}, size, dy);
      op.set_output(0, op.input(0).dtype, {dy[1], x[1] / window.groups, size[0], size[1]});
    })
    .gradient([](GradientContext& op) {
      const Value g = op.output_gradient(0);
      if (op.wants(0)) {
        op.set_input_gradient(0, related(op, "conv2d_input_gradient", op.input(1), g,
                                         {"input_size", last_two(op.input_shape(0))}));
      }
      if (op.wants(1)) op.set_input_gradient(1, convolution(op, op.input(0), g));
    })
    .keeps({"input", "output_gradient"})
    .traits({.plan_blocks = plan_blocked_weight_gradient})
    .sample("strides", {normal({2, 3, 6, 6}), normal({2, 4, 3, 3})},
            {{"kernel_size", IntList{3, 2}},
             {"stride", IntList{2, 2}},
             {"pad", IntList{1, 0, 0, 1}}});

MYCEL_CPU_KERNEL(conv2d_weight_gradient) {
  backend::convolve_weight_gradient(kernel.input(0), kernel.input(1), kernel_window(kernel),
                                    kernel.output(0));
}

// Sizes of two axes as primitives of images want them, for all four.
static IntList for_all_axes(const IntList& sizes) { return {1, 1, sizes[0], sizes[1]}; }

static void add_window(const mindir::Call& call, mindir::NamedList& attributes) {
  const Shape& weight = call.shape_of(1);
  attributes.insert(attributes.end(), {{"kernel_size", IntList{weight[2], weight[3]}},
                                       {"mode", 1},
                                       {"pad_mode", "pad"},
                                       {"pad", call.ints("pad")},
                                       {"stride", for_all_axes(call.ints("stride"))},
                                       {"dilation", for_all_axes(call.ints("dilation"))},
                                       {"group", call.integer("groups")},
                                       {"groups", call.integer("groups")},
                                       {"format", "NCHW"}});
}

MYCEL_WRITES_MINDIR(conv2d) {
  const auto x = call.typed(0);
  const auto weight = call.typed(1);
  const auto bias = call.typed(2);
  mindir::NamedList attributes{{"out_channel", call.shape()[1]}};
  add_window(call, attributes);
  const auto made = x.add("Conv2D", {weight}, {.shape = call.shape()}, attributes);
  if (!bias.defined()) return made;
  return made.add("BiasAdd", {bias}, {.shape = call.shape()}, {{"format", "NCHW"}});
}

// The gradient primitive, which takes any size of the result.
MYCEL_WRITES_MINDIR(conv2d_input_gradient) {
  const auto x = call.typed(0);
  const auto weight = call.typed(1);
  mindir::NamedList attributes{{"out_channel", call.shape_of(1)[0]},
                               {"pad_list", call.ints("pad")}};
  add_window(call, attributes);
  return x.add("Conv2DTranspose", {weight, call.shape()}, {.shape = call.shape()}, attributes);
}

static IntList size_of_images(const Shape& shape) { return {shape[2], shape[3]}; }

MYCEL_WRITES_ONNX(conv2d) {
  return call.same("Conv", {{"kernel_shape", size_of_images(call.shape_of(1))},
                            {"pads", onnx_pads(call.ints("pad"))},
                            {"strides", call.ints("stride")},
                            {"dilations", call.ints("dilation")},
                            {"group", call.integer("groups")}});
}

MYCEL_WRITES_ONNX(conv2d_input_gradient) {
  const IntList kernel = size_of_images(call.shape_of(1)), sizes = size_of_images(call.shape_of(0));
  const IntList stride = call.ints("stride"), dilation = call.ints("dilation");
  const IntList wanted = call.ints("input_size");
  IntList pad = call.ints("pad"), more;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t reach = (kernel[i] - 1) * dilation[i] + 1;
    const std::int64_t made = (sizes[i] - 1) * stride[i] + reach - pad[2 * i] - pad[2 * i + 1];
    const std::int64_t missing = wanted[i] - made;
    pad[2 * i + 1] -= std::min<std::int64_t>(missing, 0);
    more.push_back(std::max<std::int64_t>(missing, 0));
  }
  return call.same("ConvTranspose", {{"kernel_shape", kernel},
                                     {"pads", onnx_pads(pad)},
                                     {"output_padding", more},
                                     {"strides", stride},
                                     {"dilations", dilation},
                                     {"group", call.integer("groups")}});
}

}  // namespace mycel::ops
