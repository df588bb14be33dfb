// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/loops/pool_loops.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace mycel::backend::MYCEL_ISA {
namespace {

// Output positions [begin, end) whose tap at `offset` from the window's start lies inside [0,
// size).
struct Reach {
  std::int64_t begin, end;
};

Reach reach(std::int64_t size, std::int64_t out_size, std::int64_t stride, std::int64_t offset) {
  const std::int64_t begin = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
  const std::int64_t end = size - 1 - offset < 0 ? 0 : (size - 1 - offset) / stride + 1;
  return {std::min(begin, out_size), std::clamp(end, std::min(begin, out_size), out_size)};
}

// The stride is a constant where it matters: the compiler then loads whole vectors.
template <class Body>
void with_stride(std::int64_t stride, const Body& body) {
  if (stride == 1) {
    body(std::integral_constant<std::int64_t, 1>());
  } else if (stride == 2) {
    body(std::integral_constant<std::int64_t, 2>());
  } else {
    body(stride);
  }
}

template <class T, class Stride>
void max_tap(const T* x, std::int32_t first, Stride stride, std::int64_t count, T* y,
             std::int32_t* indices) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    const T value = x[i * stride];
    const bool better = (value > y[i]) | (value != value);  // NaN stays
    y[i] = better ? value : y[i];
    indices[i] = better ? first + static_cast<std::int32_t>(i * stride) : indices[i];
  }
}

// Windows of 2 by 2 side by side, the commonest kind: one pass, nothing read twice.
bool is_halving(const PoolWindow& w) {
  return w.kernel_height == 2 && w.kernel_width == 2 && w.stride_height == 2 &&
         w.stride_width == 2 && w.dilation_height == 1 && w.dilation_width == 1 && w.pad_top == 0 &&
         w.pad_left == 0 && 2 * w.out_height <= w.height && 2 * w.out_width <= w.width;
}

template <class T>
void max_halves(const PoolWindow& w, const T* x, T* y, std::int32_t* indices) {
  for (std::int64_t oy = 0; oy < w.out_height; ++oy, y += w.out_width, indices += w.out_width) {
    const auto first = static_cast<std::int32_t>(2 * oy * w.width);
    const auto below = static_cast<std::int32_t>(w.width);
    const T* upper = x + first;
    const T* lower = upper + w.width;
#pragma omp simd
    for (std::int64_t i = 0; i < w.out_width; ++i) {
      T best = upper[2 * i];
      auto where = first + static_cast<std::int32_t>(2 * i);
      const auto offer = [&](T value, std::int32_t place) {
        const bool better = (value > best) | (value != value);  // NaN stays
        best = better ? value : best;
        where = better ? place : where;
      };
      const std::int32_t place = where;
      offer(upper[2 * i + 1], place + 1);
      offer(lower[2 * i], place + below);
      offer(lower[2 * i + 1], place + below + 1);
      y[i] = best;
      indices[i] = where;
    }
  }
}

template <class T>
void max_plane(const PoolWindow& w, const T* x, T* y, std::int32_t* indices) {
  if (is_halving(w)) {
    max_halves(w, x, y, indices);
    return;
  }
  for (std::int64_t oy = 0; oy < w.out_height; ++oy, y += w.out_width, indices += w.out_width) {
    const std::int64_t top = oy * w.stride_height - w.pad_top;
    std::fill_n(y, w.out_width, -std::numeric_limits<T>::infinity());
    // Where every cell is minus infinity the first one inside counts.
    const std::int64_t row = std::max<std::int64_t>(top, 0);
    for (std::int64_t ox = 0; ox < w.out_width; ++ox) {
      const std::int64_t column = std::max<std::int64_t>(ox * w.stride_width - w.pad_left, 0);
      indices[ox] = static_cast<std::int32_t>(std::min(row, w.height - 1) * w.width +
                                              std::min(column, w.width - 1));
    }
    for (std::int64_t ky = 0; ky < w.kernel_height; ++ky) {
      const std::int64_t iy = top + ky * w.dilation_height;
      if (iy < 0 || iy >= w.height) continue;
      for (std::int64_t kx = 0; kx < w.kernel_width; ++kx) {
        const std::int64_t offset = kx * w.dilation_width - w.pad_left;
        const Reach r = reach(w.width, w.out_width, w.stride_width, offset);
        const std::int64_t start = iy * w.width + r.begin * w.stride_width + offset;
        with_stride(w.stride_width, [&](auto stride) {
          max_tap(x + start, static_cast<std::int32_t>(start), stride, r.end - r.begin, y + r.begin,
                  indices + r.begin);
        });
      }
    }
  }
}

