// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/loops/blocked_loops.h"

#include <algorithm>
#include <limits>

#include "backend/cpu/loops/shuffled.h"

namespace mycel::backend::MYCEL_ISA {
namespace {

#ifdef __AVX512F__
constexpr std::int64_t kLanes = 16;
#else
constexpr std::int64_t kLanes = 8;
#endif
constexpr std::size_t kBytes = kLanes * sizeof(float);
typedef float Lanes __attribute__((vector_size(kBytes), aligned(alignof(float)), may_alias));
typedef std::int32_t Cells __attribute__((vector_size(kBytes), aligned(alignof(float)), may_alias));

const Lanes* lanes(const float* p) { return reinterpret_cast<const Lanes*>(p); }
Lanes* lanes(float* p) { return reinterpret_cast<Lanes*>(p); }

Lanes filled(float value) { return Lanes{} + value; }

constexpr std::int64_t kPiece = 256;  // rows that stay in the first-level cache between two passes

// Four running totals, because a single one would wait for itself.
template <class Term>
Lanes sum_over(std::int64_t rows, const Term& term) {
  Lanes s0{}, s1{}, s2{}, s3{};
  std::int64_t i = 0;
  for (; i + 4 <= rows; i += 4) {
    s0 += term(i);
    s1 += term(i + 1);
    s2 += term(i + 2);
    s3 += term(i + 3);
  }
  for (; i < rows; ++i) s0 += term(i);
  return (s0 + s1) + (s2 + s3);
}

// Piece by piece, joined by the formula for two sets; one walk over memory, no cancellation.
void moments(const float* x, std::int64_t rows, std::int64_t have, float* mean, float* squares) {
  Lanes all_mean = *lanes(mean), all_squares = *lanes(squares);
  for (std::int64_t done = 0; done < rows; done += kPiece) {
    const std::int64_t count = std::min(kPiece, rows - done);
    const Lanes* piece = lanes(x) + done;
    const Lanes center =
        sum_over(count, [&](std::int64_t i) { return piece[i]; }) / static_cast<float>(count);
    const Lanes spread = sum_over(count, [&](std::int64_t i) {
      const Lanes distance = piece[i] - center;
      return distance * distance;
    });
    const auto before = static_cast<float>(have + done);
    const float share = static_cast<float>(count) / (before + static_cast<float>(count));
    const Lanes delta = center - all_mean;
    all_mean += delta * share;
    all_squares += spread + delta * delta * (before * share);
  }
  *lanes(mean) = all_mean;
  *lanes(squares) = all_squares;
}

struct Normalization {
  Lanes mean, scale, shift, upper;
  explicit Normalization(const BlockedFactors& f)
      : mean(*lanes(f.mean)),
        scale(*lanes(f.scale)),
        shift(*lanes(f.shift)),
        upper(filled(f.upper)) {}
  Lanes operator()(const Lanes& x) const { return (x - mean) * scale + shift; }
  Lanes clamped(const Lanes& x) const {  // NaN stays
    const Lanes positive = x <= Lanes{} ? Lanes{} : x;
    return positive > upper ? upper : positive;
  }
  // dy where the normalised x is not outside of the bounds, or NaN
  Lanes passed_on(const Lanes& x, const Lanes& dy) const {
    const Lanes value = (*this)(x);
    return (value <= Lanes{}) | (value >= upper) ? Lanes{} : dy;
  }
};

template <bool kResidual, bool kClamps>
void normalize_as(const float* x, const float* residual, float* y, std::int64_t rows,
                  const BlockedFactors& factors) {
  const Normalization normal(factors);
  for (std::int64_t i = 0; i < rows; ++i) {
    Lanes value = normal(lanes(x)[i]);
    if constexpr (kResidual) value += lanes(residual)[i];
    lanes(y)[i] = kClamps ? normal.clamped(value) : value;
  }
}

void normalize(const float* x, const float* residual, float* y, std::int64_t rows,
               const BlockedFactors& factors) {
  const bool clamps = factors.clamps;
  const auto loop = residual != nullptr
                        ? (clamps ? normalize_as<true, true> : normalize_as<true, false>)
                        : (clamps ? normalize_as<false, true> : normalize_as<false, false>);
  loop(x, residual, y, rows, factors);
}

template <class Incoming>
void sums_of(const Incoming& incoming, const float* x, std::int64_t rows, const Lanes& mean,
             float* sum, float* product) {
  Lanes all{}, all_products{};
  for (std::int64_t done = 0; done < rows; done += kPiece) {
    const std::int64_t end = std::min(done + kPiece, rows);
    Lanes s0{}, s1{}, p0{}, p1{};
    std::int64_t i = done;
    for (; i + 2 <= end; i += 2) {
      const Lanes x0 = lanes(x)[i], x1 = lanes(x)[i + 1];
      const Lanes g0 = incoming(i, x0), g1 = incoming(i + 1, x1);
      s0 += g0;
      s1 += g1;
      p0 += g0 * (x0 - mean);
      p1 += g1 * (x1 - mean);
    }
    if (i < end) {
      const Lanes g = incoming(i, lanes(x)[i]);
      s0 += g;
      p0 += g * (lanes(x)[i] - mean);
    }
    all += s0 + s1;
    all_products += p0 + p1;
  }
  *lanes(sum) += all;
  *lanes(product) += all_products;
}

template <class Incoming>
void apply_to(const Incoming& incoming, const float* x, float* dx, std::int64_t rows,
              const Lanes& mean, const float* a, const float* b, const float* c) {
  const Lanes by_dy = *lanes(a), by_x = *lanes(b), constant = *lanes(c);
  for (std::int64_t i = 0; i < rows; ++i) {
    const Lanes value = lanes(x)[i];
    lanes(dx)[i] = by_dy * incoming(i, value) + (by_x * (value - mean) + constant);
  }
}

void gradient_sums(const float* dy, const float* x, std::int64_t rows, const float* mean,
                   float* sum, float* product) {
  sums_of([&](std::int64_t i, const Lanes&) { return lanes(dy)[i]; }, x, rows, *lanes(mean), sum,
          product);
}

void gradient_apply(const float* dy, const float* x, float* dx, std::int64_t rows,
                    const float* mean, const float* a, const float* b, const float* c) {
  apply_to([&](std::int64_t i, const Lanes&) { return lanes(dy)[i]; }, x, dx, rows, *lanes(mean), a,
           b, c);
}

void clamped_gradient_sums(const float* dy, const float* x, std::int64_t rows,
                           const BlockedFactors& factors, float* sum, float* product) {
  const Normalization normal(factors);
  const auto incoming = [&](std::int64_t i, const Lanes& value) {
    return normal.passed_on(value, lanes(dy)[i]);
  };
  sums_of(incoming, x, rows, normal.mean, sum, product);
}

void clamped_gradient_apply(const float* dy, const float* x, float* dx, std::int64_t rows,
                            const BlockedFactors& factors, const float* a, const float* b,
                            const float* c) {
  const Normalization normal(factors);
  const auto incoming = [&](std::int64_t i, const Lanes& value) {
    return normal.passed_on(value, lanes(dy)[i]);
  };
  apply_to(incoming, x, dx, rows, normal.mean, a, b, c);
}

// ---- weights ----------------------------------------------------------------------------------

// Exchanges, between rows `kDistance` apart, the halves that stand on the wrong side.
template <std::int64_t kDistance>
void exchange(Lanes (&rows)[kLanes]) {
  const auto low = [](int j) {
    return (j & kDistance) == 0 ? j : static_cast<int>(kLanes + j - kDistance);
  };
  const auto high = [](int j) {
    return static_cast<int>((j & kDistance) == 0 ? j + kDistance : kLanes + j);
  };
  for (std::int64_t i = 0; i < kLanes; ++i) {
    if ((i & kDistance) != 0) continue;
    const Lanes upper = rows[i], lower = rows[i + kDistance];
    rows[i] = shuffled(upper, lower, low);
    rows[i + kDistance] = shuffled(upper, lower, high);
  }
}

void lay_out_tiles(const float* tiles, std::int64_t count, float* rows, std::int64_t stride) {
  for (std::int64_t t = 0; t < count; ++t) {
    Lanes tile[kLanes];
    for (std::int64_t i = 0; i < kLanes; ++i) tile[i] = lanes(tiles)[t * kLanes + i];
    exchange<1>(tile);
    exchange<2>(tile);
    exchange<4>(tile);
    if constexpr (kLanes == 16) exchange<8>(tile);
    for (std::int64_t i = 0; i < kLanes; ++i) *lanes(rows + i * stride + t * kLanes) = tile[i];
  }
}

// ---- pooling ----------------------------------------------------------------------------------

// Taps [begin, end) of a window that starts at `start` and lie inside [0, size).
struct Taps {
  std::int64_t begin, end;
  Taps(std::int64_t start, std::int64_t size, std::int64_t kernel, std::int64_t dilation)
      : begin(start >= 0 ? 0 : (-start + dilation - 1) / dilation),
        end(start >= size ? 0 : std::min(kernel, (size - 1 - start) / dilation + 1)) {}
  std::int64_t count() const { return std::max<std::int64_t>(0, end - begin); }
};

// Calls visit(output position, top, left, rows, columns) for every window of the plane.
template <class Visit>
void for_windows(const PoolWindow& w, const Visit& visit) {
  for (std::int64_t oy = 0; oy < w.out_height; ++oy) {
    const std::int64_t top = oy * w.stride_height - w.pad_top;
    const Taps rows(top, w.height, w.kernel_height, w.dilation_height);
    for (std::int64_t ox = 0; ox < w.out_width; ++ox) {
      const std::int64_t left = ox * w.stride_width - w.pad_left;
      visit(oy * w.out_width + ox, top, left, rows,
            Taps(left, w.width, w.kernel_width, w.dilation_width));
    }
  }
}

void max_pool(const PoolWindow& w, const float* x, float* y, std::int32_t* indices) {
  for_windows(w, [&](std::int64_t at, std::int64_t top, std::int64_t left, const Taps& rows,
                     const Taps& columns) {
    Lanes best = filled(-std::numeric_limits<float>::infinity());
    Cells where{};
    bool first = true;
    for (std::int64_t ky = rows.begin; ky < rows.end; ++ky) {
      for (std::int64_t kx = columns.begin; kx < columns.end; ++kx) {
        const std::int64_t cell =
            (top + ky * w.dilation_height) * w.width + left + kx * w.dilation_width;
        const Lanes value = lanes(x)[cell];
        const Cells place = Cells{} + static_cast<std::int32_t>(cell);
        if (first) where = place;
        first = false;
        const auto better = (value > best) | (value != value);  // NaN stays
        best = better ? value : best;
        where = better ? place : where;
      }
    }
    lanes(y)[at] = best;
    reinterpret_cast<Cells*>(indices)[at] = where;
  });
}

void scatter(const float* values, const std::int32_t* cells, std::int64_t count, float* plane) {
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      plane[cells[i * kLanes + lane] * kLanes + lane] += values[i * kLanes + lane];
    }
  }
}

