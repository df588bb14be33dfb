// SPDX-License-Identifier: Apache-2.0
// The gamma function of positive definite matrices.
#include <cmath>
#include <numbers>

#include "operator/define.h"
#include "operator/mindir_call.h"
#include "operator/onnx_call.h"
#include "platform/thread/parallel_for.h"

namespace mycel::ops {
namespace {

// As many terms are added for every element.
constexpr std::int64_t kMostDimensions = 1 << 16;

std::int64_t dimensions_of(const AttributeReader& op) {
  const std::int64_t p = op.integer("p");
  op.require(p >= 1 && p <= kMostDimensions, ErrorKind::Value, "'p' must be in [1, ",
             kMostDimensions, "], but got ", p, ".");
  return p;
}

// The sum of lgamma(x - i / 2) over i < p, along a new first axis, and the constant of dimension p.
void run_multivariate(CompositeContext& op) {
  const std::int64_t p = dimensions_of(op);
  Value x = op.input(0);
  if (!is_floating(x.dtype())) x = op.call("cast", {x}, {{"dtype", DType::Float32}});
  x = op.call("multivariate_argument", {x}, {{"p", p}});
  Shape column(static_cast<std::size_t>(x.rank()) + 1, 1);
  column[0] = p;
  const Value numbers =
      op.call("arange", {}, {{"start", 0}, {"end", p}, {"step", 1}, {"dtype", x.dtype()}});
  const Value halves = op.call("reshape", {numbers * 0.5}, {{"shape", column}});
  const Value terms = op.call("lgamma", {op.call("expand_dims", {x}, {{"axis", 0}}) - halves});
  const auto n = static_cast<double>(p);
  op.set_output(0, op.call("reduce_sum", {terms}, {{"axis", IntList{0}}}) +
                       n * (n - 1) / 4 * std::log(std::numbers::pi));
}

}  // namespace

MYCEL_OP(multivariate_argument)
    .doc("The input itself; every element must be greater than (p - 1) / 2.")
    .input("input", "Floating-point tensor.", kFloating)
    .attribute("p", "Dimension.", required(AttributeType::Int))
    .output("output", "Like the input.")
    .infer([](InferContext& op) { op.set_output(0, op.input(0)); })
    .gradient([](GradientContext& op) { op.set_input_gradient(0, op.output_gradient(0)); })
    .numpy("input")
    .sample("plain", {positive({3, 4})}, {{"p", 1}});
MYCEL_CPU_KERNEL(multivariate_argument) {
  const Tensor x = kernel.dense(0);
  const double least = static_cast<double>(kernel.integer("p") - 1) / 2;
  with_float_type(x.dtype(), [&]<class T>() {
    for (std::int64_t i = 0; i < x.size(); ++i) {
      const auto value = static_cast<double>(static_cast<Accumulator<T>>(x.data<T>()[i]));
      kernel.require(!(value <= least), ErrorKind::Value,
                     "every element of 'input' must be greater than (p - 1) / 2 = ", least,
                     ", but got ", value, ".");
    }
  });
  copy_elements(x, kernel.output(0));
}

MYCEL_OP(mvlgamma)
    .names({.primitive = "Mvlgamma", .function = "mvlgamma", .method = "mvlgamma"})
    .doc("Logarithm of the multivariate gamma function of dimension `p`.")
    .input("input", "Every element is greater than (p - 1) / 2.", kReal)
    .attribute("p", "Dimension, at least 1.", required(AttributeType::Int))
    .output("output", "Same shape.")
    .composite(run_multivariate)
    .sample("three", {uniform({3, 4}, 1.5, 4)}, {{"p", 3}})
    .sample("one", {positive({3})}, {{"p", 1}});

MYCEL_WRITES_MINDIR(multivariate_argument) { return call.typed(); }

MYCEL_WRITES_ONNX(multivariate_argument) { return call.same("Identity"); }

}  // namespace mycel::ops
