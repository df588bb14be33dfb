// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/convolution.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "backend/cpu/dnnl_convolution.h"
#include "backend/cpu/half_tensor.h"
#include "backend/cpu/loops/gemm_loops.h"
#include "backend/cpu/matmul.h"
#include "platform/error/error.h"
#include "platform/thread/parallel_for.h"

namespace mycel::backend {
namespace {

using tensor::DType;
using tensor::Tensor;

struct Geometry {
  std::int64_t batch, in_channels, height, width, out_channels, out_height, out_width;
  std::int64_t kernel_height, kernel_width, groups;
  ConvolutionWindow window;

  Geometry(const ConvolutionTensors& t, const ConvolutionWindow& w)
      : batch(t.input.shape()[0]),
        in_channels(t.input.shape()[1]),
        height(t.input.shape()[2]),
        width(t.input.shape()[3]),
        out_channels(t.output.shape()[1]),
        out_height(t.output.shape()[2]),
        out_width(t.output.shape()[3]),
        kernel_height(t.weight.shape()[2]),
        kernel_width(t.weight.shape()[3]),
        groups(w.groups),
        window(w) {}

  std::int64_t group_in() const { return in_channels / groups; }
  std::int64_t group_out() const { return out_channels / groups; }
  std::int64_t patch() const { return group_in() * kernel_height * kernel_width; }
  std::int64_t positions() const { return out_height * out_width; }
};

// Walks every (patch element, output position) pair that lies inside the image.
template <class Visit>
void for_each_tap(const Geometry& g, const Visit& visit) {
  const ConvolutionWindow& w = g.window;
  for (std::int64_t row = 0; row < g.patch(); ++row) {
    const std::int64_t channel = row / (g.kernel_height * g.kernel_width);
    const std::int64_t ky = row / g.kernel_width % g.kernel_height, kx = row % g.kernel_width;
    for (std::int64_t oy = 0; oy < g.out_height; ++oy) {
      const std::int64_t y = oy * w.stride_height - w.pad_top + ky * w.dilation_height;
      if (y < 0 || y >= g.height) continue;
      for (std::int64_t ox = 0; ox < g.out_width; ++ox) {
        const std::int64_t x = ox * w.stride_width - w.pad_left + kx * w.dilation_width;
        if (x < 0 || x >= g.width) continue;
        visit(row * g.positions() + oy * g.out_width + ox, (channel * g.height + y) * g.width + x);
      }
    }
  }
}

// The reference for types oneDNN does not take: patches as a matrix, then a matrix product.
template <class T>
void run_patches(ConvolutionPass pass, const ConvolutionTensors& t, const Geometry& g) {
  const GemmFunction gemm = gemm_loop(tensor::kDTypeOf<T>);
  std::vector<T> columns(static_cast<std::size_t>(g.patch() * g.positions()));
  const bool forward = pass == ConvolutionPass::Forward;
  if (pass == ConvolutionPass::InputGradient) std::fill_n(t.input.data<T>(), t.input.size(), T(0));
  if (pass == ConvolutionPass::WeightGradient)
    std::fill_n(t.weight.data<T>(), t.weight.size(), T(0));
  for (std::int64_t n = 0; n < g.batch; ++n) {
    for (std::int64_t group = 0; group < g.groups; ++group) {
      T* image =
          t.input.data<T>() + (n * g.in_channels + group * g.group_in()) * g.height * g.width;
      T* output = t.output.data<T>() + (n * g.out_channels + group * g.group_out()) * g.positions();
      T* weight = t.weight.data<T>() + group * g.group_out() * g.patch();
      if (pass == ConvolutionPass::InputGradient) {
        gemm({.m = g.patch(),
              .n = g.positions(),
              .k = g.group_out(),
              .a = weight,
              .a_row = 1,
              .a_column = g.patch(),
              .b = output,
              .b_row = g.positions(),
              .c = columns.data(),
              .c_row = g.positions()});
        for_each_tap(g,
                     [&](std::int64_t tap, std::int64_t pixel) { image[pixel] += columns[tap]; });
        continue;
      }
      std::fill(columns.begin(), columns.end(), T(0));
      for_each_tap(g, [&](std::int64_t tap, std::int64_t pixel) { columns[tap] = image[pixel]; });
      if (forward) {
        gemm({.m = g.group_out(),
              .n = g.positions(),
              .k = g.patch(),
              .a = weight,
              .a_row = g.patch(),
              .b = columns.data(),
              .b_row = g.positions(),
              .c = output,
              .c_row = g.positions()});
      } else {
        gemm({.m = g.group_out(),
              .n = g.patch(),
              .k = g.positions(),
              .a = output,
              .a_row = g.positions(),
              .b = columns.data(),
              .b_row = 1,
              .b_column = g.positions(),
              .c = weight,
              .c_row = g.patch(),
              .accumulate = true});
      }
    }
  }
  if (!forward || !t.bias.defined()) return;
  for (std::int64_t i = 0; i < g.batch * g.out_channels; ++i) {
    const T addend = t.bias.data<T>()[i % g.out_channels];
    T* plane = t.output.data<T>() + i * g.positions();
    for (std::int64_t p = 0; p < g.positions(); ++p) plane[p] += addend;
  }
}

// A 1 x 1 window without stride or padding is a product of matrices in the caller's own layout;
// oneDNN's convolution would copy activations to and fro.
bool is_pointwise(const Geometry& g) {
  const ConvolutionWindow& w = g.window;
  return g.kernel_height == 1 && g.kernel_width == 1 && w.stride_height == 1 &&
         w.stride_width == 1 && w.groups == 1 && w.pad_top == 0 && w.pad_bottom == 0 &&
         w.pad_left == 0 && w.pad_right == 0;
}

bool run_pointwise(ConvolutionPass pass, const ConvolutionTensors& t, const Geometry& g) {
  if (pass == ConvolutionPass::WeightGradient || t.bias.defined()) return false;
  const std::int64_t pixels = g.positions();
  const bool forward = pass == ConvolutionPass::Forward;
  const Tensor weight = Tensor::view(
      t.weight,
      {g.batch, forward ? g.out_channels : g.in_channels, forward ? g.in_channels : g.out_channels},
      {0, forward ? g.in_channels : 1, forward ? 1 : g.in_channels}, t.weight.body().offset);
  const auto matrices = [&](const Tensor& image, std::int64_t channels) {
    return Tensor::view(image, {g.batch, channels, pixels}, {channels * pixels, pixels, 1},
                        image.body().offset);
  };
  const Tensor input = matrices(t.input, g.in_channels);
  const Tensor output = matrices(t.output, g.out_channels);
  matmul(weight, forward ? input : output, {}, forward ? output : input);
  return true;
}

const Tensor& written(ConvolutionPass pass, const ConvolutionTensors& t) {
  if (pass == ConvolutionPass::Forward) return t.output;
  return pass == ConvolutionPass::InputGradient ? t.input : t.weight;
}

// Nothing to sum over: zeros, or the bias.
void run_empty(ConvolutionPass pass, const ConvolutionTensors& t) {
  const Tensor& target = written(pass, t);
  std::memset(target.raw(), 0, target.bytes());
  if (pass != ConvolutionPass::Forward || !t.bias.defined() || target.size() == 0) return;
  const Geometry g(t, {});
  tensor::with_float_type(target.dtype(), [&]<class T>() {
    for (std::int64_t i = 0; i < g.batch * g.out_channels; ++i) {
      std::fill_n(target.data<T>() + i * g.positions(), g.positions(),
                  t.bias.data<T>()[i % g.out_channels]);
    }
  });
}

void run(ConvolutionPass pass, const ConvolutionTensors& t, const ConvolutionWindow& window) {
  if (t.input.size() == 0 || t.weight.size() == 0 || t.output.size() == 0)
    return run_empty(pass, t);
  const Geometry geometry(t, window);
  const DType dtype = t.input.dtype();
  if (dtype == DType::Float64) return run_patches<double>(pass, t, geometry);
  if (dtype == DType::Float32 || dtype == DType::BFloat16) {
    if (is_pointwise(geometry) && run_pointwise(pass, t, geometry)) return;
    if (dnnl_convolution(pass, t, window)) return;
    if (dtype == DType::Float32) return run_patches<float>(pass, t, geometry);
  }
  ConvolutionTensors wide{widened(t.input), widened(t.weight), {}, widened(t.output)};
  if (t.bias.defined()) wide.bias = widened(t.bias);
  run(pass, wide, window);
  narrow_into(written(pass, wide), written(pass, t));
}

}  // namespace

void convolve(const Tensor& input, const Tensor& weight, const Tensor& bias,
              const ConvolutionWindow& window, const Tensor& target) {
  const Tensor dense_bias = bias.defined() ? contiguous(bias) : bias;
  run(ConvolutionPass::Forward, {contiguous(input), contiguous(weight), dense_bias, target},
      window);
}

void convolve_input_gradient(const Tensor& output_gradient, const Tensor& weight,
                             const ConvolutionWindow& window, const Tensor& target) {
  run(ConvolutionPass::InputGradient, {target, contiguous(weight), {}, contiguous(output_gradient)},
      window);
}

void convolve_weight_gradient(const Tensor& input, const Tensor& output_gradient,
                              const ConvolutionWindow& window, const Tensor& target) {
  run(ConvolutionPass::WeightGradient, {contiguous(input), target, {}, contiguous(output_gradient)},
      window);
}

namespace {

void run_blocked(ConvolutionPass pass, const ConvolutionTensors& t, const ConvolutionWindow& window,
                 const ConvolutionFinish& finish) {
  platform::require(dnnl_convolution(pass, t, window, finish), platform::ErrorKind::Internal,
                    "there is no blocked convolution for this problem");
}

}  // namespace

void convolve_blocked(const Tensor& input, const Tensor& weight, const Tensor& bias,
                      const ConvolutionWindow& window, const ConvolutionFinish& finish,
                      const Tensor& target) {
  run_blocked(ConvolutionPass::Forward, {input, weight, bias, target}, window, finish);
}

void convolve_blocked_input_gradient(const Tensor& output_gradient, const Tensor& weight,
                                     const ConvolutionWindow& window, const Tensor& target) {
  run_blocked(ConvolutionPass::InputGradient, {target, weight, {}, output_gradient}, window, {});
}

void convolve_blocked_weight_gradient(const Tensor& input, const Tensor& output_gradient,
                                      const ConvolutionWindow& window, const Tensor& target) {
  run_blocked(ConvolutionPass::WeightGradient, {input, target, {}, output_gradient}, window, {});
}

}  // namespace mycel::backend
