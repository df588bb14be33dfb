// SPDX-License-Identifier: Apache-2.0
// Adam and its relatives on all parameters of a step at once.
#include "ops/optimizer/updates.h"

namespace mycel::ops {
namespace {

// The numbers of the operators with two moments, in the order of their inputs.
struct Moments {
  double power1, power2;
  Betas betas;
  bool decoupled;

  explicit Moments(const KernelContext& kernel)
      : power1(number_in(kernel, 0)),
        power2(number_in(kernel, 1)),
        betas{number_in(kernel, 2), number_in(kernel, 3), number_in(kernel, 4)},
        decoupled(kernel.flag("decoupled")) {
    if (kernel.flag("corrects_epsilon")) betas.epsilon *= std::sqrt(1 - power2);
  }
  double rate(const UpdateCall& call, std::size_t i) const {
    return corrected_rate(call.rate(i), power1, power2);
  }
  double shrink(const UpdateCall& call, std::size_t i) const {
    return decoupled ? call.rate(i) * call.decay(i) : 0.0;
  }
};

Define moment_operator(std::string_view name, std::string_view doc) {
  return list_operator(name, doc,
                       {{"beta1_power", "beta1 to the power of the step; 0: no correction."},
                        {"beta2_power", "beta2 to the power of the step; 0: no correction."},
                        {"beta1", "Decay of the mean."},
                        {"beta2", "Decay of the mean square."},
                        {"epsilon", "Keeps the divisor from zero."}})
      .attribute("decoupled", "Decay is taken off the parameter, not added to the gradient.", false)
      .attribute("corrects_epsilon",
                 "Epsilon is added to the corrected root, not to the root as it is.", false);
}

}  // namespace

static const Define define_update_adam =
    moment_operator("update_adam", "Adam steps of all parameters; states: the two moments.")
        .attribute("nesterov", "Look one step ahead.", false)
        .infer([](InferContext& op) { infer_updates(op, 3); })
        .sample("two",
                {number(0.9), number(0.999), number(0.9), number(0.999), number(1e-8),
                 normal({3, 4}), normal({5}), normal({3, 4}), normal({5}), positive({3, 4}),
                 positive({5}), normal({3, 4}), normal({5}), number(0.1), number(0.01)},
                {{"rate_of", IntList{0, 1}}, {"decay_of", IntList{1, -1}}})
        .sample("decoupled",
                {number(0.81), number(0.998), number(0.9), number(0.999), number(1e-8), normal({4}),
                 normal({4}), positive({4}), normal({4}), number(0.1)},
                {{"rate_of", IntList{0}},
                 {"decay_of", IntList{0}},
                 {"decoupled", true},
                 {"corrects_epsilon", true}})
        .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(update_adam) {
  const UpdateCall call(kernel, 5, 3);
  const Moments moments(kernel);
  const bool ahead = kernel.flag("nesterov");
  run_updates<2>(call, !moments.decoupled, [&](std::size_t i) {
    return AdamStep{moments.rate(call, i), moments.shrink(call, i), moments.betas, ahead};
  });
}

static const Define define_update_amsgrad =
    moment_operator("update_amsgrad",
                    "Adam steps of all parameters with the largest mean square so far; states: the "
                    "two moments and that maximum.")
        .infer([](InferContext& op) { infer_updates(op, 4); })
        .sample("one",
                {number(0.9), number(0.999), number(0.9), number(0.999), number(1e-8), normal({4}),
                 normal({4}), positive({4}), positive({4}), normal({4}), number(0.1)},
                {{"rate_of", IntList{0}}})
        .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(update_amsgrad) {
  const UpdateCall call(kernel, 5, 4);
  const Moments moments(kernel);
  run_updates<3>(call, !moments.decoupled, [&](std::size_t i) {
    return AmsgradStep{moments.rate(call, i), moments.shrink(call, i), moments.betas};
  });
}

static const Define define_update_adamax =
    list_operator("update_adamax",
                  "AdaMax steps of all parameters; states: the mean and the decaying maximum.",
                  {{"beta1_power", "beta1 to the power of the step."},
                   {"beta1", "Decay of the mean."},
                   {"beta2", "Decay of the maximum."},
                   {"epsilon", "Keeps the divisor from zero."}})
        .attribute("epsilon_inside", "Epsilon is part of what the maximum is taken of.", false)
        .infer([](InferContext& op) { infer_updates(op, 3); })
        .sample("one",
                {number(0.9), number(0.9), number(0.999), number(1e-8), normal({4}), normal({4}),
                 positive({4}), normal({4}), number(0.1)},
                {{"rate_of", IntList{0}}})
        .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(update_adamax) {
  const UpdateCall call(kernel, 4, 3);
  const double power = number_in(kernel, 0);
  const Betas betas{number_in(kernel, 1), number_in(kernel, 2), number_in(kernel, 3)};
  const bool inside = kernel.flag("epsilon_inside");
  run_updates<2>(call, true, [&](std::size_t i) {
    return AdaMaxStep{call.rate(i) / (1 - power), betas, inside};
  });
}

static const Define define_update_mixed_moments =
    list_operator("update_mixed_moments",
                  "Steps along a mixture of gradient and mean over the root of the mean square, of "
                  "all parameters (NAdam, RAdam); states: the two moments.",
                  {{"of_gradient", "Share of the gradient, times the rate."},
                   {"of_mean", "Share of the mean, times the rate."},
                   {"beta1", "Decay of the mean."},
                   {"beta2", "Decay of the mean square."},
                   {"epsilon", "Keeps the divisor from zero."},
                   {"plain", "Not 0: without the divisor."}})
        .attribute("decoupled", "Decay is taken off the parameter, not added to the gradient.",
                   false)
        .infer([](InferContext& op) { infer_updates(op, 3); })
        .sample("one",
                {number(0.1), number(0.9), number(0.9), number(0.999), number(1e-8), number(0),
                 normal({4}), normal({4}), positive({4}), normal({4}), number(0.1)},
                {{"rate_of", IntList{0}}})
        .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(update_mixed_moments) {
  const UpdateCall call(kernel, 6, 3);
  const double of_gradient = number_in(kernel, 0);
  const double of_mean = number_in(kernel, 1);
  const Betas betas{number_in(kernel, 2), number_in(kernel, 3), number_in(kernel, 4)};
  const bool plain = number_in(kernel, 5) != 0;
  const bool decoupled = kernel.flag("decoupled");
  run_updates<2>(call, !decoupled, [&](std::size_t i) {
    const double rate = call.rate(i);
    const double shrink = decoupled ? rate * call.decay(i) : 0.0;
    return MixedMomentStep{rate * of_gradient, rate * of_mean, shrink, betas, plain};
  });
}

}  // namespace mycel::ops
