// SPDX-License-Identifier: Apache-2.0
// Turns scalar functions into loops over blocks. Included by the files of this folder only.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "backend/cpu/loops/loop_table.h"

namespace mycel::cpu::MYCEL_ISA {

using op::ScalarOp;
using Mask = std::uint8_t;

// Functions of the vector maths library are called for whole vectors only. Its results differ in
// the last bit from those of the scalar library, and an element's value must not depend on its
// position.
constexpr bool is_library_function(ScalarOp o) {
  switch (o) {
    case ScalarOp::Exp:
    case ScalarOp::Exp2:
    case ScalarOp::Expm1:
    case ScalarOp::Log:
    case ScalarOp::Log2:
    case ScalarOp::Log10:
    case ScalarOp::Log1p:
    case ScalarOp::Sin:
    case ScalarOp::Cos:
    case ScalarOp::Tan:
    case ScalarOp::Asin:
    case ScalarOp::Acos:
    case ScalarOp::Atan:
    case ScalarOp::Sinh:
    case ScalarOp::Cosh:
    case ScalarOp::Tanh:
    case ScalarOp::Asinh:
    case ScalarOp::Acosh:
    case ScalarOp::Atanh:
    case ScalarOp::Erf:
    case ScalarOp::Erfc:
    case ScalarOp::Sigmoid:
    case ScalarOp::Pow:
    case ScalarOp::Atan2:
    case ScalarOp::Hypot: return true;
    default: return false;
  }
}

template <class T, class F>
[[gnu::noinline]] void unary_bulk(const T* a, T* out, std::int64_t n) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) out[i] = F::run(a[i]);
}

template <class T, class F>
[[gnu::noinline]] void binary_bulk(const T* a, const T* b, T* out, std::int64_t n) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) out[i] = F::run(a[i], b[i]);
}

template <class T>
constexpr std::int64_t kPad = 64 / sizeof(T);

// Calls body(a, out, n) for whole vectors, the rest in a padded copy.
template <class T, class F>
void unary_padded(const void* a, const void*, const void*, const void*, void* out, std::int64_t n) {
  const T* x = static_cast<const T*>(a);
  T* y = static_cast<T*>(out);
  const std::int64_t whole = n - n % kPad<T>;
  if (whole > 0) unary_bulk<T, F>(x, y, whole);
  if (whole == n) return;
  const std::size_t rest = static_cast<std::size_t>(n - whole) * sizeof(T);
  alignas(64) T line[kPad<T>];
  for (T& value : line) value = x[whole];
  std::memcpy(line, x + whole, rest);
  unary_bulk<T, F>(line, line, kPad<T>);
  std::memcpy(y + whole, line, rest);
}

template <class T, class F, Variant kVariant>
void binary_padded(const void* a, const void* b, const void*, const void*, void* out,
                   std::int64_t n) {
  const T* x = static_cast<const T*>(a);
  const T* z = static_cast<const T*>(b);
  T* y = static_cast<T*>(out);
  constexpr std::int64_t kLine = 4 * kPad<T>;
  alignas(64) T left[kLine];
  alignas(64) T right[kLine];
  if (kVariant == kFirstSingle) {
    for (T& value : left) value = *x;
  }
  if (kVariant == kSecondSingle) {
    for (T& value : right) value = *z;
  }
  for (std::int64_t i = 0; i < n; i += kLine) {
    const std::int64_t count = n - i < kLine ? n - i : kLine;
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
    const T* p = left;
    const T* q = right;
    if (kVariant != kFirstSingle) {
      if (count == kLine) {
        p = x + i;
      } else {
        for (T& value : left) value = x[i];
        std::memcpy(left, x + i, bytes);
      }
    }
    if (kVariant != kSecondSingle) {
      if (count == kLine) {
        q = z + i;
      } else {
        for (T& value : right) value = z[i];
        std::memcpy(right, z + i, bytes);
      }
    }
    if (count == kLine) {
      binary_bulk<T, F>(p, q, y + i, kLine);
    } else {
      alignas(64) T line[kLine];
      binary_bulk<T, F>(p, q, line, (count + kPad<T> - 1) / kPad<T> * kPad<T>);
      std::memcpy(y + i, line, bytes);
    }
  }
}

template <class A, class R, class F>
void unary_loop(const void* a, const void*, const void*, const void*, void* out, std::int64_t n) {
  const A* x = static_cast<const A*>(a);
  R* y = static_cast<R*>(out);
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) y[i] = static_cast<R>(F::run(x[i]));
}

template <class A, class R, class F, Variant kVariant>
void binary_loop(const void* a, const void* b, const void*, const void*, void* out,
                 std::int64_t n) {
  const A* x = static_cast<const A*>(a);
  const A* z = static_cast<const A*>(b);
  R* y = static_cast<R*>(out);
  if constexpr (kVariant == kVectors) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < n; ++i) y[i] = static_cast<R>(F::run(x[i], z[i]));
  } else if constexpr (kVariant == kSecondSingle) {
    const A single = *z;
#pragma GCC ivdep
    for (std::int64_t i = 0; i < n; ++i) y[i] = static_cast<R>(F::run(x[i], single));
  } else {
    const A single = *x;
#pragma GCC ivdep
    for (std::int64_t i = 0; i < n; ++i) y[i] = static_cast<R>(F::run(single, z[i]));
  }
}

