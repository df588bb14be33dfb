// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <optional>

#include "platform/json/json.h"
#include "serving/gateway/number_text.h"
#include "serving/gateway/open_inference.h"

namespace mycel::serving {
namespace {

using platform::ErrorKind;
using platform::fail;
using platform::join;
using platform::Json;
using platform::require;
using platform::Result;

// Names are looked up one by one.
constexpr std::size_t kMostTensors = 1024;

// Numbers of a tensor as they are found in `data`, flat or nested.
class DataReader {
 public:
  DataReader(std::string_view name, ElementType type, std::size_t count)
      : name_(name), type_(type) {
    bytes_.reserve(count * size_of(type));
  }

  void add(const Json& value) {
    if (value.is_array()) {
      for (const Json& part : value.array()) add(part);
      return;
    }
    ++count_;
    switch (type_) {
      case ElementType::Bool: return add_bool(value);
      case ElementType::Int8: return add_integer<std::int8_t>(value);
      case ElementType::Int16: return add_integer<std::int16_t>(value);
      case ElementType::Int32: return add_integer<std::int32_t>(value);
      case ElementType::Int64: return add_integer<std::int64_t>(value);
      case ElementType::UInt8: return add_integer<std::uint8_t>(value);
      case ElementType::UInt16: return add_integer<std::uint16_t>(value);
      case ElementType::UInt32: return add_integer<std::uint32_t>(value);
      case ElementType::UInt64: return add_integer<std::uint64_t>(value);
      case ElementType::Float32: return put(static_cast<float>(number(value)));
      case ElementType::Float64: return put(number(value));
      case ElementType::Bytes:
      case ElementType::String: return add_text(value);
      case ElementType::Float16:
      case ElementType::BFloat16:
      case ElementType::Unknown: break;
    }
    fail(ErrorKind::Value, "input '", name_, "': ", open_inference_name(type_),
         " tensors come in binary form only");
  }

  std::size_t count() const { return count_; }
  const std::string& bytes() const { return bytes_; }

