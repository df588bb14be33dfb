// SPDX-License-Identifier: Apache-2.0
// Steps scaled by the history of the gradient, on all parameters of a step at once.
#include "ops/optimizer/updates.h"

namespace mycel::ops {

static const Define define_update_adagrad =
    list_operator("update_adagrad", "Adagrad steps of all parameters; states: the sum of squares.",
                  {{"epsilon", "Added to the root."}})
        .attribute("update_slots", "Whether the sum grows.", true)
        .infer([](InferContext& op) { infer_updates(op, 2); })
        .sample("one", {number(1e-6), normal({4}), positive({4}), normal({4}), number(0.1)},
                {{"rate_of", IntList{0}}})
        .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(update_adagrad) {
  const UpdateCall call(kernel, 1, 2);
  const double epsilon = number_in(kernel, 0);
  const bool grows = kernel.flag("update_slots");
  run_updates<1>(call, true, [&](std::size_t i) {
    return AdagradStep{call.rate(i), epsilon, grows};
  });
}

static const Define define_update_proximal_adagrad =
    list_operator("update_proximal_adagrad",
                  "Adagrad steps of all parameters, each followed by shrinking; states: the sum of "
                  "squares.",
                  {{"l1", "Absolute penalty."}, {"l2", "Squared penalty."}})
        .infer([](InferContext& op) { infer_updates(op, 2); })
        .sample("one",
                {number(0.1), number(0.1), normal({4}), positive({4}), normal({4}), number(0.1)},
                {{"rate_of", IntList{0}}})
        .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(update_proximal_adagrad) {
  const UpdateCall call(kernel, 2, 2);
  const double l1 = number_in(kernel, 0);
  const double l2 = number_in(kernel, 1);
  run_updates<1>(call, true, [&](std::size_t i) {
    return ProximalAdagradStep{call.rate(i), l1, l2};
  });
}

static const Define define_update_adadelta =
    list_operator("update_adadelta",
                  "Adadelta steps of all parameters; states: mean squares of gradients and steps.",
                  {{"rho", "Decay."}, {"epsilon", "Keeps the divisor from zero."}})
        .infer([](InferContext& op) { infer_updates(op, 3); })
        .sample("one",
                {number(0.9), number(1e-6), normal({4}), positive({4}), positive({4}), normal({4}),
                 number(0.1)},
                {{"rate_of", IntList{0}}})
        .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(update_adadelta) {
  const UpdateCall call(kernel, 2, 3);
  const double rho = number_in(kernel, 0);
  const double epsilon = number_in(kernel, 1);
  run_updates<2>(call, true, [&](std::size_t i) {
    return AdadeltaStep{call.rate(i), rho, epsilon};
  });
}

static const Define define_update_rmsprop =
    list_operator("update_rmsprop",
                  "RMSProp steps of all parameters; states: the mean gradient if `centered`, its "
                  "mean square, the momentum.",
                  {{"decay", "Decay of the means."},
                   {"momentum", "Decay of the momentum."},
                   {"epsilon", "Keeps the divisor from zero."}})
        .attribute("centered", "Divide by the root of the variance.", false)
        .attribute("epsilon_outside",
                   "Epsilon is added to the root instead of under it, and the rate is no part of "
                   "the momentum.",
                   false)
        .infer([](InferContext& op) { infer_updates(op, op.flag("centered") ? 4 : 3); })
        .sample("one",
                {number(0.9), number(0.5), number(1e-6), normal({4}), positive({4}), normal({4}),
                 normal({4}), number(0.1)},
                {{"rate_of", IntList{0}}})
        .sample("centered",
                {number(0.9), number(0.5), number(1e-6), normal({4}), constant({4}, 0.1),
                 constant({4}, 1), normal({4}), normal({4}), number(0.1)},
                {{"rate_of", IntList{0}}, {"centered", true}})
        .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(update_rmsprop) {
  const bool centered = kernel.flag("centered");
  const UpdateCall call(kernel, 3, centered ? 4 : 3);
  const auto make = [&](std::size_t i) {
    return RmsPropStep{call.rate(i), number_in(kernel, 0), number_in(kernel, 1),
                       number_in(kernel, 2), kernel.flag("epsilon_outside")};
  };
  if (centered) return run_updates<3>(call, true, make);
  run_updates<2>(call, true, make);
}

static const Define define_update_ftrl =
    list_operator("update_ftrl",
                  "Steps of the regularised leader of all parameters; states: the sum of squares "
                  "and z.",
                  {{"l1", "Absolute penalty."},
                   {"l2", "Squared penalty."},
                   {"lr_power", "How the rate falls with the sum; at most 0."}})
        .infer([](InferContext& op) { infer_updates(op, 3); })
        .sample("one",
                {number(0.1), number(0.1), number(-0.5), normal({4}), positive({4}), normal({4}),
                 normal({4}), number(0.1)},
                {{"rate_of", IntList{0}}})
        .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(update_ftrl) {
  const UpdateCall call(kernel, 3, 3);
  run_updates<2>(call, true, [&](std::size_t i) {
    return FtrlStep{call.rate(i), number_in(kernel, 0), number_in(kernel, 1),
                    -number_in(kernel, 2)};
  });
}

static const Define define_update_rprop =
    list_operator("update_rprop",
                  "Resilient steps of all parameters: only the signs of gradients count. States: "
                  "the gradient before, the size of the step.",
                  {{"less", "Factor after a change of sign."},
                   {"more", "Factor without one."},
                   {"smallest", "Least step."},
                   {"largest", "Greatest step."}})
        .infer([](InferContext& op) { infer_updates(op, 3); })
        .sample("one",
                {number(0.5), number(1.2), number(1e-6), number(50), normal({4}), normal({4}),
                 positive({4}), normal({4}), number(0.1)},
                {{"rate_of", IntList{0}}})
        .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(update_rprop) {
  const UpdateCall call(kernel, 4, 3);
  const RpropStep step{number_in(kernel, 0), number_in(kernel, 1), number_in(kernel, 2),
                       number_in(kernel, 3)};
  run_updates<2>(call, true, [&](std::size_t) { return step; });
}

static const Define define_update_asgd =
    list_operator("update_asgd",
                  "Descent of all parameters with an average of what they were; states: that "
                  "average. Rates are those of this step.",
                  {{"lambd", "Share of the parameter that a step of rate 1 takes off."},
                   {"share", "Share of the parameter in the average."}})
        .infer([](InferContext& op) { infer_updates(op, 2); })
        .sample("one",
                {number(1e-4), number(1), normal({4}), normal({4}), normal({4}), number(0.1)},
                {{"rate_of", IntList{0}}})
        .sample_dtypes(kFloating);

MYCEL_CPU_KERNEL(update_asgd) {
  const UpdateCall call(kernel, 2, 2);
  const double lambd = number_in(kernel, 0);
  const double share = number_in(kernel, 1);
  run_updates<1>(call, true, [&](std::size_t i) {
    return AveragedStep{call.rate(i), call.rate(i) * lambd, share};
  });
}

}  // namespace mycel::ops
