// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/reduce_engine.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "backend/cpu/number.h"
#include "backend/cpu/reduce_plan.h"
#include "platform/error/error.h"
#include "platform/thread/parallel_for.h"

namespace mycel::cpu {
namespace {

using platform::ErrorKind;
using tensor::DType;
using tensor::Tensor;

constexpr std::int64_t kBlockBytes =
    8192;  // of columns handled together, or elements converted together
constexpr std::int64_t kChunk = 65536;  // elements one job folds; independent of the thread count
constexpr std::int64_t kRowsPerGroup =
    64;  // rows added one after the other before pairwise joining

struct Reducer {
  const FoldLoops& loops;
  DType stored;             // dtype the loops read
  std::int64_t bytes;       // of a number in the loops
  ConvertFunction convert;  // null: the input is read as it is
  const char* input;
  std::int64_t input_bytes;
  const ReducePlan& plan;

  std::int64_t block() const { return kBlockBytes / bytes; }
};

Fold fold_of(ReduceKind kind) {
  switch (kind) {
    case ReduceKind::Sum:
    case ReduceKind::Mean: return Fold::Sum;
    case ReduceKind::Prod: return Fold::Prod;
    case ReduceKind::Max: return Fold::Max;
    case ReduceKind::Min: return Fold::Min;
    case ReduceKind::All: return Fold::And;
    case ReduceKind::Any: return Fold::Or;
  }
  return Fold::Sum;
}

// Joins values two by two as they come: a binary counter of partial results.
class PairwiseStack {
 public:
  PairwiseStack(const Reducer& reducer, std::int64_t width)
      : reducer_(reducer), width_(width), bytes_(static_cast<std::size_t>(width * reducer.bytes)) {}

  // Where the next value (of `width` numbers) has to be written before push().
  char* next() {
    if (levels_.size() <= depth_) levels_.push_back(std::make_unique_for_overwrite<char[]>(bytes_));
    return levels_[depth_].get();
  }
  void push() {
    for (std::uint64_t bit = pushed_++; (bit & 1) != 0; bit >>= 1) join();
    ++depth_;
  }
  void finish(char* out) {
    --depth_;
    while (depth_ > 0) join();
    std::memcpy(out, levels_[0].get(), bytes_);
  }

