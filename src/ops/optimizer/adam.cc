// SPDX-License-Identifier: Apache-2.0
#include "ops/optimizer/formulas.h"
#include "ops/optimizer/update.h"

namespace mycel::ops {

MYCEL_OP(adam)
    .names({.primitive = "Adam"})
    .doc("Adam step: p -= lr sqrt(1 - beta2^t) / (1 - beta1^t) m / (sqrt(v) + epsilon).")
    .input("var", "The parameter.", kFloating)
    .input("m", "Mean of the gradient.", kFloating)
    .input("v", "Mean of its square.", kFloating)
    .input("beta1_power", "beta1 to the power of the step.", kReal)
    .input("beta2_power", "beta2 to the power of the step.", kReal)
    .input("lr", "Learning rate.", kReal)
    .input("beta1", "Decay of the mean.", kReal)
    .input("beta2", "Decay of the mean square.", kReal)
    .input("epsilon", "Keeps the divisor from zero.", kReal)
    .input("gradient", "The gradient.", kFloating)
    .attribute("use_locking", "Kept for compatibility; the update is never torn.", false)
    .attribute("use_nesterov", "Look one step ahead.", false)
    .in_place_output("var_out", "The parameter.", 0)
    .in_place_output("m_out", "`m`.", 1)
    .in_place_output("v_out", "`v`.", 2)
    .infer([](InferContext& op) {
      infer_update(op, {1, 2}, 9);
    })
    .not_differentiable()
    .sample("step", {normal({3, 4}), normal({3, 4}), positive({3, 4}), number(0.9), number(0.999),
                     number(0.01), number(0.9), number(0.999), number(1e-8), normal({3, 4})})
    .sample("nesterov",
            {normal({4}), normal({4}), positive({4}), number(0.9), number(0.999), number(0.01),
             number(0.9), number(0.999), number(1e-8), normal({4})},
            {{"use_nesterov", true}})
    .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(adam) {
  const Betas betas{number_in(kernel, 6), number_in(kernel, 7), number_in(kernel, 8)};
  const double rate =
      corrected_rate(number_in(kernel, 5), number_in(kernel, 3), number_in(kernel, 4));
  run_update<2>(kernel, {1, 2}, 9, AdamStep{rate, 0, betas, kernel.flag("use_nesterov")});
}

MYCEL_OP(adam_weight_decay)
    .names({.primitive = "AdamWeightDecay"})
    .primitive_aliases({"FusedCastAdamWeightDecay"})
    .doc(
        "Adam step without bias correction, with decoupled decay: p -= lr (m / (sqrt(v) + epsilon) "
        "+ decay p).")
    .input("var", "The parameter.", kFloating)
    .input("m", "Mean of the gradient.", kFloating)
    .input("v", "Mean of its square.", kFloating)
    .input("lr", "Learning rate.", kReal)
    .input("beta1", "Decay of the mean.", kReal)
    .input("beta2", "Decay of the mean square.", kReal)
    .input("epsilon", "Keeps the divisor from zero.", kReal)
    .input("decay", "Weight decay.", kReal)
    .input("gradient", "The gradient.", kFloating)
    .attribute("use_locking", "Kept for compatibility; the update is never torn.", false)
    .in_place_output("var_out", "The parameter.", 0)
    .in_place_output("m_out", "`m`.", 1)
    .in_place_output("v_out", "`v`.", 2)
    .infer([](InferContext& op) {
      infer_update(op, {1, 2}, 8);
    })
    .not_differentiable()
    .sample("step", {normal({3, 4}), normal({3, 4}), positive({3, 4}), number(0.01), number(0.9),
                     number(0.999), number(1e-6), number(0.1), normal({3, 4})})
    .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(adam_weight_decay) {
  const double lr = number_in(kernel, 3);
  const Betas betas{number_in(kernel, 4), number_in(kernel, 5), number_in(kernel, 6)};
  run_update<2>(kernel, {1, 2}, 8, AdamStep{lr, lr * number_in(kernel, 7), betas, false});
}

MYCEL_OP(apply_adam_with_amsgrad)
    .names({.primitive = "ApplyAdamWithAmsgrad"})
    .doc("Adam step with the running maximum of the mean square as divisor.")
    .input("var", "The parameter.", kFloating)
    .input("m", "Mean of the gradient.", kFloating)
    .input("v", "Mean of its square.", kFloating)
    .input("vhat", "Largest mean square so far.", kFloating)
    .input("beta1_power", "beta1 to the power of the step.", kReal)
    .input("beta2_power", "beta2 to the power of the step.", kReal)
    .input("lr", "Learning rate.", kReal)
    .input("grad", "The gradient.", kFloating)
    .attribute("beta1", "Decay of the mean.", 0.9)
    .attribute("beta2", "Decay of the mean square.", 0.999)
    .attribute("epsilon", "Keeps the divisor from zero.", 1e-8)
    .attribute("use_locking", "Kept for compatibility; the update is never torn.", false)
    .in_place_output("var_out", "The parameter.", 0)
    .in_place_output("m_out", "`m`.", 1)
    .in_place_output("v_out", "`v`.", 2)
    .in_place_output("vhat_out", "`vhat`.", 3)
    .infer([](InferContext& op) {
      infer_update(op, {1, 2, 3}, 7);
    })
    .not_differentiable()
    .sample("step", {normal({3, 4}), normal({3, 4}), positive({3, 4}), positive({3, 4}),
                     number(0.9), number(0.999), number(0.01), normal({3, 4})})
    .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(apply_adam_with_amsgrad) {
  const Betas betas{kernel.real("beta1"), kernel.real("beta2"), kernel.real("epsilon")};
  const double rate =
      corrected_rate(number_in(kernel, 6), number_in(kernel, 4), number_in(kernel, 5));
  run_update<3>(kernel, {1, 2, 3}, 7, AmsgradStep{rate, 0, betas});
}

MYCEL_OP(apply_ada_max)
    .names({.primitive = "ApplyAdaMax"})
    .doc("AdaMax step: v = max(beta2 v, |g|), p -= lr / (1 - beta1^t) m / (v + epsilon).")
    .input("var", "The parameter.", kFloating)
    .input("m", "Mean of the gradient.", kFloating)
    .input("v", "Decaying maximum.", kFloating)
    .input("beta1_power", "beta1 to the power of the step.", kReal)
    .input("lr", "Learning rate.", kReal)
    .input("beta1", "Decay of the mean.", kReal)
    .input("beta2", "Decay of the maximum.", kReal)
    .input("epsilon", "Keeps the divisor from zero.", kReal)
    .input("grad", "The gradient.", kFloating)
    .in_place_output("var_out", "The parameter.", 0)
    .in_place_output("m_out", "`m`.", 1)
    .in_place_output("v_out", "`v`.", 2)
    .infer([](InferContext& op) {
      infer_update(op, {1, 2}, 8);
    })
    .not_differentiable()
    .sample("step", {normal({3, 4}), normal({3, 4}), positive({3, 4}), number(0.9), number(0.01),
                     number(0.9), number(0.999), number(1e-8), normal({3, 4})})
    .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(apply_ada_max) {
  const double rate = number_in(kernel, 4) / (1 - number_in(kernel, 3));
  const Betas betas{number_in(kernel, 5), number_in(kernel, 6), number_in(kernel, 7)};
  run_update<2>(kernel, {1, 2}, 8, AdaMaxStep{rate, betas, false});
}

}  // namespace mycel::ops
