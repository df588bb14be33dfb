// SPDX-License-Identifier: Apache-2.0
// Distributions beyond uniform and normal: Laplace, gamma, Poisson, truncated normal.
#include <cmath>

#include "ops/random/draw.h"
#include "ops/shape/fill_value.h"
#include "platform/random/gamma.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {
namespace {

// Numbers of one element, as many as it needs: element i owns the blocks (i, 1), (i, 2), ...
class ElementStream {
 public:
  ElementStream(const KernelContext& kernel, std::int64_t element)
      : seed_(kernel.random_seed),
        offset_(kernel.random_offset + static_cast<std::uint64_t>(element)) {}
  // Two uniform numbers in [0, 1).
  platform::RandomPair uniforms() {
    const platform::RandomBlock block = platform::random_block(seed_, offset_, ++stream_);
    return {platform::uniform_double(block.pair(0)), platform::uniform_double(block.pair(1))};
  }
  double uniform() { return uniforms().first; }
  double normal() {
    const platform::RandomPair pair = uniforms();
    return platform::normal_pair(pair.first, pair.second).first;
  }

 private:
  std::uint64_t seed_, offset_, stream_ = 0;
};

// Small rates multiply uniforms until they fall below exp(-rate); large ones split off a gamma
// distributed waiting time (Ahrens and Dieter 1974), which halves the rate on average.
double draw_poisson(ElementStream& stream, double rate) {
  double count = 0;
  while (rate > 16) {
    const double events = std::floor(rate * 7 / 8);
    const double waited = platform::draw_gamma(stream, events);
    if (waited >
        rate) {  // fewer than `events`: each of the others fell before `rate` with rate / waited
      for (double i = 0; i < events - 1; ++i) count += stream.uniform() < rate / waited ? 1 : 0;
      return count;
    }
    count += events;
    rate -= waited;
  }
  double product = 1 - stream.uniform();
  for (const double limit = std::exp(-rate); product > limit; product *= 1 - stream.uniform())
    ++count;
  return count;
}

template <class Draw>
void fill_by(const KernelContext& kernel, const Draw& draw) {
  const Tensor& output = kernel.output(0);
  with_real_type(output.dtype(), [&]<class T>() {
    T* const data = output.data<T>();
    platform::parallel_for(output.size(), 64, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        ElementStream stream(kernel, i);
        data[i] = static_cast<T>(static_cast<Accumulator<T>>(draw(stream, i)));
      }
    });
  });
}

// One parameter value per element of the result: shape given + shape of the parameter.
struct Parameters {
  Tensor dense;
  std::int64_t count;
  explicit Parameters(const KernelContext& kernel, std::size_t i)
      : dense(kernel.dense(i)), count(dense.size()) {}
  double at(std::int64_t element) const {
    const std::int64_t i = element % count;
    return dense.dtype() == DType::Float64 ? dense.data<double>()[i]
                                           : static_cast<double>(dense.data<float>()[i]);
  }
};

void infer_appended(InferContext& op, std::string_view parameter, DType dtype) {
  Shape shape = checked_shape(op, "shape");
  for (const std::int64_t length : op.input(0).shape) shape.push_back(length);
  op.require(is_floating(dtype) || is_integral(dtype), ErrorKind::Type, "the result of '",
             parameter, "' must be a number, but got ", dtype, ".");
  if (op.input(0).dtype != DType::Float64 && op.input(0).dtype != DType::Float32)
    op.cast_input(0, DType::Float32);
  op.set_output(0, dtype, shape);
}

}  // namespace

MYCEL_OP(standard_laplace)
    .names({.primitive = "StandardLaplace", .function = "standard_laplace"})
    .doc("Numbers of the Laplace distribution with mean 0 and scale 1.")
    .attribute("shape", "Shape of the result.", required(AttributeType::Ints), {.in_call = true})
    .attribute("seed", "Own seed of the operator; 0 or None: none.",
               Nullable{AttributeType::Int, 0})
    .attribute("seed2", "Second own seed.", 0)
    .output("output", "float32.")
    .infer([](InferContext& op) { op.set_output(0, DType::Float32, checked_shape(op, "shape")); })
    .random()
    .not_differentiable()
    .sample("matrix", {}, {{"shape", IntList{3, 5}}, {"seed", 1}});

MYCEL_CPU_KERNEL(standard_laplace) {
  fill_by(kernel, [](ElementStream& stream, std::int64_t) {
    const platform::RandomPair pair = stream.uniforms();
    const double size = -std::log(1 - pair.first);
    return pair.second < 0.5 ? -size : size;
  });
}

