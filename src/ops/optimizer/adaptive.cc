// SPDX-License-Identifier: Apache-2.0
// Steps scaled by the history of the gradient: RMSProp, Adagrad, Adadelta, FTRL and proximal forms.
#include "ops/optimizer/update.h"

namespace mycel::ops {
namespace {

template <class W>
W sign_of(W x) {
  return x > W(0) ? W(1) : (x < W(0) ? W(-1) : W(0));
}

// Pulls towards zero by l1, shrinks by l2.
template <class W>
W proximal(W q, W rate, double l1, double l2) {
  const W left = std::abs(q) - rate * static_cast<W>(l1);
  return sign_of(q) * (left > W(0) ? left : W(0)) / (W(1) + rate * static_cast<W>(l2));
}

}  // namespace

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
  const double lr = number_in(kernel, 3);
  const double rho = number_in(kernel, 5);
  const double u = number_in(kernel, 6);
  const double epsilon = number_in(kernel, 7);
  run_update<2>(kernel, {1, 2}, 4, [=]<class W>(W& p, std::array<W, 2>& s, W g) {
    s[0] = static_cast<W>(rho) * s[0] + static_cast<W>(1 - rho) * g * g;
    s[1] = static_cast<W>(u) * s[1] +
           static_cast<W>(lr) * g / std::sqrt(s[0] + static_cast<W>(epsilon));
    p -= s[1];
  });
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
  const double lr = number_in(kernel, 5);
  const double rho = number_in(kernel, 6);
  const double u = number_in(kernel, 7);
  const double epsilon = number_in(kernel, 8);
  run_update<3>(kernel, {1, 2, 3}, 4, [=]<class W>(W& p, std::array<W, 3>& s, W g) {
    s[0] = static_cast<W>(rho) * s[0] + static_cast<W>(1 - rho) * g;
    s[1] = static_cast<W>(rho) * s[1] + static_cast<W>(1 - rho) * g * g;
    s[2] = static_cast<W>(u) * s[2] +
           static_cast<W>(lr) * g / std::sqrt(s[1] - s[0] * s[0] + static_cast<W>(epsilon));
    p -= s[2];
  });
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
  const double lr = number_in(kernel, 2);
  const double grows = kernel.flag("update_slots") ? 1 : 0;
  run_update<1>(kernel, {1}, 3, [=]<class W>(W& p, std::array<W, 1>& s, W g) {
    s[0] += static_cast<W>(grows) * g * g;
    p -= static_cast<W>(lr) * g / std::sqrt(s[0]);
  });
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
  const double lr = number_in(kernel, 2);
  const double epsilon = kernel.real("epsilon");
  const double grows = kernel.flag("update_slots") ? 1 : 0;
  run_update<1>(kernel, {1}, 3, [=]<class W>(W& p, std::array<W, 1>& s, W g) {
    s[0] += static_cast<W>(grows) * g * g;
    p -= static_cast<W>(lr) * g / (std::sqrt(s[0]) + static_cast<W>(epsilon));
  });
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
  const double lr = number_in(kernel, 3);
  const double rho = number_in(kernel, 4);
  const double epsilon = number_in(kernel, 5);
  run_update<2>(kernel, {1, 2}, 6, [=]<class W>(W& p, std::array<W, 2>& s, W g) {
    s[0] = static_cast<W>(rho) * s[0] + static_cast<W>(1 - rho) * g * g;
    const W d =
        std::sqrt(s[1] + static_cast<W>(epsilon)) * g / std::sqrt(s[0] + static_cast<W>(epsilon));
    s[1] = static_cast<W>(rho) * s[1] + static_cast<W>(1 - rho) * d * d;
    p -= static_cast<W>(lr) * d;
  });
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
  const double lr = number_in(kernel, 4);
  const double l1 = number_in(kernel, 5);
  const double l2 = number_in(kernel, 6);
  const double power = -number_in(kernel, 7);
  run_update<2>(kernel, {1, 2}, 3, [=]<class W>(W& p, std::array<W, 2>& s, W g) {
    const W grown = s[0] + g * g;
    const W root = power == 0.5 ? std::sqrt(grown) : std::pow(grown, static_cast<W>(power));
    const W old_root = power == 0.5 ? std::sqrt(s[0]) : std::pow(s[0], static_cast<W>(power));
    s[1] += g - (root - old_root) / static_cast<W>(lr) * p;
    s[0] = grown;
    const W pulled = sign_of(s[1]) * static_cast<W>(l1) - s[1];
    p = std::abs(s[1]) <= static_cast<W>(l1)
            ? W(0)
            : pulled / (root / static_cast<W>(lr) + static_cast<W>(2 * l2));
  });
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
  const double lr = number_in(kernel, 2);
  const double l1 = number_in(kernel, 3);
  const double l2 = number_in(kernel, 4);
  run_update<1>(kernel, {1}, 5, [=]<class W>(W& p, std::array<W, 1>& s, W g) {
    s[0] += g * g;
    const W rate = static_cast<W>(lr) / std::sqrt(s[0]);
    p = proximal<W>(p - rate * g, rate, l1, l2);
  });
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
  const double alpha = number_in(kernel, 1);
  run_update<0>(kernel, {}, 2,
                [=]<class W>(W& p, std::array<W, 0>&, W g) { p -= static_cast<W>(alpha) * g; });
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
  const double alpha = number_in(kernel, 1);
  const double l1 = number_in(kernel, 2);
  const double l2 = number_in(kernel, 3);
  run_update<0>(kernel, {}, 4, [=]<class W>(W& p, std::array<W, 0>&, W g) {
    const auto rate = static_cast<W>(alpha);
    p = proximal<W>(p - rate * g, rate, l1, l2);
  });
}

}  // namespace mycel::ops
