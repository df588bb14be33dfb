// SPDX-License-Identifier: Apache-2.0
// Pooling as users know it: padding modes, channel order, three or four axes.
#include "operator/define.h"
#include "ops/nn/sliding_window.h"
#include "ops/onnx_arguments.h"

namespace mycel::ops {
namespace {

// (C, H, W) takes part as one image; the axis is taken away again at the end.
class Images {
 public:
  explicit Images(CompositeContext& op) : op_(op), single_(op.input(0).rank() == 3) {
    op.require(single_ || op.input(0).rank() == 4, ErrorKind::Value,
               "the dimension of the input must be 3 or 4, but got ", op.input(0).rank(), ".");
    value_ = single_ ? op.call("expand_dims", {op.input(0)}, {{"axis", 0}}) : op.input(0);
  }
  const Value& value() const { return value_; }
  Pair size() const { return {value_.shape()[2], value_.shape()[3]}; }
  Value result(const Value& pooled) const {
    return single_ ? op_.call("squeeze", {pooled}, {{"axis", IntList{0}}}) : pooled;
  }

 private:
  CompositeContext& op_;
  bool single_;
  Value value_;
};

// An int, or (height, width), for both sides; at most half of the kernel.
IntList checked_padding(const CompositeContext& op, const Pair& kernel) {
  const Pair pad = pair_of(op, "padding");
  for (std::size_t i = 0; i < 2; ++i) {
    op.require(pad[i] >= 0 && 2 * pad[i] <= kernel[i], ErrorKind::Value,
               "'padding' must be at least 0 and at most half of 'kernel_size', but got padding ",
               pad[i], " and kernel size ", kernel[i], ".");
  }
  return {pad[0], pad[0], pad[1], pad[1]};
}

struct PrimitiveWindow {
  Pair kernel, stride;
  IntList pad;
};

PrimitiveWindow primitive_window(const CompositeContext& op, const Pair& size) {
  const Pair kernel = positive_pair_of(op, "kernel_size"), stride = positive_pair_of(op, "strides");
  const PadMode mode = pad_mode_of(op);
  op.require(mode != PadMode::Pad, ErrorKind::Value,
             "'pad_mode' must be 'same' or 'valid', but got 'pad'.");
  return {kernel, stride, resolved_padding(mode, {}, size, kernel, stride, {1, 1})};
}

enum class Kind : std::uint8_t { Maximum, Average };

void run_primitive(CompositeContext& op, Kind kind) {
  op.require(op.input(0).rank() == 4, ErrorKind::Value, "the dimension of 'x' must be 4, but got ",
             op.input(0).rank(), ".");
  const bool last = is_channels_last(op);
  const Value x = last ? channels_first(op, op.input(0)) : op.input(0);
  const PrimitiveWindow w = primitive_window(op, {x.shape()[2], x.shape()[3]});
  const ValueList pooled = op.call_all(
      kind == Kind::Maximum ? "max_pool2d" : "avg_pool2d", {x},
      {{"kernel_size", to_list(w.kernel)}, {"stride", to_list(w.stride)}, {"pad", w.pad}});
  op.set_output(0, last ? channels_last(op, pooled[0]) : pooled[0]);
}

void run_max(CompositeContext& op) {
  const Images images(op);
  const Pair kernel = positive_pair_of(op, "kernel_size");
  const Pair stride = op.is_none("stride") ? kernel : positive_pair_of(op, "stride");
  const ValueList pooled = op.call_all("max_pool2d", {images.value()},
                                       {{"kernel_size", to_list(kernel)},
                                        {"stride", to_list(stride)},
                                        {"pad", checked_padding(op, kernel)},
                                        {"dilation", to_list(positive_pair_of(op, "dilation"))},
                                        {"ceil_mode", op.flag("ceil_mode")}});
  op.set_output(0, images.result(pooled[0]));
  if (op.flag("return_indices")) {
    op.set_output(1, images.result(op.call("cast", {pooled[1]}, {{"dtype", DType::Int64}})));
  }
}

void run_average(CompositeContext& op) {
  const Images images(op);
  const Pair kernel = positive_pair_of(op, "kernel_size");
  const Value pooled = op.call("avg_pool2d", {images.value()},
                               {{"kernel_size", to_list(kernel)},
                                {"stride", to_list(positive_pair_of(op, "stride"))},
                                {"pad", checked_padding(op, kernel)},
                                {"ceil_mode", op.flag("ceil_mode")},
                                {"count_include_pad", op.flag("count_include_pad")},
                                {"divisor_override", op.integer("divisor_override")}});
  op.set_output(0, images.result(pooled));
}

// Of an attribute with one number, (1, number) or (0, number): the other axis has length 1.
IntList beside(const CompositeContext& op, std::string_view attribute, std::int64_t other) {
  const IntList given = op.ints(attribute);
  op.require(given.size() == 1, ErrorKind::Value, "'", attribute, "' must be one int, but got ",
             given, ".");
  return {other, given[0]};
}

void run_average_of_lines(CompositeContext& op) {
  const std::int64_t rank = op.input(0).rank();
  op.require(rank == 2 || rank == 3, ErrorKind::Value,
             "the dimension of the input must be 2 or 3, but got ", rank, ".");
  const Value rows = op.call("expand_dims", {op.input(0)}, {{"axis", -2}});
  const Value pooled = op.call("avg_pool2d_function", {rows},
                               {{"kernel_size", beside(op, "kernel_size", 1)},
                                {"stride", beside(op, "stride", 1)},
                                {"padding", beside(op, "padding", 0)},
                                {"ceil_mode", op.flag("ceil_mode")},
                                {"count_include_pad", op.flag("count_include_pad")}});
  op.set_output(0, op.call("squeeze", {pooled}, {{"axis", IntList{-2}}}));
}

}  // namespace

MYCEL_OP(max_pool2d_function)
    .names({.function = "max_pool2d"})
    .doc("Largest value of every window.")
    .input("x", "(N, C, H, W) or (C, H, W).", kFloating)
    .attribute("kernel_size", "An int or (height, width).", required(AttributeType::Ints))
    .attribute("stride", "An int or (height, width); None: the kernel size.",
               optional(AttributeType::Ints))
    .attribute("padding", "An int or (height, width).", IntList{0})
    .attribute("dilation", "An int or (height, width).", IntList{1})
    .attribute("return_indices", "Also return where the values stand in their planes.", false)
    .attribute("ceil_mode", "Also count windows that reach over the end.", false)
    .variadic_output("output", "The values, then the positions where asked for.")
    .composite(run_max)
    .sample("plain", {normal({1, 2, 6, 6})}, {{"kernel_size", IntList{2}}})
    .sample("one image", {normal({2, 6, 6})},
            {{"kernel_size", IntList{3}}, {"padding", IntList{1}}});

MYCEL_OP(avg_pool2d_function)
    .names({.function = "avg_pool2d"})
    .doc("Mean of every window.")
    .input("input_x", "(N, C, H, W) or (C, H, W).", kFloating)
    .attribute("kernel_size", "An int or (height, width).", IntList{1})
    .attribute("stride", "An int or (height, width).", IntList{1})
    .attribute("padding", "An int or (height, width).", IntList{0})
    .attribute("ceil_mode", "Also count windows that reach over the end.", false)
    .attribute("count_include_pad", "Padded cells count in the divisor.", true)
    .attribute("divisor_override", "Divisor; 0: the number of cells.", 0)
    .output("output", "Mean of every window.")
    .composite(run_average)
    .sample("plain", {normal({1, 2, 6, 6})}, {{"kernel_size", IntList{2}}, {"stride", IntList{2}}});

MYCEL_OP(avg_pool1d)
    .names({.function = "avg_pool1d"})
    .doc("Mean of every window of a line.")
    .input("input_x", "(N, C, L) or (C, L).", kFloating)
    .attribute("kernel_size", "Length of a window.", IntList{1})
    .attribute("stride", "Its step.", IntList{1})
    .attribute("padding", "Zeros at both ends, at most half of a window.", IntList{0})
    .attribute("ceil_mode", "Also count windows that reach over the end.", false)
    .attribute("count_include_pad", "Padded cells count in the divisor.", true)
    .output("output", "Mean of every window.")
    .composite(run_average_of_lines)
    .sample("padded", {normal({1, 2, 6})},
            {{"kernel_size", IntList{3}}, {"stride", IntList{2}}, {"padding", IntList{1}}})
    .sample("one line", {normal({2, 6})}, {{"kernel_size", IntList{2}}});

MYCEL_OP(max_pool)
    .names({.primitive = "MaxPool"})
    .doc("Largest value of every window.")
    .input("x", "(N, C, H, W), or (N, H, W, C).", kFloating)
    .attribute("kernel_size", "An int or (height, width).", IntList{1})
    .attribute("strides", "An int or (height, width).", IntList{1})
    .attribute("pad_mode", "'same' or 'valid'.", "valid")
    .attribute("data_format", "Order of the axes.", "NCHW")
    .output("output", "In the order of `x`.")
    .composite([](CompositeContext& op) { run_primitive(op, Kind::Maximum); })
    .sample("same", {normal({1, 2, 5, 6})},
            {{"kernel_size", IntList{3}}, {"strides", IntList{2}}, {"pad_mode", "same"}});

MYCEL_OP(avg_pool)
    .names({.primitive = "AvgPool"})
    .doc("Mean of every window; padded cells do not count.")
    .input("x", "(N, C, H, W), or (N, H, W, C).", kFloating)
    .attribute("kernel_size", "An int or (height, width).", IntList{1})
    .attribute("strides", "An int or (height, width).", IntList{1})
    .attribute("pad_mode", "'same' or 'valid'.", "VALID")
    .attribute("data_format", "Order of the axes.", "NCHW")
    .output("output", "In the order of `x`.")
    .composite([](CompositeContext& op) { run_primitive(op, Kind::Average); })
    .sample("same", {normal({1, 2, 5, 6})},
            {{"kernel_size", IntList{3}}, {"strides", IntList{2}}, {"pad_mode", "same"}});

// ---- ONNX files ------------------------------------------------------------------------------

// Pools axes in one or two walks over images; `pool` gets images, and which axes of the window they
// show.
template <class Pool>
static Value by_planes(const StoredCall& call, const Value& x, const Pool& pool) {
  const Shape shape = x.shape();
  if (shape.size() == 3) {
    const Value lines = pool(call.call("expand_dims", {x}, {{"axis", 2}}), 0, 1);
    return call.call("squeeze", {lines}, {{"axis", IntList{2}}});
  }
  if (shape.size() == 4) return pool(x, 0, 2);
  if (shape.size() != 5) call.refuse("a pool of ", shape.size() - 2, " axes");
  const auto turned = [&](const Value& value) {
    return call.call("transpose", {value}, {{"perm", IntList{0, 1, 3, 2}}});
  };
  const Value flat =
      pool(call.reshape(x, {shape[0], shape[1] * shape[2], shape[3], shape[4]}), 1, 2);
  const std::int64_t height = flat.shape()[2], width = flat.shape()[3];
  const Value columns = turned(call.reshape(flat, {shape[0], shape[1], shape[2], height * width}));
  const Value pooled = turned(pool(columns, 0, 1));
  return call.reshape(pooled, {shape[0], shape[1], pooled.shape()[2], height, width});
}

static ValueList largest(const StoredCall& call, const OnnxWindow& window, const Value& images,
                         std::size_t first, std::size_t count) {
  return call.call_all("max_pool2d", {images},
                       {{"kernel_size", OnnxWindow::plane(window.kernel, first, count)},
                        {"stride", OnnxWindow::plane(window.strides, first, count)},
                        {"pad", window.sides(first, count)},
                        {"dilation", OnnxWindow::plane(window.dilations, first, count)},
                        {"ceil_mode", call.flag("ceil_mode", false)}});
}

MYCEL_ONNX(MaxPool, "X") {
  const Value given = call.tensor("X");
  const bool is_small = given.dtype() == DType::Int8 || given.dtype() == DType::UInt8;
  const Value x = is_small ? call.cast(given, DType::Float32) : given;
  const OnnxWindow window(call, onnx_image(call, x), {});
  if (call.results() < 2) {
    const Value found =
        by_planes(call, x, [&](const Value& images, std::size_t first, std::size_t count) {
          return largest(call, window, images, first, count)[0];
        });
    return call.cast(found, given.dtype());
  }
  const Shape shape = x.shape();
  if (shape.size() != 4 || call.integer("storage_order", 0) != 0)
    call.refuse("positions of maxima other than of images in rows");
  const ValueList found = largest(call, window, x, 0, 2);
  const std::int64_t plane = shape[2] * shape[3];
  const Value firsts = call.call("arange", {},
                                 {{"start", 0},
                                  {"end", shape[0] * shape[1] * plane},
                                  {"step", std::max<std::int64_t>(plane, 1)},
                                  {"dtype", DType::Int64}});
  return ValueList{
      call.cast(found[0], given.dtype()),
      call.cast(found[1], DType::Int64) + call.reshape(firsts, {shape[0], shape[1], 1, 1})};
}

static void require_dense(const StoredCall& call, const OnnxWindow& window) {
  for (const std::int64_t gap : window.dilations)
    if (gap != 1) call.refuse("a pool with dilations");
}

static Value averages(const StoredCall& call, const OnnxWindow& window, const Value& images,
                      std::size_t first, std::size_t count, bool counts_border) {
  return call.call("avg_pool2d", {images},
                   {{"kernel_size", OnnxWindow::plane(window.kernel, first, count)},
                    {"stride", OnnxWindow::plane(window.strides, first, count)},
                    {"pad", window.sides(first, count)},
                    {"ceil_mode", call.flag("ceil_mode", false)},
                    {"count_include_pad", counts_border}});
}

MYCEL_ONNX(AveragePool, "X") {
  const Value x = call.tensor("X");
  const OnnxWindow window(call, onnx_image(call, x), {});
  require_dense(call, window);
  return by_planes(call, x, [&](const Value& images, std::size_t first, std::size_t count) {
    return averages(call, window, images, first, count, call.flag("count_include_pad", false));
  });
}

MYCEL_ONNX(LpPool, "X") {
  const Value x = call.tensor("X");
  const OnnxWindow window(call, onnx_image(call, x), {});
  require_dense(call, window);
  if (call.flag("ceil_mode", false)) call.refuse("a window over the border");
  const auto raised = [&](const Value& value, double power) {
    return call.call("pow", {value, call.emitter().number(power)});
  };
  const auto power = static_cast<double>(call.integer("p", 2));
  const Value sums =
      by_planes(call, raised(call.call("abs", {x}), power),
                [&](const Value& images, std::size_t first, std::size_t count) {
                  const Value means = averages(call, window, images, first, count, true);
                  const Shape kernel = OnnxWindow::plane(window.kernel, first, count);
                  return means * static_cast<double>(element_count(kernel));
                });
  return raised(sums, 1 / power);
}

static Value over_images(const StoredCall& call, std::string_view op) {
  const Value x = call.tensor("X");
  IntList axes = onnx_image(call, x);
  std::iota(axes.begin(), axes.end(), 2);
  return call.call(op, {x}, {{"axis", axes}, {"keep_dims", true}});
}

MYCEL_ONNX(GlobalAveragePool, "X") { return over_images(call, "reduce_mean"); }
MYCEL_ONNX(GlobalMaxPool, "X") { return over_images(call, "reduce_max"); }

// Divides by what the neighbouring channels hold.
MYCEL_ONNX(LRN, "X") {
  const Value x = call.tensor("X");
  const Shape shape = x.shape();
  const std::int64_t size = call.integer("size");
  call.require(size > 0 && size < std::int64_t{1} << 31 && shape.size() > 1, ErrorKind::Value,
               "a positive 'size' and a tensor with channels are needed, but got ", size, " and ",
               shape, ".");
  const std::int64_t before = (size - 1) / 2;
  const Value rows = call.reshape(call.call("square", {x}), {shape[0], 1, shape[1], -1});
  const Value means = call.call("avg_pool2d", {rows},
                                {{"kernel_size", IntList{size, 1}},
                                 {"stride", IntList{1, 1}},
                                 {"pad", IntList{before, size - 1 - before, 0, 0}},
                                 {"count_include_pad", true}});
  const Value scaled = call.reshape(means, shape) * call.real("alpha", 1e-4) + call.real("bias", 1);
  return x / call.call("pow", {scaled, call.emitter().number(call.real("beta", 0.75))});
}

}  // namespace mycel::ops
