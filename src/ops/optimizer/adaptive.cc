// SPDX-License-Identifier: Apache-2.0
// Steps scaled by the history of the gradient: RMSProp, Adagrad, Adadelta, FTRL and proximal forms.
#include "ops/optimizer/formulas.h"
#include "ops/optimizer/update.h"

namespace mycel::ops {

MYCEL_OP(apply_rms_prop)
    .names({.primitive = "ApplyRMSProp"})
    .doc("RMSProp step: s = rho s + (1 - rho) g^2, m = u m + lr g / sqrt(s + epsilon), p -= m.")
    .input("var", "The parameter.", kFloating)
    .input("mean_square", "s.", kFloating)
    .input("moment", "m.", kFloating)
    .input("learning_rate", "lr.", kReal)
    .input("grad", "g.", kFloating)
    .input("decay", "rho.", kReal)
    .input("momentum", "u.", kReal)
    .input("epsilon", "Keeps the divisor from zero.", kReal)
    .attribute("use_locking", "Kept for compatibility; the update is never torn.", false)
    .in_place_output("output", "The parameter.", 0)
    .infer([](InferContext& op) {
      infer_update(op, {1, 2}, 4);
    })
    .not_differentiable()
    .sample("step", {normal({3, 4}), positive({3, 4}), normal({3, 4}), number(0.01), normal({3, 4}),
                     number(0.9), number(0.5), number(1e-10)})
    .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(apply_rms_prop) {
  const RmsPropStep step{number_in(kernel, 3), number_in(kernel, 5), number_in(kernel, 6),
                         number_in(kernel, 7), false};
  run_update<2>(kernel, {1, 2}, 4, step);
}

MYCEL_OP(apply_centered_rms_prop)
    .names({.primitive = "ApplyCenteredRMSProp"})
    .doc(
        "RMSProp step on the variance: the square of the mean gradient is taken off the mean "
        "square.")
    .input("var", "The parameter.", kFloating)
    .input("mean_gradient", "Mean of the gradient.", kFloating)
    .input("mean_square", "Mean of its square.", kFloating)
    .input("moment", "Momentum.", kFloating)
    .input("grad", "The gradient.", kFloating)
    .input("learning_rate", "Learning rate.", kReal)
    .input("decay", "Decay of the means.", kReal)
    .input("momentum", "Decay of the momentum.", kReal)
    .input("epsilon", "Keeps the divisor from zero.", kReal)
    .attribute("use_locking", "Kept for compatibility; the update is never torn.", false)
    .in_place_output("output", "The parameter.", 0)
    .infer([](InferContext& op) {
      infer_update(op, {1, 2, 3}, 4);
    })
    .not_differentiable()
    .sample("step", {normal({3, 4}), constant({3, 4}, 0.1), constant({3, 4}, 1), normal({3, 4}),
                     normal({3, 4}), number(0.01), number(0.9), number(0.5), number(1e-10)})
    .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(apply_centered_rms_prop) {
  const RmsPropStep step{number_in(kernel, 5), number_in(kernel, 6), number_in(kernel, 7),
                         number_in(kernel, 8), false};
  run_update<3>(kernel, {1, 2, 3}, 4, step);
}

MYCEL_OP(apply_adagrad)
    .names({.primitive = "ApplyAdagrad"})
    .doc("Adagrad step: a += g^2, p -= lr g / sqrt(a).")
    .input("var", "The parameter.", kFloating)
    .input("accum", "a.", kFloating)
    .input("lr", "Learning rate.", kReal)
    .input("grad", "g.", kFloating)
    .attribute("update_slots", "Whether a changes.", true)
    .in_place_output("var_out", "The parameter.", 0)
    .in_place_output("accum_out", "`accum`.", 1)
    .infer([](InferContext& op) { infer_update(op, {1}, 3); })
    .not_differentiable()
    .sample("step", {normal({3, 4}), positive({3, 4}), number(0.1), normal({3, 4})})
    .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(apply_adagrad) {
  const AdagradStep step{number_in(kernel, 2), 0, kernel.flag("update_slots")};
  run_update<1>(kernel, {1}, 3, step);
}

MYCEL_OP(apply_adagrad_v2)
    .names({.primitive = "ApplyAdagradV2"})
    .doc("Adagrad step: a += g^2, p -= lr g / (sqrt(a) + epsilon).")
    .input("var", "The parameter.", kFloating)
    .input("accum", "a.", kFloating)
    .input("lr", "Learning rate.", kReal)
    .input("grad", "g.", kFloating)
    .attribute("epsilon", "Keeps the divisor from zero.", required(AttributeType::Float))
    .attribute("update_slots", "Whether a changes.", true)
    .in_place_output("var_out", "The parameter.", 0)
    .in_place_output("accum_out", "`accum`.", 1)
    .infer([](InferContext& op) { infer_update(op, {1}, 3); })
    .not_differentiable()
    .sample("step", {normal({3, 4}), positive({3, 4}), number(0.1), normal({3, 4})},
            {{"epsilon", 1e-6}})
    .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(apply_adagrad_v2) {
  const AdagradStep step{number_in(kernel, 2), kernel.real("epsilon"), kernel.flag("update_slots")};
  run_update<1>(kernel, {1}, 3, step);
}

MYCEL_OP(apply_adadelta)
    .names({.primitive = "ApplyAdadelta"})
    .doc(
        "Adadelta step: a = rho a + (1 - rho) g^2, d = sqrt(u + eps) g / sqrt(a + eps), u = rho u "
        "+ (1 - rho) d^2, p -= lr d.")
    .input("var", "The parameter.", kFloating)
    .input("accum", "a.", kFloating)
    .input("accum_update", "u.", kFloating)
    .input("lr", "Learning rate.", kReal)
    .input("rho", "Decay.", kReal)
    .input("epsilon", "Keeps the divisor from zero.", kReal)
    .input("grad", "g.", kFloating)
    .in_place_output("var_out", "The parameter.", 0)
    .in_place_output("accum_out", "`accum`.", 1)
    .in_place_output("accum_update_out", "`accum_update`.", 2)
    .infer([](InferContext& op) {
      infer_update(op, {1, 2}, 6);
    })
    .not_differentiable()
    .sample("step", {normal({3, 4}), positive({3, 4}), positive({3, 4}), number(1.0), number(0.9),
                     number(1e-6), normal({3, 4})})
    .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(apply_adadelta) {
  const AdadeltaStep step{number_in(kernel, 3), number_in(kernel, 4), number_in(kernel, 5)};
  run_update<2>(kernel, {1, 2}, 6, step);
}

MYCEL_OP(apply_ftrl)
    .names({.primitive = "ApplyFtrl"})
    .doc("Follow the regularised leader: sparse solutions through l1.")
    .input("var", "The parameter.", kFloating)
    .input("accum", "Sum of squared gradients, n.", kFloating)
    .input("linear", "z.", kFloating)
    .input("grad", "The gradient.", kFloating)
    .input("lr", "Learning rate.", kReal)
    .input("l1", "Absolute penalty.", kReal)
    .input("l2", "Squared penalty.", kReal)
    .input("lr_power", "How the rate falls with n; at most 0.", kReal)
    .attribute("use_locking", "Kept for compatibility; the update is never torn.", false)
    .in_place_output("output", "The parameter.", 0)
    .infer([](InferContext& op) {
      infer_update(op, {1, 2}, 3);
    })
    .not_differentiable()
    .sample("step", {normal({3, 4}), positive({3, 4}), normal({3, 4}), normal({3, 4}), number(0.1),
                     number(0.1), number(0.1), number(-0.5)})
    .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(apply_ftrl) {
  const FtrlStep step{number_in(kernel, 4), number_in(kernel, 5), number_in(kernel, 6),
                      -number_in(kernel, 7)};
  run_update<2>(kernel, {1, 2}, 3, step);
}

MYCEL_OP(apply_proximal_adagrad)
    .names({.primitive = "ApplyProximalAdagrad"})
    .doc("Adagrad step followed by shrinking with l1 and l2.")
    .input("var", "The parameter.", kFloating)
    .input("accum", "Sum of squared gradients.", kFloating)
    .input("lr", "Learning rate.", kReal)
    .input("l1", "Absolute penalty.", kReal)
    .input("l2", "Squared penalty.", kReal)
    .input("grad", "The gradient.", kFloating)
    .attribute("use_locking", "Kept for compatibility; the update is never torn.", false)
    .in_place_output("var_out", "The parameter.", 0)
    .in_place_output("accum_out", "`accum`.", 1)
    .infer([](InferContext& op) { infer_update(op, {1}, 5); })
    .not_differentiable()
    .sample("step", {normal({3, 4}), positive({3, 4}), number(0.1), number(0.1), number(0.1),
                     normal({3, 4})})
    .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(apply_proximal_adagrad) {
  const ProximalAdagradStep step{number_in(kernel, 2), number_in(kernel, 3), number_in(kernel, 4)};
  run_update<1>(kernel, {1}, 5, step);
}

MYCEL_OP(apply_gradient_descent)
    .names({.primitive = "ApplyGradientDescent"})
    .doc("p -= alpha g.")
    .input("var", "The parameter.", kFloating)
    .input("alpha", "Learning rate.", kReal)
    .input("delta", "g.", kFloating)
    .in_place_output("output", "The parameter.", 0)
    .infer([](InferContext& op) { infer_update(op, {}, 2); })
    .not_differentiable()
    .sample("step", {normal({3, 4}), number(0.1), normal({3, 4})})
    .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(apply_gradient_descent) {
  run_update<0>(kernel, {}, 2, DescentStep{number_in(kernel, 1)});
}

MYCEL_OP(apply_proximal_gradient_descent)
    .names({.primitive = "ApplyProximalGradientDescent"})
    .doc("p -= alpha g, followed by shrinking with l1 and l2.")
    .input("var", "The parameter.", kFloating)
    .input("alpha", "Learning rate.", kReal)
    .input("l1", "Absolute penalty.", kReal)
    .input("l2", "Squared penalty.", kReal)
    .input("delta", "g.", kFloating)
    .in_place_output("output", "The parameter.", 0)
    .infer([](InferContext& op) { infer_update(op, {}, 4); })
    .not_differentiable()
    .sample("step", {normal({3, 4}), number(0.1), number(0.1), number(0.1), normal({3, 4})})
    .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(apply_proximal_gradient_descent) {
  const ProximalDescentStep step{number_in(kernel, 1), number_in(kernel, 2), number_in(kernel, 3)};
  run_update<0>(kernel, {}, 4, step);
}

}  // namespace mycel::ops
