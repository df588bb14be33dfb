// SPDX-License-Identifier: Apache-2.0
#include "ops/index/rows.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "platform/thread/parallel_for.h"

namespace mycel::ops {
namespace {

using platform::parallel_for;

template <class T>
void gather_elements_of(const RowPlan& plan, const T* table, const std::int64_t* positions,
                        T* rows) {
  const std::int64_t total = plan.batch * plan.outer * plan.count;
  parallel_for(total, 2, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t k = begin % plan.count;
    std::int64_t group = begin / plan.count;  // batch * outer
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t position = positions[group / plan.outer * plan.count + k];
      rows[i] = position < 0 ? T() : table[group * plan.span + position];
      if (++k == plan.count) {
        k = 0;
        ++group;
      }
    }
  });
}

void gather_long_rows(const RowPlan& plan, std::size_t row_bytes, const char* table,
                      const std::int64_t* positions, char* rows) {
  const std::int64_t total = plan.batch * plan.outer * plan.count;
  parallel_for(
      total, static_cast<std::int64_t>(row_bytes / 4) + 1,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int64_t group = i / plan.count;
          const std::int64_t position = positions[group / plan.outer * plan.count + i % plan.count];
          char* const row = rows + static_cast<std::size_t>(i) * row_bytes;
          if (position < 0) {
            std::memset(row, 0, row_bytes);
          } else {
            std::memcpy(row,
                        table + static_cast<std::size_t>(group * plan.span + position) * row_bytes,
                        row_bytes);
          }
        }
      });
}

// Overflow wraps; nothing here can trap.
template <Combine kCombine, class T>
T combined_integers(T old, T given) {
  using Bits = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
  const auto a = static_cast<Bits>(old);
  const auto b = static_cast<Bits>(given);
  if constexpr (kCombine == Combine::Add) return static_cast<T>(a + b);
  if constexpr (kCombine == Combine::Sub) return static_cast<T>(a - b);
  if constexpr (kCombine == Combine::Mul) return static_cast<T>(a * b);
  if (given == T()) return T();
  if (std::is_signed_v<T> && given == static_cast<T>(-1)) return static_cast<T>(Bits() - a);
  return static_cast<T>(old / given);
}

template <Combine kCombine, class T>
T combined(T old, T given) {
  constexpr bool kComputes = kCombine == Combine::Add || kCombine == Combine::Sub ||
                             kCombine == Combine::Mul || kCombine == Combine::Div;
  if constexpr (kComputes && std::is_integral_v<T>) return combined_integers<kCombine>(old, given);
  if constexpr (kCombine == Combine::Update) return given;
  if constexpr (kCombine == Combine::Add) return static_cast<T>(old + given);
  if constexpr (kCombine == Combine::Sub) return static_cast<T>(old - given);
  if constexpr (kCombine == Combine::Mul) return static_cast<T>(old * given);
  if constexpr (kCombine == Combine::Div) return static_cast<T>(old / given);
  if constexpr (kCombine == Combine::Max || kCombine == Combine::Min) {
    if (old != old) return old;  // NaN stays
    if (given != given) return given;
    if constexpr (kCombine == Combine::Max)
      return std::max(old, given);
    else
      return std::min(old, given);
  }
}

// bool sums are "or", as everywhere.
template <Combine kCombine>
bool combined_bool(bool old, bool given) {
  if constexpr (kCombine == Combine::Update) return given;
  if constexpr (kCombine == Combine::Add || kCombine == Combine::Max) return old || given;
  if constexpr (kCombine == Combine::Sub) return old != given;
  return old && given;
}

// One thread owns the positions [first, last) of one group and walks all rows in order, so the
// result does not depend on how many threads there are.
template <Combine kCombine, class T>
void scatter_part(const RowPlan& plan, const T* rows, const std::int64_t* positions, T* table,
                  std::int64_t first, std::int64_t last) {
  for (std::int64_t k = 0; k < plan.count; ++k) {
    const std::int64_t position = positions[k];
    if (position < first || position >= last) continue;
    const T* const from = rows + k * plan.inner;
    T* const to = table + position * plan.inner;
    for (std::int64_t j = 0; j < plan.inner; ++j) {
      if constexpr (std::is_same_v<T, bool>)
        to[j] = combined_bool<kCombine>(to[j], from[j]);
      else
        to[j] = combined<kCombine, T>(to[j], from[j]);
    }
  }
}

