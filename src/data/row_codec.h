// SPDX-License-Identifier: Apache-2.0
// A row as bytes that need no translation: whoever has them in memory has the arrays. Rows of the
// cache have this form. Numbers are in the order of the machine; rows do not leave it.
//
//   head      what it is, its length, how many values, length of the file name
//   values    one entry each: kind, dtype, rank, where the payload is; then the dimensions
//   file      what the row was read from, for messages
//   payloads  arrays: their elements; text: the end of every string, then the strings
//
// Payloads begin at multiples of 64 bytes, small ones at multiples of 16.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/item.h"
#include "data/source/source.h"
#include "platform/error/error.h"
#include "platform/file/file.h"

namespace mycel::data {

using platform::Bytes;
using platform::Result;

// Makes the bytes of rows, one after the other; memory is used again.
class RowEncoder {
 public:
  // Parts that one after the other are the row. Arrays are not copied: the parts are good until the
  // next call, and while the items live. A value that is no data (a Python object) is an error that
  // names its column.
  std::span<const Bytes> encode(const Items& items, std::string_view file,
                                const std::vector<std::string>& columns);
  std::size_t size() const { return size_; }  // of the last row

 private:
  struct Part {
    const void* data;  // null: in own_, from `begin` on
    std::size_t begin;
    std::size_t size;
  };
  void append(const void* data, std::size_t size);
  void lend(const void* data, std::size_t size);
  void pad_to(std::size_t position);
  void append_text(const TextArray& text);

  std::string own_;
  std::vector<Part> parts_;
  std::vector<Bytes> result_;
  std::size_t size_ = 0;
};

// Looks at the bytes of a row. Whatever they are, nothing outside of them is read.
class RowReader {
 public:
  enum class Kind : std::uint8_t { Empty, Array, Text, Bytes };
  struct Value {
    Kind kind = Kind::Empty;
    DType dtype = DType::UInt8;  // of an array
    Shape shape;
    Bytes payload;
  };

  // An error when the bytes are no row.
  static Result<RowReader> open(Bytes bytes);
  std::size_t size() const { return values_.size(); }
  const Value& value(std::size_t number) const { return values_[number]; }
  std::string_view file() const { return file_; }
  // The value as an item that is a view of the bytes; `owner` keeps them.
  Item item(std::size_t number, const std::shared_ptr<const void>& owner) const;
  Items items(const std::shared_ptr<const void>& owner) const;

 private:
  std::vector<Value> values_;
  std::string_view file_;
};

}  // namespace mycel::data
