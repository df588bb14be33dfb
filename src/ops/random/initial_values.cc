// SPDX-License-Identifier: Apache-2.0
// Initial values of parameters. A number depends on the seed, its place and the distribution only,
// and in the way MindSpore's initializers have it: the same seed gives the same weights there and
// here.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "operator/define.h"
#include "ops/shape/fill_value.h"
#include "platform/random/philox.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {
namespace {

constexpr int kWordsOfBlock = 4;

// Calls write(words, target, count) for the four (or last) elements of every block. The seed is
// the key of the sequence and the upper half of its counter.
template <class Write>
void for_blocks(const KernelContext& kernel, const Write& write) {
  const Tensor& target = kernel.output(0);
  auto* const values = target.data<float>();
  const auto seed = static_cast<std::uint64_t>(kernel.integer("seed"));
  const std::int64_t size = target.size();
  const std::int64_t blocks = (size + kWordsOfBlock - 1) / kWordsOfBlock;
  platform::parallel_for(blocks, 256, [=, &write](std::int64_t begin, std::int64_t end) {
    for (std::int64_t block = begin; block < end; ++block) {
      const platform::RandomBlock words =
          platform::random_block(seed, static_cast<std::uint64_t>(block), seed);
      const std::int64_t first = block * kWordsOfBlock;
      write(words.word, values + first, std::min<std::int64_t>(kWordsOfBlock, size - first));
    }
  });
}

// The bounds and moments that a script gives are float32 before anything is computed from them.
// Kept as float: GCC 12 drops the rounding of two neighbours that are made double again at once.
float rounded(const KernelContext& kernel, const char* name) {
  return static_cast<float>(kernel.real(name));
}

double unit(std::uint32_t word) { return word * 0x1p-32; }

// Uniform in (0, 1) from the lower 23 bits; the logarithm of the smallest is still modest.
double short_unit(std::uint32_t word) {
  return std::max((word & 0x7fffffU) * 0x1p-23, static_cast<double>(1e-7F));
}

// Number below which a share of `p` / 2 of a standard normal distribution lies, times -1 / sqrt(2):
// the root x of erfc(x) = p, for p in (0, 2). A rough start, then Halley's steps, each of which
// trebles the digits.
double inverse_erfc(double p) {
  const double tail = p < 1 ? p : 2 - p;
  const double t = std::sqrt(-2 * std::log(tail / 2));
  double x =
      -std::numbers::sqrt2 / 2 * ((2.30753 + t * 0.27061) / (1 + t * (0.99229 + t * 0.04481)) - t);
  for (int step = 0; step < 2; ++step) {
    const double error = std::erfc(x) - tail;
    const double slope = 2 * std::numbers::inv_sqrtpi * std::exp(-x * x);
    x += error / (slope - x * error);
  }
  return p < 1 ? x : -x;
}

// A float32 approximation of sqrt(2) is part of the definition of the values.
constexpr double kRootOfTwo = 1.4142135F;

double share_below(double deviations) { return std::erfc(-deviations / kRootOfTwo) / 2; }

}  // namespace

MYCEL_OP(initial_uniform)
    .doc("Evenly distributed initial values in [low, high).")
    .attribute("shape", "Shape of the result.", required(AttributeType::Ints))
    .attribute("low", "Lower bound.", required(AttributeType::Float))
    .attribute("high", "Upper bound.", required(AttributeType::Float))
    .attribute("seed", "What the values depend on.", required(AttributeType::Int))
    .output("output", "The numbers.")
    .infer([](InferContext& op) { op.set_output(0, DType::Float32, checked_shape(op, "shape")); })
    .not_differentiable()
    .sample("matrix", {}, {{"shape", IntList{3, 5}}, {"low", -2.0}, {"high", 2.0}, {"seed", 1}});

MYCEL_CPU_KERNEL(initial_uniform) {
  const double low = rounded(kernel, "low");
  const double width = static_cast<double>(rounded(kernel, "high")) - low;
  for_blocks(kernel, [=](const std::uint32_t* words, float* values, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
      values[i] = static_cast<float>(width * unit(words[i]) + low);
  });
}

