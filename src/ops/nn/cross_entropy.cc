// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "operator/define.h"
#include "ops/nn/reduction.h"

namespace mycel::ops {
namespace {

double checked_smoothing(const CompositeContext& op) {
  const double smoothing = op.real("label_smoothing");
  op.require(smoothing >= 0 && smoothing <= 1, ErrorKind::Value,
             "'label_smoothing' must be in [0, 1], but got ", smoothing, ".");
  return smoothing;
}

Value as_type(CompositeContext& op, const Value& value, DType dtype) {
  return value.dtype() == dtype ? value : op.call("cast", {value}, {{"dtype", dtype}});
}

Value weights_of(CompositeContext& op, const Value& labels, std::int64_t classes, DType dtype) {
  return op.call(
      "class_weights", {labels, op.has_input(2) ? op.input(2) : Value()},
      {{"classes", classes}, {"dtype", dtype}, {"ignore_index", op.integer("ignore_index")}});
}

// Weight vector stretched along the class axis of (N, C, ...).
Value along_classes(CompositeContext& op, std::int64_t rank) {
  Shape shape(static_cast<std::size_t>(rank), 1);
  shape[1] = op.input(2).shape()[0];
  return op.call("reshape", {op.input(2)}, {{"shape", shape}});
}

// loss is not yet weighted and is 0 where ignored; the mean is over the weights.
void finish(CompositeContext& op, const Value& loss, const Value& labels, std::int64_t classes,
            DType dtype) {
  const LossReduction reduction = reduction_of(op);
  Value weighted = loss;
  Value weights;
  if (op.has_input(2) || reduction == LossReduction::Mean) {
    weights = weights_of(op, labels, classes, loss.dtype());
  }
  if (op.has_input(2)) weighted = loss * weights;
  if (reduction == LossReduction::None) return op.set_output(0, as_type(op, weighted, dtype));
  const Value total = op.call("reduce_sum", {weighted});
  if (reduction == LossReduction::Sum) return op.set_output(0, as_type(op, total, dtype));
  op.set_output(0, as_type(op, total / op.call("reduce_sum", {weights}), dtype));
}

// From logarithms of probabilities (N, C, ...), with smoothing: every class has its share.
void loss_of_log_probabilities(CompositeContext& op, const Value& log_p, const Value& labels) {
  const std::int64_t classes = log_p.shape()[1];
  const Value picked =
      -op.call("pick_class", {log_p, labels}, {{"ignore_index", op.integer("ignore_index")}});
  const double smoothing = checked_smoothing(op);
  if (smoothing == 0) return finish(op, picked, labels, classes, log_p.dtype());
  const Value shares = op.has_input(2) ? log_p * along_classes(op, log_p.rank()) : log_p;
  const Value one = op.call("class_weights", {labels, {}},
                            {{"classes", classes},
                             {"dtype", log_p.dtype()},
                             {"ignore_index", op.integer("ignore_index")}});
  const Value all = -op.call("reduce_sum", {shares}, {{"axis", IntList{1}}}) * one;
  const Value weights = weights_of(op, labels, classes, log_p.dtype());
  const Value loss =
      picked * weights * (1 - smoothing) + all * (smoothing / static_cast<double>(classes));
  switch (reduction_of(op)) {
    case LossReduction::None: return op.set_output(0, loss);
    case LossReduction::Sum: return op.set_output(0, op.call("reduce_sum", {loss}));
    case LossReduction::Mean:
      return op.set_output(0, op.call("reduce_sum", {loss}) / op.call("reduce_sum", {weights}));
  }
}

// (C,) with one label takes part as a batch of one.
struct Batch {
  Value scores, labels;
  bool single;

