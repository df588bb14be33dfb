// SPDX-License-Identifier: Apache-2.0
// Connectionist temporal classification: the probability that a sequence of labels is what remains
// of a longer one when repetitions and blanks are dropped (Graves et al. 2006).
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "backend/cpu/half_tensor.h"
#include "operator/define.h"
#include "ops/nn/reduction.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

double log_add(double a, double b) {
  const double high = std::max(a, b), low = std::min(a, b);
  return low == kImpossible ? high : high + std::log1p(std::exp(low - high));
}

// The inputs of one sample, on the host and checked.
struct Sample {
  std::int64_t steps = 0;
  std::vector<std::int64_t> path;  // blank, label, blank, label, ..., blank
  bool merges = true;              // a label that goes on for several steps is one
  bool is_blank(std::size_t s) const { return path[s] == path[0]; }
  // Whether a path may come to place s straight from s - 2.
  bool skips(std::size_t s) const {
    return s >= 2 && !is_blank(s) && !(merges && path[s] == path[s - 2]);
  }
  // Whether it may still be at place s where it was a step before.
  bool stays(std::size_t s) const { return merges || is_blank(s); }
};

std::vector<std::int64_t> integers_of(const Tensor& source) {
  const Tensor dense = tensor::contiguous(source);
  std::vector<std::int64_t> result(static_cast<std::size_t>(dense.size()));
  tensor::with_integer_type(dense.dtype(), [&]<class T>() {
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = static_cast<std::int64_t>(dense.data<T>()[i]);
  });
  return result;
}

std::vector<std::int64_t> lengths_of(const KernelContext& kernel, std::size_t input,
                                     std::int64_t limit) {
  const auto result = integers_of(kernel.input(input));
  for (const std::int64_t length : result) {
    kernel.require(length >= 0 && length <= limit, ErrorKind::Value, "every element of '",
                   kernel.definition().inputs[input].name, "' must be in [0, ", limit,
                   "], but got ", length, ".");
  }
  return result;
}

// Inputs are (log_probs, targets, input_lengths, target_lengths) from input `first` on.
std::vector<Sample> samples_of(const KernelContext& kernel, std::size_t first) {
  const Tensor& log_probs = kernel.input(first);
  const Tensor& targets = kernel.input(first + 1);
  const std::int64_t classes = log_probs.shape()[2], blank = kernel.integer("blank");
  const bool joined = targets.shape().size() == 1;
  const auto labels = integers_of(targets);
  const auto steps = lengths_of(kernel, first + 2, log_probs.shape()[0]);
  const auto counts = lengths_of(kernel, first + 3, targets.shape().back());
  std::vector<Sample> samples(steps.size());
  std::size_t at = 0;
  for (std::size_t n = 0; n < samples.size(); ++n) {
    const auto count = static_cast<std::size_t>(counts[n]);
    if (!joined) at = n * static_cast<std::size_t>(targets.shape()[1]);
    kernel.require(at + count <= labels.size(), ErrorKind::Value,
                   "'target_lengths' must not exceed the ", labels.size(), " labels of 'targets'.");
    samples[n].steps = steps[n];
    samples[n].merges = kernel.flag("merge_repeated");
    samples[n].path.assign(2 * count + 1, blank);
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t label = labels[at + i];
      kernel.require(label >= 0 && label < classes, ErrorKind::Index, "every label must be in [0, ",
                     classes, "), but got ", label, " in sample ", n, ".");
      samples[n].path[2 * i + 1] = label;
    }
    at += count;
  }
  return samples;
}

// Log-probabilities (T, N, C) seen from one sample.
struct Scores {
  const double* data;
  std::int64_t step, classes;
  double at(std::int64_t t, std::int64_t label) const { return data[t * step + label]; }
};

// alpha[t][s]: log-probability of all beginnings that stand at place s after step t.
double forward(const Sample& sample, const Scores& scores, double* alpha, std::int64_t width) {
  const auto places = static_cast<std::int64_t>(sample.path.size());
  std::fill(alpha, alpha + sample.steps * width, kImpossible);
  for (std::int64_t t = 0; t < sample.steps; ++t) {
    double* now = alpha + t * width;
    const double* before = now - width;
    for (std::int64_t s = 0; s < places; ++s) {
      double sum = kImpossible;
      if (t == 0 && s < 2) sum = 0.0;
      if (t > 0 && sample.stays(static_cast<std::size_t>(s))) sum = before[s];
      if (t > 0 && s > 0) sum = log_add(sum, before[s - 1]);
      if (t > 0 && sample.skips(static_cast<std::size_t>(s))) sum = log_add(sum, before[s - 2]);
      if (sum != kImpossible) now[s] = sum + scores.at(t, sample.path[static_cast<std::size_t>(s)]);
    }
  }
  if (sample.steps == 0) return places == 1 ? 0.0 : kImpossible;
  const double* last = alpha + (sample.steps - 1) * width;
  return places > 1 ? log_add(last[places - 1], last[places - 2]) : last[0];
}

