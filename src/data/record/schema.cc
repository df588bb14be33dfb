// SPDX-License-Identifier: Apache-2.0
#include "data/record/schema.h"

#include <algorithm>
#include <cctype>

namespace mycel::data {

using platform::fail;
using platform::join;
using platform::require;

namespace {

constexpr FieldType kTypes[] = {FieldType::Int32,   FieldType::Int64,  FieldType::Float32,
                                FieldType::Float64, FieldType::String, FieldType::Bytes};

FieldType type_named(const std::string& field, const std::string& name) {
  for (const FieldType type : kTypes)
    if (name_of(type) == name) return type;
  fail(ErrorKind::Value, "Field '", field, "' contains illegal attribute type '", name,
       "'; it must be int32, int64, float32, float64, string or bytes.");
}

std::vector<std::int64_t> shape_from(const std::string& field, const Json& list) {
  require(list.is_array(), ErrorKind::Value, "Field '", field,
          "' contains a 'shape' that is not a list.");
  std::vector<std::int64_t> shape;
  for (const Json& length : list.array()) {
    require(length.is_integer(), ErrorKind::Value, "Field '", field,
            "' contains a 'shape' whose elements are not all integers.");
    shape.push_back(length.integer());
    require(shape.back() == -1 || shape.back() > 0, ErrorKind::Value, "Field '", field,
            "' contains the length ", shape.back(), " in its 'shape'; it must be > 0 or -1.");
  }
  require(std::count(shape.begin(), shape.end(), -1) <= 1, ErrorKind::Value, "Field '", field,
          "' contains more than one -1 in its 'shape'.");
  // Otherwise the number of elements does not fit 63 bits, and no array can be that large.
  std::int64_t known = 1;
  for (const std::int64_t length : shape) {
    if (length < 0) continue;
    require(length <= (std::int64_t{1} << 40) / known, ErrorKind::Value, "Field '", field,
            "' contains a 'shape' of more elements than a file can hold.");
    known *= length;
  }
  return shape;
}

RecordField field_from(const std::string& name, const Json& description) {
  const bool named = !name.empty() && std::all_of(name.begin(), name.end(), [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
  });
  require(named, ErrorKind::Value, "Field '", name,
          "' should be composed of '0-9' or 'a-z' or 'A-Z' or '_'.");
  require(description.is_object() && !description.object().empty(), ErrorKind::Value, "Field '",
          name, "' should be a dict that is not empty.");
  const Json* type = description.find("type");
  require(type != nullptr && type->is_string(), ErrorKind::Value, "Field '", name,
          "' needs the key 'type', a string.");
  RecordField field{name, type_named(name, type->string()), false, {}};
  for (const auto& [key, value] : description.object()) {
    require(key == "type" || key == "shape", ErrorKind::Value, "Field '", name,
            "' contains the illegal attribute '", key, "'; only 'type' and 'shape' are known.");
    if (key != "shape") continue;
    require(field.type != FieldType::Bytes && field.type != FieldType::String, ErrorKind::Value,
            "Field '", name, "' of type '", name_of(field.type), "' can not have a 'shape'.");
    field.is_array = true;
    field.shape = shape_from(name, value);
  }
  return field;
}

}  // namespace

std::string_view name_of(FieldType type) {
  switch (type) {
    case FieldType::Int32: return "int32";
    case FieldType::Int64: return "int64";
    case FieldType::Float32: return "float32";
    case FieldType::Float64: return "float64";
    case FieldType::String: return "string";
    case FieldType::Bytes: return "bytes";
  }
  return "?";
}

std::size_t RecordField::element_bytes() const {
  return type == FieldType::Int32 || type == FieldType::Float32 ? 4 : 8;
}

DType RecordField::dtype() const {
  switch (type) {
    case FieldType::Int32: return DType::Int32;
    case FieldType::Int64: return DType::Int64;
    case FieldType::Float32: return DType::Float32;
    default: return DType::Float64;
  }
}

std::string to_string(const RecordField& field) {
  std::string text(name_of(field.type));
  if (!field.is_array) return text;
  text += " with shape [";
  for (std::size_t i = 0; i < field.shape.size(); ++i)
    text += join(i > 0 ? ", " : "", field.shape[i]);
  return text + "]";
}

RecordSchema RecordSchema::from_json(const Json& description) {
  require(description.is_object() && !description.object().empty(), ErrorKind::Value,
          "Schema should be a dict that is not empty.");
  RecordSchema schema;
  for (const auto& [name, field] : description.object())
    schema.fields_.push_back(field_from(name, field));
  std::sort(schema.fields_.begin(), schema.fields_.end(),
            [](const RecordField& a, const RecordField& b) { return a.name < b.name; });
  for (std::size_t i = 1; i < schema.fields_.size(); ++i)
    require(schema.fields_[i - 1].name != schema.fields_[i].name, ErrorKind::Value, "Field '",
            schema.fields_[i].name, "' occurs twice.");
  schema.blob_count_ = static_cast<std::size_t>(
      std::count_if(schema.fields_.begin(), schema.fields_.end(),
                    [](const RecordField& field) { return field.is_blob(); }));
  return schema;
}

Json RecordSchema::to_json() const {
  Json::Object members;
  for (const RecordField& field : fields_) {
    Json::Object description;
    if (field.is_array) {
      Json::Array lengths;
      for (const std::int64_t length : field.shape) lengths.emplace_back(length);
      description.emplace_back("shape", std::move(lengths));
    }
    description.emplace_back("type", std::string(name_of(field.type)));
    members.emplace_back(field.name, std::move(description));
  }
  return members;
}

const RecordField* RecordSchema::find(std::string_view name) const {
  const auto found = std::lower_bound(
      fields_.begin(), fields_.end(), name,
      [](const RecordField& field, std::string_view wanted) { return field.name < wanted; });
  return found == fields_.end() || found->name != name ? nullptr : &*found;
}

std::vector<std::string> RecordSchema::blob_names() const {
  std::vector<std::string> names;
  for (const RecordField& field : fields_)
    if (field.is_blob()) names.push_back(field.name);
  return names;
}

std::vector<std::string> RecordSchema::default_index() const {
  std::vector<std::string> names;
  for (const RecordField& field : fields_)
    if (!field.is_blob()) names.push_back(field.name);
  return names;
}

void RecordSchema::check_index(const std::vector<std::string>& names) const {
  for (std::size_t i = 0; i < names.size(); ++i) {
    const RecordField* field = find(names[i]);
    require(field != nullptr, ErrorKind::Runtime, "Invalid data, field '", names[i],
            "' can not be an index: it is not in the schema.");
    require(!field->is_blob(), ErrorKind::Runtime, "Invalid data, field '", names[i],
            "' can not be an index: it is of type ", *field, ".");
    require(std::isdigit(static_cast<unsigned char>(names[i][0])) == 0, ErrorKind::Runtime,
            "Invalid data, field '", names[i], "' can not be an index: it starts with a digit.");
    require(std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) ==
                names.begin() + static_cast<std::ptrdiff_t>(i),
            ErrorKind::Runtime, "Invalid data, field '", names[i], "' is an index already.");
  }
}

