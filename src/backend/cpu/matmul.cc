// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/matmul.h"

#include <algorithm>

#include "backend/cpu/dnnl_matmul.h"
#include "backend/cpu/half_tensor.h"
#include "backend/cpu/instruction_set.h"
#include "backend/cpu/loops/gemm_loops.h"
#include "platform/error/error.h"
#include "platform/thread/parallel_for.h"

namespace mycel::backend {

using tensor::DType;
using tensor::Shape;
using tensor::Strides;
using tensor::Tensor;

GemmFunction gemm_loop(DType dtype) {
  return has_avx512() ? avx512::gemm_loop(dtype) : avx2::gemm_loop(dtype);
}

namespace {

// Products up to this many multiplications run in our own loop: oneDNN's call alone costs as much.
constexpr std::int64_t kOwnLoopWork = std::int64_t{48} * 48 * 48;
constexpr std::int64_t kWorkPerThread = std::int64_t{64} * 64 * 64;

// The leading axes of both operands and the result, joined where all three walk evenly.
struct Batch {
  Shape shape;
  Strides a, b, c;

  Batch(const Tensor& left, const Tensor& right, const Tensor& target) {
    for (std::size_t i = 0; i + 2 < target.shape().size(); ++i) {
      const std::int64_t length = target.shape()[i];
      if (length == 1) continue;
      const std::int64_t sa = left.strides()[i], sb = right.strides()[i], sc = target.strides()[i];
      const bool joins = !shape.empty() && a.back() == sa * length && b.back() == sb * length &&
                         c.back() == sc * length;
      if (joins) {
        shape.back() *= length;
        a.back() = sa, b.back() = sb, c.back() = sc;
      } else {
        shape.push_back(length);
        a.push_back(sa), b.push_back(sb), c.push_back(sc);
      }
    }
  }
};

// How far apart rows and columns of a matrix lie. Along an axis of length one that is anything; to
// oneDNN it must not be, or equal products would be given to different kernels.
struct Steps {
  std::int64_t row, column;

  Steps(const Tensor& matrix) {
    const std::size_t rank = matrix.shape().size();
    const std::int64_t rows = matrix.shape()[rank - 2], columns = matrix.shape()[rank - 1];
    row = matrix.strides()[rank - 2], column = matrix.strides()[rank - 1];
    if (columns == 1) column = row == 1 ? rows : 1;
    if (rows == 1) row = column == 1 ? columns : 1;
  }
};

struct Problem {
  Batch batch;
  DType dtype;
  std::int64_t m, n, k;
  const char* a;
  std::int64_t a_row, a_column;
  const char* b;
  std::int64_t b_row, b_column;
  char* c;
  const void* bias;

  Problem(const Tensor& left, const Tensor& right, const Tensor& bias_values, const Tensor& target)
      : batch(left, right, target), dtype(target.dtype()) {
    const std::size_t rank = target.shape().size();
    m = target.shape()[rank - 2];
    n = target.shape()[rank - 1];
    k = left.shape()[rank - 1];
    a = static_cast<const char*>(left.raw());
    const Steps a_steps(left), b_steps(right);
    a_row = a_steps.row, a_column = a_steps.column;
    b = static_cast<const char*>(right.raw());
    b_row = b_steps.row, b_column = b_steps.column;
    c = static_cast<char*>(target.raw());
    bias = bias_values.defined() ? bias_values.raw() : nullptr;
    // Rows of a stack of matrices times one matrix are just more rows.
    if (batch.shape.size() == 1 && batch.b[0] == 0 && batch.a[0] == m * a_row) {
      m *= batch.shape[0];
      batch.shape.clear(), batch.a.clear(), batch.b.clear(), batch.c.clear();
    }
  }
  std::int64_t count() const { return tensor::element_count(batch.shape); }
};

GemmProblem item_of(const Problem& problem, std::int64_t index) {
  const auto bytes = static_cast<std::int64_t>(tensor::size_of(problem.dtype));
  std::int64_t from_a = 0, from_b = 0, to = 0;
  for (std::size_t i = problem.batch.shape.size(); i-- > 0;) {
    const std::int64_t step = index % problem.batch.shape[i];
    index /= problem.batch.shape[i];
    from_a += step * problem.batch.a[i];
    from_b += step * problem.batch.b[i];
    to += step * problem.batch.c[i];
  }
  GemmProblem item;
  item.m = problem.m, item.n = problem.n, item.k = problem.k;
  item.a = problem.a + from_a * bytes;
  item.a_row = problem.a_row, item.a_column = problem.a_column;
  item.b = problem.b + from_b * bytes;
  item.b_row = problem.b_row, item.b_column = problem.b_column;
  item.c = problem.c + to * bytes;
  item.c_row = problem.n;
  item.bias = problem.bias;
  return item;
}

// Rows [begin, end) of one product.
GemmProblem rows_of(GemmProblem item, std::int64_t begin, std::int64_t end, std::int64_t bytes) {
  item.a = static_cast<const char*>(item.a) + begin * item.a_row * bytes;
  item.c = static_cast<char*>(item.c) + begin * item.c_row * bytes;
  item.m = end - begin;
  return item;
}

void run_own_loop(const Problem& problem) {
  const GemmFunction loop = gemm_loop(problem.dtype);
  if (loop == nullptr)
    platform::fail(platform::ErrorKind::Type, "there is no matmul for ", problem.dtype);
  const std::int64_t count = problem.count();
  const std::int64_t work = problem.m * problem.n * std::max<std::int64_t>(problem.k, 1);
  const auto bytes = static_cast<std::int64_t>(tensor::size_of(problem.dtype));
  const std::int64_t weight =
      std::max<std::int64_t>(1, work / (kWorkPerThread / platform::kInlineElements));
  if (count == 1 && work < kWorkPerThread) {
    loop(item_of(problem, 0));
  } else if (count == 1) {
    const std::int64_t row_weight = std::max<std::int64_t>(1, weight / problem.m);
    platform::parallel_for(problem.m, row_weight, [&](std::int64_t begin, std::int64_t end) {
      loop(rows_of(item_of(problem, 0), begin, end, bytes));
    });
  } else {
    platform::parallel_for(count, weight, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) loop(item_of(problem, i));
    });
  }
}