 private:
  void join() {
    reducer_.loops.accumulate(levels_[depth_ - 1].get(), levels_[depth_].get(), width_);
    --depth_;
  }
  const Reducer& reducer_;
  std::int64_t width_;
  std::size_t bytes_;
  std::vector<std::unique_ptr<char[]>> levels_;
  std::size_t depth_ = 0;
  std::uint64_t pushed_ = 0;
};

// Elements [begin, end) behind one output, gathered through a buffer.
void fold_gathered(const Reducer& reducer, const char* base, std::int64_t begin, std::int64_t end,
                   char* out) {
  alignas(64) char buffer[kBlockBytes];
  const std::int64_t capacity = reducer.block();
  const ConvertFunction convert =
      reducer.convert != nullptr ? reducer.convert : conversion(reducer.stored, reducer.stored);
  const bool once = end - begin <= capacity;
  PairwiseStack stack(reducer, 1);
  std::int64_t filled = 0;
  const auto flush = [&] {
    reducer.loops.rows(buffer, 0, 1, filled, once ? out : stack.next());
    if (!once) stack.push();
    filled = 0;
  };
  for_stretches(reducer.plan, begin, end,
                [&](std::int64_t offset, std::int64_t stride, std::int64_t n) {
                  while (n > 0) {
                    const std::int64_t taken = std::min(n, capacity - filled);
                    convert(base + offset * reducer.input_bytes, stride,
                            buffer + filled * reducer.bytes, 1, taken);
                    filled += taken;
                    offset += taken * stride;
                    n -= taken;
                    if (filled == capacity) flush();
                  }
                });
  if (filled > 0) flush();
  if (!once) stack.finish(out);
}

bool reads_rows_in_place(const Reducer& reducer) {
  return reducer.convert == nullptr && reducer.plan.inner_stride() == 1 &&
         reducer.plan.reduced_lengths.size() <= 1;
}

// One job per output and chunk; partial results [output][chunk].
void fold_by_rows(const Reducer& reducer, std::int64_t chunks, char* partial) {
  const ReducePlan& plan = reducer.plan;
  const bool in_place = reads_rows_in_place(reducer);
  const bool even = plan.kept_lengths.size() <= 1;
  platform::parallel_for(
      plan.outputs * chunks, std::min(plan.count, kChunk),
      [&](std::int64_t begin, std::int64_t end) {
        if (in_place && even && chunks == 1) {
          const std::int64_t stride = plan.kept_lengths.empty() ? 0 : plan.kept_strides[0];
          reducer.loops.rows(reducer.input + begin * stride * reducer.input_bytes, stride,
                             end - begin, plan.count, partial + begin * reducer.bytes);
          return;
        }
        for (std::int64_t job = begin; job < end; ++job) {
          const std::int64_t first = job % chunks * kChunk;
          const std::int64_t last = std::min(plan.count, first + kChunk);
          const char* base = reducer.input + plan.kept_offset(job / chunks) * reducer.input_bytes;
          char* out = partial + job * reducer.bytes;
          if (in_place) {
            reducer.loops.rows(base + first * reducer.input_bytes, 0, 1, last - first, out);
          } else {
            fold_gathered(reducer, base, first, last, out);
          }
        }
      });
}

// Rows [begin, end) behind a block of n neighbouring outputs.
void fold_columns(const Reducer& reducer, const char* base, std::int64_t begin, std::int64_t end,
                  std::int64_t n, char* out) {
  const bool once = end - begin <= kRowsPerGroup;
  PairwiseStack stack(reducer, n);
  alignas(64) char buffer[kBlockBytes];
  const ConvertFunction convert =
      reducer.convert != nullptr ? reducer.convert : conversion(reducer.stored, reducer.stored);
  for (std::int64_t group = begin; group < end; group += kRowsPerGroup) {
    char* into = once ? out : stack.next();
    bool empty = true;
    const auto add_stretch = [&](std::int64_t offset, std::int64_t stride, std::int64_t rows) {
      const char* row = base + offset * reducer.input_bytes;
      const std::int64_t step = stride * reducer.input_bytes;
      if (empty) {
        convert(row, 1, into, 1, n);
        empty = false;
        row += step;
        --rows;
      }
      if (reducer.convert == nullptr) {
        reducer.loops.columns(into, row, stride, rows, n);
        return;
      }
      for (std::int64_t r = 0; r < rows; ++r) {
        convert(row + r * step, 1, buffer, 1, n);
        reducer.loops.accumulate(into, buffer, n);
      }
    };
    for_stretches(reducer.plan, group, std::min(end, group + kRowsPerGroup), add_stretch);
    if (!once) stack.push();
  }
  if (!once) stack.finish(out);
}

std::int64_t column_chunk_rows(const Reducer& reducer) {
  const std::int64_t width = std::min(reducer.plan.columns(), reducer.block());
  return std::max(kRowsPerGroup, kChunk / width / kRowsPerGroup * kRowsPerGroup);
}

// One job per block of columns and chunk of rows; partial results [chunk][output].
void fold_by_columns(const Reducer& reducer, std::int64_t chunks, char* partial) {
  const ReducePlan& plan = reducer.plan;
  const std::int64_t columns = plan.columns();
  const std::int64_t width = std::min(columns, reducer.block());
  const std::int64_t blocks = (columns + width - 1) / width;
  const std::int64_t rows = column_chunk_rows(reducer);
  const std::int64_t stripes = plan.outputs / columns * blocks;
  platform::parallel_for(
      stripes * chunks, width * std::min(rows, plan.count),
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t job = begin; job < end; ++job) {
          const std::int64_t stripe = job % stripes;
          const std::int64_t chunk = job / stripes;
          const std::int64_t column = stripe % blocks * width;
          const std::int64_t output = stripe / blocks * columns + column;
          fold_columns(reducer, reducer.input + plan.kept_offset(output) * reducer.input_bytes,
                       chunk * rows, std::min(plan.count, (chunk + 1) * rows),
                       std::min(width, columns - column),
                       partial + (chunk * plan.outputs + output) * reducer.bytes);
        }
      });
}