std::optional<Shape> resolve_shape(const std::vector<std::int64_t>& declared,
                                   std::int64_t elements) {
  std::int64_t known = 1;
  bool is_open = false;
  for (const std::int64_t length : declared) {
    if (length < 0)
      is_open = true;
    else
      known *= length;
  }
  if (is_open ? elements % known != 0 : elements != known) return std::nullopt;
  Shape shape;
  for (const std::int64_t length : declared)
    shape.push_back(length < 0 ? elements / known : length);
  return shape;
}

bool shape_agrees(const std::vector<std::int64_t>& declared, const Shape& actual) {
  if (declared.size() == 1 && declared[0] < 0) return true;  // any array, kept flat
  if (!resolve_shape(declared, tensor::element_count(actual))) return false;
  std::vector<std::int64_t> wanted;
  std::vector<std::int64_t> got;
  for (const std::int64_t length : declared)
    if (length != 1) wanted.push_back(length);
  for (const std::int64_t length : actual)
    if (length != 1) got.push_back(length);
  const auto open = std::find(wanted.begin(), wanted.end(), -1);
  if (open != wanted.end() && got.size() <= 1) return true;  // flat, or empty, or one number
  const auto same = [](std::int64_t want, std::int64_t have) { return want < 0 || want == have; };
  if (std::equal(wanted.begin(), wanted.end(), got.begin(), got.end(), same)) return true;
  // The open length may itself be 1.
  if (open != wanted.end()) wanted.erase(open);
  return wanted == got;
}

}  // namespace mycel::data
