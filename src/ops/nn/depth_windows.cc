// SPDX-License-Identifier: Apache-2.0
// Neighbouring layers of volumes side by side as channels, so that a convolution over three axes is
// one over two.
#include <algorithm>
#include <cstring>

#include "backend/cpu/half_tensor.h"
#include "operator/define.h"
#include "operator/onnx_call.h"
#include "ops/nn/sliding_window.h"
#include "ops/shape/mindir_windows.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {
namespace {

struct DepthWindow {
  std::int64_t before, after, kernel, stride, dilation;
};

DepthWindow depth_window_of(const AttributeReader& op) {
  const IntList pad = op.ints("pad");
  op.require(pad.size() == 2 && pad[0] >= 0 && pad[1] >= 0, ErrorKind::Value,
             "'pad' must be two ints that are not negative, but got ", pad, ".");
  const DepthWindow window{pad[0], pad[1], op.integer("kernel_size"), op.integer("stride"),
                           op.integer("dilation")};
  constexpr std::int64_t kLimit = std::int64_t{1} << 31;
  for (const std::int64_t number : {window.kernel, window.stride, window.dilation}) {
    op.require(number > 0 && number < kLimit, ErrorKind::Value,
               "'kernel_size', 'stride' and 'dilation' must be positive, but got ", number, ".");
  }
  op.require(pad[0] < kLimit && pad[1] < kLimit, ErrorKind::Value, "'pad' is too large: ", pad,
             ".");
  return window;
}

std::int64_t window_count_of(const AttributeReader& op, const DepthWindow& w, std::int64_t depth) {
  const std::int64_t count =
      window_count(depth, w.before, w.after, w.kernel, w.stride, w.dilation, Rounding::Down);
  op.require(count > 0, ErrorKind::Value,
             "the depth after padding must not be smaller than that of the kernel, but got depth ",
             depth, ", padding (", w.before, ", ", w.after, "), kernel ", w.kernel, ", dilation ",
             w.dilation, ".");
  return count;
}

// Calls visit(window plane, layer plane or -1) for every plane of the windows in [begin, end).
template <class Visit>
void for_each_plane(const DepthWindow& w, std::int64_t channels, std::int64_t depth,
                    std::int64_t count, std::int64_t begin, std::int64_t end, const Visit& visit) {
  for (std::int64_t plane = begin; plane < end; ++plane) {
    const std::int64_t k = plane % w.kernel, c = plane / w.kernel % channels;
    const std::int64_t position = plane / w.kernel / channels % count;
    const std::int64_t image = plane / w.kernel / channels / count;
    const std::int64_t layer = position * w.stride + k * w.dilation - w.before;
    const bool inside = layer >= 0 && layer < depth;
    visit(plane, inside ? (image * channels + c) * depth + layer : std::int64_t{-1});
  }
}

void copy_windows(KernelContext& kernel) {
  const Tensor x = kernel.dense(0);
  const Tensor& y = kernel.output(0);
  const Shape& s = x.shape();
  const DepthWindow w = depth_window_of(kernel);
  const std::int64_t count = window_count_of(kernel, w, s[2]);
  const auto bytes = static_cast<std::int64_t>(size_of(x.dtype())) * s[3] * s[4];
  if (bytes == 0) return;
  const std::int64_t planes = s[0] * count * s[1] * w.kernel;
  platform::parallel_for(planes, bytes / 4, [&](std::int64_t begin, std::int64_t end) {
    for_each_plane(w, s[1], s[2], count, begin, end, [&](std::int64_t to, std::int64_t from) {
      char* target = y.data<char>() + to * bytes;
      if (from < 0) {
        std::memset(target, 0, static_cast<std::size_t>(bytes));
      } else {
        std::memcpy(target, x.data<char>() + from * bytes, static_cast<std::size_t>(bytes));
      }
    });
  });
}

void add_windows(KernelContext& kernel) {
  const Tensor x = backend::widened(kernel.input(0));
  const Tensor y = backend::wide_like(kernel.output(0));
  const Shape& s = y.shape();
  const DepthWindow w = depth_window_of(kernel);
  const std::int64_t count = window_count_of(kernel, w, s[2]);
  const std::int64_t cells = s[3] * s[4], per_image = count * s[1] * w.kernel;
  const auto run = [&]<class T>() {
    platform::parallel_for(s[0], per_image * cells, [&](std::int64_t begin, std::int64_t end) {
      std::fill(y.data<T>() + begin * s[1] * s[2] * cells, y.data<T>() + end * s[1] * s[2] * cells,
                T(0));
      for_each_plane(w, s[1], s[2], count, begin * per_image, end * per_image,
                     [&](std::int64_t from, std::int64_t to) {
                       if (to < 0) return;
                       const T* source = x.data<T>() + from * cells;
                       T* target = y.data<T>() + to * cells;
                       for (std::int64_t i = 0; i < cells; ++i) target[i] += source[i];
                     });
    });
  };
  if (x.dtype() == DType::Float64) {
    run.operator()<double>();
  } else {
    run.operator()<float>();
  }
  backend::narrow_into(y, kernel.output(0));
}

}  // namespace