 private:
  template <class Number>
  void put(Number value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  double number(const Json& value) const {
    require(value.is_number(), ErrorKind::Value, "input '", name_, "': element ", count_ - 1,
            " is a ", value.type_name(), ", not a number");
    return value.real();
  }
  void add_bool(const Json& value) {
    const bool is_flag = value.is_bool() || (value.is_integer() && (value.integer() & ~1) == 0);
    require(is_flag, ErrorKind::Value, "input '", name_, "': element ", count_ - 1,
            " is no boolean");
    put(static_cast<std::uint8_t>(value.is_bool() ? value.boolean() : value.integer() != 0));
  }
  template <class Number>
  void add_integer(const Json& value) {
    const double real = number(value);
    // Integers beyond int64 come as doubles, which may be other numbers than those that were meant.
    constexpr double kLargestExact = 9007199254740992;  // 2^53
    const bool fits = value.is_integer()
                          ? std::in_range<Number>(value.integer())
                          : real == std::floor(real) && std::abs(real) <= kLargestExact &&
                                std::in_range<Number>(static_cast<std::int64_t>(real));
    require(fits, ErrorKind::Value, "input '", name_, "': element ", count_ - 1, " is no ",
            open_inference_name(type_));
    put(static_cast<Number>(value.integer()));
  }
  void add_text(const Json& value) {
    require(value.is_string(), ErrorKind::Value, "input '", name_, "': element ", count_ - 1,
            " is no string");
    put(static_cast<std::uint32_t>(value.string().size()));
    bytes_ += value.string();
  }

  std::string_view name_;
  ElementType type_;
  std::size_t count_ = 0;
  std::string bytes_;
};

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

const Json* parameter(const Json& of, std::string_view name) {
  const Json* parameters = of.find("parameters");
  return parameters == nullptr ? nullptr : parameters->find(name);
}

Dims read_dims(const Json& shape, std::string_view name) {
  Dims dims;
  for (const Json& length : shape.array()) {
    require(length.is_integer() && length.integer() >= 0, ErrorKind::Value, "input '", name,
            "': the shape holds what is no length");
    dims.push_back(length.integer());
  }
  return dims;
}

// Takes the bytes of binary inputs off `binary`.
Value read_input(const Json& input, std::string_view name, std::string_view& binary) {
  const std::string& type_name = input.at("datatype").string();
  const std::optional<ElementType> type = open_inference_type(type_name);
  require(type.has_value(), ErrorKind::Value, "input '", name, "': there is no datatype '",
          type_name, "'");
  Value value;
  value.type = *type;
  value.dims = read_dims(input.at("shape"), name);
  const Result<std::size_t> count = element_count(value.dims);
  require(static_cast<bool>(count), ErrorKind::Value, "input '", name,
          "': the shape has too many elements");
  if (const Json* size = parameter(input, "binary_data_size")) {
    require(input.find("data") == nullptr, ErrorKind::Value, "input '", name,
            "' has data and binary_data_size");
    require(size->integer() >= 0 && static_cast<std::uint64_t>(size->integer()) <= binary.size(),
            ErrorKind::Value, "input '", name, "': ", size->integer(),
            " bytes of binary data are told, but ", binary.size(), " are left");
    const auto bytes = static_cast<std::size_t>(size->integer());
    value = make_value(value.type, value.dims, bytes_of(binary.substr(0, bytes)));
    binary.remove_prefix(bytes);
  } else {
    const Json* data = input.find("data");
    require(data != nullptr, ErrorKind::Value, "input '", name, "' has no data");
    // The text bounds what is reserved: an element takes a byte of it.
    DataReader reader(name, value.type, std::min<std::size_t>(count.value(), 1 << 16));
    reader.add(*data);
    require(reader.count() == count.value(), ErrorKind::Value, "input '", name, "': shape ",
            to_string(value.dims), " has ", count.value(), " elements, but ", reader.count(),
            " are given");
    value = make_value(value.type, value.dims, bytes_of(reader.bytes()));
  }
  const Result<std::size_t> checked = check(value);
  require(static_cast<bool>(checked), ErrorKind::Value, "input '", name,
          "': ", checked ? std::string() : checked.error().message());
  return value;
}

OpenInferenceRequest read_request(const Json& body, std::string_view binary) {
  OpenInferenceRequest request;
  if (const Json* id = body.find("id")) request.id = id->string();
  if (const Json* all = parameter(body, "binary_data_output"))
    request.are_outputs_binary = all->boolean();
  require(body.at("inputs").array().size() <= kMostTensors, ErrorKind::Value, "more than ",
          kMostTensors, " inputs are given");
  for (const Json& input : body.at("inputs").array()) {
    const std::string& name = input.at("name").string();
    const bool is_new = std::ranges::find(request.inputs, name, &NamedTensors::value_type::first) ==
                        request.inputs.end();
    require(is_new, ErrorKind::Value, "input '", name, "' is given twice");
    request.inputs.emplace_back(name, read_input(input, name, binary));
  }
  require(binary.empty(), ErrorKind::Value, binary.size(),
          " bytes of binary data belong to no input");
  if (const Json* outputs = body.find("outputs")) {
    require(outputs->array().size() <= kMostTensors, ErrorKind::Value, "more than ", kMostTensors,
            " outputs are asked for");
    for (const Json& output : outputs->array()) {
      const Json* is_binary = parameter(output, "binary_data");
      require(parameter(output, "classification") == nullptr, ErrorKind::Value,
              "output parameter 'classification' is not supported");
      const std::string& name = output.at("name").string();
      const bool is_new =
          std::ranges::find(request.outputs, name, &OpenInferenceRequest::WantedOutput::name) ==
          request.outputs.end();
      require(is_new, ErrorKind::Value, "output '", name, "' is asked for twice");
      request.outputs.push_back(
          {name, is_binary == nullptr ? request.are_outputs_binary : is_binary->boolean()});
    }
  }
  return request;
}

void append_dims(std::string& text, const Dims& dims) {
  text.push_back('[');
  for (std::size_t i = 0; i < dims.size(); ++i) text += join(i == 0 ? "" : ",", dims[i]);
  text.push_back(']');
}

// Flat, in row-major order; text that is no UTF-8 cannot be said in JSON.
void append_flat(std::string& text, Value value) {
  const auto count = static_cast<std::int64_t>(element_count(value.dims).value());
  value.dims = {count};
  append_elements(text, value);
}

bool is_json_text(const Value& value) {
  if (!is_text(value.type)) return true;
  const std::vector<std::string_view> parts = text_elements(value).value();
  return std::ranges::all_of(parts, [](std::string_view part) { return platform::is_utf8(part); });
}

}  // namespace

std::variant<OpenInferenceRequest, std::string> read_open_inference(std::string_view body,
                                                                    std::size_t json_bytes) {
  try {
    require(json_bytes <= body.size(), ErrorKind::Value, "Inference-Header-Content-Length is ",
            json_bytes, ", but the body has ", body.size(), " bytes");
    const Json json = platform::parse_json(body.substr(0, json_bytes), "inference request");
    return read_request(json, body.substr(json_bytes));
  } catch (const platform::Error& error) {
    return error.message();
  } catch (const std::bad_alloc&) {
    return "there is no memory for the request";
  }
}

OpenInferenceReply write_open_inference(const OpenInferenceRequest& request, std::string_view model,
                                        std::uint32_t version, const Method& method,
                                        const Instance& outputs) {
  std::string text = "{\"model_name\":";
  append_string(text, model);
  text += join(",\"model_version\":\"", version, "\"");
  if (!request.id.empty()) {
    text += ",\"id\":";
    append_string(text, request.id);
  }
  text += ",\"outputs\":[";
  std::string binary;
  bool is_first = true, has_binary = false;
  const auto append = [&](std::size_t k, bool wants_binary) {
    const Value& value = outputs[k];
    const bool is_half = value.type == ElementType::Float16 || value.type == ElementType::BFloat16;
    const bool is_binary = wants_binary || is_half || !is_json_text(value);
    if (!is_first) text.push_back(',');
    is_first = false;
    text += "{\"name\":";
    append_string(text, method.outputs[k]);
    text += join(",\"datatype\":\"", open_inference_name(value.type), "\",\"shape\":");
    append_dims(text, value.dims);
    if (is_binary) {
      has_binary = true;
      text += join(",\"parameters\":{\"binary_data_size\":", value.bytes.size(), "}}");
      binary.append(reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size());
    } else {
      text += ",\"data\":";
      append_flat(text, value);
      text.push_back('}');
    }
  };
  if (request.outputs.empty()) {
    for (std::size_t k = 0; k < outputs.size(); ++k) append(k, request.are_outputs_binary);
  }
  for (const OpenInferenceRequest::WantedOutput& wanted : request.outputs) {
    const auto at = std::ranges::find(method.outputs, wanted.name);
    append(static_cast<std::size_t>(at - method.outputs.begin()), wanted.is_binary);
  }
  text += "]}";
  OpenInferenceReply reply;
  if (has_binary) reply.json_bytes = text.size();
  reply.body = std::move(text) + binary;
  return reply;
}

std::string open_inference_error(std::string_view text) {
  std::string reply = "{\"error\":";
  append_string(reply, text);
  return reply + "}";
}

std::string write_metadata(const ModelDescription& metadata) {
  std::string text = "{\"name\":";
  append_string(text, metadata.name);
  text += ",\"versions\":[";
  for (std::size_t i = 0; i < metadata.versions.size(); ++i) {
    if (i != 0) text.push_back(',');
    append_string(text, metadata.versions[i]);
  }
  text += join("],\"platform\":\"", metadata.platform, "\"");
  const auto append = [&](std::string_view key, const std::vector<TensorMetadata>& tensors) {
    text += join(",\"", key, "\":[");
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      text += i == 0 ? "{\"name\":" : ",{\"name\":";
      append_string(text, tensors[i].name);
      text += join(",\"datatype\":\"", tensors[i].datatype, "\",\"shape\":");
      append_dims(text, tensors[i].dims);
      text.push_back('}');
    }
    text.push_back(']');
  };
  append("inputs", metadata.inputs);
  append("outputs", metadata.outputs);
  return text + "}";
}

}  // namespace mycel::serving