// Walks back through `forward`: `slopes`, the gradient by every alpha, is passed on to the places a
// path comes from, and given to `add` for the score that was added there.
template <class Add>
void backward(const Sample& sample, const Scores& scores, const double* alpha, std::int64_t width,
              double* slopes, const Add& add) {
  const auto places = static_cast<std::int64_t>(sample.path.size());
  for (std::int64_t t = sample.steps - 1; t >= 0; --t) {
    const double* before = alpha + (t - 1) * width;
    double* passed = slopes + (t - 1) * width;
    for (std::int64_t s = 0; s < places; ++s) {
      const double slope = slopes[t * width + s], value = alpha[t * width + s];
      if (slope == 0 || value == kImpossible) continue;
      const std::int64_t label = sample.path[static_cast<std::size_t>(s)];
      add(t, label, slope);
      if (t == 0) continue;
      const double sum = value - scores.at(t, label);
      const std::int64_t reach = sample.skips(static_cast<std::size_t>(s)) ? 2 : s > 0 ? 1 : 0;
      for (std::int64_t back = sample.stays(static_cast<std::size_t>(s)) ? 0 : 1; back <= reach;
           ++back)
        passed[s - back] += slope * std::exp(before[s - back] - sum);
    }
  }
}

// The gradient of minus the likelihood by the last alphas.
void start_slopes(const Sample& sample, const double* alpha, std::int64_t width, double likelihood,
                  double weight, double* slopes) {
  const auto places = static_cast<std::int64_t>(sample.path.size());
  const std::int64_t last = (sample.steps - 1) * width;
  for (std::int64_t s = std::max<std::int64_t>(places - 2, 0); s < places; ++s)
    slopes[last + s] -= weight * std::exp(alpha[last + s] - likelihood);
}

Scores scores_of(const Tensor& log_probs, std::int64_t n) {
  const Shape& shape = log_probs.shape();
  return {log_probs.data<double>() + n * shape[2], shape[1] * shape[2], shape[2]};
}

void require_shape(const InferContext& op, std::size_t input, const Shape& wanted) {
  op.require(op.input(input).shape == wanted, ErrorKind::Value, "the '",
             op.definition().inputs[input].name, "' must have the shape ", to_string(wanted),
             ", but got ", to_string(op.input(input).shape), ".");
}

// Checks the inputs as `samples_of` reads them; the shape of the forward variables.
Shape checked_paths(const InferContext& op, std::size_t first) {
  const Shape& scores = op.input(first).shape;
  const Shape& targets = op.input(first + 1).shape;
  op.require(scores.size() == 3, ErrorKind::Value,
             "the 'log_probs' must have the shape (T, N, C), but got ", to_string(scores), ".");
  const std::int64_t batch = scores[1], classes = scores[2];
  op.require(targets.size() == 1 || (targets.size() == 2 && targets[0] == batch), ErrorKind::Value,
             "the 'targets' must have the shape (N, S) or (sum of lengths,), but got ",
             to_string(targets), ".");
  require_shape(op, first + 2, {batch});
  require_shape(op, first + 3, {batch});
  op.require(op.integer("blank") >= 0 && op.integer("blank") < classes, ErrorKind::Value,
             "the 'blank' must be in [0, ", classes, "), but got ", op.integer("blank"), ".");
  return {batch, scores[0], 2 * targets.back() + 1};
}

void infer_paths(InferContext& op) {
  const Shape alpha = checked_paths(op, 0);
  op.set_output(0, op.input(0).dtype, Shape{alpha[0]});
  op.set_output(1, op.input(0).dtype, alpha);
}

void infer_gradient(InferContext& op) {
  const Shape alpha = checked_paths(op, 1);
  require_shape(op, 0, {alpha[0]});
  if (op.has_input(5)) require_shape(op, 5, alpha);
  op.set_output(0, op.input(1).dtype, op.input(1).shape);
}

