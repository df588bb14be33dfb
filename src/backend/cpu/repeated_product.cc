// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/repeated_product.h"

#include <optional>

#include "backend/cpu/dnnl_primitive.h"
#include "backend/cpu/loops/gemm_loops.h"
#include "platform/thread/parallel_for.h"

namespace mycel::backend {
namespace {

using dnnl::memory;
using tensor::DType;
using tensor::Tensor;

struct Plan {
  std::optional<DnnlStep> pack, product;  // empty: oneDNN declined
  std::size_t packed_bytes = 0;
};

Plan make_plan(const Tensor& matrix, std::int64_t rows) {
  const auto type = memory::data_type::f32;
  const std::int64_t k = matrix.shape()[0], n = matrix.shape()[1];
  const memory::desc plain({k, n}, type, {matrix.strides()[0], matrix.strides()[1]});
  const memory::desc a({rows, k}, type, memory::format_tag::ab);
  const memory::desc c({rows, n}, type, memory::format_tag::ab);
  const memory::desc any({k, n}, type, memory::format_tag::any);
  const dnnl::matmul::primitive_desc product(dnnl_engine(), a, any, c, dnnl_attributes(), true);
  if (!product) return {};
  const memory::desc packed = product.weights_desc();
  const dnnl::reorder::primitive_desc pack(dnnl_engine(), plain, dnnl_engine(), packed,
                                           dnnl_attributes(), true);
  if (!pack) return {};
  Plan plan;
  plan.pack.emplace(
      dnnl::reorder(pack),
      std::vector<std::pair<int, memory::desc>>{{DNNL_ARG_FROM, plain}, {DNNL_ARG_TO, packed}},
      pack.scratchpad_desc());
  plan.product.emplace(dnnl::matmul(product),
                       std::vector<std::pair<int, memory::desc>>{
                           {DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, packed}, {DNNL_ARG_DST, c}},
                       product.scratchpad_desc());
  plan.packed_bytes = packed.get_size();
  return plan;
}

bool is_plain(const Tensor& matrix) {
  const std::int64_t k = matrix.shape()[0], n = matrix.shape()[1];
  const std::int64_t row = matrix.strides()[0], column = matrix.strides()[1];
  return (column == 1 && row >= n) || (row == 1 && column >= k);
}

Plan& plan_of(const Tensor& matrix, std::int64_t rows, int threads) {
  static thread_local PlanCache<Plan> cache;
  const PlanKey key{matrix.shape()[0],
                    matrix.shape()[1],
                    matrix.strides()[0],
                    matrix.strides()[1],
                    rows,
                    threads};
  return cache.get(key, [&] { return make_plan(matrix, rows); });
}

// Below this many multiplications oneDNN's call costs more than it gives.
constexpr std::int64_t kOwnLoopWork = std::int64_t{48} * 48 * 48;

}  // namespace

RepeatedProduct::RepeatedProduct(const Tensor& matrix, std::int64_t rows)
    : matrix_(is_plain(matrix) ? matrix : tensor::contiguous(matrix)),
      rows_(rows),
      scope_(threads_for(rows * matrix.size())) {
  if (matrix_.dtype() == DType::Float32 && rows * matrix_.size() > kOwnLoopWork) pack();
}

void RepeatedProduct::pack() {
  const int threads = threads_for(rows_ * matrix_.size());
  const platform::TeamLimit team(threads);
  Plan& plan = plan_of(matrix_, rows_, threads);
  if (!plan.product) return;
  const auto floats = static_cast<std::int64_t>((plan.packed_bytes + 3) / 4);
  packed_ = Tensor::empty({floats}, DType::Float32);
  plan.pack->run({matrix_.raw(), packed_.raw()});
}

void RepeatedProduct::run(const void* a, void* c) {
  if (packed_.defined()) {
    const int threads = threads_for(rows_ * matrix_.size());
    const platform::TeamLimit team(threads);
    plan_of(matrix_, rows_, threads).product->run({const_cast<void*>(a), packed_.raw(), c});
    return;
  }
  GemmProblem problem;
  problem.m = rows_, problem.n = matrix_.shape()[1], problem.k = matrix_.shape()[0];
  problem.b = matrix_.raw();
  problem.b_row = matrix_.strides()[0], problem.b_column = matrix_.strides()[1];
  problem.a_row = problem.k, problem.c_row = problem.n;
  const auto bytes = static_cast<std::int64_t>(tensor::size_of(matrix_.dtype()));
  const GemmFunction loop = gemm_loop(matrix_.dtype());
  const std::int64_t work_per_row = problem.n * problem.k / 8;
  platform::parallel_for(rows_, work_per_row, [&](std::int64_t begin, std::int64_t end) {
    const platform::TinyNumbersAreZero scope;
    GemmProblem part = problem;
    part.m = end - begin;
    part.a = static_cast<const char*>(a) + begin * part.a_row * bytes;
    part.c = static_cast<char*>(c) + begin * part.c_row * bytes;
    loop(part);
  });
}

}  // namespace mycel::backend
