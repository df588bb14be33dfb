// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "backend/cpu/number.h"
#include "backend/cpu/reduce_engine.h"
#include "backend/cpu/reduce_plan.h"
#include "platform/thread/parallel_for.h"

namespace mycel::cpu {
namespace {

using tensor::DType;
using tensor::Tensor;

constexpr std::int64_t kBlockBytes = 8192;
constexpr std::int64_t kChunk = 65536;

// Mean and sum of squared distances of what was seen so far.
struct Moments {
  double count = 0;
  double mean = 0;
  double m2 = 0;

  void add(const Moments& other) {
    if (other.count == 0) return;
    const double total = count + other.count;
    const double distance = other.mean - mean;
    mean += distance * (other.count / total);
    m2 += other.m2 + distance * distance * (count * other.count / total);
    count = total;
  }
};

struct Source {
  const ReducePlan& plan;
  const MomentLoops& loops;
  DType stored;
  std::int64_t bytes;
  ConvertFunction convert;  // null: read as it is
  const char* input;
  std::int64_t input_bytes;
};

Moments fold_range(const Source& source, std::int64_t output, std::int64_t begin,
                   std::int64_t end) {
  alignas(64) char buffer[kBlockBytes];
  const std::int64_t capacity = kBlockBytes / source.bytes;
  const char* base = source.input + source.plan.kept_offset(output) * source.input_bytes;
  const ConvertFunction convert =
      source.convert != nullptr ? source.convert : conversion(source.stored, source.stored);
  Moments total;
  const auto add = [&](const char* data, std::int64_t n) {
    Moments part{static_cast<double>(n), 0, 0};
    source.loops.row(data, n, &part.mean, &part.m2);
    total.add(part);
  };
  std::int64_t filled = 0;
  for_stretches(
      source.plan, begin, end, [&](std::int64_t offset, std::int64_t stride, std::int64_t n) {
        while (n > 0) {
          const char* from = base + offset * source.input_bytes;
          std::int64_t taken = std::min(n, capacity - filled);
          if (source.convert == nullptr && stride == 1 && filled == 0 && taken == capacity) {
            add(from, taken);
          } else {
            convert(from, stride, buffer + filled * source.bytes, 1, taken);
            filled += taken;
          }
          offset += taken * stride;
          n -= taken;
          if (filled == capacity) {
            add(buffer, filled);
            filled = 0;
          }
        }
      });
  if (filled > 0) add(buffer, filled);
  return total;
}

void fold_by_rows(const Source& source, std::vector<Moments>& results) {
  const std::int64_t chunks = (source.plan.count + kChunk - 1) / kChunk;
  std::vector<Moments> partial(static_cast<std::size_t>(source.plan.outputs * chunks));
  platform::parallel_for(source.plan.outputs * chunks, 2 * std::min(source.plan.count, kChunk),
                         [&](std::int64_t begin, std::int64_t end) {
                           for (std::int64_t job = begin; job < end; ++job) {
                             const std::int64_t first = job % chunks * kChunk;
                             partial[static_cast<std::size_t>(job)] =
                                 fold_range(source, job / chunks, first,
                                            std::min(source.plan.count, first + kChunk));
                           }
                         });
  for (std::size_t i = 0; i < partial.size(); ++i)
    results[i / static_cast<std::size_t>(chunks)].add(partial[i]);
}

template <class T>
void fold_stripe(const Source& source, std::int64_t output, std::int64_t n, Moments* results) {
  constexpr std::int64_t kWidth = kBlockBytes / static_cast<std::int64_t>(sizeof(T));
  alignas(64) T mean[kWidth] = {};
  alignas(64) T m2[kWidth] = {};
  alignas(64) T buffer[kWidth];
  const char* base = source.input + source.plan.kept_offset(output) * source.input_bytes;
  std::int64_t seen = 0;
  for_stretches(source.plan, 0, source.plan.count,
                [&](std::int64_t offset, std::int64_t stride, std::int64_t rows) {
                  for (std::int64_t r = 0; r < rows; ++r) {
                    const char* row = base + (offset + r * stride) * source.input_bytes;
                    if (source.convert != nullptr) {
                      source.convert(row, 1, buffer, 1, n);
                      row = reinterpret_cast<const char*>(buffer);
                    }
                    source.loops.add_row(row, n, ++seen, mean, m2);
                  }
                });
  for (std::int64_t i = 0; i < n; ++i) {
    results[i] = {static_cast<double>(seen), static_cast<double>(mean[i]),
                  static_cast<double>(m2[i])};
  }
}

void fold_by_columns(const Source& source, std::vector<Moments>& results) {
  const ReducePlan& plan = source.plan;
  const std::int64_t columns = plan.columns();
  const std::int64_t width = std::min<std::int64_t>(columns, kBlockBytes / 4 / source.bytes);
  const std::int64_t blocks = (columns + width - 1) / width;
  platform::parallel_for(plan.outputs / columns * blocks, 2 * width * plan.count,
                         [&](std::int64_t begin, std::int64_t end) {
                           for (std::int64_t job = begin; job < end; ++job) {
                             const std::int64_t column = job % blocks * width;
                             const std::int64_t output = job / blocks * columns + column;
                             const std::int64_t n = std::min(width, columns - column);
                             Moments* into = results.data() + output;
                             if (source.stored == DType::Float64) {
                               fold_stripe<double>(source, output, n, into);
                             } else {
                               fold_stripe<float>(source, output, n, into);
                             }
                           }
                         });
}

void write(const Tensor& output, const std::vector<double>& values) {
  conversion(DType::Float64, output.dtype())(values.data(), 1, output.raw(), 1,
                                             static_cast<std::int64_t>(values.size()));
}

}  // namespace

void reduce_moments(const Tensor& input, const tensor::IntList& axes, double correction,
                    const Tensor& mean, const Tensor& variance) {
  const ReducePlan plan(input, axes);
  const DType stored = input.dtype() == DType::Float64 ? DType::Float64 : DType::Float32;
  const Source source{plan,
                      loop_table().moments[stored == DType::Float64 ? 1 : 0],
                      stored,
                      static_cast<std::int64_t>(tensor::size_of(stored)),
                      input.dtype() == stored ? nullptr : conversion(input.dtype(), stored),
                      static_cast<const char*>(input.raw()),
                      static_cast<std::int64_t>(tensor::size_of(input.dtype()))};
  std::vector<Moments> results(static_cast<std::size_t>(plan.outputs));
  if (plan.count > 0 && plan.outputs > 0) {
    if (plan.by_columns()) {
      fold_by_columns(source, results);
    } else {
      fold_by_rows(source, results);
    }
  }
  std::vector<double> values(results.size());
  if (mean.defined()) {
    std::ranges::transform(results, values.begin(), [&](const Moments& m) {
      return plan.count == 0 ? std::numeric_limits<double>::quiet_NaN() : m.mean;
    });
    write(mean, values);
  }
  if (variance.defined()) {
    const double divisor = std::max(0.0, static_cast<double>(plan.count) - correction);
    std::ranges::transform(results, values.begin(),
                           [&](const Moments& m) { return m.m2 / divisor; });
    write(variance, values);
  }
}

}  // namespace mycel::cpu