template <Combine kCombine, class T>
void scatter_typed(const RowPlan& plan, const T* rows, const std::int64_t* positions, T* table) {
  const std::int64_t groups = plan.batch * plan.outer;
  const std::int64_t work = plan.count * plan.inner;
  const std::int64_t threads = platform::compute_threads();
  // Few groups: cut the span as well. Every part reads all positions, which pays for long rows
  // only.
  const bool cut =
      groups < threads && plan.inner >= 8 && groups * work >= platform::kInlineElements;
  const std::int64_t parts = cut ? std::min(plan.span, 4 * threads) : 1;
  parallel_for(groups * parts, work / parts + 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t job = begin; job < end; ++job) {
      const std::int64_t group = job / parts;
      const std::int64_t part = job % parts;
      scatter_part<kCombine, T>(plan, rows + group * work,
                                positions + group / plan.outer * plan.count,
                                table + group * plan.span * plan.inner, plan.span * part / parts,
                                plan.span * (part + 1) / parts);
    }
  });
}

// Sums of half types are kept in float until the end: 0.1 added two thousand times stays right.
template <class T>
void scatter_halves(const RowPlan& plan, Combine combine, const T* rows,
                    const std::int64_t* positions, T* table);

template <class T>
void scatter_of(const RowPlan& plan, Combine combine, const T* rows, const std::int64_t* positions,
                T* table) {
  switch (combine) {
    case Combine::Update: return scatter_typed<Combine::Update, T>(plan, rows, positions, table);
    case Combine::Add: return scatter_typed<Combine::Add, T>(plan, rows, positions, table);
    case Combine::Sub: return scatter_typed<Combine::Sub, T>(plan, rows, positions, table);
    case Combine::Mul: return scatter_typed<Combine::Mul, T>(plan, rows, positions, table);
    case Combine::Div: return scatter_typed<Combine::Div, T>(plan, rows, positions, table);
    case Combine::Max:
    case Combine::Min:
      if constexpr (std::is_arithmetic_v<T>) {
        if (combine == Combine::Max)
          return scatter_typed<Combine::Max, T>(plan, rows, positions, table);
        return scatter_typed<Combine::Min, T>(plan, rows, positions, table);
      } else {
        fail_for_dtype(kDTypeOf<T>);
      }
  }
}

template <class T>
void scatter_halves(const RowPlan& plan, Combine combine, const T* rows,
                    const std::int64_t* positions, T* table) {
  const std::int64_t table_size = plan.batch * plan.outer * plan.span * plan.inner;
  const std::int64_t rows_size = plan.batch * plan.outer * plan.count * plan.inner;
  std::vector<float> wide_table(table, table + table_size);
  const std::vector<float> wide_rows(rows, rows + rows_size);
  scatter_of<float>(plan, combine, wide_rows.data(), positions, wide_table.data());
  std::copy(wide_table.begin(), wide_table.end(), table);
}

template <class T>
void read_positions(const AttributeReader& op, const Tensor& indices, std::int64_t bound,
                    OutOfRange policy, std::int64_t* positions) {
  const T* const given = indices.data<T>();
  parallel_for(indices.size(), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto index = static_cast<std::int64_t>(given[i]);
      const std::int64_t position = index < 0 ? index + bound : index;
      const bool fits = position >= 0 && position < bound;
      if (!fits && policy == OutOfRange::Fail) {
        op.fail(ErrorKind::Index, "index ", index, " is out of bounds for dimension with size ",
                bound, ".");
      }
      positions[i] = fits ? position : -1;
    }
  });
}

}  // namespace

std::int64_t span_of(const Shape& shape, std::size_t first, std::size_t last) {
  std::int64_t product = 1;
  for (std::size_t i = first; i < last; ++i) product *= shape[i];
  return product;
}

SampleInput index_values(Shape shape, std::vector<double> positions) {
  SampleInput input = values(std::move(shape), std::move(positions));
  input.dtype = DType::Int64;
  return input;
}

void gather_rows(const RowPlan& plan, DType dtype, const void* table, const std::int64_t* positions,
                 void* rows) {
  if (plan.batch * plan.outer * plan.count * plan.inner == 0) return;
  if (plan.inner > 1) {
    gather_long_rows(plan, static_cast<std::size_t>(plan.inner) * size_of(dtype),
                     static_cast<const char*>(table), positions, static_cast<char*>(rows));
    return;
  }
  with_bits_type(dtype, [&]<class T>() {
    gather_elements_of<T>(plan, static_cast<const T*>(table), positions, static_cast<T*>(rows));
  });
}

