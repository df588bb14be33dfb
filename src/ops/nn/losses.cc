// SPDX-License-Identifier: Apache-2.0
// Losses that compare element by element.
#include "operator/define.h"
#include "ops/nn/reduction.h"

namespace mycel::ops {
namespace {

Value as_type(CompositeContext& op, const Value& value, DType dtype) {
  return value.dtype() == dtype ? value : op.call("cast", {value}, {{"dtype", dtype}});
}

// Whole numbers are compared in float32.
template <class Formula>
void compare(CompositeContext& op, const Formula& formula) {
  reduction_of(op);
  const DType common = promote(op.input(0).dtype(), op.input(1).dtype());
  const DType dtype = is_floating(common) || is_complex(common) ? common : DType::Float32;
  const Value difference = as_type(op, op.input(0), dtype) - as_type(op, op.input(1), dtype);
  op.set_output(0, reduced(op, formula(difference)));
}

void require_same_shape(const CompositeContext& op) {
  op.require(op.input(0).shape() == op.input(1).shape(), ErrorKind::Value, "'",
             op.definition().inputs[0].name, "' and '", op.definition().inputs[1].name,
             "' must have one shape, but got ", to_string(op.input(0).shape()), " and ",
             to_string(op.input(1).shape()), ".");
}

Value weighted(CompositeContext& op, const Value& loss) {
  return op.has_input(2) ? loss * op.input(2) : loss;
}

void run_binary(CompositeContext& op) {
  reduction_of(op);
  require_same_shape(op);
  const Value& p = op.input(0);
  const Value& t = op.input(1);
  // Logarithms are cut at -100, so that a certain and wrong answer has a finite loss. There the
  // slope is steep and finite, too: behind a sigmoid, whose own slope is 0 by then, infinity would
  // become NaN.
  const double slope = p.dtype() == DType::Float16 ? 1e4 : 1e12;
  const auto log_of = [&](const Value& value) {
    const Value none = op.call("equal", {value, op.emitter().number(0)});
    const Value some = op.call("where", {none, op.emitter().number(1), value});
    const Value cut = op.call("maximum", {op.call("log", {some}), op.emitter().number(-100)});
    return op.call("where", {none, value * slope - 100.0, cut});
  };
  const Value loss = -(t * log_of(p) + (1.0 - t) * log_of(1.0 - p));
  op.set_output(0, reduced(op, weighted(op, loss)));
}

// max(x, 0) - x t + log(1 + exp(-|x|)), and with pos_weight w: (1 - t) x + (1 + (w - 1) t) log(1 +
// exp(-x)).
void run_binary_with_logits(CompositeContext& op) {
  reduction_of(op);
  require_same_shape(op);
  const Value& x = op.input(0);
  const Value& t = op.input(1);
  const Value tail = op.call("log1p", {op.call("exp", {-op.call("abs", {x})})});
  Value loss;
  if (op.has_input(3)) {
    const Value softplus = tail + op.call("relu", {-x});
    loss = (1.0 - t) * x + ((op.input(3) - 1.0) * t + 1.0) * softplus;
  } else {
    loss = op.call("relu", {x}) - x * t + tail;
  }
  op.set_output(0, reduced(op, weighted(op, loss)));
}

void run_divergence(CompositeContext& op) {
  const std::string& reduction = op.text("reduction");
  op.require(
      reduction == "mean" || reduction == "sum" || reduction == "none" || reduction == "batchmean",
      ErrorKind::Value, "the 'reduction' must be in ['none', 'mean', 'batchmean', 'sum'], but got ",
      reduction, ".");
  const Value& x = op.input(0);
  const Value& t = op.input(1);
  const Value zero = op.emitter().number(0);
  const Value unused = op.call("less_equal", {t, op.emitter().number(0)});  // NaN is used
  const Value safe = op.call("where", {unused, op.emitter().number(1), t});
  const Value loss = op.call("where", {unused, zero, t * (op.call("log", {safe}) - x)});
  if (reduction == "none") return op.set_output(0, loss);
  if (reduction == "mean") return op.set_output(0, op.call("reduce_mean", {loss}));
  const Value sum = op.call("reduce_sum", {loss});
  const bool by_batch = reduction == "batchmean" && x.rank() > 0;
  op.set_output(0, by_batch ? sum / static_cast<double>(x.shape()[0]) : sum);
}

Value smooth_difference(CompositeContext& op, const Value& d, double border, bool huber) {
  const Value size = op.call("abs", {d});
  if (border == 0) return huber ? size * 0.0 : size;
  const Value near = op.call("less", {size, op.emitter().number(border)});
  const Value quadratic = d * d * (huber ? 0.5 : 0.5 / border);
  const Value linear = huber ? (size - 0.5 * border) * border : size - 0.5 * border;
  return op.call("where", {near, quadratic, linear});
}

}  // namespace

MYCEL_OP(mse_loss)
    .names({.function = "mse_loss"})
    .doc("Squared differences; those of whole numbers are float32.")
    .numpy("((input - target) ** 2).mean()")
    .input("input", "Predictions.", kNumber)
    .input("target", "Labels; stretched where needed.", kNumber)
    .attribute("reduction", "'mean', 'sum' or 'none'.", "mean")
    .output("output", "A number, or one per element.")
    .composite([](CompositeContext& op) { compare(op, [](const Value& d) { return d * d; }); })
    .sample("mean", {normal({3, 4}), normal({3, 4})})
    .sample("stretched", {normal({3, 4}), normal({4})});

MYCEL_OP(l1_loss)
    .names({.function = "l1_loss"})
    .doc("Absolute differences; those of whole numbers keep the type, the mean is cut.")
    .numpy("np.abs(input - target).mean()")
    .input("input", "Predictions.", kNumber)
    .input("target", "Labels; stretched where needed.", kNumber)
    .attribute("reduction", "'mean', 'sum' or 'none'.", "mean")
    .output("output", "A number, or one per element.")
    .composite([](CompositeContext& op) {
      compare(op, [&](const Value& d) { return op.call("abs", {d}); });
      const DType dtype = promote(op.input(0).dtype(), op.input(1).dtype());
      if (is_integral(dtype)) op.set_output(0, as_type(op, op.outputs()[0], dtype));
    })
    .sample("mean", {normal({3, 4}), uniform({3, 4}, 4, 5)});

MYCEL_OP(smooth_l1_loss)
    .names({.primitive = "SmoothL1Loss", .function = "smooth_l1_loss"})
    .doc("Squares of small differences, sizes of large ones.")
    .input("input", "Predictions.", kReal)
    .input("target", "Labels.", kReal)
    .attribute("beta", "Difference at which the two meet.", 1.0)
    .attribute("reduction", "'mean', 'sum' or 'none'.", "none")
    .output("output", "A number, or one per element.")
    .composite([](CompositeContext& op) {
      const double beta = op.real("beta");
      op.require(beta >= 0, ErrorKind::Value, "'beta' must not be negative, but got ", beta, ".");
      require_same_shape(op);
      compare(op, [&](const Value& d) { return smooth_difference(op, d, beta, false); });
    })
    .sample("near", {uniform({3, 4}, 0, 0.4), uniform({3, 4}, 0.5, 0.8)})
    .sample("far", {uniform({3, 4}, 0, 1), uniform({3, 4}, 4, 5)}, {{"beta", 0.5}});

MYCEL_OP(huber_loss)
    .names({.function = "huber_loss"})
    .doc("Half squares of small differences, a line for large ones.")
    .input("input", "Predictions.", kReal)
    .input("target", "Labels.", kReal)
    .attribute("reduction", "'mean', 'sum' or 'none'.", "mean")
    .attribute("delta", "Difference at which the two meet.", 1.0)
    .output("output", "A number, or one per element.")
    .composite([](CompositeContext& op) {
      const double delta = op.real("delta");
      op.require(delta > 0, ErrorKind::Value, "'delta' must be positive, but got ", delta, ".");
      compare(op, [&](const Value& d) { return smooth_difference(op, d, delta, true); });
    })
    .sample("far", {uniform({3, 4}, 0, 1), uniform({3, 4}, 4, 5)}, {{"delta", 0.5}});

MYCEL_OP(binary_cross_entropy)
    .names({.primitive = "BinaryCrossEntropy", .function = "binary_cross_entropy"})
    .doc("Cross entropy of probabilities and labels in [0, 1].")
    .input("logits", "Probabilities.", kFloating)
    .input("labels", "Labels.", kFloating)
    .optional_input("weight", "Factor of every loss.", kFloating)
    .attribute("reduction", "'mean', 'sum' or 'none'.", "mean")
    .output("output", "A number, or one per element.")
    .composite(run_binary)
    .sample("mean", {uniform({3, 4}, 0.1, 0.9), uniform({3, 4}, 0, 1), absent()})
    .sample("weights", {uniform({3, 4}, 0.1, 0.9), uniform({3, 4}, 0, 1), positive({3, 4})},
            {{"reduction", "sum"}});

MYCEL_OP(binary_cross_entropy_with_logits)
    .names({.primitive = "BCEWithLogitsLoss", .function = "binary_cross_entropy_with_logits"})
    .doc("Cross entropy of the sigmoid of scores and labels in [0, 1].")
    .input("input", "Scores.", kFloating)
    .input("target", "Labels.", kFloating)
    .optional_input("weight", "Factor of every loss.", kFloating)
    .optional_input("pos_weight", "Factor of the positive part.", kFloating)
    .attribute("reduction", "'mean', 'sum' or 'none'.", "mean")
    .output("output", "A number, or one per element.")
    .composite(run_binary_with_logits)
    .sample("mean", {uniform({3, 4}, 0.2, 2), uniform({3, 4}, 0, 1), absent(), absent()})
    .sample("both weights",
            {uniform({3, 4}, -2, -0.2), uniform({3, 4}, 0, 1), positive({3, 4}), positive({4})});

MYCEL_OP(kl_div)
    .names({.primitive = "KLDivLoss", .function = "kl_div"})
    .doc("labels * (log(labels) - logits); 0 where the label is not positive.")
    .input("logits", "Logarithms of probabilities.", kFloating)
    .input("labels", "Probabilities.", kFloating)
    .attribute("reduction", "'none', 'mean', 'batchmean' or 'sum'.", "mean")
    .output("output", "A number, or one per element.")
    .composite(run_divergence)
    .sample("mean", {normal({3, 4}), positive({3, 4})})
    .sample("per row", {normal({3, 4}), positive({3, 4})}, {{"reduction", "batchmean"}});

MYCEL_OP(soft_margin_loss)
    .names({.function = "soft_margin_loss"})
    .doc("log(1 + exp(-target * input)).")
    .numpy("np.log1p(np.exp(-target * input)).mean()")
    .input("input", "Scores.", kFloating)
    .input("target", "Labels, 1 or -1.", kFloating)
    .attribute("reduction", "'mean', 'sum' or 'none'.", "mean")
    .output("output", "A number, or one per element.")
    .composite([](CompositeContext& op) {
      require_same_shape(op);
      const Value e = op.call("exp", {-(op.input(0) * op.input(1))});
      op.set_output(0, reduced(op, op.call("log1p", {e})));
    })
    .sample("mean", {normal({3, 4}), normal({3, 4})});

MYCEL_OP(l2_loss)
    .names({.primitive = "L2Loss"})
    .doc("Half of the sum of squares.")
    .numpy("(input_x ** 2).sum() / 2")
    .input("input_x", "Any tensor.", kFloating)
    .output("output", "One number.")
    .composite([](CompositeContext& op) {
      op.set_output(0, op.call("reduce_sum", {op.input(0) * op.input(0)}) * 0.5);
    })
    .sample("plain", {normal({3, 4})});

}  // namespace mycel::ops