void differentiate_paths(GradientContext& op) {
  const Value by_alpha = op.has_output_gradient(1) ? op.output_gradient(1) : Value();
  op.set_input_gradient(0, op.call("ctc_paths_gradient",
                                   {op.output_gradient(0), op.input(0), op.input(1), op.input(2),
                                    op.input(3), by_alpha},
                                   {{"blank", op.attribute("blank")},
                                    {"zero_infinity", op.attribute("zero_infinity")},
                                    {"merge_repeated", op.attribute("merge_repeated")}}));
}

}  // namespace

MYCEL_OP(ctc_paths)
    .doc("Negative log-likelihood of label sequences, and the forward variables.")
    .input("log_probs", "(T, N, C).", kFloating)
    .input("targets", "(N, S), or all labels in a row.", kIndex)
    .input("input_lengths", "(N,).", kIndex)
    .input("target_lengths", "(N,).", kIndex)
    .attribute("blank", "Class of the blank.", 0)
    .attribute("zero_infinity", "Impossible sequences cost nothing.", false)
    .attribute("merge_repeated", "Whether a label that goes on for several steps is one.", true)
    .output("neg_log_likelihood", "(N,).")
    .output("log_alpha", "(N, T, 2 S + 1).")
    .infer(infer_paths)
    .gradient(differentiate_paths)
    .keeps({"log_probs", "targets", "input_lengths", "target_lengths"})
    .sample("two",
            {normal({5, 2, 4}), integers({2, 2}, 1, 4), integers({2}, 5, 6), integers({2}, 1, 3)})
    .sample("in a row",
            {normal({4, 1, 3}), integers({2}, 1, 3), integers({1}, 4, 5), integers({1}, 2, 3)})
    .sample("one step each",
            {normal({5, 2, 4}), integers({2, 2}, 1, 4), integers({2}, 5, 6), integers({2}, 1, 3)},
            {{"merge_repeated", false}});
MYCEL_CPU_KERNEL(ctc_paths) {
  const Tensor log_probs = backend::as_floating(kernel.input(0), DType::Float64);
  const auto samples = samples_of(kernel, 0);
  const Tensor& losses = kernel.output(0);
  const Tensor& alphas = kernel.output(1);
  const std::int64_t steps = alphas.shape()[1], width = alphas.shape()[2];
  const bool zero_infinity = kernel.flag("zero_infinity");
  with_float_type(losses.dtype(), [&]<class T>() {
    platform::parallel_for(
        losses.size(), steps * width * 16, [&](std::int64_t from, std::int64_t to) {
          std::vector<double> alpha(static_cast<std::size_t>(steps * width));
          for (std::int64_t n = from; n < to; ++n) {
            std::fill(alpha.begin(), alpha.end(), kImpossible);
            const double likelihood = forward(samples[static_cast<std::size_t>(n)],
                                              scores_of(log_probs, n), alpha.data(), width);
            const bool dropped = zero_infinity && likelihood == kImpossible;
            losses.data<T>()[n] = T(static_cast<Accumulator<T>>(dropped ? 0.0 : -likelihood));
            T* out = alphas.data<T>() + n * steps * width;
            for (std::size_t i = 0; i < alpha.size(); ++i)
              out[i] = T(static_cast<Accumulator<T>>(alpha[i]));
          }
        });
  });
}

MYCEL_OP(ctc_paths_gradient)
    .doc("Gradient of `ctc_paths` by the log-probabilities.")
    .input("gradient", "By the losses, (N,).", kFloating)
    .input("log_probs", "(T, N, C).", kFloating)
    .input("targets", "(N, S), or all labels in a row.", kIndex)
    .input("input_lengths", "(N,).", kIndex)
    .input("target_lengths", "(N,).", kIndex)
    .optional_input("alpha_gradient", "By the forward variables, (N, T, 2 S + 1).", kFloating)
    .attribute("blank", "Class of the blank.", 0)
    .attribute("zero_infinity", "Impossible sequences have no gradient.", false)
    .attribute("merge_repeated", "Whether a label that goes on for several steps is one.", true)
    .output("output", "(T, N, C).")
    .infer(infer_gradient)
    .not_differentiable()
    .sample("two", {normal({2}), normal({5, 2, 4}), integers({2, 2}, 1, 4), integers({2}, 5, 6),
                    integers({2}, 1, 3), absent()});
