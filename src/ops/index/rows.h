// SPDX-License-Identifier: Apache-2.0
// Reading and writing rows of a tensor at given positions: what every gather, scatter and advanced
// index comes down to on the host.
#pragma once

#include <span>

#include "operator/define.h"

namespace mycel::ops {

// Dense arrays seen as table[batch][outer][span][inner] and rows[batch][outer][count][inner], with
// positions[batch][count] in [0, span). A negative position is passed over.
struct RowPlan {
  std::int64_t batch = 1;
  std::int64_t outer = 1;
  std::int64_t span = 1;
  std::int64_t inner = 1;
  std::int64_t count = 0;
};

enum class Combine : std::uint8_t { Update, Add, Sub, Mul, Div, Max, Min };

// rows = table at positions; rows of negative positions become zero.
void gather_rows(const RowPlan& plan, DType dtype, const void* table, const std::int64_t* positions,
                 void* rows);

// table at positions = table combined with rows. Rows are taken in order, whatever the number of
// threads: later ones win an update, and sums come out the same every time.
void scatter_rows(const RowPlan& plan, Combine combine, DType dtype, const void* rows,
                  const std::int64_t* positions, void* table);

// How positions outside of the axis are treated; negative ones within it count from the end.
enum class OutOfRange : std::uint8_t { Fail, Skip };

// int64 positions, dense, in [0, bound) or -1 where skipped.
Tensor row_positions(const AttributeReader& op, const Tensor& indices, std::int64_t bound,
                     OutOfRange policy = OutOfRange::Fail);

// Positions in the axes `bounds` taken together, from one index tensor per axis, all stretched to
// `shape`.
Tensor joint_positions(const AttributeReader& op, std::span<const Tensor> indices,
                       const IntList& bounds, const Shape& shape);

// The same from tuples of indices along the last axis of one tensor (gather_nd).
Tensor tuple_positions(const AttributeReader& op, const Tensor& indices, const IntList& bounds);

// Product of lengths of the axes [first, last).
std::int64_t span_of(const Shape& shape, std::size_t first, std::size_t last);

// Sample input: these positions, as int64.
SampleInput index_values(Shape shape, std::vector<double> positions);

// Runs `write` on a dense version of a tensor that is changed in place.
template <class Write>
void write_dense(const Tensor& target, const Write& write) {
  const Tensor dense = contiguous(target);
  write(dense);
  if (!(dense == target)) copy_elements(dense, target);
}

}  // namespace mycel::ops
