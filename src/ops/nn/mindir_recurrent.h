// SPDX-License-Identifier: Apache-2.0
// What rules for writing recurrent layers share, which are written step after step: our operators
// begin after the product of input and weight, where the primitives of MindIR have it inside.
#pragma once

#include <functional>

#include "operator/mindir_call.h"
#include "ops/shape/mindir_windows.h"

namespace mycel::ops {

using States = std::vector<op::mindir::Symbol>;

inline op::mindir::Symbol product_with(const op::mindir::Symbol& state,
                                       const op::mindir::Symbol& weight) {
  return state.add("MatMul", {weight}, {.shape = tensor::Shape{state.size(0), weight.size(0)}},
                   {{"transpose_a", false}, {"transpose_b", true}});
}

// A row of gates in parts.
inline States gates_of(const op::mindir::Symbol& x, std::int64_t count) {
  const op::TensorSpec gate{x.dtype(), {x.size(0), x.size(1) / count}};
  const std::vector<op::TensorSpec> types(static_cast<std::size_t>(count), gate);
  return x.several("Split", {}, types, {{"axis", 1}, {"output_num", count}});
}

inline op::mindir::Symbol stacked(const States& states) {
  const auto count = static_cast<std::int64_t>(states.size());
  const tensor::Shape shape = joint({{count}, states[0].shape()});
  return count > 1 ? joined("Stack", states, shape, 0) : states[0].reshape(shape);
}

// States of all steps, each kind stacked; rows that have ended keep what they had.
inline States scan(const op::mindir::Call& call, States states, const op::mindir::Symbol& lengths,
                   const std::function<States(const op::mindir::Symbol&, const States&)>& step) {
  const auto x = call.input();
  const std::int64_t steps = call.shape()[0];
  const op::TensorSpec row{x.dtype(), cut(x.shape(), 1, x.rank())};
  const std::vector<op::TensorSpec> types(static_cast<std::size_t>(steps), row);
  const auto parts = x.several("Unstack", {}, types, {{"axis", 0}, {"num", steps}});
  const bool is_reversed = call.flag("reverse");
  std::vector<States> history(states.size(), States(static_cast<std::size_t>(steps)));
  for (std::int64_t done = 0; done < steps; ++done) {
    const std::int64_t t = is_reversed ? steps - 1 - done : done;
    States now = step(parts[static_cast<std::size_t>(t)], states);
    if (lengths.defined()) {
      const auto runs = lengths.reshape({x.size(1), 1}) > t;
      for (std::size_t i = 0; i < now.size(); ++i) now[i] = runs.where(now[i], states[i]);
    }
    states = now;
    for (std::size_t i = 0; i < now.size(); ++i) history[i][static_cast<std::size_t>(t)] = now[i];
  }
  States all;
  for (const States& kind : history) all.push_back(stacked(kind));
  return all;
}

}  // namespace mycel::ops
