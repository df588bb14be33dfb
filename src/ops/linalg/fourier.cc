// SPDX-License-Identifier: Apache-2.0
// The discrete Fourier transform along one axis, without a scale.
#include <bit>
#include <complex>
#include <numbers>
#include <vector>

#include "operator/define.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {
namespace {

using Number = std::complex<double>;

Number unit(double turns) { return std::polar(1.0, 2 * std::numbers::pi * turns); }

// In place, for lengths that are powers of two; `sign` -1 is forward.
void transform_power(std::vector<Number>& x, double sign) {
  const std::size_t n = x.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  std::vector<Number> roots(n / 2);
  for (std::size_t i = 0; i < roots.size(); ++i)
    roots[i] = unit(sign * static_cast<double>(i) / static_cast<double>(n));
  for (std::size_t half = 1; half < n; half *= 2) {
    const std::size_t step = n / (2 * half);
    for (std::size_t start = 0; start < n; start += 2 * half) {
      for (std::size_t k = 0; k < half; ++k) {
        const Number even = x[start + k], odd = x[start + k + half] * roots[k * step];
        x[start + k] = even + odd;
        x[start + k + half] = even - odd;
      }
    }
  }
}

// Any length, as a convolution with a chirp whose length is a power of two.
void transform(std::vector<Number>& x, double sign) {
  const std::size_t n = x.size();
  if (std::has_single_bit(n)) return transform_power(x, sign);
  const std::size_t m = std::bit_ceil(2 * n - 1);
  std::vector<Number> chirp(n), a(m), b(m);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t square = i * i % (2 * n);  // exact, so that long inputs stay accurate
    chirp[i] = unit(sign * static_cast<double>(square) / static_cast<double>(2 * n));
    a[i] = x[i] * chirp[i];
    b[i] = std::conj(chirp[i]);
    if (i > 0) b[m - i] = b[i];
  }
  transform_power(a, -1);
  transform_power(b, -1);
  for (std::size_t i = 0; i < m; ++i) a[i] *= b[i];
  transform_power(a, 1);
  for (std::size_t i = 0; i < n; ++i) x[i] = a[i] * chirp[i] / static_cast<double>(m);
}

}  // namespace

MYCEL_OP(fourier)
    .doc("The discrete Fourier transform along one axis, without a scale.")
    .numpy(
        "(np.fft.ifft(input, axis=axis) * input.shape[axis] if inverse else np.fft.fft(input, "
        "axis=axis)).astype(input.dtype)")
    .input("input", "Complex numbers.", kComplex)
    .attribute("axis", "The axis.", -1)
    .attribute("inverse", "Whether the exponent has the other sign.", false)
    .output("output", "Same shape.")
    .infer([](InferContext& op) {
      op.require(op.input(0).rank() >= 1, ErrorKind::Value,
                 "'input' must have at least one axis, but got a tensor without axes.");
      op.normalize_axis("axis", op.input(0).rank());
      op.set_output(0, op.input(0).dtype, op.input(0).shape);
    })
    .gradient([](GradientContext& op) {
      op.set_input_gradient(
          0, op.call("fourier", {op.output_gradient(0)},
                     {{"axis", op.attribute("axis")}, {"inverse", !op.flag("inverse")}}));
    })
    .sample("power of two", {normal({8})})
    .sample("other length, axis", {normal({3, 7, 2})}, {{"axis", 1}})
    .sample("inverse", {normal({2, 6})}, {{"inverse", true}})
    .sample_dtypes(kComplex);
MYCEL_CPU_KERNEL(fourier) {
  const Tensor x = kernel.dense(0);
  const Tensor& y = kernel.output(0);
  if (x.size() == 0) return;
  const auto axis = static_cast<std::size_t>(kernel.integer("axis"));
  const std::int64_t n = x.shape()[axis];
  std::int64_t inner = 1;
  for (std::size_t i = axis + 1; i < x.shape().size(); ++i) inner *= x.shape()[i];
  const double sign = kernel.flag("inverse") ? 1 : -1;
  const auto run = [&]<class T>() {
    const std::complex<T>* from = x.data<std::complex<T>>();
    std::complex<T>* to = y.data<std::complex<T>>();
    platform::parallel_for(x.size() / n, n * 16, [&](std::int64_t begin, std::int64_t end) {
      std::vector<Number> line(static_cast<std::size_t>(n));
      for (std::int64_t item = begin; item < end; ++item) {
        const std::int64_t start = item / inner * n * inner + item % inner;
        for (std::int64_t i = 0; i < n; ++i)
          line[static_cast<std::size_t>(i)] = Number(from[start + i * inner]);
        transform(line, sign);
        for (std::int64_t i = 0; i < n; ++i)
          to[start + i * inner] = std::complex<T>(line[static_cast<std::size_t>(i)]);
      }
    });
  };
  if (x.dtype() == DType::Complex64) return run.template operator()<float>();
  run.template operator()<double>();
}

}  // namespace mycel::ops