  explicit Batch(CompositeContext& op) : scores(op.input(0)), labels(op.input(1)) {
    single = scores.rank() == 1;
    op.require(scores.rank() >= 1, ErrorKind::Value, "the dimension of '",
               op.definition().inputs[0].name, "' must be at least 1, but got a number.");
    if (!single) return;
    scores = op.call("expand_dims", {scores}, {{"axis", 0}});
    labels = op.call("expand_dims", {labels}, {{"axis", 0}});
  }
  void restore(CompositeContext& op) const {
    if (!single || op.outputs()[0].rank() == 0) return;
    op.set_output(0, op.call("squeeze", {op.outputs()[0]}, {{"axis", IntList{0}}}));
  }
};

void run_probabilities(CompositeContext& op, const Batch& batch) {
  const Value& x = batch.scores;
  op.require(batch.labels.shape() == x.shape(), ErrorKind::Value,
             "the shape of class probabilities must be ", to_string(x.shape()),
             ", that of the scores, but got ", to_string(batch.labels.shape()), ".");
  const double smoothing = checked_smoothing(op);
  const auto classes = static_cast<double>(x.shape()[1]);
  Value target = batch.labels;
  if (smoothing > 0) target = target * (1 - smoothing) + smoothing / classes;
  Value terms = op.call("log_softmax", {x}, {{"axis", 1}}) * target;
  if (op.has_input(2)) terms = terms * along_classes(op, x.rank());
  const Value loss = -op.call("reduce_sum", {terms}, {{"axis", IntList{1}}});
  op.set_output(0, reduced(op, loss));
}

void run_cross_entropy(CompositeContext& op) {
  reduction_of(op);
  const Batch batch(op);
  if (is_floating(op.input(1).dtype())) {
    run_probabilities(op, batch);
  } else if (batch.scores.rank() == 2 && checked_smoothing(op) == 0) {
    const ValueList parts = op.call_all("sparse_cross_entropy", {batch.scores, batch.labels},
                                        {{"ignore_index", op.integer("ignore_index")}});
    finish(op, parts[0], batch.labels, batch.scores.shape()[1], op.input(0).dtype());
  } else {
    loss_of_log_probabilities(op, op.call("log_softmax", {batch.scores}, {{"axis", 1}}),
                              batch.labels);
  }
  batch.restore(op);
}

void run_sparse_primitive(CompositeContext& op) {
  const Value& x = op.input(0);
  op.require(x.rank() == 2, ErrorKind::Value, "the dimension of 'logits' must be 2, but got ",
             x.rank(), ".");
  const NamedAttribute none_ignored{"ignore_index", AttributeValue()};
  const ValueList parts = op.call_all("sparse_cross_entropy", {x, op.input(1)}, {none_ignored});
  if (!op.flag("is_grad")) {
    const Value mean = op.call("reduce_mean", {parts[0]});
    return op.set_output(0, as_type(op, mean, x.dtype()));
  }
  const double share =
      op.real("sens") / static_cast<double>(std::max<std::int64_t>(1, x.shape()[0]));
  const Value factors = op.call("zeros_like", {parts[0]}) + share;
  op.set_output(0, op.call("sparse_cross_entropy_gradient", {factors, x, op.input(1), parts[1]},
                           {none_ignored}));
}

}  // namespace

MYCEL_OP(cross_entropy)
    .names({.function = "cross_entropy"})
    .doc("Cross entropy of scores and class numbers, or class probabilities.")
    .input("input", "Scores (N, C, ...) or (C,).", kFloating)
    .input("target", "Class numbers (N, ...) or probabilities like `input`.", kIndex | kFloating)
    .optional_input("weight", "(C,).", kFloating)
    .attribute("ignore_index", "Class number that does not count.", -100)
    .attribute("reduction", "'mean', 'sum' or 'none'.", "mean")
    .attribute("label_smoothing", "Share spread over all classes.", 0.0)
    .output("output", "A number, or one per position.")
    .composite(run_cross_entropy)
    .sample("classes", {normal({4, 5}), integers({4}, 0, 5), absent()})
    .sample("weights", {normal({4, 5}), integers({4}, 0, 5), positive({5})})
    .sample("planes", {normal({2, 3, 4}), integers({2, 4}, 0, 3), absent()},
            {{"reduction", "none"}})
    .sample("smoothing", {normal({4, 5}), integers({4}, 0, 5), positive({5})},
            {{"label_smoothing", 0.2}})
    .sample("probabilities", {normal({4, 5}), positive({4, 5}), absent()}, {{"reduction", "sum"}});

MYCEL_OP(nll_loss)
    .names({.function = "nll_loss"})
    .doc("Negative log-likelihood of class numbers, from logarithms of probabilities.")
    .input("inputs", "Logarithms of probabilities (N, C, ...) or (C,).", kFloating)
    .input("target", "Class numbers (N, ...).", kIndex)
    .optional_input("weight", "(C,).", kFloating)
    .attribute("ignore_index", "Class number that does not count.", -100)
    .attribute("reduction", "'mean', 'sum' or 'none'.", "mean")
    .attribute("label_smoothing", "Share spread over all classes.", 0.0)
    .output("output", "A number, or one per position.")
    .composite([](CompositeContext& op) {
      reduction_of(op);
      const Batch batch(op);
      loss_of_log_probabilities(op, batch.scores, batch.labels);
      batch.restore(op);
    })
    .sample("classes", {normal({4, 5}), integers({4}, 0, 5), positive({5})})
    .sample("sum", {normal({4, 5}), integers({4}, 0, 5), absent()}, {{"reduction", "sum"}});

MYCEL_OP(softmax_cross_entropy_with_logits)
    .names({.primitive = "SoftmaxCrossEntropyWithLogits"})
    .doc("Cross entropy of scores and probabilities per row, and its derivative by the scores.")
    .input("logits", "(N, C).", kFloating)
    .input("labels", "(N, C), probabilities of the same dtype.", kFloating)
    .output("loss", "(N,).")
    .output("dlogits", "softmax(logits) - labels.")
    .composite([](CompositeContext& op) {
      const Value& x = op.input(0);
      const Value& labels = op.input(1);
      op.require(x.rank() == 2, ErrorKind::Value, "the dimension of 'logits' must be 2, but got ",
                 x.rank(), ".");
      op.require(x.shape() == labels.shape(), ErrorKind::Value,
                 "'logits' and 'labels' must have one shape, but got ", to_string(x.shape()),
                 " and ", to_string(labels.shape()), ".");
      op.require(x.dtype() == labels.dtype(), ErrorKind::Type,
                 "'logits' and 'labels' must have one type, but got ", x.dtype(), " and ",
                 labels.dtype(), ".");
      const Value log_p = op.call("log_softmax", {x}, {{"axis", 1}});
      op.set_output(0, -op.call("reduce_sum", {labels * log_p}, {{"axis", IntList{1}}}));
      op.set_output(1, op.call("exp", {log_p}) - labels);
    })
    .sample("rows", {normal({4, 5}), positive({4, 5})});

MYCEL_OP(sparse_softmax_cross_entropy_with_logits)
    .names({.primitive = "SparseSoftmaxCrossEntropyWithLogits"})
    .doc("Mean cross entropy of scores and class numbers, or the gradient of that mean.")
    .input("logits", "(N, C).", kFloating)
    .input("labels", "(N,), class numbers.", kIndex)
    .attribute("is_grad", "Return the gradient.", false)
    .attribute("sens", "Factor of the gradient.", 1.0)
    .output("output", "A number, or (N, C).")
    .composite(run_sparse_primitive)
    .sample("mean", {normal({4, 5}), integers({4}, 0, 5)});

}  // namespace mycel::ops