MYCEL_CPU_KERNEL(ctc_paths_gradient) {
  const Tensor weights = backend::as_floating(kernel.input(0), DType::Float64);
  const Tensor log_probs = backend::as_floating(kernel.input(1), DType::Float64);
  const Tensor by_alpha =
      kernel.has_input(5) ? backend::as_floating(kernel.dense(5), DType::Float64) : Tensor();
  const auto samples = samples_of(kernel, 1);
  const Tensor& result = kernel.output(0);
  const Shape& shape = result.shape();
  const std::int64_t steps = shape[0], classes = shape[2];
  const bool zero_infinity = kernel.flag("zero_infinity");
  std::vector<double> sums(static_cast<std::size_t>(result.size()));
  const auto run_sample = [&](std::int64_t n) {
    const Sample& sample = samples[static_cast<std::size_t>(n)];
    const auto places = static_cast<std::int64_t>(sample.path.size());
    const std::int64_t width = by_alpha.defined() ? by_alpha.shape()[2] : places;
    std::vector<double> alpha(static_cast<std::size_t>(sample.steps * width)), slopes(alpha.size());
    if (by_alpha.defined()) {
      const double* given = by_alpha.data<double>() + n * steps * width;
      std::copy(given, given + slopes.size(), slopes.begin());
    }
    const Scores scores = scores_of(log_probs, n);
    const double likelihood = forward(sample, scores, alpha.data(), width);
    if (sample.steps == 0 || (likelihood == kImpossible && zero_infinity)) return;
    start_slopes(sample, alpha.data(), width, likelihood, weights.data<double>()[n], slopes.data());
    backward(sample, scores, alpha.data(), width, slopes.data(),
             [&](std::int64_t t, std::int64_t label, double slope) {
               sums[static_cast<std::size_t>((t * shape[1] + n) * classes + label)] += slope;
             });
    if (likelihood != kImpossible) return;
    for (std::int64_t t = 0; t < sample.steps; ++t)
      std::fill_n(sums.data() + (t * shape[1] + n) * classes, classes,
                  std::numeric_limits<double>::quiet_NaN());
  };
  platform::parallel_for(shape[1], steps * classes * 16, [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t n = from; n < to; ++n) run_sample(n);
  });
  with_float_type(result.dtype(), [&]<class T>() {
    for (std::size_t i = 0; i < sums.size(); ++i)
      result.data<T>()[i] = T(static_cast<Accumulator<T>>(sums[i]));
  });
}

MYCEL_OP(ctc_loss)
    .names({.primitive = "CTCLossV2"})
    .doc("Loss of label sequences whose place in a longer sequence is unknown.")
    .input("log_probs", "Logarithms of probabilities, (T, N, C) or (T, C).", kFloating)
    .input("targets", "Labels, (N, S), or those of all samples in a row.", kIndex)
    .input("input_lengths", "How many of the T steps count, (N,).", kIndex)
    .input("target_lengths", "How many labels count, (N,).", kIndex)
    .attribute("blank", "Class of the blank.", 0)
    .attribute("reduction",
               "'none', 'mean' (every loss divided by its target length first) or 'sum'.", "none")
    .attribute("zero_infinity", "Impossible sequences cost nothing.", false)
    .output("neg_log_likelihood", "The loss.")
    .output("log_alpha", "Log-probabilities of all beginnings, (N, T, 2 S + 1).")
    .composite([](CompositeContext& op) {
      const LossReduction reduction = reduction_of(op);
      const bool single = op.input(0).shape().size() == 2;
      const auto batched = [&](const Value& value, std::int64_t axis) {
        return op.call("expand_dims", {value}, {{"axis", axis}});
      };
      const auto length = [&](std::size_t i) {
        const Value& value = op.input(i);
        return value.shape().empty() ? batched(value, 0) : value;
      };
      const Value scores = single ? batched(op.input(0), 1) : op.input(0);
      const Value counts = length(3);
      const ValueList found = op.call_all(
          "ctc_paths", {scores, op.input(1), length(2), counts},
          {{"blank", op.attribute("blank")}, {"zero_infinity", op.attribute("zero_infinity")}});
      Value loss = found[0];
      if (reduction == LossReduction::Mean) {
        const Value divisor = op.call("cast", {counts}, {{"dtype", loss.dtype()}});
        loss = loss / op.call("maximum", {divisor, op.emitter().number(1)});
      }
      if (single && reduction == LossReduction::None)
        loss = op.call("squeeze", {loss}, {{"axis", IntList{0}}});
      op.set_output(0, reduction == LossReduction::None ? loss : reduced(op, loss));
      op.set_output(1, found[1]);
    })
    .sample("mean",
            {normal({5, 2, 4}), integers({2, 2}, 1, 4), integers({2}, 5, 6), integers({2}, 1, 3)},
            {{"reduction", "mean"}})
    .sample("one sequence",
            {normal({4, 3}), integers({2}, 1, 3), integers({}, 4, 5), integers({}, 2, 3)});

}  // namespace mycel::ops
