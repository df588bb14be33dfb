// SPDX-License-Identifier: Apache-2.0
// One row as bytes: the scalars as a MessagePack map, the blobs one after another. Whoever decodes
// bounds every length by the bytes that are there; a mistake is a RuntimeError that the caller
// completes with file and row.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "data/record/schema.h"

namespace mycel::data {

using ByteView = std::string_view;

// The numbers of an array field, in C order. Borrowed.
struct ArrayValue {
  const void* data = nullptr;
  std::int64_t elements = 0;
};

// What a user gave for one field, checked against it. Text and bytes are borrowed.
using FieldValue = std::variant<std::int64_t, double, std::string_view, ArrayValue>;

struct EncodedRow {
  std::string raw;         // without the length in front
  std::string blob;        // likewise
  std::int64_t saved = 0;  // bytes that compression saved; may be negative
};

// `values` are in the order of the schema's fields.
EncodedRow encode_row(const RecordSchema& schema, std::span<const FieldValue> values, int version);

// Integers in the least of 1, 2, 4 or 8 bytes each.
template <class T>
void append_compressed(std::string& out, std::span<const T> values);
// RuntimeError unless `bytes` are exactly such a list; the count is read first.
std::int64_t compressed_count(ByteView bytes);
template <class T>
void expand_compressed(ByteView bytes, std::span<T> values);

// A scalar field's value as it lies in the file.
using ScalarValue = std::variant<std::monostate, std::int64_t, double, std::string_view>;

// Gets the fields asked for out of a row's scalars.
class ScalarDecoder {
 public:
  // `names`: the wanted fields, by ascending name.
  explicit ScalarDecoder(std::vector<std::string> names) : names_(std::move(names)) {}
  const std::vector<std::string>& names() const { return names_; }
  // One value per name. RuntimeError when the bytes are no map of scalars or a name is missing.
  void decode(ByteView raw, std::vector<ScalarValue>& values) const;

 private:
  std::vector<std::string> names_;
};

// The part of a row's blob that is field number `which` of `count`.
ByteView blob_field(ByteView blob, std::size_t which, std::size_t count);

// The value of a field as an item. `version` 2: integer arrays are plain.
Item scalar_item(const RecordField& field, const ScalarValue& value);
// `owner` keeps the bytes, which are then not copied where the type allows; without one they are.
Item blob_item(const RecordField& field, ByteView bytes, int version,
               const std::shared_ptr<const void>& owner = nullptr);
// What a user gave as an item.
Item field_item(const RecordField& field, const FieldValue& value);

}  // namespace mycel::data
