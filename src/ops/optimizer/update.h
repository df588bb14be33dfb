// SPDX-License-Identifier: Apache-2.0
// One pass over a parameter, its states and its gradient: what every optimizer step is.
#pragma once

#include <array>
#include <cmath>

#include "operator/define.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {

// A tensor written in place; strided ones go through a dense copy.
class InPlace {
 public:
  explicit InPlace(const Tensor& target) : target_(target), dense_(contiguous(target)) {}
  void finish() const {
    if (!(dense_ == target_)) copy_elements(dense_, target_);
  }
  template <class T>
  T* data() const {
    return dense_.data<T>();
  }

 private:
  Tensor target_, dense_;
};

// Checks that states and gradient match the parameter (input 0) and declares the outputs. `states`
// lists the inputs that are written besides it; the gradient is converted to the parameter's type,
// everything else must be one number.
void infer_update(InferContext& op, std::initializer_list<std::size_t> states,
                  std::size_t gradient);

// Number in input i, as a double.
inline double number_in(const KernelContext& kernel, std::size_t i) {
  return kernel.input(i).as_double();
}

template <int kStates, class T, class S, class Formula>
void update_range(T* parameter, const std::array<S*, kStates>& states, const T* gradient,
                  std::int64_t begin, std::int64_t end, const Formula& formula) {
  using Work = Accumulator<T>;
#pragma GCC ivdep
  for (std::int64_t i = begin; i < end; ++i) {
    Work p = parameter[i];
    std::array<Work, kStates> s;
    for (int k = 0; k < kStates; ++k)
      s[static_cast<std::size_t>(k)] = states[static_cast<std::size_t>(k)][i];
    formula(p, s, static_cast<Work>(gradient[i]));
    parameter[i] = static_cast<T>(p);
    for (int k = 0; k < kStates; ++k) {
      states[static_cast<std::size_t>(k)][i] = static_cast<S>(s[static_cast<std::size_t>(k)]);
    }
  }
}

template <int kStates, class T, class S, class Formula>
void update_typed(KernelContext& kernel, const std::array<std::size_t, kStates>& states,
                  std::size_t gradient, const Formula& formula) {
  const InPlace parameter(kernel.input(0));
  std::vector<InPlace> slots;
  std::array<S*, kStates> pointers;
  for (std::size_t k = 0; k < static_cast<std::size_t>(kStates); ++k) {
    slots.emplace_back(kernel.input(states[k]));
    pointers[k] = slots.back().data<S>();
  }
  const Tensor given = kernel.dense(gradient);
  T* const target = parameter.data<T>();
  const T* const from = given.data<T>();
  platform::parallel_for(kernel.input(0).size(), 1, [&](std::int64_t begin, std::int64_t end) {
    update_range<kStates, T, S>(target, pointers, from, begin, end, formula);
  });
  parameter.finish();
  for (const InPlace& slot : slots) slot.finish();
}

// formula(parameter, states, gradient) on numbers of the working type (float for the half types).
// It is a generic lambda, so that constants can be converted to that type once per element loop.
template <int kStates, class Formula>
void run_update(KernelContext& kernel, const std::array<std::size_t, kStates>& states,
                std::size_t gradient, const Formula& formula) {
  const DType dtype = kernel.input(0).dtype();
  const bool float_states =
      kStates > 0 && kernel.input(states.empty() ? 0 : states[0]).dtype() == DType::Float32;
  with_float_type(dtype, [&]<class T>() {
    if constexpr (sizeof(T) == 2) {
      if (float_states) return update_typed<kStates, T, float>(kernel, states, gradient, formula);
    }
    update_typed<kStates, T, T>(kernel, states, gradient, formula);
  });
}

}  // namespace mycel::ops
