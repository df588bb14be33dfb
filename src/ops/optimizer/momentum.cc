// SPDX-License-Identifier: Apache-2.0
#include "ops/optimizer/update.h"

namespace mycel::ops {

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
  const double lr = number_in(kernel, 2);
  const double u = number_in(kernel, 4);
  const double scale = kernel.real("gradient_scale");
  if (kernel.flag("use_nesterov")) {
    run_update<1>(kernel, {1}, 3, [=]<class W>(W& p, std::array<W, 1>& s, W gradient) {
      const W g = gradient * static_cast<W>(scale);
      s[0] = s[0] * static_cast<W>(u) + g;
      p -= static_cast<W>(lr) * (g + static_cast<W>(u) * s[0]);
    });
    return;
  }
  run_update<1>(kernel, {1}, 3, [=]<class W>(W& p, std::array<W, 1>& s, W gradient) {
    s[0] = s[0] * static_cast<W>(u) + gradient * static_cast<W>(scale);
    p -= static_cast<W>(lr) * s[0];
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
  const double decay = kernel.real("weight_decay");
  const double share = 1 - kernel.real("dampening");
  const double ahead = kernel.flag("nesterov") ? 1 : 0;
  if (u <= 0) {
    run_update<0>(kernel, {}, 1, [=]<class W>(W& p, std::array<W, 0>&, W g) {
      p -= static_cast<W>(lr) * (g + static_cast<W>(decay) * p);
    });
    return;
  }
  run_update<2>(kernel, {3, 5}, 1, [=]<class W>(W& p, std::array<W, 2>& s, W gradient) {
    const W g = gradient + static_cast<W>(decay) * p;
    const W later = static_cast<W>(u) * s[0] + static_cast<W>(share) * g;
    s[0] = s[1] > W(0) ? g : later;
    s[1] = s[1] > W(0) ? W(0) : s[1];
    const W step = ahead > 0 ? g + static_cast<W>(u) * s[0] : s[0];
    p -= static_cast<W>(lr) * step;
  });
}

}  // namespace mycel::ops
