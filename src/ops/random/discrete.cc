// SPDX-License-Identifier: Apache-2.0
// Draws that choose: coins, permutations, categories.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ops/random/draw.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {
namespace {

// Fisher-Yates from the back; step i uses number i of the sequence.
void shuffle_indices(const KernelContext& kernel, std::vector<std::int64_t>& order) {
  for (std::size_t i = order.size(); i > 1; --i) {
    const platform::RandomBlock block =
        platform::random_block(kernel.random_seed, kernel.random_offset + i);
    std::swap(order[i - 1], order[platform::uniform_below(block.pair(0), i)]);
  }
}

void fill_permutation(const KernelContext& kernel) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(kernel.integer("n")));
  std::iota(order.begin(), order.end(), 0);
  shuffle_indices(kernel, order);
  with_real_type(kernel.output(0).dtype(), [&]<class T>() {
    for (std::size_t i = 0; i < order.size(); ++i)
      kernel.output(0).data<T>()[i] = static_cast<T>(order[i]);
  });
}

// Weights of one row, checked; with logits their exponentials, shifted so that the largest is 1.
template <class T>
void row_weights(const KernelContext& kernel, const T* row, std::int64_t count, bool logits,
                 std::vector<double>& weights) {
  double top = -std::numeric_limits<double>::infinity();
  for (std::int64_t i = 0; i < count; ++i) top = std::max(top, static_cast<double>(row[i]));
  double total = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto value = static_cast<double>(row[i]);
    const double weight = logits ? std::exp(value - top) : value;
    kernel.require(weight >= 0 && std::isfinite(weight), ErrorKind::Value,
                   "the probabilities must be finite and not negative, but got ", value, ".");
    weights[static_cast<std::size_t>(i)] = weight;
    total += weight;
  }
  kernel.require(total > 0, ErrorKind::Value, "the probabilities of a row must not sum to 0.");
}

template <class Result>
void draw_with_replacement(const KernelContext& kernel, std::int64_t row, std::int64_t samples,
                           std::vector<double>& weights, Result* output) {
  std::partial_sum(weights.begin(), weights.end(), weights.begin());
  for (std::int64_t s = 0; s < samples; ++s) {
    const double point = uniform_at(kernel, row * samples + s) * weights.back();
    const auto found = std::upper_bound(weights.begin(), weights.end(), point);
    output[s] = static_cast<Result>(std::min<std::ptrdiff_t>(
        found - weights.begin(), static_cast<std::ptrdiff_t>(weights.size()) - 1));
  }
}

// Every category waits an exponential time with its weight as rate; the first ones are drawn.
template <class Result>
void draw_without_replacement(const KernelContext& kernel, std::int64_t row, std::int64_t samples,
                              const std::vector<double>& weights, Result* output) {
  const auto count = static_cast<std::int64_t>(weights.size());
  std::vector<std::pair<double, std::int64_t>> times;
  for (std::int64_t i = 0; i < count; ++i) {
    const double weight = weights[static_cast<std::size_t>(i)];
    if (weight > 0)
      times.emplace_back(-std::log1p(-uniform_at(kernel, row * count + i)) / weight, i);
  }
  kernel.require(static_cast<std::int64_t>(times.size()) >= samples, ErrorKind::Value,
                 "there must be at least 'num_samples' ", samples,
                 " categories with a positive probability to draw without replacement, but got ",
                 times.size(), ".");
  std::partial_sort(times.begin(), times.begin() + samples, times.end());
  for (std::int64_t s = 0; s < samples; ++s)
    output[s] = static_cast<Result>(times[static_cast<std::size_t>(s)].second);
}

void draw_categories(KernelContext& kernel, std::int64_t samples, bool replacement, bool logits) {
  const Tensor input = kernel.dense(0);
  const std::int64_t count = input.shape().back();
  const std::int64_t rows = count == 0 ? 0 : input.size() / count;
  with_real_type(input.dtype(), [&]<class T>() {
    with_integer_type(kernel.output(0).dtype(), [&]<class Result>() {
      platform::parallel_for(rows, count * 16, [&](std::int64_t begin, std::int64_t end) {
        std::vector<double> weights(static_cast<std::size_t>(count));
        for (std::int64_t row = begin; row < end; ++row) {
          row_weights<T>(kernel, input.data<T>() + row * count, count, logits, weights);
          Result* const output = kernel.output(0).data<Result>() + row * samples;
          if (replacement)
            draw_with_replacement(kernel, row, samples, weights, output);
          else
            draw_without_replacement(kernel, row, samples, weights, output);
        }
      });
    });
  });
}

