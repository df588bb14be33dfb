// SPDX-License-Identifier: Apache-2.0
// Functions of whole numbers that are algorithms, not formulas.
#include <bit>
#include <numeric>

#include "ops/elementwise/number_functions.h"

namespace mycel::ops {
namespace {

// The size of a number, also of the lowest, whose negative the type does not have.
template <class T>
std::make_unsigned_t<T> size_of_number(T x) {
  using Size = std::make_unsigned_t<T>;
  return x < 0 ? static_cast<Size>(0) - static_cast<Size>(x) : static_cast<Size>(x);
}

// output = function(a, b), in the shape of the output.
template <class Function>
void run_on_pairs(const KernelContext& kernel, const Function& function) {
  const Tensor& y = kernel.output(0);
  const Tensor a = stretched(kernel.input(0), y.shape());
  const Tensor b = stretched(kernel.input(1), y.shape());
  with_integer_type(y.dtype(), [&]<class T>() {
    platform::parallel_for(y.size(), 64, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        y.data<T>()[i] = static_cast<T>(
            function(size_of_number(a.data<T>()[i]), size_of_number(b.data<T>()[i])));
      }
    });
  });
}

}  // namespace

MYCEL_OP(gcd)
    .names({.primitive = "Gcd", .function = "gcd", .method = "gcd"})
    .doc("Greatest common divisor, never negative.")
    .input("input", "Whole numbers.", kIntegral)
    .input("other", "Whole numbers, or one.", kIntegral)
    .output("output", "In the common shape and type.")
    .infer(infer_broadcast)
    .not_differentiable()
    .numpy("np.gcd(input, other)")
    .sample("both signs", {values({5}, {12, -12, 0, 7, 0}), values({5}, {18, 8, 5, -13, 0})})
    .sample("stretched", {integers({3, 1}, 1, 60), integers({4}, 1, 60)})
    .sample("with a number", {integers({4}, 1, 60), number(12)})
    .sample_dtypes(DTypeSet{DType::Int8, DType::Int32, DType::Int64});
MYCEL_CPU_KERNEL(gcd) {
  run_on_pairs(kernel, [](auto a, auto b) { return std::gcd(a, b); });
}

MYCEL_OP(lcm)
    .names({.primitive = "Lcm", .function = "lcm", .method = "lcm"})
    .doc("Least common multiple, never negative; 0 where an element is 0.")
    .input("input", "Whole numbers.", kIntegral)
    .input("other", "Whole numbers, or one.", kIntegral)
    .output("output", "In the common shape and type.")
    .infer(infer_broadcast)
    .not_differentiable()
    .numpy("np.lcm(input, other)")
    .sample("both signs", {values({5}, {4, -4, 0, 7, 0}), values({5}, {6, 10, 5, -3, 0})})
    .sample("stretched", {integers({3, 1}, 1, 9), integers({4}, 1, 9)})
    .sample_dtypes(DTypeSet{DType::Int8, DType::Int32, DType::Int64});
MYCEL_CPU_KERNEL(lcm) {
  run_on_pairs(kernel, []<class T>(T a, T b) {
    return a == 0 || b == 0 ? T(0) : static_cast<T>(static_cast<T>(a / std::gcd(a, b)) * b);
  });
}

MYCEL_OP(population_count)
    .names({.primitive = "PopulationCount", .function = "population_count"})
    .doc("Number of bits that are set in every element.")
    .input("input_x", "Whole numbers of any width.", kIntegral)
    .output("output", "uint8.")
    .infer([](InferContext& op) { op.set_output(0, DType::UInt8, op.input(0).shape); })
    .not_differentiable()
    .sample("both signs", {values({4}, {0, 1, 7, -5})})
    .sample("no elements", {integers({0, 2}, 0, 9)})
    .sample_dtypes(DTypeSet{DType::Int8, DType::Int16, DType::Int32, DType::Int64});
MYCEL_CPU_KERNEL(population_count) {
  const Tensor x = kernel.dense(0);
  auto* counts = kernel.output(0).data<std::uint8_t>();
  with_integer_type(x.dtype(), [&]<class T>() {
    platform::parallel_for(x.size(), 2, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        counts[i] = static_cast<std::uint8_t>(
            std::popcount(static_cast<std::make_unsigned_t<T>>(x.data<T>()[i])));
    });
  });
}

}  // namespace mycel::ops
