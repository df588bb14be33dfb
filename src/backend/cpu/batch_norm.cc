// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/batch_norm.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "backend/cpu/loops/norm_loops.h"
#include "platform/thread/parallel_for.h"

namespace mycel::backend {
namespace {

using tensor::Tensor;

template <class T>
const T* values_or_null(const Tensor& tensor) {
  return tensor.defined() ? tensor.data<T>() : nullptr;
}

template <class Body>
void with_wide_type(const Tensor& tensor, const Body& body) {
  if (tensor.dtype() == tensor::DType::Float64) {
    body.template operator()<double>();
  } else {
    body.template operator()<float>();
  }
}

// Joins the moments of two sets of values.
template <class T>
void join(Moments<T>& all, std::int64_t have, const Moments<T>& more, std::int64_t count) {
  const T total = T(have + count);
  const T delta = more.mean - all.mean;
  all.mean += delta * (T(count) / total);
  all.squares += more.squares + delta * delta * (T(have) * (T(count) / total));
}

// Channels are shared out among threads. With one value per channel and row the channels lie side
// by side and are walked in vectors, else each channel is a run of `inner` values per row.
template <class T, class Line, class Columns>
void for_channels(const BatchNormShape& s, const Line& line, const Columns& columns) {
  platform::parallel_for(s.channels, s.outer * s.inner, [&](std::int64_t begin, std::int64_t end) {
    if (s.inner == 1) {
      columns(begin, end);
    } else {
      for (std::int64_t c = begin; c < end; ++c) line(c);
    }
  });
}

template <class T>
void train(const BatchNormShape& s, const T* x, const T* gamma, const T* beta, T epsilon, T* y,
           T* mean, T* variance) {
  const NormLoops<T>& loops = norm_loops<T>();
  const std::int64_t step = s.channels * s.inner;
  const T count = T(s.outer * s.inner);
  const auto scale = [&](std::int64_t c) {
    return (gamma != nullptr ? gamma[c] : T(1)) / std::sqrt(variance[c] + epsilon);
  };
  const auto shift = [&](std::int64_t c) { return beta != nullptr ? beta[c] : T(0); };
  const auto line = [&](std::int64_t c) {
    Moments<T> all;
    for (std::int64_t n = 0; n < s.outer; ++n) {
      join(all, n * s.inner, loops.moments(x + n * step + c * s.inner, s.inner), s.inner);
    }
    mean[c] = all.mean;
    variance[c] = all.squares / count;
    for (std::int64_t n = 0; n < s.outer; ++n) {
      const std::int64_t at = n * step + c * s.inner;
      loops.normalize(x + at, y + at, s.inner, mean[c], scale(c), shift(c));
    }
  };
  const auto columns = [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t width = end - begin;
    loops.column_moments(x + begin, s.outer, s.channels, width, mean + begin, variance + begin);
    std::vector<T> scales(static_cast<std::size_t>(width)), shifts(scales);
    for (std::int64_t i = 0; i < width; ++i) {
      variance[begin + i] /= count;
      scales[i] = scale(begin + i);
      shifts[i] = shift(begin + i);
    }
    loops.column_normalize(x + begin, y + begin, s.outer, s.channels, width, mean + begin,
                           scales.data(), shifts.data());
  };
  for_channels<T>(s, line, columns);
}

template <class T>
void infer(const BatchNormShape& s, const T* x, const T* gamma, const T* beta, const T* mean,
           const T* variance, T epsilon, T* y) {
  const NormLoops<T>& loops = norm_loops<T>();
  std::vector<T> scales(static_cast<std::size_t>(s.channels)), shifts(scales);
  for (std::int64_t c = 0; c < s.channels; ++c) {
    scales[c] = T(1) / std::sqrt(variance[c] + epsilon) * (gamma != nullptr ? gamma[c] : T(1));
    shifts[c] = beta != nullptr ? beta[c] : T(0);
  }
  if (s.inner == 1) {
    platform::parallel_for(s.outer, s.channels, [&](std::int64_t begin, std::int64_t end) {
      loops.column_normalize(x + begin * s.channels, y + begin * s.channels, end - begin,
                             s.channels, s.channels, mean, scales.data(), shifts.data());
    });
    return;
  }
  platform::parallel_for(s.outer * s.channels, s.inner, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t c = i % s.channels;
      loops.normalize(x + i * s.inner, y + i * s.inner, s.inner, mean[c], scales[c], shifts[c]);
    }
  });
}