void infer_categories(InferContext& op, std::string_view samples, DType dtype) {
  const Shape& shape = op.input(0).shape;
  op.require(shape.size() == 1 || shape.size() == 2, ErrorKind::Value,
             "the input must have one or two axes, but got shape ", shape, ".");
  op.require(op.integer(samples) > 0 && shape.back() > 0, ErrorKind::Value, "'", samples,
             "' must be positive and there must be a category, but got ", op.integer(samples),
             " and shape ", shape, ".");
  Shape result = shape;
  result.back() = op.integer(samples);
  op.set_output(0, dtype, result);
}

}  // namespace

MYCEL_OP(bernoulli_draw)
    .doc("1 with probability p, else 0; p is stretched to the shape.")
    .input("p", "Probabilities in [0, 1].", kFloating)
    .attribute("shape", "Shape of the result.", required(AttributeType::Ints))
    .attribute("dtype", "Element type.", DType::Float32)
    .attribute("seed", "Own seed of the operator.", optional(AttributeType::Int))
    .output("output", "Zeros and ones.")
    .infer([](InferContext& op) {
      const Shape shape = op.ints("shape");
      op.require(broadcast_shapes(op.input(0).shape, shape, op.name()) == shape, ErrorKind::Value,
                 "'p' of shape ", op.input(0).shape, " must broadcast to ", shape, ".");
      op.set_output(0, op.dtype("dtype"), shape);
    })
    .random()
    .not_differentiable()
    .sample("one coin", {uniform({}, 0.2, 0.8)}, {{"shape", IntList{3, 5}}, {"seed", 1}});

MYCEL_CPU_KERNEL(bernoulli_draw) {
  const Tensor& output = kernel.output(0);
  const Strides strides =
      broadcast_strides(kernel.input(0).shape(), kernel.input(0).strides(), output.shape());
  const Tensor p = contiguous(
      Tensor::view(kernel.input(0), output.shape(), strides, kernel.input(0).body().offset));
  with_float_type(p.dtype(), [&]<class P>() {
    with_real_type(output.dtype(), [&]<class T>() {
      platform::parallel_for(output.size(), 16, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const auto chance = static_cast<double>(p.data<P>()[i]);
          kernel.require(chance >= 0 && chance <= 1, ErrorKind::Value,
                         "'p' must be in [0, 1], but got ", chance, ".");
          output.data<T>()[i] = static_cast<T>(uniform_at(kernel, i) < chance ? 1.0F : 0.0F);
        }
      });
    });
  });
}

MYCEL_OP(bernoulli)
    .names({.function = "bernoulli", .method = "bernoulli"})
    .doc("1 with probability p, else 0, in the shape and type of `input`.")
    .input("input", "Gives shape and type.")
    .input("p", "Probability, a number or a tensor.", kReal)
    .attribute("seed", "Own seed of the operator.", optional(AttributeType::Int))
    .output("output", "Zeros and ones.")
    .random()
    .composite([](CompositeContext& op) {
      const Value p = is_floating(op.input(1).dtype())
                          ? op.input(1)
                          : op.call("cast", {op.input(1)}, {{"dtype", DType::Float32}});
      op.set_output(0, op.call("bernoulli_draw", {p},
                               {{"shape", op.input(0).shape()},
                                {"dtype", op.input(0).dtype()},
                                {"seed", op.attribute("seed")}}));
    })
    .sample("fair", {normal({3, 5}), number(0.5)}, {{"seed", 1}});

MYCEL_OP(randperm)
    .names({.primitive = "RandpermV2", .function = "randperm"})
    .doc("The numbers 0 to n-1 in random order.")
    .attribute("n", "How many.", required(AttributeType::Int), {.in_call = true})
    .attribute("seed", "Own seed of the operator.", 0)
    .attribute("offset", "Part of the own seed.", 0)
    .attribute("dtype", "Element type.", DType::Int64)
    .output("output", "A permutation.")
    .infer([](InferContext& op) {
      op.require(op.integer("n") >= 0, ErrorKind::Value, "'n' must not be negative, but got ",
                 op.integer("n"), ".");
      op.set_output(0, op.dtype("dtype"), Shape{op.integer("n")});
    })
    .random()
    .not_differentiable()
    .sample("ten", {}, {{"n", 10}, {"seed", 1}})
    .sample("none", {}, {{"n", 0}, {"seed", 1}});

