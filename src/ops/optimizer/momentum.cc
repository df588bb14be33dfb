// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ops/optimizer/updates.h"

namespace mycel::ops {
namespace {

void clear(const Tensor& target) {
  const InPlace dense(target);
  with_float_type(target.dtype(), [&]<class T>() {
    std::fill_n(dense.data<T>(), target.size(), static_cast<T>(0.0F));
  });
  dense.finish();
}

}  // namespace

MYCEL_OP(apply_momentum)
    .names({.primitive = "ApplyMomentum"})
    .doc("Momentum step: v = u v + g, p -= lr v; with nesterov p -= lr (g + u v).")
    .input("variable", "The parameter.", kFloating)
    .input("accumulation", "v.", kFloating)
    .input("learning_rate", "lr.", kReal)
    .input("gradient", "g.", kFloating)
    .input("momentum", "u.", kReal)
    .attribute("use_nesterov", "Look one step ahead.", false)
    .attribute("use_locking", "Kept for compatibility; the update is never torn.", false)
    .attribute("gradient_scale", "The gradient is multiplied by it first.", 1.0)
    .in_place_output("output", "The parameter.", 0)
    .infer([](InferContext& op) { infer_update(op, {1}, 3); })
    .not_differentiable()
    .sample("plain", {normal({3, 4}), normal({3, 4}), number(0.1), normal({3, 4}), number(0.9)})
    .sample("nesterov", {normal({5}), normal({5}), number(0.1), normal({5}), number(0.9)},
            {{"use_nesterov", true}})
    .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(apply_momentum) {
  const double u = number_in(kernel, 4);
  const MomentumStep step{number_in(kernel, 2), u, 1, u, kernel.flag("use_nesterov")};
  const Adjusted adjusted{kernel.real("gradient_scale"), 0};
  run_update<1>(kernel, {1}, 3, AdjustedStep<1, MomentumStep>{step, adjusted});
}

static const Define define_update_momentum =
    list_operator("update_momentum", "Momentum steps of all parameters; states: v.",
                  {{"momentum", "u."}})
        .attribute("nesterov", "Look one step ahead.", false)
        .infer([](InferContext& op) { infer_updates(op, 2); })
        .sample("two",
                {number(0.9), normal({3, 4}), normal({5}), normal({3, 4}), normal({5}),
                 normal({3, 4}), normal({5}), number(0.1), number(0.01)},
                {{"rate_of", IntList{0, 0}}, {"decay_of", IntList{1, -1}}})
        .sample("nesterov", {number(0.9), normal({7}), normal({7}), normal({7}), number(0.1)},
                {{"rate_of", IntList{0}}, {"nesterov", true}, {"gradient_scale", 0.5}})
        .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(update_momentum) {
  const UpdateCall call(kernel, 1, 2);
  const double u = number_in(kernel, 0);
  const bool ahead = kernel.flag("nesterov");
  run_updates<1>(call, true, [&](std::size_t i) {
    return MomentumStep{call.rate(i), u, 1, u, ahead};
  });
}

MYCEL_OP(sgd)
    .names({.primitive = "SGD"})
    .doc(
        "Stochastic gradient descent; with momentum the first step takes v = g, later ones v = u v "
        "+ (1 - dampening) g.")
    .input("parameters", "The parameter.", kFloating)
    .input("gradient", "g.", kFloating)
    .input("learning_rate", "lr.", kReal)
    .input("accum", "v.", kFloating)
    .input("momentum", "u; 0 switches the momentum off.", kReal)
    .input("stat", "Greater than 0 where the first step is still to come.", kFloating)
    .attribute("dampening", "Reduces the gradient's share of the momentum.", 0.0)
    .attribute("weight_decay", "g grows by this times the parameter.", 0.0)
    .attribute("nesterov", "Look one step ahead.", false)
    .in_place_output("output", "The parameter.", 0)
    .infer([](InferContext& op) {
      op.require(!op.flag("nesterov") || op.real("dampening") == 0, ErrorKind::Value,
                 "'dampening' must be 0 with 'nesterov', but got ", op.real("dampening"), ".");
      infer_update(op, {3, 5}, 1);
    })
    .not_differentiable()
    .sample("momentum", {normal({3, 4}), normal({3, 4}), number(0.1), constant({3, 4}, 0),
                         number(0.9), constant({3, 4}, 1)})
    .sample("plain with decay",
            {normal({4}), normal({4}), number(0.1), constant({4}, 0), number(0), constant({4}, 1)},
            {{"weight_decay", 0.1}})
    .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(sgd) {
  const double lr = number_in(kernel, 2);
  const double u = number_in(kernel, 4);
  const double share = 1 - kernel.real("dampening");
  const bool ahead = kernel.flag("nesterov");
  const Adjusted adjusted{1, kernel.real("weight_decay")};
  if (u <= 0) {
    run_update<0>(kernel, {}, 1, AdjustedStep<0, DescentStep>{{lr}, adjusted});
    return;
  }
  run_update<2>(kernel, {3, 5}, 1, [=]<class W>(W& p, std::array<W, 2>& s, W gradient) {
    const W g = adjusted(p, gradient);
    const W later = static_cast<W>(u) * s[0] + static_cast<W>(share) * g;
    s[0] = s[1] > W(0) ? g : later;
    s[1] = s[1] > W(0) ? W(0) : s[1];
    p -= static_cast<W>(lr) * (ahead ? g + static_cast<W>(u) * s[0] : s[0]);
  });
}

static const Define define_update_sgd =
    list_operator("update_sgd",
                  "Steps of stochastic gradient descent of all parameters; states: v, and whether "
                  "the first step is still to come, for which the first element speaks.",
                  {{"momentum", "u; 0 switches the momentum off."}})
        .attribute("dampening", "Reduces the gradient's share of the momentum.", 0.0)
        .attribute("nesterov", "Look one step ahead.", false)
        .infer([](InferContext& op) { infer_updates(op, 3); })
        .sample("first",
                {number(0.9), normal({3, 4}), constant({3, 4}, 0), constant({3, 4}, 1),
                 normal({3, 4}), number(0.1)},
                {{"rate_of", IntList{0}}, {"dampening", 0.5}})
        .sample(
            "plain",
            {number(0), normal({4}), constant({4}, 0), constant({4}, 1), normal({4}), number(0.1)},
            {{"rate_of", IntList{0}}, {"decay_of", IntList{0}}})
        .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(update_sgd) {
  const UpdateCall call(kernel, 1, 3);
  const double u = number_in(kernel, 0);
  if (u <= 0) {
    run_updates<0>(call, true, [&](std::size_t i) { return DescentStep{call.rate(i)}; });
    return;
  }
  const double share = 1 - kernel.real("dampening");
  const bool ahead = kernel.flag("nesterov");
  std::vector<bool> first(call.count());
  for (std::size_t i = 0; i < call.count(); ++i) {
    const Tensor& stat = call.written(2, i);
    first[i] = stat.size() > 0 && Tensor::view(stat, {}, {}, stat.body().offset).as_double() > 0;
  }
  run_updates<1>(call, true, [&](std::size_t i) {
    return MomentumStep{call.rate(i), first[i] ? 0 : u, first[i] ? 1 : share, u, ahead};
  });
  for (std::size_t i = 0; i < call.count(); ++i) {
    if (first[i]) clear(call.written(2, i));
  }
}

}  // namespace mycel::ops
