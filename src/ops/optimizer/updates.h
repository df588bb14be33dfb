// SPDX-License-Identifier: Apache-2.0
// One walk over all parameters of an optimizer, their states and gradients. The variadic input
// `tensors` of such an operator holds, for n parameters: the parameters, each kind of state, the
// gradients - n of each - and then numbers: learning rates and weight decays.
#pragma once

#include "ops/optimizer/formulas.h"
#include "ops/optimizer/update.h"

namespace mycel::ops {

// Begins an operator on lists: its own inputs, which are numbers, and what all of them have.
Define list_operator(std::string_view name, std::string_view doc,
                     std::initializer_list<std::pair<std::string_view, std::string_view>> numbers);

// `written` lists - parameters and states - are written; all lists must fit each other.
void infer_updates(InferContext& op, std::size_t written);

// The lists of a call.
class UpdateCall {
 public:
  UpdateCall(const KernelContext& kernel, std::size_t own_inputs, std::size_t written);

  std::size_t count() const { return count_; }
  const Tensor& written(std::size_t list, std::size_t i) const {
    return kernel_.input(first_ + list * count_ + i);
  }
  const Tensor& gradient(std::size_t i) const { return written(lists_, i); }
  double rate(std::size_t i) const { return number(rate_of_[i]); }
  double decay(std::size_t i) const {
    return decay_of_.empty() || decay_of_[i] < 0 ? 0.0 : number(decay_of_[i]);
  }
  double gradient_scale() const { return scale_; }

 private:
  double number(std::int64_t i) const {
    return kernel_.input(first_ + (lists_ + 1) * count_ + static_cast<std::size_t>(i)).as_double();
  }
  const KernelContext& kernel_;
  IntList rate_of_, decay_of_;
  std::size_t first_, lists_, count_;
  double scale_;
};

// Where the elements of the i-th tensor of a list lie when all are laid end to end.
class Offsets {
 public:
  void add(std::int64_t size) { ends_.push_back(total() + size); }
  std::int64_t total() const { return ends_.empty() ? 0 : ends_.back(); }
  std::int64_t begin_of(std::size_t i) const { return i == 0 ? 0 : ends_[i - 1]; }
  std::int64_t end_of(std::size_t i) const { return ends_[i]; }
  std::size_t tensor_at(std::int64_t element) const;

  // body(tensor, begin, end) for every part of [begin, end) that lies in one tensor.
  template <class Body>
  void split(std::int64_t begin, std::int64_t end, const Body& body) const {
    for (std::size_t i = tensor_at(begin); begin < end; ++i) {
      const std::int64_t stop = end < ends_[i] ? end : ends_[i];
      if (begin < stop) body(i, begin - begin_of(i), stop - begin_of(i));
      begin = stop;
    }
  }

 private:
  std::vector<std::int64_t> ends_;
};

// A gradient as the formula wants it: scaled, and with the decay of its parameter.
struct Adjusted {
  double scale, decay;
  template <class W>
  W operator()(W p, W g) const {
    const W scaled = static_cast<W>(scale) * g;
    return decay == 0 ? scaled : scaled + static_cast<W>(decay) * p;
  }
};

template <int kStates, class Formula>
struct AdjustedStep {
  Formula formula;
  Adjusted adjusted;
  template <class W>
  void operator()(W& p, std::array<W, kStates>& s, W g) const {
    formula(p, s, adjusted(p, g));
  }
};

// The dense memory of the tensors of one element type.
template <int kStates, class T, class S>
struct TypedLists {
  std::vector<std::size_t> places;  // in the lists of the call
  std::vector<InPlace> held;
  std::vector<Tensor> gradients;
  std::vector<T*> parameters;
  std::vector<std::array<S*, kStates>> states;
  Offsets offsets;

  void add(const UpdateCall& call, std::size_t i) {
    places.push_back(i);
    held.emplace_back(call.written(0, i));
    parameters.push_back(held.back().template data<T>());
    std::array<S*, kStates> pointers;
    for (std::size_t k = 0; k < static_cast<std::size_t>(kStates); ++k) {
      held.emplace_back(call.written(k + 1, i));
      pointers[k] = held.back().template data<S>();
    }
    states.push_back(pointers);
    gradients.push_back(contiguous(call.gradient(i)));
    offsets.add(call.written(0, i).size());
  }
  void finish() const {
    for (const InPlace& tensor : held) tensor.finish();
  }
};

template <int kStates, class T, class S>
TypedLists<kStates, T, S> lists_of(const UpdateCall& call, DType dtype, DType state_type) {
  TypedLists<kStates, T, S> lists;
  for (std::size_t i = 0; i < call.count(); ++i) {
    const bool fits = call.written(0, i).dtype() == dtype &&
                      (kStates == 0 || call.written(1, i).dtype() == state_type);
    if (fits) lists.add(call, i);
  }
  return lists;
}

template <class T, class S, int kStates, class Make>
void run_typed_updates(const UpdateCall& call, DType dtype, DType state_type, const Make& make) {
  const auto lists = lists_of<kStates, T, S>(call, dtype, state_type);
  if (lists.places.empty()) return;
  platform::parallel_for(lists.offsets.total(), 1, [&](std::int64_t begin, std::int64_t end) {
    lists.offsets.split(begin, end, [&](std::size_t i, std::int64_t from, std::int64_t to) {
      update_range<kStates, T, S>(lists.parameters[i], lists.states[i],
                                  lists.gradients[i].template data<T>(), from, to,
                                  make(lists.places[i]));
    });
  });
  lists.finish();
}

// make(i): the formula of parameter i. `couples`: its decay belongs to the gradient.
template <int kStates, class Make>
void run_updates(const UpdateCall& call, bool couples, const Make& make) {
  const auto adjusted = [&](std::size_t i) {
    const Adjusted gradient{call.gradient_scale(), couples ? call.decay(i) : 0.0};
    return AdjustedStep<kStates, decltype(make(i))>{make(i), gradient};
  };
  for (const DType dtype : {DType::Float32, DType::Float64, DType::Float16, DType::BFloat16}) {
    with_float_type(dtype, [&]<class T>() {
      run_typed_updates<T, T, kStates>(call, dtype, dtype, adjusted);
      if constexpr (sizeof(T) == 2 && kStates > 0)
        run_typed_updates<T, float, kStates>(call, dtype, DType::Float32, adjusted);
    });
  }
}

}  // namespace mycel::ops
