// SPDX-License-Identifier: Apache-2.0
#include "data/source/tf_columns.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "data/source/files.h"

namespace mycel::data {

namespace {

DType dtype_of(const std::string& type) {
  if (type == "bool") return DType::Bool;
  for (int i = 0; i < tensor::kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (tensor::python_name(dtype) == type && !tensor::is_complex(dtype)) return dtype;
  }
  platform::fail(ErrorKind::Runtime, "Type is unknown: '", type, "' in schema.");
}

std::optional<Shape> shape_of(const std::string& text) {
  if (text == "*") return std::nullopt;
  Shape shape;
  if (text.empty()) return shape;
  for (const std::string& word : split_at(text, ',')) {
    std::int64_t length = 0;
    platform::require(parse_number(word, length) && length >= -1, ErrorKind::Runtime,
                      "Invalid schema, a shape has the length '", word, "'.");
    shape.push_back(length);
  }
  return shape;
}

[[noreturn]] void refuse_shape(const TfColumn& column, std::int64_t values) {
  platform::fail(ErrorKind::Runtime, "Column shape of ", column.name,
                 " defined in schema does not match the shape actually load: ",
                 angled(*column.shape), " in schema, but got ", values, " elements.");
}

[[noreturn]] void refuse_type(const TfColumn& column, std::string_view loaded) {
  platform::fail(ErrorKind::Runtime,
                 "The data type loaded from the example for feature name: ", column.name,
                 " does not match the predefined type in schema: got a list of ", loaded, ", but ",
                 column.type == TfColumn::Type::Text ? "string" : tensor::python_name(column.dtype),
                 " is wanted.");
}

// The schema's shape with its unknown length computed.
Shape complete_shape(const TfColumn& column, std::int64_t values) {
  if (!column.shape) return {values};
  std::int64_t known = 1;
  int unknown = 0;
  for (const std::int64_t length : *column.shape) {
    if (length < 0) {
      ++unknown;
    } else if (__builtin_mul_overflow(known, length, &known)) {
      refuse_shape(column, values);
    }
  }
  platform::require(unknown <= 1, ErrorKind::Runtime, "Column ", column.name,
                    ": Requested shape has more than one unknown dimension! ",
                    angled(*column.shape));
  const bool fits = unknown == 0 ? known == values : known > 0 && values % known == 0;
  if (!fits) refuse_shape(column, values);
  Shape shape = *column.shape;
  for (std::int64_t& length : shape)
    if (length < 0) length = values / known;
  return shape;
}

template <class To, class From>
To converted(From value) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To> &&
                !std::is_same_v<To, bool>) {
    // Conversions that do not fit are undefined: they stop at the ends of the range.
    if (!(value > static_cast<From>(std::numeric_limits<To>::min())))
      return std::numeric_limits<To>::min();
    if (value >= static_cast<From>(std::numeric_limits<To>::max()))
      return std::numeric_limits<To>::max();
  }
  if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else if constexpr (std::is_arithmetic_v<To>) {
    return static_cast<To>(value);
  } else {
    return To(static_cast<float>(value));
  }
}

template <class From>
Item number_item(const std::vector<From>& values, const TfColumn& column, DType natural,
                 std::string_view loaded) {
  if (column.type == TfColumn::Type::Text) refuse_type(column, loaded);
  const DType dtype = column.type == TfColumn::Type::ByFeature ? natural : column.dtype;
  const Shape shape = complete_shape(column, static_cast<std::int64_t>(values.size()));
  Tensor tensor = Tensor::empty(shape, dtype);
  tensor::with_real_type(dtype, [&]<class T>() {
    auto* out = tensor.data<T>();
    for (std::size_t i = 0; i < values.size(); ++i) out[i] = converted<T>(values[i]);
  });
  return tensor;
}

Item text_item(const std::vector<std::string_view>& values, const TfColumn& column) {
  const Shape shape = complete_shape(column, static_cast<std::int64_t>(values.size()));
  std::vector<std::string> texts(values.begin(), values.end());
  return Ref<TextArray>(new TextArray(std::move(texts), shape, false));
}