bool run_dnnl(const Problem& problem) {
  DnnlMatmul call;
  call.dtype = problem.dtype;
  // A stretched axis has length one in the operand's layout; its stride is then free.
  for (std::size_t i = 0; i < problem.batch.shape.size(); ++i) {
    const std::int64_t length = problem.batch.shape[i];
    const std::int64_t sa = problem.batch.a[i], sb = problem.batch.b[i];
    call.a_shape.push_back(sa == 0 ? 1 : length);
    call.b_shape.push_back(sb == 0 ? 1 : length);
    call.c_shape.push_back(length);
    call.a_strides.push_back(sa == 0 ? problem.m * problem.k : sa);
    call.b_strides.push_back(sb == 0 ? problem.k * problem.n : sb);
    call.c_strides.push_back(problem.batch.c[i]);
  }
  for (const std::int64_t length : {problem.m, problem.k}) call.a_shape.push_back(length);
  for (const std::int64_t length : {problem.k, problem.n}) call.b_shape.push_back(length);
  for (const std::int64_t length : {problem.m, problem.n}) call.c_shape.push_back(length);
  for (const std::int64_t s : {problem.a_row, problem.a_column}) call.a_strides.push_back(s);
  for (const std::int64_t s : {problem.b_row, problem.b_column}) call.b_strides.push_back(s);
  for (const std::int64_t s : {problem.n, std::int64_t{1}}) call.c_strides.push_back(s);
  call.a = problem.a, call.b = problem.b, call.c = problem.c, call.bias = problem.bias;
  return dnnl_matmul(call);
}

// oneDNN wants one of the two axes of a matrix dense, and the other at least as far apart.
bool is_plain(std::int64_t rows, std::int64_t row, std::int64_t columns, std::int64_t column) {
  return (column == 1 && row >= columns) || (row == 1 && column >= rows) ||
         (rows == 1 && column == 1) || (columns == 1 && row == 1);
}

Tensor plain(const Tensor& matrix) {
  const std::size_t rank = matrix.shape().size();
  const bool fits = is_plain(matrix.shape()[rank - 2], matrix.strides()[rank - 2],
                             matrix.shape()[rank - 1], matrix.strides()[rank - 1]);
  bool negative = false;
  for (const std::int64_t stride : matrix.strides()) negative |= stride < 0;
  return fits && !negative ? matrix : tensor::contiguous(matrix);
}

void run_large(const Tensor& a, const Tensor& b, const Tensor& bias, const Tensor& target) {
  const Problem problem(plain(a), plain(b), bias, target);
  if (problem.batch.shape.size() <= 4 && run_dnnl(problem)) return;
  if (target.dtype() == DType::Float32) return run_own_loop(problem);
  const Tensor wide = wide_like(target);
  matmul(widened(a), widened(b), bias.defined() ? widened(bias) : bias, wide);
  narrow_into(wide, target);
}

}  // namespace

void matmul(const Tensor& a, const Tensor& b, const Tensor& bias, const Tensor& target) {
  if (target.size() == 0) return;
  const DType dtype = target.dtype();
  const Tensor dense_bias = bias.defined() ? tensor::contiguous(bias) : bias;
  const std::int64_t k = a.shape().back();
  const std::int64_t work = target.shape()[target.shape().size() - 2] * target.shape().back() * k;
  if (dtype == DType::Float16 || (dtype == DType::BFloat16 && work <= kOwnLoopWork)) {
    const Tensor wide = wide_like(target);
    matmul(widened(a), widened(b), bias.defined() ? widened(bias) : bias, wide);
    narrow_into(wide, target);
  } else if (dtype == DType::BFloat16 || (dtype == DType::Float32 && work > kOwnLoopWork)) {
    run_large(a, b, dense_bias, target);
  } else {
    run_own_loop(Problem(a, b, dense_bias, target));
  }
}

}  // namespace mycel::backend
