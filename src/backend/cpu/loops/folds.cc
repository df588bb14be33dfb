// SPDX-License-Identifier: Apache-2.0
#include <complex>
#include <limits>
#include <type_traits>

#include "backend/cpu/loops/loop_table.h"
#include "backend/cpu/loops/shuffled.h"

namespace mycel::cpu::MYCEL_ISA {
namespace {

template <class T>
constexpr bool kIsComplex =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

template <class T, Fold kFold>
struct Folding {
  static T start() {
    if constexpr (kFold == Fold::Sum || kFold == Fold::Or) return T(0);
    if constexpr (kFold == Fold::Prod || kFold == Fold::And) return T(1);
    if constexpr (!kIsComplex<T>) {
      using Limits = std::numeric_limits<T>;
      if constexpr (kFold == Fold::Max)
        return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
      if constexpr (kFold == Fold::Min)
        return Limits::has_infinity ? Limits::infinity() : Limits::max();
    }
    return T(0);
  }
  static T run(T a, T b) {
    if constexpr (kFold == Fold::Sum && std::is_integral_v<T>) {
      return static_cast<T>(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b));
    } else if constexpr (kFold == Fold::Prod && std::is_integral_v<T>) {
      return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    } else if constexpr (kFold == Fold::Sum) {
      return a + b;
    } else if constexpr (kFold == Fold::Prod && kIsComplex<T>) {
      return T(a.real() * b.real() - a.imag() * b.imag(),
               a.real() * b.imag() + a.imag() * b.real());
    } else if constexpr (kFold == Fold::Prod) {
      return a * b;
    } else if constexpr (kIsComplex<T>) {
      return a;
    } else if constexpr (kFold == Fold::Max) {
      return (a > b) | (a != a) ? a : b;  // no jump: loops over this are vectorised
    } else if constexpr (kFold == Fold::Min) {
      return (a < b) | (a != a) ? a : b;
    } else if constexpr (kFold == Fold::And) {
      return static_cast<T>((a != T(0)) & (b != T(0)));
    } else {
      return static_cast<T>((a != T(0)) | (b != T(0)));
    }
  }
};

// Vectors of the compiler, as wide as the processor's; wider ones it would take apart.
template <class T>
struct VectorOf {
  typedef T type __attribute__((vector_size(kVectorBytes), aligned(alignof(T)), may_alias));
  static constexpr int kLanes = kVectorBytes / sizeof(T);
};

template <class T, Fold kFold, class V>
V fold_vectors(V a, V b) {
  if constexpr (kFold == Fold::Sum) return a + b;
  if constexpr (kFold == Fold::Prod) return a * b;
  if constexpr (kFold == Fold::Max && std::is_floating_point_v<T>)
    return (a > b) | (a != a) ? a : b;
  if constexpr (kFold == Fold::Min && std::is_floating_point_v<T>)
    return (a < b) | (a != a) ? a : b;
  if constexpr (kFold == Fold::Max) return a > b ? a : b;
  if constexpr (kFold == Fold::Min) return a < b ? a : b;
  if constexpr (kFold == Fold::And) return a & b;
  if constexpr (kFold == Fold::Or) return a | b;
}

// Integers wrap; their sums and products are taken in the unsigned type.
template <class T, Fold kFold>
using LaneOf = typename std::conditional_t<
    std::is_integral_v<T> && (kFold == Fold::Sum || kFold == Fold::Prod),
    std::make_unsigned<std::conditional_t<std::is_integral_v<T>, T, int>>,
    std::type_identity<T>>::type;

// Half of the lanes with the other half, until the first has all.
template <class T, Fold kFold, int kWidth = VectorOf<T>::kLanes / 2, class V>
V fold_lanes(V total) {
  if constexpr (kWidth == 0) {
    return total;
  } else {
    const auto other = [](int lane) { return (lane + kWidth) % VectorOf<T>::kLanes; };
    const V rotated = backend::MYCEL_ISA::shuffled(total, total, other);
    return fold_lanes<T, kFold, kWidth / 2>(fold_vectors<T, kFold>(total, rotated));
  }
}

// One leaf of the summation tree. The lanes are independent running folds, joined in a fixed order.
template <class T, Fold kFold>
T fold_vector_leaf(const T* x, std::int64_t n) {
  using Unsigned = std::conditional_t<
      sizeof(T) == 8, std::uint64_t,
      std::conditional_t<sizeof(T) == 4, std::uint32_t,
                         std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;
  using Lane = LaneOf<T, kFold>;
  using V = typename VectorOf<Lane>::type;
  using Index = typename VectorOf<Unsigned>::type;
  constexpr int kLanes = VectorOf<T>::kLanes;
  const auto load = [&](std::int64_t i) { return *reinterpret_cast<const V*>(x + i); };
  V total = load(0);
  std::int64_t i = kLanes;
  if (n >= 4 * kLanes) {
    V second = load(kLanes), third = load(2 * kLanes), fourth = load(3 * kLanes);
    for (i = 4 * kLanes; i + 4 * kLanes <= n; i += 4 * kLanes) {
      total = fold_vectors<T, kFold>(total, load(i));
      second = fold_vectors<T, kFold>(second, load(i + kLanes));
      third = fold_vectors<T, kFold>(third, load(i + 2 * kLanes));
      fourth = fold_vectors<T, kFold>(fourth, load(i + 3 * kLanes));
    }
    total = fold_vectors<T, kFold>(fold_vectors<T, kFold>(total, second),
                                   fold_vectors<T, kFold>(third, fourth));
  }
  for (; i + kLanes <= n; i += kLanes) total = fold_vectors<T, kFold>(total, load(i));
  Index lane;
  for (int k = 0; k < kLanes; ++k) lane[k] = static_cast<Unsigned>(k);
  if (i < n) {
    // The last whole vector once more, without the lanes that were counted already.
    const Lane start = static_cast<Lane>(Folding<T, kFold>::start());
    const V rest = load(n - kLanes);
    const V neutral = V{} + start;
    total = fold_vectors<T, kFold>(
        total, lane >= static_cast<Unsigned>(kLanes - (n - i)) ? rest : neutral);
  }
  return static_cast<T>(fold_lanes<T, kFold>(total)[0]);
}

template <class T, Fold kFold>
T fold_leaf(const T* x, std::int64_t n) {
  using F = Folding<T, kFold>;
  if constexpr (!kIsComplex<T>) {
    if (n >= VectorOf<T>::kLanes) return fold_vector_leaf<T, kFold>(x, n);
  }
  T value = F::start();
  for (std::int64_t i = 0; i < n; ++i) value = F::run(value, x[i]);
  return value;
}

constexpr std::int64_t kLeaf = 2048;

// Leaves joined pairwise, so that the rounding error grows with the logarithm of the length.
template <class T, Fold kFold>
T fold_row(const T* x, std::int64_t n) {
  if (n <= kLeaf) return fold_leaf<T, kFold>(x, n);
  T partial[48];
  int depth = 0;
  std::uint64_t leaves = 0;
  for (std::int64_t i = 0; i < n; i += kLeaf) {
    T value = fold_leaf<T, kFold>(x + i, n - i < kLeaf ? n - i : kLeaf);
    for (std::uint64_t bit = leaves++; (bit & 1) != 0; bit >>= 1) {
      value = Folding<T, kFold>::run(partial[--depth], value);
    }
    partial[depth++] = value;
  }
  T value = partial[--depth];
  while (depth > 0) value = Folding<T, kFold>::run(partial[--depth], value);
  return value;
}

template <class T, Fold kFold>
void fold_rows(const void* x, std::int64_t stride, std::int64_t rows, std::int64_t length,
               void* out) {
  const T* from = static_cast<const T*>(x);
  T* to = static_cast<T*>(out);
  for (std::int64_t r = 0; r < rows; ++r) to[r] = fold_row<T, kFold>(from + r * stride, length);
}

template <class T, Fold kFold>
void fold_into(void* into, const void* x, std::int64_t n) {
  T* total = static_cast<T*>(into);
  const T* from = static_cast<const T*>(x);
  std::int64_t i = 0;
  if constexpr (!kIsComplex<T>) {
    using V = typename VectorOf<LaneOf<T, kFold>>::type;
    constexpr int kLanes = VectorOf<T>::kLanes;
    for (; i + kLanes <= n; i += kLanes) {
      V* place = reinterpret_cast<V*>(total + i);
      *place = fold_vectors<T, kFold>(*place, *reinterpret_cast<const V*>(from + i));
    }
  }
  for (; i < n; ++i) total[i] = Folding<T, kFold>::run(total[i], from[i]);
}

// Four rows: the running totals are read and written a quarter as often.
template <class T, Fold kFold>
void fold_four_rows(T* total, const T* row, std::int64_t stride, std::int64_t n) {
  std::int64_t i = 0;
  if constexpr (!kIsComplex<T>) {
    using V = typename VectorOf<LaneOf<T, kFold>>::type;
    constexpr int kLanes = VectorOf<T>::kLanes;
    const auto load = [](const T* from) { return *reinterpret_cast<const V*>(from); };
    for (; i + kLanes <= n; i += kLanes) {
      const V pair = fold_vectors<T, kFold>(load(row + i), load(row + i + stride));
      const V other =
          fold_vectors<T, kFold>(load(row + i + 2 * stride), load(row + i + 3 * stride));
      V* place = reinterpret_cast<V*>(total + i);
      *place = fold_vectors<T, kFold>(*place, fold_vectors<T, kFold>(pair, other));
    }
  }
  for (; i < n; ++i) {
    using F = Folding<T, kFold>;
    const T pair = F::run(row[i], row[i + stride]);
    const T other = F::run(row[i + 2 * stride], row[i + 3 * stride]);
    total[i] = F::run(total[i], F::run(pair, other));
  }
}

template <class T, Fold kFold>
void fold_columns(void* into, const void* x, std::int64_t stride, std::int64_t rows,
                  std::int64_t n) {
  T* total = static_cast<T*>(into);
  const T* from = static_cast<const T*>(x);
  std::int64_t r = 0;
  for (; r + 4 <= rows; r += 4) fold_four_rows<T, kFold>(total, from + r * stride, stride, n);
  for (; r < rows; ++r) fold_into<T, kFold>(total, from + r * stride, n);
}

template <class T>
void moments_row(const void* x, std::int64_t n, double* mean_out, double* m2_out) {
  const T* from = static_cast<const T*>(x);
  const T mean = fold_row<T, Fold::Sum>(from, n) / static_cast<T>(n);
  constexpr int kLanes = 64 / sizeof(T);
  T squares[kLanes] = {};
  T rests[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const T distance = from[i + lane] - mean;
      squares[lane] += distance * distance;
      rests[lane] += distance;
    }
  }
  for (int lane = 0; i < n; ++i, ++lane) {
    const T distance = from[i] - mean;
    squares[lane] += distance * distance;
    rests[lane] += distance;
  }
  double m2 = 0;
  double rest = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    m2 += static_cast<double>(squares[lane]);
    rest += static_cast<double>(rests[lane]);
  }
  // What rounding left in the mean is measured by the distances themselves.
  const double count = static_cast<double>(n);
  *mean_out = static_cast<double>(mean) + rest / count;
  *m2_out = m2 - rest * rest / count;
}

