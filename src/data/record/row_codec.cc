// SPDX-License-Identifier: Apache-2.0
#include "data/record/row_codec.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "data/record/message_pack.h"

namespace mycel::data {

using platform::fail;
using platform::require;

static_assert(std::endian::native == std::endian::little, "arrays are stored little-endian");

namespace {

std::uint64_t big_endian(ByteView bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<std::uint8_t>(byte);
  return value;
}

void append_big_endian(std::string& out, std::uint64_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
    out.push_back(static_cast<char>(value >> shift));
}

// 0, 1, 2, 3: the value needs 1, 2, 4, 8 bytes.
unsigned width_code(std::int64_t value) {
  if (value == static_cast<std::int8_t>(value)) return 0;
  if (value == static_cast<std::int16_t>(value)) return 1;
  return value == static_cast<std::int32_t>(value) ? 2 : 3;
}

void append_array(EncodedRow& row, const RecordField& field, const ArrayValue& array, int version) {
  const auto elements = static_cast<std::size_t>(array.elements);
  const std::size_t plain = elements * field.element_bytes();
  if (!field.is_integer() || version < 3) {
    row.blob.append(static_cast<const char*>(array.data), plain);
    return;
  }
  const std::size_t before = row.blob.size();
  if (field.type == FieldType::Int32)
    append_compressed(row.blob, std::span(static_cast<const std::int32_t*>(array.data), elements));
  else
    append_compressed(row.blob, std::span(static_cast<const std::int64_t*>(array.data), elements));
  row.saved +=
      static_cast<std::int64_t>(plain) - static_cast<std::int64_t>(row.blob.size() - before);
}

void append_blob(EncodedRow& row, const RecordField& field, const FieldValue& value, int version,
                 bool with_length) {
  const std::size_t place = row.blob.size();
  if (with_length) row.blob.append(8, '\0');
  if (const auto* bytes = std::get_if<std::string_view>(&value))
    row.blob += *bytes;
  else
    append_array(row, field, std::get<ArrayValue>(value), version);
  if (!with_length) return;
  std::string length;
  append_big_endian(length, row.blob.size() - place - 8, 8);
  row.blob.replace(place, 8, length);
}

void append_scalar(std::string& raw, const FieldValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return pack_integer(raw, *integer);
  if (const auto* real = std::get_if<double>(&value)) return pack_real(raw, *real);
  pack_string(raw, std::get<std::string_view>(value));
}

}  // namespace

EncodedRow encode_row(const RecordSchema& schema, std::span<const FieldValue> values, int version) {
  EncodedRow row;
  const bool several = schema.blob_count() > 1;
  // Something has to be there even when nothing has to be said.
  if (schema.blob_count() == 0) row.blob.assign(4, '\0');
  pack_map(row.raw, std::max<std::size_t>(schema.scalar_count(), 1));
  if (schema.scalar_count() == 0) {
    pack_string(row.raw, "id");
    pack_integer(row.raw, 0);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const RecordField& field = schema.fields()[i];
    if (field.is_blob()) {
      append_blob(row, field, values[i], version, several);
    } else {
      pack_string(row.raw, field.name);
      append_scalar(row.raw, values[i]);
    }
  }
  return row;
}

template <class T>
void append_compressed(std::string& out, std::span<const T> values) {
  append_big_endian(out, values.size(), 4);
  const std::size_t widths = out.size();
  out.append((values.size() + 3) / 4, '\0');
  out.reserve(out.size() + values.size() * 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::int64_t value = values[i];
    const unsigned code = width_code(value);
    out[widths + i / 4] = static_cast<char>(out[widths + i / 4] | (code << (6 - 2 * (i % 4))));
    out.append(reinterpret_cast<const char*>(&value), std::size_t{1} << code);
  }
}
template void append_compressed(std::string&, std::span<const std::int32_t>);
template void append_compressed(std::string&, std::span<const std::int64_t>);

std::int64_t compressed_count(ByteView bytes) {
  require(bytes.size() >= 4, ErrorKind::Runtime, "an integer array of ", bytes.size(),
          " bytes lacks its count");
  const std::uint64_t count = big_endian(bytes.substr(0, 4));
  // At least two bits and one byte per element: the count bounds what is allocated for it.
  require((count + 3) / 4 + count <= bytes.size() - 4, ErrorKind::Runtime, "an integer array of ",
          bytes.size(), " bytes cannot hold ", count, " elements");
  return static_cast<std::int64_t>(count);
}

template <class T>
void expand_compressed(ByteView bytes, std::span<T> values) {
  const std::size_t widths = 4;
  std::size_t at = widths + (values.size() + 3) / 4;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const unsigned code =
        (static_cast<std::uint8_t>(bytes[widths + i / 4]) >> (6 - 2 * (i % 4))) & 3;
    const std::size_t width = std::size_t{1} << code;
    require(width <= bytes.size() - at, ErrorKind::Runtime, "element ", i,
            " of an integer array lies beyond its ", bytes.size(), " bytes");
    std::uint64_t raw = 0;
    std::memcpy(&raw, bytes.data() + at, width);
    const int shift = 64 - 8 * static_cast<int>(width);
    const std::int64_t value = static_cast<std::int64_t>(raw << shift) >> shift;
    require(value == static_cast<T>(value), ErrorKind::Runtime, "element ", i,
            " of an int32 array is out of range: ", value);
    values[i] = static_cast<T>(value);
    at += width;
  }
  require(at == bytes.size(), ErrorKind::Runtime, "an integer array ends after ", at, " of its ",
          bytes.size(), " bytes");
}
template void expand_compressed(ByteView, std::span<std::int32_t>);
template void expand_compressed(ByteView, std::span<std::int64_t>);

