// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/loops/recurrent_loops.h"

#include "backend/cpu/loops/float_functions.h"

namespace mycel::backend::MYCEL_ISA {
namespace {

template <class T>
T sigmoid(T x) {
  return T(1) / (T(1) + (sizeof(T) == 8 ? ::exp(-x) : ::expf(-x)));
}

template <class T>
T tangent(T x) {
  return sizeof(T) == 8 ? ::tanh(x) : ::tanhf(x);
}

template <class T>
void lstm(const T* x, const T* u, const T* cell_before, T* gates, T* cell, T* hidden,
          std::int64_t n) {
#pragma omp simd
  for (std::int64_t j = 0; j < n; ++j) {
    const T in = sigmoid(x[j] + u[j]), forget = sigmoid(x[n + j] + u[n + j]);
    const T fresh = tangent(x[2 * n + j] + u[2 * n + j]);
    const T out = sigmoid(x[3 * n + j] + u[3 * n + j]);
    const T c = forget * cell_before[j] + in * fresh;
    gates[j] = in, gates[n + j] = forget, gates[2 * n + j] = fresh, gates[3 * n + j] = out;
    cell[j] = c;
    hidden[j] = out * tangent(c);
  }
}

template <class T, bool kExtra>
void lstm_gradient_of(const T* dhidden, T* dcell, const T* gates, const T* cell,
                      const T* cell_before, const T* extra, T* dgates, std::int64_t n) {
  const auto more = [=](std::int64_t at) { return kExtra ? extra[at] : T(0); };
#pragma omp simd
  for (std::int64_t j = 0; j < n; ++j) {
    const T in = gates[j], forget = gates[n + j], fresh = gates[2 * n + j], out = gates[3 * n + j];
    const T shown = tangent(cell[j]), dh = dhidden[j];
    const T dc = dcell[j] + dh * out * (T(1) - shown * shown);
    dgates[j] = (dc * fresh + more(j)) * in * (T(1) - in);
    dgates[n + j] = (dc * cell_before[j] + more(n + j)) * forget * (T(1) - forget);
    dgates[2 * n + j] = (dc * in + more(2 * n + j)) * (T(1) - fresh * fresh);
    dgates[3 * n + j] = (dh * shown + more(3 * n + j)) * out * (T(1) - out);
    dcell[j] = dc * forget;
  }
}

template <class T>
void lstm_gradient(const T* dhidden, T* dcell, const T* gates, const T* cell, const T* cell_before,
                   const T* extra, T* dgates, std::int64_t n) {
  const auto run = extra != nullptr ? lstm_gradient_of<T, true> : lstm_gradient_of<T, false>;
  run(dhidden, dcell, gates, cell, cell_before, extra, dgates, n);
}

template <class T>
void gru(const T* x, const T* u, const T* hidden_before, T* gates, T* hidden, std::int64_t n) {
#pragma omp simd
  for (std::int64_t j = 0; j < n; ++j) {
    const T reset = sigmoid(x[j] + u[j]), update = sigmoid(x[n + j] + u[n + j]);
    const T remembered = u[2 * n + j];
    const T fresh = tangent(x[2 * n + j] + reset * remembered);
    gates[j] = reset, gates[n + j] = update;
    gates[2 * n + j] = fresh, gates[3 * n + j] = remembered;
    hidden[j] = fresh + update * (hidden_before[j] - fresh);
  }
}

template <class T, bool kExtra>
void gru_gradient_of(T* dhidden, const T* gates, const T* hidden_before, const T* extra, T* dx,
                     T* du, std::int64_t n) {
  const auto more = [=](std::int64_t at) { return kExtra ? extra[at] : T(0); };
#pragma omp simd
  for (std::int64_t j = 0; j < n; ++j) {
    const T reset = gates[j], update = gates[n + j];
    const T fresh = gates[2 * n + j], remembered = gates[3 * n + j];
    const T dh = dhidden[j];
    const T dfresh = (dh * (T(1) - update) + more(2 * n + j)) * (T(1) - fresh * fresh);
    const T dreset = (dfresh * remembered + more(j)) * reset * (T(1) - reset);
    const T dupdate = (dh * (hidden_before[j] - fresh) + more(n + j)) * update * (T(1) - update);
    dx[j] = dreset, dx[n + j] = dupdate, dx[2 * n + j] = dfresh;
    du[j] = dreset, du[n + j] = dupdate, du[2 * n + j] = dfresh * reset + more(3 * n + j);
    dhidden[j] = dh * update;
  }
}

template <class T>
void gru_gradient(T* dhidden, const T* gates, const T* hidden_before, const T* extra, T* dx, T* du,
                  std::int64_t n) {
  const auto run = extra != nullptr ? gru_gradient_of<T, true> : gru_gradient_of<T, false>;
  run(dhidden, gates, hidden_before, extra, dx, du, n);
}

template <class T>
void simple(bool relu, const T* x, const T* u, T* hidden, std::int64_t n) {
  if (relu) {
    for (std::int64_t j = 0; j < n; ++j) {
      const T sum = x[j] + u[j];
      hidden[j] = sum < T(0) ? T(0) : sum;
    }
    return;
  }
#pragma omp simd
  for (std::int64_t j = 0; j < n; ++j) hidden[j] = tangent(x[j] + u[j]);
}

template <class T>
void simple_gradient(bool relu, const T* dhidden, const T* hidden, T* dx, std::int64_t n) {
  if (relu) {
    for (std::int64_t j = 0; j < n; ++j) dx[j] = hidden[j] > T(0) ? dhidden[j] : T(0);
    return;
  }
  for (std::int64_t j = 0; j < n; ++j) dx[j] = dhidden[j] * (T(1) - hidden[j] * hidden[j]);
}

template <class T>
constexpr RecurrentLoops<T> kLoops = {lstm<T>,         lstm_gradient<T>, gru<T>,
                                      gru_gradient<T>, simple<T>,        simple_gradient<T>};

}  // namespace

const RecurrentLoops<float> recurrent_loops_float = kLoops<float>;
const RecurrentLoops<double> recurrent_loops_double = kLoops<double>;

}  // namespace mycel::backend::MYCEL_ISA