MYCEL_OP(laplace)
    .names({.function = "laplace"})
    .doc("Numbers of the Laplace distribution; mean and scale may be tensors.")
    .input("mean", "Mean.", kReal)
    .input("lambda_param", "Scale.", kReal)
    .attribute("shape", "Shape of the result, stretched by those of mean and scale.",
               required(AttributeType::Ints))
    .attribute("seed", "Own seed of the operator.", optional(AttributeType::Int))
    .order({"shape", "mean", "lambda_param", "seed"})
    .output("output", "The numbers.")
    .random()
    .composite([](CompositeContext& op) {
      Shape shape = broadcast_shapes(op.ints("shape"), op.input(0).shape(), op.name());
      shape = broadcast_shapes(shape, op.input(1).shape(), op.name());
      const Value noise =
          op.call("standard_laplace", {}, {{"shape", shape}, {"seed", op.attribute("seed")}});
      op.set_output(0, op.input(0) + noise * op.input(1));
    })
    .sample("numbers", {number(1), number(2)}, {{"shape", IntList{3, 5}}, {"seed", 1}});

MYCEL_OP(random_gamma)
    .names({.primitive = "RandomGamma", .function = "random_gamma"})
    .doc(
        "Numbers of the gamma distribution with rate 1: for every alpha a block of the given "
        "shape.")
    .input("alpha", "Shape parameters, positive.", kReal)
    .attribute("shape", "Leading axes of the result.", required(AttributeType::Ints),
               {.in_call = true})
    .attribute("seed", "Own seed of the operator; 0 or None: none.",
               Nullable{AttributeType::Int, 0})
    .attribute("seed2", "Second own seed.", 0)
    .order({"shape", "alpha", "seed", "seed2"})
    .output("output", "Shape given, then that of alpha.")
    .infer([](InferContext& op) {
      infer_appended(op, "alpha",
                     is_floating(op.input(0).dtype) ? op.input(0).dtype : DType::Float32);
    })
    .random()
    .not_differentiable()
    .sample("two alphas", {positive({2})}, {{"shape", IntList{3}}, {"seed", 1}});

MYCEL_CPU_KERNEL(random_gamma) {
  const Parameters alpha(kernel, 0);
  fill_by(kernel, [&](ElementStream& stream, std::int64_t i) {
    const double shape = alpha.at(i);
    kernel.require(shape > 0 && std::isfinite(shape), ErrorKind::Value,
                   "'alpha' must be positive, but got ", shape, ".");
    return platform::draw_gamma(stream, shape);
  });
}

MYCEL_OP(random_poisson)
    .names({.primitive = "RandomPoisson", .function = "random_poisson"})
    .doc("Counts of the Poisson distribution: for every rate a block of the given shape.")
    .input("rate", "Mean counts, not negative.", kReal)
    .attribute("shape", "Leading axes of the result.", required(AttributeType::Ints),
               {.in_call = true})
    .attribute("seed", "Own seed of the operator; 0 or None: none.",
               Nullable{AttributeType::Int, 0})
    .attribute("seed2", "Second own seed.", 0)
    .attribute("dtype", "Element type.", DType::Float32)
    .order({"shape", "rate", "seed", "dtype", "seed2"})
    .output("output", "Shape given, then that of rate.")
    .infer([](InferContext& op) { infer_appended(op, "rate", op.dtype("dtype")); })
    .random()
    .not_differentiable()
    .sample("small and large", {uniform({2}, 1, 60)}, {{"shape", IntList{8}}, {"seed", 1}});

MYCEL_CPU_KERNEL(random_poisson) {
  const Parameters rate(kernel, 0);
  fill_by(kernel, [&](ElementStream& stream, std::int64_t i) {
    const double mean = rate.at(i);
    kernel.require(mean >= 0 && mean < 1e9, ErrorKind::Value,
                   "'rate' must be in [0, 1e9), but got ", mean, ".");
    return draw_poisson(stream, mean);
  });
}

MYCEL_OP(truncated_normal)
    .names({.primitive = "TruncatedNormal"})
    .doc("Standard normal numbers; those beyond two deviations are drawn again.")
    .attribute("shape", "Shape of the result.", required(AttributeType::Ints), {.in_call = true})
    .attribute("dtype", "Element type.", DType::Float32)
    .attribute("seed", "Own seed of the operator; 0 or None: none.",
               Nullable{AttributeType::Int, 0})
    .attribute("seed2", "Second own seed.", 0)
    .output("output", "The numbers.")
    .infer([](InferContext& op) {
      op.set_output(0, op.dtype("dtype"), checked_shape(op, "shape"));
    })
    .random()
    .not_differentiable()
    .sample("matrix", {}, {{"shape", IntList{3, 5}}, {"seed", 1}});

MYCEL_CPU_KERNEL(truncated_normal) {
  fill_by(kernel, [](ElementStream& stream, std::int64_t) {
    for (;;) {
      const platform::RandomPair uniforms = stream.uniforms();
      const platform::RandomPair pair = platform::normal_pair(uniforms.first, uniforms.second);
      if (std::abs(pair.first) <= 2) return pair.first;
      if (std::abs(pair.second) <= 2) return pair.second;
    }
  });
}

}  // namespace mycel::ops
