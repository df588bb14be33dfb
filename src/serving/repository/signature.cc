// SPDX-License-Identifier: Apache-2.0
#include "serving/repository/signature.h"

#include <algorithm>

namespace mycel::serving {
namespace {

using platform::ErrorKind;
using platform::join;
using platform::Json;
using platform::require;

Json to_json(const std::vector<TensorSpec>& specs) {
  Json::Array list;
  for (const TensorSpec& spec : specs) {
    Json::Array dims;
    for (const std::int64_t length : spec.dims) dims.emplace_back(length);
    Json::Object entry;
    entry.emplace_back("name", spec.name);
    entry.emplace_back("type", std::int64_t{static_cast<std::uint8_t>(spec.type)});
    entry.emplace_back("dims", std::move(dims));
    list.emplace_back(std::move(entry));
  }
  return list;
}

std::vector<TensorSpec> read_specs(const Json& list) {
  std::vector<TensorSpec> specs;
  for (const Json& entry : list.array()) {
    TensorSpec spec;
    spec.name = entry.at("name").string();
    const std::int64_t type = entry.at("type").integer();
    require(type > 0 && type <= static_cast<std::uint8_t>(ElementType::BFloat16),
            ErrorKind::Runtime, "signature: there is no type ", type);
    spec.type = static_cast<ElementType>(type);
    for (const Json& length : entry.at("dims").array()) {
      require(length.integer() >= -1, ErrorKind::Runtime, "signature: there is no length ",
              length.integer());
      spec.dims.push_back(length.integer());
    }
    Dims closed = spec.dims;
    std::ranges::replace(closed, -1, 1);
    const platform::Result<std::size_t> count = element_count(closed);
    require(static_cast<bool>(count), ErrorKind::Runtime, "signature: input '", spec.name,
            "': ", count ? std::string() : count.error().message());
    specs.push_back(std::move(spec));
  }
  return specs;
}

// The names that clients of MindSpore Serving know from its messages.
std::string_view protocol_name(ElementType type) {
  switch (type) {
    case ElementType::Unknown: return "kMSI_Unknown";
    case ElementType::Bool: return "kMSI_Bool";
    case ElementType::Int8: return "kMSI_Int8";
    case ElementType::UInt8: return "kMSI_Uint8";
    case ElementType::Int16: return "kMSI_Int16";
    case ElementType::UInt16: return "kMSI_Uint16";
    case ElementType::Int32: return "kMSI_Int32";
    case ElementType::UInt32: return "kMSI_Uint32";
    case ElementType::Int64: return "kMSI_Int64";
    case ElementType::UInt64: return "kMSI_Uint64";
    case ElementType::Float16: return "kMSI_Float16";
    case ElementType::Float32: return "kMSI_Float32";
    case ElementType::Float64: return "kMSI_Float64";
    case ElementType::String: return "kMSI_String";
    case ElementType::Bytes: return "kMSI_Bytes";
    case ElementType::BFloat16: return "kMSI_BFloat16";
  }
  return "?";
}

bool has_open_length(const Dims& dims) { return std::ranges::find(dims, -1) != dims.end(); }

// Lengths that the model leaves open may be any; the others have to be as they are.
bool agree(const Dims& given, const Dims& wanted) {
  return std::ranges::equal(given, wanted, [](std::int64_t length, std::int64_t rule) {
    return rule == -1 || length == rule;
  });
}

}  // namespace

Json to_json(const Signatures& signatures) {
  Json::Array models;
  for (const std::vector<ModelSignature>& subgraphs : signatures) {
    Json::Array list;
    for (const ModelSignature& signature : subgraphs) {
      Json::Object entry;
      entry.emplace_back("inputs", to_json(signature.inputs));
      entry.emplace_back("outputs", to_json(signature.outputs));
      entry.emplace_back("batch_size", std::int64_t{signature.batch_size});
      list.emplace_back(std::move(entry));
    }
    models.emplace_back(std::move(list));
  }
  return models;
}

Signatures read_signatures(const Json& text) {
  Signatures signatures;
  for (const Json& model : text.array()) {
    std::vector<ModelSignature> subgraphs;
    for (const Json& entry : model.array()) {
      ModelSignature signature;
      signature.inputs = read_specs(entry.at("inputs"));
      signature.outputs = read_specs(entry.at("outputs"));
      const std::int64_t rows = entry.at("batch_size").integer();
      constexpr std::int64_t kMostRows = 1 << 20;
      require(rows >= 0 && rows <= kMostRows, ErrorKind::Runtime, "signature: a batch of ", rows,
              " is not in [0, ", kMostRows, "]");
      signature.batch_size = static_cast<std::uint32_t>(rows);
      subgraphs.push_back(std::move(signature));
    }
    signatures.push_back(std::move(subgraphs));
  }
  return signatures;
}

Dims instance_dims(const ModelSpec& model, const ModelSignature& signature, std::size_t input) {
  Dims dims = signature.inputs[input].dims;
  const bool is_shared =
      std::ranges::find(model.inputs_without_batch, input) != model.inputs_without_batch.end();
  if (model.has_batch && !is_shared && !dims.empty()) dims.erase(dims.begin());
  return dims;
}

std::optional<Failure> refusal(const ModelSpec& model, const ModelSignature& signature,
                               const Instance& instance) {
  const auto refuse = [](const auto&... parts) {
    return Failure{FailureCode::InvalidInputs, join("Given model input", parts...)};
  };
  if (instance.size() < signature.inputs.size())
    return refuse("s size ", instance.size(), " less than model inputs size ",
                  signature.inputs.size());
  for (std::size_t i = 0; i < signature.inputs.size(); ++i) {
    const TensorSpec& wanted = signature.inputs[i];
    const Value& given = instance[i];
    if (given.type != wanted.type)
      return refuse(" ", i, " data type ", protocol_name(given.type), " not match the data type ",
                    protocol_name(wanted.type), " defined in model");
    const Dims dims = instance_dims(model, signature, i);
    if (has_open_length(dims)) {
      if (!agree(given.dims, dims))
        return refuse(" ", i, " shape ", to_string(given.dims), " not match the shape ",
                      to_string(dims), " defined in model");
      continue;
    }
    // Size alone: clients that give a row as [1, n] are as right as those that give [n].
    const std::size_t size = element_count(dims).value() * size_of(wanted.type);
    if (given.bytes.size() != size)
      return refuse(" ", i, " size ", given.bytes.size(), " not match the size ", size,
                    " defined in model");
  }
  return std::nullopt;
}

}  // namespace mycel::serving
