// SPDX-License-Identifier: Apache-2.0
#include "data/pipeline/batch_slots.h"

#include <algorithm>
#include <cstring>

#include "tensor/transit.h"

namespace mycel::data {

namespace {

// Where fewer rows may come than a batch can have, no more than this is taken on trust.
constexpr std::size_t kMostOnTrust = std::size_t{1} << 30;

}  // namespace

bool ColumnSlots::agree(DType dtype, const Shape& shape) {
  const std::lock_guard lock(mutex_);
  if (!batch_.defined()) {
    const auto row = static_cast<std::size_t>(tensor::element_count(shape)) * size_of(dtype);
    if (is_limit_ && row > kMostOnTrust / rows_) return false;
    Shape whole{static_cast<std::int64_t>(rows_)};
    for (const std::int64_t length : shape) whole.push_back(length);
    batch_ = tensor::empty_in_transit(whole, dtype);
    row_shape_ = shape;
  }
  return dtype == batch_.dtype() && std::ranges::equal(shape, row_shape_);
}

Tensor ColumnSlots::place(std::size_t row, DType dtype, const Shape& shape) {
  if (!agree(dtype, shape)) return {};
  return Tensor::view(batch_, shape, tensor::contiguous_strides(shape),
                      static_cast<std::int64_t>(row) * tensor::element_count(shape));
}

void* ColumnSlots::memory(std::size_t row, DType dtype, const Shape& shape) {
  if (!agree(dtype, shape)) return nullptr;
  const std::size_t bytes = batch_.bytes() / rows_;
  return static_cast<char*>(batch_.raw()) + row * bytes;
}

Item ColumnSlots::row(std::size_t number) { return place(number, batch_.dtype(), row_shape_); }

Item ColumnSlots::batch(std::size_t rows) const {
  if (rows == rows_) return batch_;
  Shape shape = batch_.shape();
  shape[0] = static_cast<std::int64_t>(rows);
  Tensor kept = Tensor::empty(shape, batch_.dtype());
  if (kept.bytes() > 0) std::memcpy(kept.raw(), batch_.raw(), kept.bytes());
  return kept;
}

bool ColumnSlots::store(std::size_t row, const Item& item) {
  if (!item.is_array()) return false;
  const Tensor& array = item.array();
  if (!agree(array.dtype(), array.shape())) return false;
  const std::size_t bytes = array.bytes();
  if (bytes > 0 && &array.storage() != &batch_.storage())
    std::memcpy(static_cast<char*>(batch_.raw()) + row * bytes, array.raw(), bytes);
  return true;
}

Tensor SlotMemory::allocate(DType dtype, const Shape& shape) {
  Tensor place = slots_->place(row_, dtype, shape);
  return place.defined() ? place : Tensor::empty(shape, dtype);
}

}  // namespace mycel::data