template <class T, Variant kVariant>
void select_loop(const void* mask, const void* yes, const void* no, const void*, void* out,
                 std::int64_t n) {
  const Mask* m = static_cast<const Mask*>(mask);
  const T* a = static_cast<const T*>(yes);
  const T* b = static_cast<const T*>(no);
  T* y = static_cast<T*>(out);
  const T one_a = *a;
  const T one_b = *b;
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) {
    const T p = kVariant & kFirstSingle ? one_a : a[i];
    const T q = kVariant & kSecondSingle ? one_b : b[i];
    y[i] = m[i] != 0 ? p : q;
  }
}

template <class T, class Compare, Variant kVariant>
void compare_select_loop(const void* left, const void* right, const void* yes, const void* no,
                         void* out, std::int64_t n) {
  const T* x = static_cast<const T*>(left);
  const T threshold = *static_cast<const T*>(right);
  const T* a = static_cast<const T*>(yes);
  const T* b = static_cast<const T*>(no);
  T* y = static_cast<T*>(out);
  const T one_a = *a;
  const T one_b = *b;
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) {
    const T p = kVariant & kFirstSingle ? one_a : a[i];
    const T q = kVariant & kSecondSingle ? one_b : b[i];
    y[i] = Compare::run(x[i], threshold) ? p : q;
  }
}

template <class T, template <class, ScalarOp> class F, ScalarOp... kOps>
void fill_unary(StepVariants* steps) {
  (
      [&] {
        StepFunction& entry = steps[static_cast<int>(kOps)][0];
        if constexpr (is_library_function(kOps) && std::is_floating_point_v<T>) {
          entry = unary_padded<T, F<T, kOps>>;
        } else {
          entry = unary_loop<T, T, F<T, kOps>>;
        }
      }(),
      ...);
}

template <class T, class R, template <class, ScalarOp> class F, ScalarOp... kOps>
void fill_tests(StepVariants* steps) {
  ((steps[static_cast<int>(kOps)][0] = unary_loop<T, R, F<T, kOps>>), ...);
}

template <class T, class R, template <class, ScalarOp> class F, ScalarOp... kOps>
void fill_binary(StepVariants* steps) {
  (
      [&] {
        StepVariants& entry = steps[static_cast<int>(kOps)];
        if constexpr (is_library_function(kOps) && std::is_floating_point_v<T>) {
          entry[kVectors] = binary_padded<T, F<T, kOps>, kVectors>;
          entry[kSecondSingle] = binary_padded<T, F<T, kOps>, kSecondSingle>;
          entry[kFirstSingle] = binary_padded<T, F<T, kOps>, kFirstSingle>;
        } else {
          entry[kVectors] = binary_loop<T, R, F<T, kOps>, kVectors>;
          entry[kSecondSingle] = binary_loop<T, R, F<T, kOps>, kSecondSingle>;
          entry[kFirstSingle] = binary_loop<T, R, F<T, kOps>, kFirstSingle>;
        }
      }(),
      ...);
}

template <class T>
struct MaskToNumber {
  static T run(Mask m) { return T(m != 0 ? 1 : 0); }
};
template <class T>
struct NumberToMask {
  static Mask run(T x) { return x != T(0); }
};

template <class T>
void fill_select(StepVariants* steps) {
  StepVariants& entry = steps[static_cast<int>(ScalarOp::Select)];
  entry[kVectors] = select_loop<T, kVectors>;
  entry[kSecondSingle] = select_loop<T, kSecondSingle>;
  entry[kFirstSingle] = select_loop<T, kFirstSingle>;
  entry[kBothSingle] = select_loop<T, kBothSingle>;
  steps[static_cast<int>(ScalarOp::FromMask)][0] = unary_loop<Mask, T, MaskToNumber<T>>;
  steps[static_cast<int>(ScalarOp::ToMask)][0] = unary_loop<T, Mask, NumberToMask<T>>;
}

template <class T, ScalarOp kOp>
struct CompareFunction {
  static bool run(T a, T b) {
    if constexpr (kOp == ScalarOp::Equal) return a == b;
    if constexpr (kOp == ScalarOp::NotEqual) return a != b;
    if constexpr (kOp == ScalarOp::Less) return a < b;
    if constexpr (kOp == ScalarOp::LessEqual) return a <= b;
    if constexpr (kOp == ScalarOp::Greater) return a > b;
    if constexpr (kOp == ScalarOp::GreaterEqual) return a >= b;
  }
};

template <class T>
void fill_comparisons(StepVariants* steps) {
  fill_binary<T, Mask, CompareFunction, ScalarOp::Equal, ScalarOp::NotEqual, ScalarOp::Less,
              ScalarOp::LessEqual, ScalarOp::Greater, ScalarOp::GreaterEqual>(steps);
}

}  // namespace mycel::cpu::MYCEL_ISA
