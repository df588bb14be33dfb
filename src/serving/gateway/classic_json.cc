// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/classic_json.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <optional>

#include "platform/error/error.h"
#include "platform/json/json.h"
#include "serving/batching/request.h"
#include "serving/gateway/base64.h"
#include "serving/gateway/number_text.h"

namespace mycel::serving {
namespace {

using platform::ErrorKind;
using platform::fail;
using platform::join;
using platform::Json;
using platform::require;

constexpr const char* kNoMemory = "Parser request failed, there is no memory for it";
constexpr std::string_view kOneTextOnly = "json array, string or bytes type only support one item";

[[noreturn]] void refuse(std::string_view text) { fail(ErrorKind::Value, text); }

std::optional<ElementType> type_of(std::string_view name) {
  static constexpr std::pair<std::string_view, ElementType> kNames[] = {
      {"int8", ElementType::Int8},       {"int16", ElementType::Int16},
      {"int32", ElementType::Int32},     {"int64", ElementType::Int64},
      {"uint8", ElementType::UInt8},     {"uint16", ElementType::UInt16},
      {"uint32", ElementType::UInt32},   {"uint64", ElementType::UInt64},
      {"float16", ElementType::Float16}, {"fp16", ElementType::Float16},
      {"float32", ElementType::Float32}, {"fp32", ElementType::Float32},
      {"float64", ElementType::Float64}, {"fp64", ElementType::Float64},
      {"bool", ElementType::Bool},       {"str", ElementType::String},
      {"bytes", ElementType::Bytes}};
  const auto* at =
      std::ranges::find(kNames, name, &std::pair<std::string_view, ElementType>::first);
  if (at == std::end(kNames)) return std::nullopt;
  return at->second;
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

bool is_b64(const Json& value) { return value.is_object() && value.find("b64") != nullptr; }

// ---- {"b64": ..., "type": ..., "shape": ...}

Dims read_shape(const Json& shape) {
  require(shape.is_array(), ErrorKind::Value,
          "json object, key is 'shape', value should be array type");
  Dims dims;
  for (const Json& length : shape.array()) {
    require(length.is_integer() && length.integer() >= 0, ErrorKind::Value,
            "json object, key is 'shape', array value should be unsigned integer");
    require(dims.empty() || dims.back() != 0, ErrorKind::Value,
            "json object, key is 'shape', invalid shape value, 0 can only be the last dimension");
    dims.push_back(length.integer());
  }
  return dims;
}

Value read_encoded(const Json& value) {
  for (const auto& [key, member] : value.object())
    require(key == "b64" || key == "type" || key == "shape", ErrorKind::Value, "json object, key '",
            key, "' is not one of 'b64', 'type', 'shape'");
  ElementType type = ElementType::Bytes;
  if (const Json* name = value.find("type")) {
    require(name->is_string(), ErrorKind::Value,
            "json object, key is 'type', value should be string type");
    const std::optional<ElementType> known = type_of(name->string());
    require(known.has_value(), ErrorKind::Value, "json object, specified type:'", name->string(),
            "' is illegal");
    type = *known;
  }
  Dims dims;
  if (const Json* shape = value.find("shape")) dims = read_shape(*shape);
  const platform::Result<std::size_t> count = element_count(dims);
  if (!count) refuse(join("json object, key is 'shape', ", count.error().message()));
  if (is_text(type) && count.value() != 1)
    refuse(
        "json object, only support scalar when data type is string or bytes, please check 'type' "
        "or 'shape'");
  const Json& text = value.at("b64");
  require(
      text.is_string(), ErrorKind::Value,
      "json object, key is 'b64', get scalar data failed, type is string, but json is not string "
      "type");
  const std::optional<std::string> decoded = from_base64(text.string());
  require(decoded.has_value(), ErrorKind::Value,
          "json object, key is 'b64', value is illegal b64 encode string");
  if (is_text(type)) {
    require(type == ElementType::Bytes || platform::is_utf8(*decoded), ErrorKind::Value,
            "json object, a value of type str is no UTF-8 text");
    const std::string_view part = *decoded;
    return make_text(type, std::move(dims), {&part, 1});
  }
  require(decoded->size() == size_of(type) * count.value(), ErrorKind::Value,
          "size is not matched, decode base64 size:", decoded->size(),
          "; Given info: type:", name_of(type), "; type size:", size_of(type),
          "; element nums:", count.value());
  return make_value(type, std::move(dims), bytes_of(*decoded));
}

// ---- nested arrays

// Numbers keep the kind of the first one.
struct Elements {
  ElementType type = ElementType::Unknown;
  std::string bytes;  // row-major

  template <class Number>
  void add(Number number) {
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
};

ElementType kind_of(const Json& value) {
  if (value.is_bool()) return ElementType::Bool;
  if (value.is_integer()) return ElementType::Int32;
  if (value.is_number()) return ElementType::Float32;
  return ElementType::Unknown;
}

void add_number(Elements& elements, const Json& value) {
  if (value.is_bool()) return elements.add(static_cast<std::uint8_t>(value.boolean()));
  if (!value.is_integer()) return elements.add(static_cast<float>(value.real()));
  const std::int64_t number = value.integer();
  require(number >= std::numeric_limits<std::int32_t>::min() &&
              number <= std::numeric_limits<std::int32_t>::max(),
          ErrorKind::Value, "json value ", number, " is no int32; give it as base64 with a type");
  elements.add(static_cast<std::int32_t>(number));
}

// The lengths, by the first element of each level.
Dims shape_of(const Json& value) {
  Dims dims;
  const Json* level = &value;
  while (level->is_array()) {
    dims.push_back(static_cast<std::int64_t>(level->array().size()));
    require(!level->array().empty(), ErrorKind::Value, "json array, shape is empty");
    level = &level->array().front();
  }
  return dims;
}

void collect(const Json& value, std::span<const std::int64_t> dims, std::size_t depth,
             Elements& elements) {
  if (depth == dims.size()) {
    const ElementType kind = kind_of(value);
    if (value.is_string()) refuse("json array, elements type is not equal");
    if (kind == ElementType::Unknown)
      refuse("json array, data should be number, bool, string or bytes");
    if (elements.type == ElementType::Unknown) elements.type = kind;
    if (kind != elements.type) refuse("json array, elements type is not equal");
    return add_number(elements, value);
  }
  require(value.is_array(), ErrorKind::Value, "invalid json array: json type is not array");
  const auto size = static_cast<std::int64_t>(value.array().size());
  require(size == dims[depth], ErrorKind::Value, "invalid json array: json size is ", size,
          ", the dim ", depth, " expected to be ", dims[depth]);
  for (const Json& part : value.array()) collect(part, dims, depth + 1, elements);
}

Value text_value(const Json& value, Dims dims) {
  const std::string_view part = value.string();
  return make_text(ElementType::String, std::move(dims), {&part, 1});
}

// One text or one encoded value, in brackets or not.
std::optional<Value> read_single(const Json& value, const Dims& dims) {
  const Json* inner = &value;
  bool is_one = true;
  while (inner->is_array()) {
    is_one = is_one && inner->array().size() == 1;
    inner = &inner->array().front();
  }
  if (!inner->is_string() && !is_b64(*inner)) return std::nullopt;
  if (!is_one) refuse(kOneTextOnly);
  if (dims.size() > 1)
    refuse(join("bytes or string type input  shape can only be (1,) or empty, but given shape is ",
                to_string(dims)));
  if (inner->is_string()) return text_value(*inner, dims);
  Value single = read_encoded(*inner);
  if (!is_text(single.type)) refuse("json array, data should be number, bool, string or bytes");
  single.dims = dims;
  return single;
}

Value read_value(const Json& value) {
  if (value.is_object()) {
    require(is_b64(value), ErrorKind::Value,
            "json object, key 'b64' should be specified only one time, but it is missing");
    return read_encoded(value);
  }
  if (value.is_string()) return text_value(value, {});
  const Dims dims = shape_of(value);
  if (const platform::Result<std::size_t> count = element_count(dims); !count)
    refuse(join("json array, ", count.error().message()));
  if (std::optional<Value> single = read_single(value, dims)) return *std::move(single);
  Elements elements;
  if (dims.empty() && kind_of(value) == ElementType::Unknown)
    refuse("json value should be number, bool, string, array or object");
  collect(value, dims, 0, elements);
  return make_value(elements.type, dims, bytes_of(elements.bytes));
}

NamedValues read_instance(const Json& instance) {
  require(instance.is_object(), ErrorKind::Value,
          "the value of key 'instances' is not a json object or an array of them");
  NamedValues values;
  for (const auto& [name, value] : instance.object()) values.emplace_back(name, read_value(value));
  return values;
}

std::vector<NamedValues> read_instances(const Json& body) {
  require(body.is_object(), ErrorKind::Value, "the json body is no object");
  std::size_t count = 0;
  for (const auto& [key, member] : body.object()) count += key == "instances" ? 1 : 0;
  require(count == 1, ErrorKind::Value,
          "key 'instances' should exist and be the only one, but there are ", count);
  const Json& instances = body.at("instances");
  std::vector<NamedValues> all;
  if (!instances.is_array()) {
    all.push_back(read_instance(instances));
    return all;
  }
  require(!instances.array().empty(), ErrorKind::Value, "Instances count of request cannot be 0");
  require(instances.array().size() <= kMostRequestInstances, ErrorKind::Value,
          "a request may hold at most ", kMostRequestInstances, " instances, but has ",
          instances.array().size());
  for (const Json& instance : instances.array()) all.push_back(read_instance(instance));
  return all;
}

void append_value(std::string& text, const Value& value) {
  if (value.type != ElementType::Bytes) return append_elements(text, value);
  // Bytes may be no text at all.
  const std::vector<std::string_view> parts = text_elements(value).value();
  const auto append = [&](std::string_view part) {
    text += join("{\"b64\":\"", to_base64(bytes_of(part)), "\"}");
  };
  if (parts.size() == 1) return append(parts.front());
  text.push_back('[');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i != 0) text.push_back(',');
    append(parts[i]);
  }
  text.push_back(']');
}

// A single text stands alone, whatever brackets it came in.
Value unwrapped(Value value) {
  const bool is_single = is_text(value.type) && element_count(value.dims).value() == 1;
  if (is_single) value.dims.clear();
  return value;
}

}  // namespace

std::variant<std::vector<NamedValues>, std::string> read_classic_body(std::string_view body) {
  std::optional<Json> parsed;
  try {
    parsed = platform::parse_json(body, "request body");
  } catch (const platform::Error& error) {
    return join("Illegal JSON format, ", error.message());
  } catch (const std::bad_alloc&) {
    return kNoMemory;
  }
  try {
    return read_instances(*parsed);
  } catch (const platform::Error& error) {
    return join("Parser request failed, ", error.message());
  } catch (const std::bad_alloc&) {
    return kNoMemory;
  }
}

std::string classic_reply(const Method& method, const std::vector<Outcome>& outcomes) {
  std::string text = "{\"instances\":[";
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (i != 0) text.push_back(',');
    if (const auto* failure = std::get_if<Failure>(&outcomes[i])) {
      text += classic_error(failure->text);
      continue;
    }
    const Instance& values = std::get<Instance>(outcomes[i]);
    text.push_back('{');
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (k != 0) text.push_back(',');
      append_string(text, method.outputs[k]);
      text.push_back(':');
      append_value(text, unwrapped(values[k]));
    }
    text.push_back('}');
  }
  return text + "]}";
}

std::string classic_error(std::string_view text) {
  std::string reply = "{\"error_msg\":";
  append_string(reply, text);
  return reply + "}";
}

}  // namespace mycel::serving