MYCEL_OP(depth_windows)
    .doc(
        "Windows over the depth of volumes: each is an image whose channels are channels by "
        "layers.")
    .input("input", "(N, C, D, H, W).", kFloating)
    .attribute("kernel_size", "Layers of a window.", required(AttributeType::Int))
    .attribute("pad", "Layers of zeros before and after.", IntList{0, 0})
    .attribute("stride", "Step of the windows.", 1)
    .attribute("dilation", "Distance of a window's layers.", 1)
    .output("output", "(N * windows, C * kernel_size, H, W).")
    .infer([](InferContext& op) {
      op.require(op.input(0).rank() == 5, ErrorKind::Value,
                 "the input must have 5 axes (N, C, D, H, W), but got shape ", op.input(0).shape,
                 ".");
      const Shape& s = op.input(0).shape;
      const DepthWindow w = depth_window_of(op);
      const std::int64_t count = window_count_of(op, w, s[2]);
      op.set_output(0, op.input(0).dtype, {s[0] * count, s[1] * w.kernel, s[3], s[4]});
    })
    .gradient([](GradientContext& op) {
      const Shape& s = op.input_shape(0);
      op.set_input_gradient(0, op.call("depth_windows_sum", {op.output_gradient(0)},
                                       {{"depth", s[2]},
                                        {"kernel_size", op.attribute("kernel_size")},
                                        {"pad", op.attribute("pad")},
                                        {"stride", op.attribute("stride")},
                                        {"dilation", op.attribute("dilation")}}));
    })
    .sample("plain", {normal({2, 3, 4, 2, 2})}, {{"kernel_size", 2}})
    .sample("pads, strides, dilation", {normal({1, 2, 5, 2, 3})},
            {{"kernel_size", 2}, {"pad", IntList{1, 2}}, {"stride", 2}, {"dilation", 2}})
    .sample_dtypes(kFloating);
MYCEL_CPU_KERNEL(depth_windows) { copy_windows(kernel); }

MYCEL_OP(depth_windows_sum)
    .doc("Adjoint of depth_windows: adds up what the windows hold of every layer.")
    .input("input", "(N * windows, C * kernel_size, H, W).", kFloating)
    .attribute("depth", "Layers of the volumes.", required(AttributeType::Int))
    .attribute("kernel_size", "Layers of a window.", required(AttributeType::Int))
    .attribute("pad", "Layers of zeros before and after.", IntList{0, 0})
    .attribute("stride", "Step of the windows.", 1)
    .attribute("dilation", "Distance of a window's layers.", 1)
    .output("output", "(N, C, depth, H, W).")
    .infer([](InferContext& op) {
      const Shape& s = op.input(0).shape;
      op.require(s.size() == 4, ErrorKind::Value, "the input must have 4 axes, but got shape ", s,
                 ".");
      const DepthWindow w = depth_window_of(op);
      const std::int64_t depth = op.integer("depth"), count = window_count_of(op, w, depth);
      op.require(s[0] % count == 0 && s[1] % w.kernel == 0, ErrorKind::Value,
                 "the input must hold ", count, " windows of ", w.kernel,
                 " layers per volume, but got shape ", s, ".");
      op.set_output(0, op.input(0).dtype, {s[0] / count, s[1] / w.kernel, depth, s[2], s[3]});
    })
    .gradient([](GradientContext& op) {
      op.set_input_gradient(0, op.call("depth_windows", {op.output_gradient(0)},
                                       {{"kernel_size", op.attribute("kernel_size")},
                                        {"pad", op.attribute("pad")},
                                        {"stride", op.attribute("stride")},
                                        {"dilation", op.attribute("dilation")}}));
    })
    .sample("pads, strides", {normal({3, 4, 2, 2})},
            {{"depth", 4}, {"kernel_size", 2}, {"pad", IntList{1, 1}}, {"stride", 2}});
MYCEL_CPU_KERNEL(depth_windows_sum) { add_windows(kernel); }

