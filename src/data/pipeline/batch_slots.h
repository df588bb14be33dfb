// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "data/pipeline/row.h"
#include "data/source/source.h"

namespace mycel::data {

// The memory of one column of a batch. The first row that is finished decides type and shape; every
// row then has its place, and threads write their rows there without waiting for each other.
class ColumnSlots {
 public:
  // `is_limit`: there may come fewer rows.
  ColumnSlots(std::size_t rows, bool is_limit) : rows_(rows), is_limit_(is_limit) {}
  // The place of a row, or nothing: another type or shape than the first.
  Tensor place(std::size_t row, DType dtype, const Shape& shape);
  // The same as memory; null: it does not fit.
  void* memory(std::size_t row, DType dtype, const Shape& shape);
  // A row that was written there.
  Item row(std::size_t number);
  // Copies a value to its place unless it lies there. False: it does not fit the others.
  bool store(std::size_t row, const Item& item);
  // The first so many rows, when each was stored.
  Item batch(std::size_t rows) const;

 private:
  // True: rows of this type and shape fit.
  bool agree(DType dtype, const Shape& shape);

  std::size_t rows_;
  bool is_limit_;
  std::mutex mutex_;  // guards the making of what follows; afterwards it does not change
  Tensor batch_;
  Shape row_shape_;
};

// For a source that writes its rows straight into the batch.
class SlotSink final : public RowSink {
 public:
  SlotSink(std::span<const std::unique_ptr<ColumnSlots>> slots, std::size_t row)
      : slots_(slots), row_(row) {}
  void* place(std::size_t column, DType dtype, const Shape& shape) override {
    return slots_[column]->memory(row_, dtype, shape);
  }

 private:
  std::span<const std::unique_ptr<ColumnSlots>> slots_;
  std::size_t row_;
};

// For the last transform of a row: memory in the batch, when the chain makes one array.
class SlotMemory : public OutputMemory {
 public:
  SlotMemory(ColumnSlots* slots, std::size_t row) : slots_(slots), row_(row) {}
  Tensor allocate(DType dtype, const Shape& shape) override;

 private:
  ColumnSlots* slots_;
  std::size_t row_;
};

}  // namespace mycel::data
