// SPDX-License-Identifier: Apache-2.0
// What a MindRecord row consists of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/item.h"
#include "platform/json/json.h"

namespace mycel::data {

using platform::is_utf8;
using platform::Json;
using platform::parse_json;
using platform::read_json;

enum class FieldType : std::uint8_t { Int32, Int64, Float32, Float64, String, Bytes };
std::string_view name_of(FieldType type);

struct RecordField {
  std::string name;
  FieldType type = FieldType::Bytes;
  bool is_array = false;
  std::vector<std::int64_t> shape;  // of an array; at most one length is -1, any

  // Blobs lie in pages of their own; the other fields are packed together and can be indexed.
  bool is_blob() const { return is_array || type == FieldType::Bytes; }
  bool is_integer() const { return type == FieldType::Int32 || type == FieldType::Int64; }
  bool is_real() const { return type == FieldType::Float32 || type == FieldType::Float64; }
  bool holds(std::int64_t number) const {
    return type != FieldType::Int32 || number == static_cast<std::int32_t>(number);
  }
  std::size_t element_bytes() const;  // of a number
  DType dtype() const;                // of a number
  bool operator==(const RecordField&) const = default;
};

std::string to_string(const RecordField& field);  // "int32 with shape [2, -1]"

class RecordSchema {
 public:
  RecordSchema() = default;
  // From {"name": {"type": "int32", "shape": [2, -1]}, ...}; ValueError that says what is wrong.
  static RecordSchema from_json(const Json& description);
  Json to_json() const;

  const std::vector<RecordField>& fields() const { return fields_; }  // by ascending name
  const RecordField* find(std::string_view name) const;
  std::vector<std::string> blob_names() const;
  std::size_t blob_count() const { return blob_count_; }
  std::size_t scalar_count() const { return fields_.size() - blob_count_; }
  // Every field that can be indexed: what is indexed unless the user chooses.
  std::vector<std::string> default_index() const;
  // RuntimeError unless these can be index fields of this schema.
  void check_index(const std::vector<std::string>& names) const;
  bool operator==(const RecordSchema&) const = default;

 private:
  std::vector<RecordField> fields_;
  std::size_t blob_count_ = 0;
};

// The lengths of an array of `elements` numbers in a field of this shape; nothing when it does not
// go. An empty array gets 0 for the free length.
std::optional<Shape> resolve_shape(const std::vector<std::int64_t>& declared,
                                   std::int64_t elements);

// An array of these lengths may be stored in the field without losing its layout: the same lengths,
// apart from axes of length 1, or flat numbers for a field that leaves a length open.
bool shape_agrees(const std::vector<std::int64_t>& declared, const Shape& actual);

}  // namespace mycel::data
