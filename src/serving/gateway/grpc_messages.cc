// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/grpc_messages.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "serving/batching/request.h"

namespace mycel::serving {
namespace {

using platform::join;
using platform::Result;

constexpr int kMostTensors = 1024;  // names are looked up one by one

Failure invalid(std::string text) { return {FailureCode::InvalidInputs, std::move(text)}; }

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// ---- MindSpore Serving

std::variant<Value, Failure> read_tensor(const ms::Tensor& tensor, const std::string& name,
                                         const std::shared_ptr<const void>& owner) {
  if (tensor.has_shm_data())
    return invalid(
        join("input '", name, "' lies in shared memory, which this server does not take"));
  if (tensor.dtype() <= ms::MS_UNKNOWN || tensor.dtype() > ms::MS_BYTES)
    return invalid(
        join("input '", name, "': there is no data type ", static_cast<int>(tensor.dtype())));
  const auto type = static_cast<ElementType>(tensor.dtype());
  Dims dims(tensor.shape().dims().begin(), tensor.shape().dims().end());
  if (is_text(type)) {
    if (!(dims.empty() || dims == Dims{1}))
      return invalid(join("bytes or string type input ", name,
                          " shape can only be (1,) or empty, but given shape is ",
                          to_string(dims)));
    if (tensor.bytes_val_size() != 1)
      return invalid(join("bytes or string type input ", name, " has ", tensor.bytes_val_size(),
                          " values, but one is needed"));
    const std::string_view part = tensor.bytes_val(0);
    return make_text(type, std::move(dims), {&part, 1});
  }
  Value value{type, std::move(dims), bytes_of(tensor.data()), owner};
  const Result<std::size_t> checked = check(value);
  if (!checked) return invalid(join("input '", name, "': ", checked.error().message()));
  return value;
}

void write_tensor(const Value& value, ms::Tensor& tensor) {
  tensor.set_dtype(static_cast<ms::DataType>(value.type));
  for (const std::int64_t length : value.dims) tensor.mutable_shape()->add_dims(length);
  if (!is_text(value.type)) {
    tensor.set_data(value.bytes.data(), value.bytes.size());
    return;
  }
  if (value.dims.empty()) tensor.mutable_shape()->add_dims(1);
  for (const std::string_view part : text_elements(value).value())
    tensor.add_bytes_val(part.data(), part.size());
}

// Codes that the protocol does not know are plain failures to its clients.
std::int64_t protocol_code(FailureCode code) {
  return static_cast<std::int64_t>(code > FailureCode::ServableUnavailable ? FailureCode::Failed
                                                                           : code);
}

void add_error(const Failure& failure, ms::PredictReply& reply) {
  ms::ErrorMsg& error = *reply.add_error_msg();
  error.set_error_code(protocol_code(failure.code));
  error.set_error_msg(failure.text);
}

// ---- Open Inference Protocol

template <class Field>
Value typed_value(ElementType type, const Dims& dims, const Field& field) {
  using Element = typename Field::value_type;
  return make_value(type, dims,
                    std::as_bytes(std::span<const Element>(
                        field.data(), static_cast<std::size_t>(field.size()))));
}

// Numbers of less than four bytes come in fields of four, and may be more than they say.
template <class Number, class Field>
std::variant<Value, Failure> narrowed(ElementType type, const Dims& dims, const Field& field) {
  std::vector<Number> numbers;
  for (const auto number : field) {
    if constexpr (!std::is_same_v<std::remove_const_t<decltype(number)>, bool>)
      if (!std::in_range<Number>(number))
        return invalid(join(number, " is no ", open_inference_name(type)));
    numbers.push_back(static_cast<Number>(number));
  }
  return make_value(type, dims, std::as_bytes(std::span<const Number>(numbers)));
}

std::variant<Value, Failure> read_contents(ElementType type, const Dims& dims,
                                           const inference::InferTensorContents& contents) {
  switch (type) {
    case ElementType::Bool: return narrowed<std::uint8_t>(type, dims, contents.bool_contents());
    case ElementType::Int8: return narrowed<std::int8_t>(type, dims, contents.int_contents());
    case ElementType::Int16: return narrowed<std::int16_t>(type, dims, contents.int_contents());
    case ElementType::Int32: return typed_value(type, dims, contents.int_contents());
    case ElementType::Int64: return typed_value(type, dims, contents.int64_contents());
    case ElementType::UInt8: return narrowed<std::uint8_t>(type, dims, contents.uint_contents());
    case ElementType::UInt16: return narrowed<std::uint16_t>(type, dims, contents.uint_contents());
    case ElementType::UInt32: return typed_value(type, dims, contents.uint_contents());
    case ElementType::UInt64: return typed_value(type, dims, contents.uint64_contents());
    case ElementType::Float32: return typed_value(type, dims, contents.fp32_contents());
    case ElementType::Float64: return typed_value(type, dims, contents.fp64_contents());
    case ElementType::Bytes: {
      const std::vector<std::string_view> parts(contents.bytes_contents().begin(),
                                                contents.bytes_contents().end());
      return make_text(type, dims, parts);
    }
    case ElementType::Float16:
    case ElementType::BFloat16:
    case ElementType::String:
    case ElementType::Unknown: break;
  }
  return invalid(join(open_inference_name(type), " tensors come in raw form only"));
}

std::variant<Value, Failure> read_input(const inference::ModelInferRequest::InferInputTensor& input,
                                        const std::string* raw,
                                        const std::shared_ptr<const void>& owner) {
  const std::optional<ElementType> type = open_inference_type(input.datatype());
  if (!type)
    return invalid(
        join("input '", input.name(), "': there is no datatype '", input.datatype(), "'"));
  const Dims dims(input.shape().begin(), input.shape().end());
  Value value{*type, dims, {}, owner};
  if (raw != nullptr) {
    if (input.has_contents())
      return invalid(join("input '", input.name(),
                          "' has contents although the request has raw_input_contents"));
    value.bytes = bytes_of(*raw);
  } else {
    auto read = read_contents(*type, dims, input.contents());
    if (auto* failure = std::get_if<Failure>(&read)) return *failure;
    value = std::get<Value>(std::move(read));
  }
  const Result<std::size_t> checked = check(value);
  if (!checked) return invalid(join("input '", input.name(), "': ", checked.error().message()));
  return value;
}

}  // namespace

std::variant<std::vector<NamedValues>, Failure> read_instances(
    const std::shared_ptr<const ms::PredictRequest>& request) {
  if (request->instances().empty()) return invalid("Instances count of request cannot be 0");
  if (static_cast<std::size_t>(request->instances_size()) > kMostRequestInstances)
    return invalid(join("a request may hold at most ", kMostRequestInstances,
                        " instances, but has ", request->instances_size()));
  std::vector<NamedValues> all;
  for (const ms::Instance& instance : request->instances()) {
    NamedValues values;
    for (const auto& [name, tensor] : instance.items()) {
      auto value = read_tensor(tensor, name, request);
      if (auto* failure = std::get_if<Failure>(&value)) return std::move(*failure);
      values.emplace_back(name, std::get<Value>(std::move(value)));
    }
    all.push_back(std::move(values));
  }
  return all;
}

void write_failure(const Failure& failure, ms::PredictReply& reply) { add_error(failure, reply); }

void write_outcomes(const Method& method, const std::vector<Outcome>& outcomes,
                    ms::PredictReply& reply) {
  if (const Failure* failure = common_failure(outcomes)) return add_error(*failure, reply);
  const bool is_any_bad = std::ranges::any_of(
      outcomes, [](const Outcome& outcome) { return std::holds_alternative<Failure>(outcome); });
  for (const Outcome& outcome : outcomes) {
    ms::Instance& instance = *reply.add_instances();
    const auto* failure = std::get_if<Failure>(&outcome);
    if (failure != nullptr) {
      add_error(*failure, reply);
      continue;
    }
    if (is_any_bad) reply.add_error_msg()->set_error_code(0);
    const Instance& values = std::get<Instance>(outcome);
    for (std::size_t k = 0; k < values.size(); ++k)
      write_tensor(values[k], (*instance.mutable_items())[method.outputs[k]]);
  }
}

std::variant<NamedTensors, Failure> read_tensors(
    const std::shared_ptr<const inference::ModelInferRequest>& request) {
  const bool is_raw = request->raw_input_contents_size() > 0;
  if (is_raw && request->raw_input_contents_size() != request->inputs_size())
    return invalid(join(request->raw_input_contents_size(), " raw_input_contents for ",
                        request->inputs_size(), " inputs"));
  NamedTensors tensors;
  if (request->inputs_size() > kMostTensors)
    return invalid(join("more than ", kMostTensors, " inputs are given"));
  for (int i = 0; i < request->inputs_size(); ++i) {
    const auto& input = request->inputs(i);
    if (std::ranges::find(tensors, input.name(), &NamedTensors::value_type::first) != tensors.end())
      return invalid(join("input '", input.name(), "' is given twice"));
    auto value = read_input(input, is_raw ? &request->raw_input_contents(i) : nullptr, request);
    if (auto* failure = std::get_if<Failure>(&value)) return std::move(*failure);
    tensors.emplace_back(input.name(), std::get<Value>(std::move(value)));
  }
  return tensors;
}

void write_tensors(const Method& method, const Instance& tensors,
                   const std::vector<std::size_t>& wanted, inference::ModelInferResponse& reply) {
  for (const std::size_t k : wanted) {
    auto& output = *reply.add_outputs();
    output.set_name(method.outputs[k]);
    output.set_datatype(std::string(open_inference_name(tensors[k].type)));
    for (const std::int64_t length : tensors[k].dims) output.add_shape(length);
    reply.add_raw_output_contents(tensors[k].bytes.data(), tensors[k].bytes.size());
  }
}

}  // namespace mycel::serving