void scatter_rows(const RowPlan& plan, Combine combine, DType dtype, const void* rows,
                  const std::int64_t* positions, void* table) {
  if (plan.batch * plan.outer * plan.count * plan.inner == 0) return;
  if (combine == Combine::Update) {
    with_bits_type(dtype, [&]<class T>() {
      scatter_typed<Combine::Update, T>(plan, static_cast<const T*>(rows), positions,
                                        static_cast<T*>(table));
    });
    return;
  }
  with_any_type(dtype, [&]<class T>() {
    if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
      scatter_halves<T>(plan, combine, static_cast<const T*>(rows), positions,
                        static_cast<T*>(table));
    } else {
      scatter_of<T>(plan, combine, static_cast<const T*>(rows), positions, static_cast<T*>(table));
    }
  });
}

namespace {

// The usual case: nothing negative, nothing too large. Reading is half the cost of a converted
// copy.
bool already_positions(const Tensor& dense, std::int64_t bound) {
  if (dense.dtype() != DType::Int64) return false;
  const auto* const given = dense.data<std::int64_t>();
  std::atomic<bool> fits{true};
  parallel_for(dense.size(), 1, [&](std::int64_t begin, std::int64_t end) {
    std::uint64_t strays = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      const auto position = static_cast<std::uint64_t>(given[i]);
      strays |= (position | (static_cast<std::uint64_t>(bound - 1) - position)) >> 63;
    }
    if (strays != 0) fits = false;
  });
  return fits;
}

}  // namespace

Tensor row_positions(const AttributeReader& op, const Tensor& indices, std::int64_t bound,
                     OutOfRange policy) {
  const Tensor dense = contiguous(indices);
  if (already_positions(dense, bound)) return dense;
  Tensor positions = Tensor::empty(dense.shape(), DType::Int64, dense.device());
  with_integer_type(dense.dtype(), [&]<class T>() {
    read_positions<T>(op, dense, bound, policy, positions.data<std::int64_t>());
  });
  return positions;
}

Tensor joint_positions(const AttributeReader& op, std::span<const Tensor> indices,
                       const IntList& bounds, const Shape& shape) {
  Tensor positions = Tensor::empty(shape, DType::Int64);
  auto* const flat = positions.data<std::int64_t>();
  const std::int64_t count = positions.size();
  for (std::size_t axis = 0; axis < indices.size(); ++axis) {
    const Tensor checked = row_positions(op, indices[axis], bounds[axis]);
    const Strides strides = broadcast_strides(checked.shape(), checked.strides(), shape);
    const Tensor along = contiguous(Tensor::view(checked, shape, strides, checked.body().offset));
    const auto* const position = along.data<std::int64_t>();
    for (std::int64_t i = 0; i < count; ++i) {
      flat[i] = axis == 0 ? position[i] : flat[i] * bounds[axis] + position[i];
    }
  }
  return positions;
}

Tensor tuple_positions(const AttributeReader& op, const Tensor& indices, const IntList& bounds) {
  const Tensor dense = contiguous(indices);
  const Shape outer(dense.shape().begin(), dense.shape().end() - 1);
  Tensor positions = Tensor::empty(outer, DType::Int64, dense.device());
  auto* const flat = positions.data<std::int64_t>();
  const auto depth = static_cast<std::int64_t>(bounds.size());
  with_integer_type(dense.dtype(), [&]<class T>() {
    const T* const given = dense.data<T>();
    parallel_for(positions.size(), depth, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        std::int64_t position = 0;
        for (std::int64_t axis = 0; axis < depth; ++axis) {
          const auto index = static_cast<std::int64_t>(given[i * depth + axis]);
          const std::int64_t bound = bounds[static_cast<std::size_t>(axis)];
          const std::int64_t place = index < 0 ? index + bound : index;
          op.require(place >= 0 && place < bound, ErrorKind::Index, "index ", index,
                     " is out of bounds for dimension ", axis, " with size ", bound, ".");
          position = position * bound + place;
        }
        flat[i] = position;
      }
    });
  });
  return positions;
}

}  // namespace mycel::ops