// A shape [-1, a, b] asks for values of a * b bytes each; else the longest value decides.
std::size_t padded_length(const TfColumn& column, std::size_t longest) {
  if (!column.shape || column.shape->size() < 2 || (*column.shape)[0] >= 0) return longest;
  std::int64_t length = 1;
  for (std::size_t i = 1; i < column.shape->size(); ++i) {
    const std::int64_t axis = (*column.shape)[i];
    platform::require(axis >= 0, ErrorKind::Runtime, "Column ", column.name,
                      ": Requested shape has more than one unknown dimension! ",
                      angled(*column.shape));
    if (__builtin_mul_overflow(length, axis, &length))
      refuse_shape(column, static_cast<std::int64_t>(longest));
  }
  if (static_cast<std::size_t>(length) < longest)
    refuse_shape(column, static_cast<std::int64_t>(longest));
  return static_cast<std::size_t>(length);
}

// Most bytes a row may grow to by padding: beyond, a schema is wrong or meant to hurt.
constexpr std::size_t kMostPaddedBytes = std::size_t{1} << 32;

Item byte_item(const std::vector<std::string_view>& values, const TfColumn& column) {
  const bool fits = column.type == TfColumn::Type::ByFeature || column.dtype == DType::UInt8 ||
                    column.dtype == DType::Int8;
  if (!fits) refuse_type(column, "bytes");
  std::size_t longest = 0;
  for (const std::string_view value : values) longest = std::max(longest, value.size());
  const std::size_t length = padded_length(column, longest);
  std::size_t total = 0;
  if (__builtin_mul_overflow(length, values.size(), &total) || total > kMostPaddedBytes)
    platform::fail(ErrorKind::Runtime, "Column ", column.name, ": ", values.size(),
                   " values padded to ", length, " bytes each are too large.");
  const auto bytes = static_cast<std::int64_t>(total);
  // Bytes are never a single number: a column said to have no axes gets one.
  const bool has_axes = column.shape && !column.shape->empty();
  Tensor tensor =
      Tensor::empty(has_axes ? complete_shape(column, bytes) : Shape{bytes},
                    column.type == TfColumn::Type::Number ? column.dtype : DType::UInt8);
  auto* out = static_cast<char*>(tensor.raw());
  for (const std::string_view value : values) {
    if (!value.empty()) std::memcpy(out, value.data(), value.size());
    if (length > value.size()) std::memset(out + value.size(), ' ', length - value.size());
    out += length;
  }
  return tensor;
}

}  // namespace

std::vector<TfColumn> schema_columns(const Parameters& parameters) {
  const Strings names = parameters.strings("schema_names");
  const Strings types = parameters.strings("schema_types");
  const Strings shapes = parameters.strings("schema_shapes");
  platform::require(names.size() == types.size() && names.size() == shapes.size(),
                    ErrorKind::Internal, "a schema has one type and one shape per name");
  std::vector<TfColumn> columns;
  for (std::size_t i = 0; i < names.size(); ++i) {
    TfColumn column{.name = names[i], .shape = shape_of(shapes[i])};
    const bool is_text = types[i] == "string";
    column.type = is_text ? TfColumn::Type::Text : TfColumn::Type::Number;
    if (!is_text) column.dtype = dtype_of(types[i]);
    columns.push_back(std::move(column));
  }
  return columns;
}

Item tf_item(const TfFeature& feature, const TfColumn& column) {
  switch (feature.kind) {
    case TfFeature::Kind::Int64:
      return number_item(int64_values(feature), column, DType::Int64, "int64");
    case TfFeature::Kind::Float:
      return number_item(float_values(feature), column, DType::Float32, "float");
    case TfFeature::Kind::Bytes:
      if (column.type == TfColumn::Type::Text) return text_item(bytes_values(feature), column);
      return byte_item(bytes_values(feature), column);
    case TfFeature::Kind::None: break;
  }
  // A feature without any list stands for no values; only the column knows of which type.
  if (column.type == TfColumn::Type::Text) return text_item({}, column);
  return number_item(std::vector<float>(), column, DType::Float32, "float");
}

}  // namespace mycel::data
