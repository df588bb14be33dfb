// SPDX-License-Identifier: Apache-2.0
// Whole formulas of the commonest activations and their gradients in one loop. The scalar programs
// remain their definition; these loops only spare the steps' trips through the cache. Operations
// stand in the order of the programs and are rounded one by one (the file is compiled without
// contraction), so that an operator gives the same bits alone and as part of a larger formula.
#include <cstring>

#include "backend/cpu/loops/float_functions.h"

namespace mycel::cpu::MYCEL_ISA {
namespace {

template <class T>
T exp_of(T x) {
  return sizeof(T) == 8 ? ::exp(x) : ::expf(x);
}
template <class T>
T tanh_of(T x) {
  return sizeof(T) == 8 ? ::tanh(x) : ::tanhf(x);
}
template <class T>
T erf_of(T x) {
  return sizeof(T) == 8 ? ::erf(x) : ::erff(x);
}
template <class T>
T sigmoid_of(T x) {
  return T(1) / (T(1) + exp_of(-x));
}

constexpr int kErfFamily = 2;  // entries of the fused loops made of erf, the first ones
constexpr double kRootTwo = 1.41421356237309504880;
constexpr double kTwoOverRootPi = 1.12837916709551257390;
constexpr double kRootTwoOverPi = 0.79788456080286535588;
constexpr double kCubic = kRootTwoOverPi * 0.044715;

// The programs multiply by the root of two, then by a half, which rounds nothing.
template <class T>
T scaled_for_erf(T x) {
  return x * (T(kRootTwo) * T(0.5));
}
template <class T>
struct GeluErf {
  static T run(T x) { return x * T(0.5) * (erf_of(scaled_for_erf(x)) + T(1)); }
};
template <class T>
struct GeluErfGradient {
  static T run(T x, T dy) {
    const T u = scaled_for_erf(x);
    const T density = T(kRootTwo) * T(0.5) * (T(kTwoOverRootPi) * exp_of(-(u * u)));
    return dy * (T(0.5) * (erf_of(u) + T(1)) + density * (x * T(0.5)));
  }
};
template <class T>
T cubic_slope(T x) {
  return x * x * T(kCubic) + T(kRootTwoOverPi);
}
template <class T>
struct GeluTanh {
  static T run(T x) { return x * T(0.5) * (tanh_of(x * cubic_slope(x)) + T(1)); }
};
template <class T>
struct GeluTanhGradient {
  static T run(T x, T dy) {
    const T t = tanh_of(x * cubic_slope(x));
    const T slope = cubic_slope(x) + T(2) * x * T(kCubic) * x;
    return dy * (T(0.5) * (t + T(1)) + slope * (T(1) - t * t) * (x * T(0.5)));
  }
};
template <class T>
struct Silu {
  static T run(T x) { return x * sigmoid_of(x); }
};
template <class T>
struct SiluGradient {
  static T run(T x, T dy) {
    const T s = sigmoid_of(x);
    return dy * (s + s * (T(1) - s) * x);
  }
};
template <class T>
struct SigmoidGradient {
  static T run(T x, T dy) {
    const T s = sigmoid_of(x);
    return dy * (s * (T(1) - s));
  }
};
template <class T>
struct TanhGradient {
  static T run(T x, T dy) {
    const T t = tanh_of(x);
    return dy * (T(1) - t * t);
  }
};

template <template <class> class F>
FusedLoop unary(const char* name) {
  return {name, 1, {{unary_padded<float, F<float>>}, {unary_padded<double, F<double>>}}};
}
template <class T, class F>
void set_binary(StepVariants& variants) {
  variants[kVectors] = binary_padded<T, F, kVectors>;
  variants[kSecondSingle] = binary_padded<T, F, kSecondSingle>;
  variants[kFirstSingle] = binary_padded<T, F, kFirstSingle>;
}
template <template <class> class F>
FusedLoop binary(const char* name) {
  FusedLoop loop{name, 2, {}};
  set_binary<float, F<float>>(loop.variants[0]);
  set_binary<double, F<double>>(loop.variants[1]);
  return loop;
}

}  // namespace

void fill_erf_family(LoopTable& table) {
  StepVariants* steps = table.steps[static_cast<int>(Number::F32)];
  fill_unary<float, FloatUnary, ScalarOp::Erf, ScalarOp::Erfc>(steps);
  table.fused[0] = unary<GeluErf>("gelu_erf");
  table.fused[1] = binary<GeluErfGradient>("gelu_erf_gradient0");
}

void fill_fused(LoopTable& table) {
  fill_erf_family(table);
  int i = kErfFamily;
  table.fused[i++] = unary<GeluTanh>("gelu_tanh");
  table.fused[i++] = unary<Silu>("silu");
  table.fused[i++] = binary<GeluTanhGradient>("gelu_tanh_gradient0");
  table.fused[i++] = binary<SiluGradient>("silu_gradient0");
  table.fused[i++] = binary<SigmoidGradient>("sigmoid_gradient0");
  table.fused[i++] = binary<TanhGradient>("tanh_gradient0");
}

}  // namespace mycel::cpu::MYCEL_ISA