// dx = a dy + b (x - mean) + c with factors that follow from the two sums.
template <class T>
struct Factors {
  T a, b, c;
  Factors(T gamma, T inverse, T sum, T product, T count)
      : a(gamma * inverse),
        b(-gamma * inverse * inverse * inverse * product / count),
        c(-gamma * inverse * sum / count) {}
};

template <class T>
void differentiate(const BatchNormShape& s, const T* dy, const T* x, const T* gamma, const T* mean,
                   const T* inverse, T* dx, T* dgamma, T* dbeta) {
  const NormLoops<T>& loops = norm_loops<T>();
  const std::int64_t step = s.channels * s.inner;
  const T count = T(s.outer * s.inner);
  const auto scale = [&](std::int64_t c) { return gamma != nullptr ? gamma[c] : T(1); };
  const auto line = [&](std::int64_t c) {
    T sum = 0, product = 0;
    for (std::int64_t n = 0; n < s.outer; ++n) {
      const std::int64_t at = n * step + c * s.inner;
      loops.gradient_sums(dy + at, x + at, s.inner, mean[c], &sum, &product);
    }
    dbeta[c] = sum;
    dgamma[c] = product * inverse[c];
    const Factors<T> f(scale(c), inverse[c], sum, product, count);
    for (std::int64_t n = 0; n < s.outer; ++n) {
      const std::int64_t at = n * step + c * s.inner;
      loops.gradient_apply(dy + at, x + at, dx + at, s.inner, mean[c], f.a, f.b, f.c);
    }
  };
  const auto columns = [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t width = end - begin;
    std::fill(dgamma + begin, dgamma + end, T(0));
    std::fill(dbeta + begin, dbeta + end, T(0));
    loops.column_gradient_sums(dy + begin, x + begin, s.outer, s.channels, width, mean + begin,
                               dbeta + begin, dgamma + begin);
    std::vector<T> a(static_cast<std::size_t>(width)), b(a), c(a);
    for (std::int64_t i = 0; i < width; ++i) {
      const std::int64_t at = begin + i;
      const Factors<T> f(scale(at), inverse[at], dbeta[at], dgamma[at], count);
      a[i] = f.a, b[i] = f.b, c[i] = f.c;
      dgamma[at] *= inverse[at];
    }
    loops.column_gradient_apply(dy + begin, x + begin, dx + begin, s.outer, s.channels, width,
                                mean + begin, a.data(), b.data(), c.data());
  };
  for_channels<T>(s, line, columns);
}

}  // namespace

void batch_norm_training(const BatchNormShape& shape, const Tensor& x, const Tensor& gamma,
                         const Tensor& beta, double epsilon, const Tensor& y, const Tensor& mean,
                         const Tensor& variance) {
  with_wide_type(x, [&]<class T>() {
    train<T>(shape, x.data<T>(), values_or_null<T>(gamma), values_or_null<T>(beta), T(epsilon),
             y.data<T>(), mean.data<T>(), variance.data<T>());
  });
}

void batch_norm_inference(const BatchNormShape& shape, const Tensor& x, const Tensor& gamma,
                          const Tensor& beta, const Tensor& mean, const Tensor& variance,
                          double epsilon, const Tensor& y) {
  with_wide_type(x, [&]<class T>() {
    infer<T>(shape, x.data<T>(), values_or_null<T>(gamma), values_or_null<T>(beta), mean.data<T>(),
             variance.data<T>(), T(epsilon), y.data<T>());
  });
}

void batch_norm_gradient(const BatchNormShape& shape, const Tensor& dy, const Tensor& x,
                         const Tensor& gamma, const Tensor& mean, const Tensor& variance,
                         double epsilon, const Tensor& dx, const Tensor& dgamma,
                         const Tensor& dbeta) {
  with_wide_type(x, [&]<class T>() {
    std::vector<T> inverse(static_cast<std::size_t>(shape.channels));
    for (std::size_t c = 0; c < inverse.size(); ++c) {
      inverse[c] = T(1) / std::sqrt(variance.data<T>()[c] + T(epsilon));
    }
    differentiate<T>(shape, dy.data<T>(), x.data<T>(), values_or_null<T>(gamma), mean.data<T>(),
                     inverse.data(), dx.data<T>(), dgamma.data<T>(), dbeta.data<T>());
  });
}

}  // namespace mycel::backend