// Which layer, counted with the padding in front, each place of each window shows.
static mindir::Table window_layers(const mindir::Call& call, std::int64_t depth) {
  const IntList pad = call.ints("pad");
  const std::int64_t size = call.integer("kernel_size");
  const std::int64_t step = call.integer("stride");
  const std::int64_t gap = call.integer("dilation");
  const std::int64_t count = (depth + pad[0] + pad[1] - (size - 1) * gap - 1) / step + 1;
  return strided_places({count, size}, {step, gap}, 0).shaped({count, size});
}

// Layers of volumes as channels of images, so that images' convolutions serve volumes.
MYCEL_WRITES_MINDIR(depth_windows) {
  const IntList pad = call.ints("pad");
  const auto x = padded(call.input(), {{0, 0}, {0, 0}, {pad[0], pad[1]}, {0, 0}, {0, 0}});
  const auto layers = window_layers(call, call.shape_of()[2]);
  return x.take(layers, 2).transpose({0, 2, 1, 3, 4, 5}).reshape(call.shape());
}

// The other way: a product with zeros and ones adds up the layers.
MYCEL_WRITES_MINDIR(depth_windows_sum) {
  const Shape& shape = call.shape();
  const std::int64_t depth = shape[2];
  const auto layers = window_layers(call, depth);
  const std::int64_t windows = layers.shape[0];
  const std::int64_t size = layers.shape[1];
  mindir::Table table{{windows * size, depth}, {}};
  for (const double layer : layers.values)
    for (std::int64_t i = 0; i < depth; ++i)
      table.values.push_back(static_cast<std::int64_t>(layer) - call.ints("pad")[0] == i ? 1 : 0);
  const std::int64_t rows = shape[0] * shape[1] * shape[3] * shape[4];
  const auto x = call.input()
                     .reshape({shape[0], windows, shape[1], size, shape[3], shape[4]})
                     .transpose({0, 2, 4, 5, 1, 3})
                     .reshape({rows, windows * size});
  return x
      .add("MatMul", {x.table(table)}, {.shape = Shape{rows, depth}},
           {{"transpose_a", false}, {"transpose_b", false}})
      .reshape({shape[0], shape[1], shape[3], shape[4], depth})
      .transpose({0, 1, 4, 2, 3});
}

// Which layer, counted with the padding in front, each place of each window shows.
static onnx::Table window_layers(const onnx::Call& call, std::int64_t depth) {
  const IntList pad = call.ints("pad");
  const std::int64_t size = call.integer("kernel_size"), step = call.integer("stride");
  const std::int64_t gap = call.integer("dilation");
  const std::int64_t count = (depth + pad[0] + pad[1] - (size - 1) * gap - 1) / step + 1;
  return onnx::Table::of(count * size,
                         [&](std::int64_t i) { return i / size * step + i % size * gap; })
      .shaped({count, size});
}

// Layers of volumes as channels of images, so that images' convolutions serve volumes.
MYCEL_WRITES_ONNX(depth_windows) {
  auto x = call.input();
  const IntList pad = call.ints("pad");
  if (pad[0] != 0 || pad[1] != 0)
    x = x.add("Pad", {IntList{0, 0, pad[0], 0, 0, 0, 0, pad[1], 0, 0}});
  const auto layers = call.table(window_layers(call, call.shape_of()[2]), DType::Int64);
  return x.take(layers, 2).transpose({0, 2, 1, 3, 4, 5}).reshape(call.shape());
}

// The other way: a product with zeros and ones adds up the layers.
MYCEL_WRITES_ONNX(depth_windows_sum) {
  const Shape& shape = call.shape();
  const std::int64_t depth = shape[2], before = call.ints("pad")[0];
  const onnx::Table layers = window_layers(call, depth);
  const std::int64_t windows = layers.shape[0], size = layers.shape[1];
  const auto is_there = onnx::Table::of(windows * size * depth, [&](std::int64_t i) {
    const double layer = layers.values[static_cast<std::size_t>(i / depth)];
    return layer - static_cast<double>(before) == static_cast<double>(i % depth);
  });
  const auto table = call.table({{windows * size, depth}, is_there.values});
  return call.input()
      .reshape({shape[0], windows, shape[1], size, shape[3], shape[4]})
      .transpose({0, 2, 4, 5, 1, 3})
      .reshape({shape[0], shape[1], shape[3], shape[4], windows * size})
      .add("MatMul", {table})
      .transpose({0, 1, 4, 2, 3});
}

}  // namespace mycel::ops