// 1 / the number of cells that the mean of a window at (top, left) is over.
float share_of(const PoolWindow& w, std::int64_t top, std::int64_t left, const Taps& rows,
               const Taps& columns) {
  const std::int64_t bottom = std::min(top + w.kernel_height, w.height + w.pad_bottom);
  const std::int64_t right = std::min(left + w.kernel_width, w.width + w.pad_right);
  const std::int64_t cells = w.divisor != 0    ? w.divisor
                             : w.count_padding ? (bottom - top) * (right - left)
                                               : rows.count() * columns.count();
  return cells == 0 ? 0.0F : 1.0F / static_cast<float>(cells);
}

void average_pool(const PoolWindow& w, const float* x, float* y) {
  for_windows(w, [&](std::int64_t at, std::int64_t top, std::int64_t left, const Taps& rows,
                     const Taps& columns) {
    Lanes sum{};
    for (std::int64_t ky = rows.begin; ky < rows.end; ++ky) {
      const Lanes* line = lanes(x) + (top + ky) * w.width + left;
      for (std::int64_t kx = columns.begin; kx < columns.end; ++kx) sum += line[kx];
    }
    lanes(y)[at] = sum * share_of(w, top, left, rows, columns);
  });
}

void average_pool_gradient(const PoolWindow& w, const float* dy, float* dx) {
  std::fill_n(dx, w.height * w.width * kLanes, 0.0F);
  for_windows(w, [&](std::int64_t at, std::int64_t top, std::int64_t left, const Taps& rows,
                     const Taps& columns) {
    const Lanes share = lanes(dy)[at] * share_of(w, top, left, rows, columns);
    for (std::int64_t ky = rows.begin; ky < rows.end; ++ky) {
      Lanes* line = lanes(dx) + (top + ky) * w.width + left;
      for (std::int64_t kx = columns.begin; kx < columns.end; ++kx) line[kx] += share;
    }
  });
}

}  // namespace

const BlockedLoops blocked_loops = {moments,
                                    normalize,
                                    gradient_sums,
                                    gradient_apply,
                                    clamped_gradient_sums,
                                    clamped_gradient_apply,
                                    lay_out_tiles,
                                    max_pool,
                                    scatter,
                                    average_pool,
                                    average_pool_gradient};

}  // namespace mycel::backend::MYCEL_ISA
