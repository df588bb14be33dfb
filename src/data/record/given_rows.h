// SPDX-License-Identifier: Apache-2.0
// Rows as users give them. What does not fit the schema is told, row by row.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/record/record_writer.h"

namespace mycel::data {

// Why a value does not go into its field.
struct FieldMistake {
  std::string text;       // empty: it does
  bool is_array = false;  // of another type or shape than the schema's

  explicit operator bool() const { return !text.empty(); }
};

FieldMistake missing_value(const RecordField& field);
FieldMistake wrong_kind(const RecordField& field, std::string_view type);
FieldMistake unwritable_text(const RecordField& field);
FieldMistake out_of_range(const RecordField& field, std::string_view value);
// No mistake when type and shape are the field's.
FieldMistake check_array(const RecordField& field, std::string_view dtype, const Shape& shape);

// What one call gives a writer. A row that does not fit is left out and told of, but an array that
// does not fit fails the call: leaving it out would change silently what a user trains on.
class GivenRows {
 public:
  explicit GivenRows(RecordWriter& writer) : writer_(writer) {}
  void add(std::span<const FieldValue> values);  // in the order of the schema
  void drop(const FieldMistake& mistake);
  // Number and mistake of each.
  const std::vector<std::pair<std::size_t, std::string>>& dropped() const { return dropped_; }
  // RuntimeError when there is nothing to write, or when an array did not fit.
  void write();

 private:
  RecordWriter& writer_;
  std::vector<EncodedRow> encoded_;
  std::vector<std::pair<std::size_t, std::string>> dropped_;
  std::string first_;  // mistake, or the first about an array
  bool has_wrong_array_ = false;
};

}  // namespace mycel::data