void ScalarDecoder::decode(ByteView raw, std::vector<ScalarValue>& values) const {
  values.assign(names_.size(), {});
  if (names_.empty()) return;
  MessageReader reader(raw);
  std::size_t missing = names_.size();
  std::size_t next = 0;
  for (std::size_t members = reader.map(); members > 0 && missing > 0; --members) {
    const std::string_view name = reader.string();
    const ScalarValue value = reader.scalar();
    // Names come in ascending order, as the wanted ones do; files of other writers are searched.
    std::size_t at = next;
    if (at >= names_.size() || names_[at] != name) {
      at = static_cast<std::size_t>(std::lower_bound(names_.begin(), names_.end(), name) -
                                    names_.begin());
      if (at >= names_.size() || names_[at] != name) continue;
    }
    if (values[at].index() == 0) --missing;
    values[at] = value;
    next = at + 1;
  }
  for (std::size_t i = 0; i < names_.size(); ++i)
    require(values[i].index() != 0, ErrorKind::Runtime, "the field '", names_[i],
            "' is missing among the scalars");
}

ByteView blob_field(ByteView blob, std::size_t which, std::size_t count) {
  if (count <= 1) return blob;
  for (std::size_t field = 0;; ++field) {
    require(blob.size() >= 8, ErrorKind::Runtime, "blob ", field, " of ", count,
            " is missing: the row ends before it");
    const std::uint64_t length = big_endian(blob.substr(0, 8));
    require(length <= blob.size() - 8, ErrorKind::Runtime, "blob ", field, " of ", count, " has ",
            length, " bytes, but ", blob.size() - 8, " are left in the row");
    if (field == which) return blob.substr(8, length);
    blob.remove_prefix(8 + length);
  }
}

namespace {

[[noreturn]] void wrong_scalar(const RecordField& field, const ScalarValue& value) {
  static constexpr const char* kNames[] = {"nothing", "an integer", "a real number", "a string"};
  fail(ErrorKind::Runtime, "the field '", field.name, "' is ", field, " in the schema, but got ",
       kNames[value.index()]);
}

Item integer_item(const RecordField& field, std::int64_t value) {
  if (field.type == FieldType::Int64) return Item::scalar(value, DType::Int64);
  const auto narrow = static_cast<std::int32_t>(value);
  require(narrow == value, ErrorKind::Runtime, "column value of '", field.name,
          "' is out of range of int32: ", value);
  return Item::scalar(narrow, DType::Int32);
}

}  // namespace

Item scalar_item(const RecordField& field, const ScalarValue& value) {
  const auto* integer = std::get_if<std::int64_t>(&value);
  if (field.type == FieldType::String) {
    const auto* text = std::get_if<std::string_view>(&value);
    if (text == nullptr) wrong_scalar(field, value);
    return Item::text(std::string(*text));
  }
  if (field.is_integer()) {
    if (integer == nullptr) wrong_scalar(field, value);
    return integer_item(field, *integer);
  }
  const auto* stored = std::get_if<double>(&value);
  if (stored == nullptr && integer == nullptr) wrong_scalar(field, value);
  const double real = stored != nullptr ? *stored : static_cast<double>(*integer);
  if (field.type == FieldType::Float32)
    return Item::scalar(static_cast<float>(real), DType::Float32);
  return Item::scalar(real, DType::Float64);
}

Item blob_item(const RecordField& field, ByteView bytes, int version,
               const std::shared_ptr<const void>& owner) {
  if (!field.is_array)
    return Ref<TextArray>(
        owner == nullptr
            ? new TextArray(std::vector<std::string>{std::string(bytes)}, Shape{1}, true)
            : new TextArray(std::vector<std::string_view>{bytes}, owner, Shape{1}, true));
  const bool compressed = field.is_integer() && version >= 3;
  const std::size_t width = field.element_bytes();
  require(compressed || bytes.size() % width == 0, ErrorKind::Runtime, "the field '", field.name,
          "' is ", field, ", but its ", bytes.size(), " bytes are no whole number of elements");
  const std::int64_t elements =
      compressed ? compressed_count(bytes) : static_cast<std::int64_t>(bytes.size() / width);
  const std::optional<Shape> shape = resolve_shape(field.shape, elements);
  require(shape.has_value(), ErrorKind::Runtime, "the field '", field.name, "' is ", field,
          ", but has ", elements, " elements");
  Tensor array = Tensor::empty(*shape, field.dtype());
  const auto count = static_cast<std::size_t>(elements);
  if (!compressed)
    std::memcpy(array.raw(), bytes.data(), bytes.size());
  else if (field.type == FieldType::Int32)
    expand_compressed(bytes, std::span(array.data<std::int32_t>(), count));
  else
    expand_compressed(bytes, std::span(array.data<std::int64_t>(), count));
  return array;
}

Item field_item(const RecordField& field, const FieldValue& value) {
  if (const auto* array = std::get_if<ArrayValue>(&value))
    return blob_item(field,
                     {static_cast<const char*>(array->data),
                      static_cast<std::size_t>(array->elements) * field.element_bytes()},
                     2);
  if (field.is_blob()) return blob_item(field, std::get<std::string_view>(value), 2);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return scalar_item(field, *integer);
  if (const auto* real = std::get_if<double>(&value)) return scalar_item(field, *real);
  return scalar_item(field, std::get<std::string_view>(value));
}

}  // namespace mycel::data