MYCEL_OP(initial_normal)
    .doc("Normally distributed initial values.")
    .attribute("shape", "Shape of the result.", required(AttributeType::Ints))
    .attribute("mean", "Mean.", required(AttributeType::Float))
    .attribute("sigma", "Standard deviation.", required(AttributeType::Float))
    .attribute("seed", "What the values depend on.", required(AttributeType::Int))
    .output("output", "The numbers.")
    .infer([](InferContext& op) {
      op.require(op.real("sigma") >= 0, ErrorKind::Value, "'sigma' must not be negative, but got ",
                 op.real("sigma"), ".");
      op.set_output(0, DType::Float32, checked_shape(op, "shape"));
    })
    .not_differentiable()
    .sample("matrix", {}, {{"shape", IntList{3, 5}}, {"mean", 1.0}, {"sigma", 0.5}, {"seed", 1}});

MYCEL_CPU_KERNEL(initial_normal) {
  const float mean = rounded(kernel, "mean");
  const float sigma = rounded(kernel, "sigma");
  constexpr double kTurn = 2.0 * 3.1415926F;
  for_blocks(kernel, [=](const std::uint32_t* words, float* values, std::int64_t count) {
    for (std::int64_t i = 0; i < count; i += 2) {
      const double radius = std::sqrt(-2 * std::log(short_unit(words[i]))) * sigma;
      const double angle = kTurn * short_unit(words[i + 1]);
      values[i] = static_cast<float>(mean + radius * std::cos(angle));
      if (i + 1 < count) values[i + 1] = static_cast<float>(mean + radius * std::sin(angle));
    }
  });
}

MYCEL_OP(initial_truncated_normal)
    .doc("Normally distributed initial values between two bounds.")
    .attribute("shape", "Shape of the result.", required(AttributeType::Ints))
    .attribute("low", "Smallest value.", required(AttributeType::Float))
    .attribute("high", "Largest value.", required(AttributeType::Float))
    .attribute("mean", "Mean without the bounds.", required(AttributeType::Float))
    .attribute("sigma", "Standard deviation without the bounds.", required(AttributeType::Float))
    .attribute("seed", "What the values depend on.", required(AttributeType::Int))
    .output("output", "The numbers.")
    .infer([](InferContext& op) {
      op.require(op.real("sigma") > 0, ErrorKind::Value, "'sigma' must be greater than 0, but got ",
                 op.real("sigma"), ".");
      op.require(op.real("low") < op.real("high"), ErrorKind::Value,
                 "'a' must be smaller than 'b', but got ", op.real("low"), " and ", op.real("high"),
                 ".");
      op.set_output(0, DType::Float32, checked_shape(op, "shape"));
    })
    .not_differentiable()
    .sample("matrix", {},
            {{"shape", IntList{3, 5}},
             {"low", -0.5},
             {"high", 2.0},
             {"mean", 0.5},
             {"sigma", 1.0},
             {"seed", 1}});

MYCEL_CPU_KERNEL(initial_truncated_normal) {
  const float mean = rounded(kernel, "mean");
  const float sigma = rounded(kernel, "sigma");
  const auto deviations = [=](double bound) { return (bound - mean) / sigma; };
  const double below = share_below(deviations(rounded(kernel, "low")));
  const double width = share_below(deviations(rounded(kernel, "high"))) - below;
  // The ends of (0, 2), where the inverse is infinite, in the precision of the values.
  const double least = std::nextafter(0.0F, 2.0F);
  const double most = std::nextafter(2.0F, 0.0F);
  for_blocks(kernel, [=](const std::uint32_t* words, float* values, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      const double share = 2 * (below + unit(words[i]) * width);
      const double inside = share <= 0 ? least : share >= 2 ? most : share;
      values[i] = static_cast<float>(mean - inverse_erfc(inside) * kRootOfTwo * sigma);
    }
  });
}

}  // namespace mycel::ops
