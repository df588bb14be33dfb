// SPDX-License-Identifier: Apache-2.0
#include "data/record/given_rows.h"

#include "platform/error/error.h"

namespace mycel::data {

using platform::fail;
using platform::join;

FieldMistake missing_value(const RecordField& field) {
  return {join("field '", field.name, "' is missing")};
}

FieldMistake wrong_kind(const RecordField& field, std::string_view type) {
  return {join("field '", field.name, "' is ", field, " in the schema, but the data is of type ",
               type)};
}

FieldMistake unwritable_text(const RecordField& field) {
  return {join("field '", field.name, "' holds text that cannot be written as UTF-8")};
}

FieldMistake out_of_range(const RecordField& field, std::string_view value) {
  return {join("field '", field.name, "' is ", field, " in the schema, but the value ", value,
               " is out of its range")};
}

FieldMistake check_array(const RecordField& field, std::string_view dtype, const Shape& shape) {
  if (dtype == name_of(field.type) && shape_agrees(field.shape, shape)) return {};
  return {
      join("field '", field.name, "' is ", field, " in the schema, but the data is an array of ",
           dtype, " with shape ", tensor::to_string(shape)),
      true};
}

void GivenRows::add(std::span<const FieldValue> values) {
  const RecordHeader& header = writer_.header();
  encoded_.push_back(encode_row(header.schema, values, header.version));
}

void GivenRows::drop(const FieldMistake& mistake) {
  const std::size_t number = encoded_.size() + dropped_.size();
  if (first_.empty() || (mistake.is_array && !has_wrong_array_))
    first_ = join("Row ", number, ": ", mistake.text);
  has_wrong_array_ = has_wrong_array_ || mistake.is_array;
  dropped_.emplace_back(number, mistake.text);
}

void GivenRows::write() {
  if (encoded_.empty())
    fail(ErrorKind::Runtime,
         "There is no valid data which can be written by 'write_raw_data' to mindrecord file. ",
         first_);
  if (has_wrong_array_)
    fail(ErrorKind::Runtime, "For 'FileWriter.write_raw_data', nothing of this call was written. ",
         first_, ". Convert the array, or change the schema.");
  writer_.write(encoded_);
}

}  // namespace mycel::data