// Halves the list of chunks until one is left; chunk i of output o is at [i * chunk_step + o].
void join_column_chunks(const Reducer& reducer, std::int64_t chunks, char* partial) {
  const std::int64_t outputs = reducer.plan.outputs;
  const std::int64_t bytes = outputs * reducer.bytes;
  for (std::int64_t gap = 1; gap < chunks; gap *= 2) {
    for (std::int64_t i = 0; i + gap < chunks; i += 2 * gap) {
      reducer.loops.accumulate(partial + i * bytes, partial + (i + gap) * bytes, outputs);
    }
  }
}

template <class T>
void divide_all(char* data, std::int64_t outputs, std::int64_t count) {
  T* values = reinterpret_cast<T*>(data);
  for (std::int64_t i = 0; i < outputs; ++i) values[i] /= static_cast<T>(count);
}

void divide_by_count(DType dtype, char* data, std::int64_t outputs, std::int64_t count) {
  switch (dtype) {
    case DType::Float32: divide_all<float>(data, outputs, count); break;
    case DType::Float64: divide_all<double>(data, outputs, count); break;
    case DType::Complex64: divide_all<std::complex<float>>(data, outputs, count); break;
    case DType::Complex128: divide_all<std::complex<double>>(data, outputs, count); break;
    default: divide_all<std::int64_t>(data, outputs, count); break;
  }
}

// What a reduction of nothing gives.
void fill_empty(ReduceKind kind, const Tensor& output) {
  double value = 0;
  if (kind == ReduceKind::Mean) value = std::numeric_limits<double>::quiet_NaN();
  if (kind == ReduceKind::Prod || kind == ReduceKind::All) value = 1;
  if (kind == ReduceKind::Max) value = -std::numeric_limits<double>::infinity();
  if (kind == ReduceKind::Min) value = std::numeric_limits<double>::infinity();
  conversion(DType::Float64, output.dtype())(&value, 0, output.raw(), 1, output.size());
}

}  // namespace

void reduce(ReduceKind kind, const Tensor& input, const tensor::IntList& axes,
            const Tensor& output) {
  const ReducePlan plan(input, axes);
  if (plan.outputs == 0) return;
  if (plan.count == 0) {
    fill_empty(kind, output);
    return;
  }
  const DType stored = op::accumulation_type(kind, input.dtype(), output.dtype());
  const Number number = number_of(stored);
  const FoldLoops& loops =
      loop_table().folds[static_cast<int>(number)][static_cast<int>(fold_of(kind))];
  platform::require(loops.rows != nullptr, ErrorKind::Type,
                    "this reduction is not defined for the type ", input.dtype(), ".");
  const Reducer reducer{loops,
                        stored,
                        bytes_of(number),
                        input.dtype() == stored ? nullptr : conversion(input.dtype(), stored),
                        static_cast<const char*>(input.raw()),
                        static_cast<std::int64_t>(tensor::size_of(input.dtype())),
                        plan};
  const bool columns = plan.by_columns();
  const std::int64_t chunk = columns ? column_chunk_rows(reducer) : kChunk;
  const std::int64_t chunks = (plan.count + chunk - 1) / chunk;
  // Accumulators go straight into the output when it holds them as they are.
  const bool direct = chunks == 1 && output.dtype() == stored;
  std::unique_ptr<char[]> memory;
  if (!direct) {
    memory = std::make_unique_for_overwrite<char[]>(
        static_cast<std::size_t>(plan.outputs * chunks * reducer.bytes));
  }
  char* result = direct ? static_cast<char*>(output.raw()) : memory.get();
  if (columns) {
    fold_by_columns(reducer, chunks, result);
    join_column_chunks(reducer, chunks, result);
  } else {
    fold_by_rows(reducer, chunks, result);
    // Row o moves to place o, which is never behind its own chunks.
    if (chunks > 1) {
      for (std::int64_t o = 0; o < plan.outputs; ++o) {
        alignas(16) char joined[16];
        loops.rows(result + o * chunks * reducer.bytes, 0, 1, chunks, joined);
        std::memcpy(result + o * reducer.bytes, joined, static_cast<std::size_t>(reducer.bytes));
      }
    }
  }
  if (kind == ReduceKind::Mean) divide_by_count(stored, result, plan.outputs, plan.count);
  if (!direct) conversion(stored, output.dtype())(result, 1, output.raw(), 1, plan.outputs);
}

}  // namespace mycel::cpu