template <class T>
void moments_add_row(const void* x, std::int64_t n, std::int64_t count, void* mean_in,
                     void* m2_in) {
  const T* from = static_cast<const T*>(x);
  T* mean = static_cast<T*>(mean_in);
  T* m2 = static_cast<T*>(m2_in);
  const T share = T(1) / static_cast<T>(count);
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) {
    const T distance = from[i] - mean[i];
    mean[i] += distance * share;
    m2[i] += distance * (from[i] - mean[i]);
  }
}

template <class T, Fold... kFolds>
void fill_folds_of(LoopTable& table, Number number) {
  FoldLoops* loops = table.folds[static_cast<int>(number)];
  ((loops[static_cast<int>(kFolds)] = {fold_rows<T, kFolds>, fold_into<T, kFolds>,
                                       fold_columns<T, kFolds>}),
   ...);
}

template <class T>
void fill_all_folds(LoopTable& table, Number number) {
  fill_folds_of<T, Fold::Sum, Fold::Prod, Fold::Max, Fold::Min>(table, number);
}

}  // namespace

void fill_folds(LoopTable& table) {
  fill_folds_of<std::int8_t, Fold::Max, Fold::Min>(table, Number::I8);
  fill_folds_of<std::int16_t, Fold::Max, Fold::Min>(table, Number::I16);
  fill_folds_of<std::int32_t, Fold::Max, Fold::Min>(table, Number::I32);
  fill_folds_of<std::uint8_t, Fold::Max, Fold::Min, Fold::And, Fold::Or>(table, Number::U8);
  fill_folds_of<std::uint16_t, Fold::Max, Fold::Min>(table, Number::U16);
  fill_folds_of<std::uint32_t, Fold::Max, Fold::Min>(table, Number::U32);
  fill_folds_of<std::uint64_t, Fold::Max, Fold::Min>(table, Number::U64);
  fill_all_folds<std::int64_t>(table, Number::I64);
  fill_all_folds<float>(table, Number::F32);
  fill_all_folds<double>(table, Number::F64);
  fill_folds_of<std::complex<float>, Fold::Sum, Fold::Prod>(table, Number::C64);
  fill_folds_of<std::complex<double>, Fold::Sum, Fold::Prod>(table, Number::C128);
  table.moments[0] = {moments_row<float>, moments_add_row<float>};
  table.moments[1] = {moments_row<double>, moments_add_row<double>};
}

}  // namespace mycel::cpu::MYCEL_ISA
