// SPDX-License-Identifier: Apache-2.0
// Many rows in one piece of memory, on their way to another process and back: the form of
// row_codec, one row after the other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/item.h"
#include "data/row_codec.h"

namespace mycel::data {

constexpr std::size_t kMostBytesOfPackedRow = 8192;

// Whether packing pays: rows of arrays and text that are so small that what a row costs beside its
// bytes is most of it. Large arrays had better travel as they are.
bool is_worth_packing(std::span<const Items> rows);

// An array of bytes. `note` travels along.
Tensor pack_rows(std::span<const Items> rows, std::uint32_t note);

// The rows of such an array, as views of it. Whatever the bytes are, nothing outside of them is
// read.
class PackedRows {
 public:
  static Result<PackedRows> open(const Tensor& packed);
  std::size_t size() const { return rows_.size(); }
  std::uint32_t note() const { return note_; }
  Items items(std::size_t row) const { return rows_[row].items(owner_); }

 private:
  std::vector<RowReader> rows_;
  std::shared_ptr<const void> owner_;
  std::uint32_t note_ = 0;
};

}  // namespace mycel::data