// Cells of a window along one axis: [begin, end) inside the image, and how many count.
struct Cells {
  std::int64_t begin, end, counted;
};

Cells cells(std::int64_t out, std::int64_t stride, std::int64_t before, std::int64_t after,
            std::int64_t kernel, std::int64_t size, bool count_padding) {
  const std::int64_t start = out * stride - before;
  const std::int64_t padded_end = std::min(start + kernel, size + after);
  const std::int64_t begin = std::max<std::int64_t>(start, 0), end = std::min(start + kernel, size);
  return {begin, std::max(begin, end),
          count_padding ? padded_end - start : std::max<std::int64_t>(end - begin, 0)};
}

// 1 / divisor for every position of a row of outputs.
template <class T>
void fill_factors(const PoolWindow& w, std::int64_t rows_counted, T* factors) {
  for (std::int64_t ox = 0; ox < w.out_width; ++ox) {
    const Cells c = cells(ox, w.stride_width, w.pad_left, w.pad_right, w.kernel_width, w.width,
                          w.count_padding);
    const std::int64_t divisor = w.divisor != 0 ? w.divisor : c.counted * rows_counted;
    factors[ox] = divisor == 0 ? T(0) : T(1) / T(divisor);
  }
}

template <class T>
void average_plane(const PoolWindow& w, const T* x, T* y) {
  std::vector<T> factors(static_cast<std::size_t>(w.out_width));
  std::int64_t factors_for = -1;
  for (std::int64_t oy = 0; oy < w.out_height; ++oy, y += w.out_width) {
    const Cells rows = cells(oy, w.stride_height, w.pad_top, w.pad_bottom, w.kernel_height,
                             w.height, w.count_padding);
    if (rows.counted != factors_for) fill_factors(w, rows.counted, factors.data());
    factors_for = rows.counted;
    std::fill_n(y, w.out_width, T(0));
    for (std::int64_t iy = rows.begin; iy < rows.end; ++iy) {
      for (std::int64_t kx = 0; kx < w.kernel_width; ++kx) {
        const Reach r = reach(w.width, w.out_width, w.stride_width, kx - w.pad_left);
        const T* from = x + iy * w.width + r.begin * w.stride_width + kx - w.pad_left;
        T* to = y + r.begin;
        with_stride(w.stride_width, [&](auto stride) {
#pragma omp simd
          for (std::int64_t i = 0; i < r.end - r.begin; ++i) to[i] += from[i * stride];
        });
      }
    }
    for (std::int64_t ox = 0; ox < w.out_width; ++ox) y[ox] *= factors[ox];
  }
}

template <class T>
void average_gradient_plane(const PoolWindow& w, const T* dy, T* dx) {
  std::vector<T> scaled(static_cast<std::size_t>(w.out_width)), factors(scaled);
  std::fill_n(dx, w.height * w.width, T(0));
  std::int64_t factors_for = -1;
  for (std::int64_t oy = 0; oy < w.out_height; ++oy, dy += w.out_width) {
    const Cells rows = cells(oy, w.stride_height, w.pad_top, w.pad_bottom, w.kernel_height,
                             w.height, w.count_padding);
    if (rows.counted != factors_for) fill_factors(w, rows.counted, factors.data());
    factors_for = rows.counted;
    for (std::int64_t ox = 0; ox < w.out_width; ++ox) scaled[ox] = dy[ox] * factors[ox];
    for (std::int64_t iy = rows.begin; iy < rows.end; ++iy) {
      for (std::int64_t kx = 0; kx < w.kernel_width; ++kx) {
        const Reach r = reach(w.width, w.out_width, w.stride_width, kx - w.pad_left);
        T* to = dx + iy * w.width + r.begin * w.stride_width + kx - w.pad_left;
        const T* from = scaled.data() + r.begin;
        with_stride(w.stride_width, [&](auto stride) {
#pragma omp simd
          for (std::int64_t i = 0; i < r.end - r.begin; ++i) to[i * stride] += from[i];
        });
      }
    }
  }
}

}  // namespace

const PoolLoops<float> pool_loops_float = {max_plane<float>, average_plane<float>,
                                           average_gradient_plane<float>};
const PoolLoops<double> pool_loops_double = {max_plane<double>, average_plane<double>,
                                             average_gradient_plane<double>};

}  // namespace mycel::backend::MYCEL_ISA