MYCEL_CPU_KERNEL(randperm) { fill_permutation(kernel); }

MYCEL_OP(shuffle)
    .names({.function = "shuffle"})
    .doc("The slices along the first axis in random order.")
    .input("x", "Any tensor.")
    .attribute("seed", "Own seed of the operator.", optional(AttributeType::Int))
    .output("output", "Same shape.")
    .random()
    .composite([](CompositeContext& op) {
      if (op.input(0).rank() == 0) return op.set_output(0, op.call("copy", {op.input(0)}));
      const Value order = op.call(
          "randperm", {},
          {{"n", op.input(0).shape()[0]}, {"seed", op.is_none("seed") ? 0 : op.integer("seed")}});
      op.set_output(0, op.call("gather", {op.input(0), order}, {{"axis", 0}}));
    })
    .sample("rows", {normal({4, 2})}, {{"seed", 1}});

MYCEL_OP(multinomial)
    .names({.function = "multinomial", .method = "multinomial"})
    .doc("Categories drawn with the probabilities of each row, which need not sum to one.")
    .input("input", "Weights; one or two axes.", kReal)
    .attribute("num_samples", "Draws per row.", required(AttributeType::Int))
    .attribute("replacement", "The same category may be drawn again.", true)
    .attribute("seed", "Own seed of the operator.", optional(AttributeType::Int))
    .output("output", "int32.")
    .infer([](InferContext& op) {
      infer_categories(op, "num_samples", DType::Int32);
      op.require(op.flag("replacement") || op.integer("num_samples") <= op.input(0).shape.back(),
                 ErrorKind::Value,
                 "without replacement 'num_samples' must be at most the number of categories, ",
                 op.input(0).shape.back(), ", but got ", op.integer("num_samples"), ".");
    })
    .random()
    .not_differentiable()
    .sample("rows", {positive({2, 4})}, {{"num_samples", 3}, {"seed", 1}})
    .sample("without replacement", {positive({4})},
            {{"num_samples", 4}, {"replacement", false}, {"seed", 1}});

MYCEL_CPU_KERNEL(multinomial) {
  draw_categories(kernel, kernel.integer("num_samples"), kernel.flag("replacement"), false);
}

MYCEL_OP(multinomial_primitive)
    .names({.primitive = "Multinomial"})
    .doc("Categories drawn with the probabilities of each row.")
    .input("x", "Weights; one or two axes.", kReal)
    .attribute("num_samples", "Draws per row.", required(AttributeType::Int), {.in_call = true})
    .attribute("seed", "Own seed of the operator.", 0)
    .attribute("seed2", "Second own seed.", 0)
    .attribute("dtype", "int32 or int64.", DType::Int32)
    .output("output", "The categories.")
    .infer([](InferContext& op) { infer_categories(op, "num_samples", op.dtype("dtype")); })
    .random()
    .not_differentiable()
    .sample("rows", {positive({2, 4})}, {{"num_samples", 3}, {"seed", 1}});

MYCEL_CPU_KERNEL(multinomial_primitive) {
  draw_categories(kernel, kernel.integer("num_samples"), true, false);
}

MYCEL_OP(random_categorical)
    .names({.primitive = "RandomCategorical",
            .function = "random_categorical",
            .method = "random_categorical"})
    .doc("Categories drawn with the softmax of each row.")
    .input("logits", "Unnormalised logarithms of probabilities; two axes.", kFloating)
    .attribute("num_sample", "Draws per row.", required(AttributeType::Int), {.in_call = true})
    .attribute("seed", "Own seed of the operator.", 0, {.in_call = true})
    .attribute("dtype", "int16, int32 or int64.", DType::Int64)
    .output("output", "The categories.")
    .infer([](InferContext& op) { infer_categories(op, "num_sample", op.dtype("dtype")); })
    .random()
    .not_differentiable()
    .sample("rows", {normal({2, 4})}, {{"num_sample", 3}, {"seed", 1}});

MYCEL_CPU_KERNEL(random_categorical) {
  draw_categories(kernel, kernel.integer("num_sample"), true, true);
}

}  // namespace mycel::ops
