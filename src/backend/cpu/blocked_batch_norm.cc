// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/blocked_batch_norm.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "backend/cpu/loops/blocked_loops.h"
#include "platform/thread/parallel_for.h"

namespace mycel::backend {
namespace {

using tensor::Tensor;

constexpr std::size_t kMaxLanes = 16;
using PerLane = std::array<float, kMaxLanes>;

// Where the values of a block of channels are: `images` runs of `rows` vectors.
struct Geometry {
  std::int64_t images, blocks, rows, lanes;
  explicit Geometry(const Tensor& x)
      : images(x.shape()[0]),
        blocks(x.shape()[1]),
        rows(x.shape()[2] * x.shape()[3]),
        lanes(x.shape()[4]) {}
  std::int64_t run(std::int64_t image, std::int64_t block) const {
    return (image * blocks + block) * rows * lanes;
  }
  float count() const { return static_cast<float>(images * rows); }
};

// Blocks of channels are shared out among threads.
template <class Body>
void for_blocks(const Geometry& g, const Body& body) {
  platform::parallel_for(g.blocks, g.images * g.rows * g.lanes,
                         [&](std::int64_t begin, std::int64_t end) {
                           for (std::int64_t block = begin; block < end; ++block) body(block);
                         });
}

float value_or(const Tensor& tensor, std::int64_t i, float otherwise) {
  return tensor.defined() ? tensor.data<float>()[i] : otherwise;
}

constexpr float kNoBound = std::numeric_limits<float>::quiet_NaN();  // nothing is above NaN

// The factors of one block of channels.
struct LaneFactors {
  PerLane mean{}, scale{}, shift{}, inverse{};
  bool clamps;
  float upper;
  LaneFactors(const BlockedNormFactors& f, const float* means, const float* variances,
              std::int64_t first, std::int64_t lanes)
      : clamps(f.activation != Activation::None),
        upper(f.activation == Activation::Relu6 ? 6.0F : kNoBound) {
    for (std::int64_t i = 0; i < lanes; ++i) {
      const auto lane = static_cast<std::size_t>(i);
      mean[lane] = means[first + i];
      inverse[lane] = 1.0F / std::sqrt(variances[first + i] + static_cast<float>(f.epsilon));
      scale[lane] = inverse[lane] * value_or(f.scale, first + i, 1.0F);
      shift[lane] = value_or(f.bias, first + i, 0.0F);
    }
  }
  BlockedFactors pointers() const {
    return {mean.data(), scale.data(), shift.data(), clamps, upper};
  }
};

}  // namespace

void blocked_norm_training(const Tensor& x, const Tensor& residual,
                           const BlockedNormFactors& factors, const Tensor& y, const Tensor& mean,
                           const Tensor& variance) {
  const Geometry g(x);
  const BlockedLoops& loops = blocked_loops();
  for_blocks(g, [&](std::int64_t block) {
    PerLane center{}, squares{};
    for (std::int64_t n = 0; n < g.images; ++n) {
      loops.moments(x.data<float>() + g.run(n, block), g.rows, n * g.rows, center.data(),
                    squares.data());
    }
    const std::int64_t first = block * g.lanes;
    for (std::int64_t i = 0; i < g.lanes; ++i) {
      mean.data<float>()[first + i] = center[static_cast<std::size_t>(i)];
      variance.data<float>()[first + i] = squares[static_cast<std::size_t>(i)] / g.count();
    }
    const LaneFactors f(factors, mean.data<float>(), variance.data<float>(), first, g.lanes);
    for (std::int64_t n = g.images - 1; n >= 0; --n) {  // what was read last is still near
      const std::int64_t at = g.run(n, block);
      loops.normalize(x.data<float>() + at,
                      residual.defined() ? residual.data<float>() + at : nullptr,
                      y.data<float>() + at, g.rows, f.pointers());
    }
  });
}

void blocked_norm_inference(const Tensor& x, const BlockedNormFactors& factors, const Tensor& mean,
                            const Tensor& variance, const Tensor& y) {
  const Geometry g(x);
  for_blocks(g, [&](std::int64_t block) {
    const LaneFactors f(factors, mean.data<float>(), variance.data<float>(), block * g.lanes,
                        g.lanes);
    for (std::int64_t n = 0; n < g.images; ++n) {
      const std::int64_t at = g.run(n, block);
      blocked_loops().normalize(x.data<float>() + at, nullptr, y.data<float>() + at, g.rows,
                                f.pointers());
    }
  });
}

namespace {

// dx = a dy + b (x - mean) + c with factors that follow from the two sums.
struct GradientFactors {
  PerLane a{}, b{}, c{};
  GradientFactors(const LaneFactors& f, const PerLane& sum, const PerLane& product, float count) {
    for (std::size_t i = 0; i < kMaxLanes; ++i) {
      a[i] = f.scale[i];
      b[i] = -f.scale[i] * f.inverse[i] * f.inverse[i] * product[i] / count;
      c[i] = -f.scale[i] * sum[i] / count;
    }
  }
};

}  // namespace

void blocked_norm_gradient(const Tensor& dy, const Tensor& x, const BlockedNormFactors& factors,
                           const Tensor& mean, const Tensor& variance, const Tensor& dx,
                           const Tensor& dscale, const Tensor& dbias) {
  const Geometry g(x);
  const BlockedLoops& loops = blocked_loops();
  for_blocks(g, [&](std::int64_t block) {
    const std::int64_t first = block * g.lanes;
    const LaneFactors f(factors, mean.data<float>(), variance.data<float>(), first, g.lanes);
    PerLane sum{}, product{};
    for (std::int64_t n = 0; n < g.images; ++n) {
      const float* from = dy.data<float>() + g.run(n, block);
      const float* at = x.data<float>() + g.run(n, block);
      if (f.clamps) {
        loops.clamped_gradient_sums(from, at, g.rows, f.pointers(), sum.data(), product.data());
      } else {
        loops.gradient_sums(from, at, g.rows, f.mean.data(), sum.data(), product.data());
      }
    }
    for (std::int64_t i = 0; i < g.lanes; ++i) {
      const auto lane = static_cast<std::size_t>(i);
      dbias.data<float>()[first + i] = sum[lane];
      dscale.data<float>()[first + i] = product[lane] * f.inverse[lane];
    }
    const GradientFactors to(f, sum, product, g.count());
    for (std::int64_t n = g.images - 1; n >= 0; --n) {  // what was read last is still near
      const float* from = dy.data<float>() + g.run(n, block);
      const float* at = x.data<float>() + g.run(n, block);
      float* target = dx.data<float>() + g.run(n, block);
      if (f.clamps) {
        loops.clamped_gradient_apply(from, at, target, g.rows, f.pointers(), to.a.data(),
                                     to.b.data(), to.c.data());
      } else {
        loops.gradient_apply(from, at, target, g.rows, f.mean.data(), to.a.data(), to.b.data(),
                             to.c.data());
      }
    }
  });
}

}  // namespace mycel::backend
