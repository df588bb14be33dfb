// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/open_inference.h"

#include <algorithm>
#include <cstring>

#include "serving/batching/request.h"

namespace mycel::serving {
namespace {

using platform::join;

constexpr std::pair<std::string_view, ElementType> kTypes[] = {
    {"BOOL", ElementType::Bool},     {"INT8", ElementType::Int8},
    {"INT16", ElementType::Int16},   {"INT32", ElementType::Int32},
    {"INT64", ElementType::Int64},   {"UINT8", ElementType::UInt8},
    {"UINT16", ElementType::UInt16}, {"UINT32", ElementType::UInt32},
    {"UINT64", ElementType::UInt64}, {"FP16", ElementType::Float16},
    {"FP32", ElementType::Float32},  {"FP64", ElementType::Float64},
    {"BF16", ElementType::BFloat16}, {"BYTES", ElementType::Bytes},
};

Failure invalid(std::string text) { return {FailureCode::InvalidInputs, std::move(text)}; }

// A row of a tensor, by where its bytes lie.
Value row_of(const Value& tensor, std::size_t begin, std::size_t end) {
  Value row = tensor;
  row.dims.erase(row.dims.begin());
  row.bytes = tensor.bytes.subspan(begin, end - begin);
  return row;
}

std::vector<Value> rows_of(const Value& tensor) {
  std::vector<Value> rows;
  const auto count = static_cast<std::size_t>(tensor.dims.front());
  if (count == 0) return rows;
  if (!is_text(tensor.type)) {
    const std::size_t size = tensor.bytes.size() / count;
    for (std::size_t i = 0; i < count; ++i)
      rows.push_back(row_of(tensor, i * size, (i + 1) * size));
    return rows;
  }
  const std::vector<std::string_view> parts = text_elements(tensor).value();
  const std::size_t each = parts.size() / count;
  constexpr std::size_t kLengthBytes = 4;
  std::size_t at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t end = at;
    for (std::size_t k = 0; k < each; ++k) end += kLengthBytes + parts[i * each + k].size();
    rows.push_back(row_of(tensor, at, end));
    at = end;
  }
  return rows;
}

}  // namespace

std::string_view open_inference_name(ElementType type) {
  if (type == ElementType::String) return "BYTES";
  const auto* at =
      std::ranges::find(kTypes, type, &std::pair<std::string_view, ElementType>::second);
  return at == std::end(kTypes) ? "" : at->first;
}

std::optional<ElementType> open_inference_type(std::string_view name) {
  const auto* at =
      std::ranges::find(kTypes, name, &std::pair<std::string_view, ElementType>::first);
  if (at == std::end(kTypes)) return std::nullopt;
  return at->second;
}

bool has_batch(const Servable& servable, const Method& method) {
  const Stage* stage = method.main_stage();
  return stage != nullptr && stage->kind == StageKind::Model &&
         servable.models[stage->target].has_batch;
}

std::variant<std::vector<Instance>, Failure> to_instances(const Servable& servable,
                                                          const Method& method,
                                                          const NamedTensors& inputs) {
  Instance whole;
  for (const std::string& name : method.inputs) {
    const auto at = std::ranges::find(inputs, name, &NamedTensors::value_type::first);
    if (at == inputs.end())
      return invalid(
          join("input '", name, "' is missing; the model takes ", method.inputs.size(), " inputs"));
    whole.push_back(at->second);
  }
  for (const auto& [name, value] : inputs)
    if (std::ranges::find(method.inputs, name) == method.inputs.end())
      return invalid(join("the model has no input '", name, "'"));
  if (!has_batch(servable, method) || whole.empty()) return std::vector<Instance>{std::move(whole)};
  std::vector<Instance> instances;
  for (std::size_t k = 0; k < whole.size(); ++k) {
    if (whole[k].dims.empty())
      return invalid(join("input '", method.inputs[k],
                          "' has shape [], but its first dimension is the batch"));
    if (whole[k].dims.front() > static_cast<std::int64_t>(kMostRequestInstances))
      return invalid(join("input '", method.inputs[k], "' has a batch of ", whole[k].dims.front(),
                          "; at most ", kMostRequestInstances, " are possible"));
    const std::vector<Value> rows = rows_of(whole[k]);
    if (k == 0) instances.resize(rows.size());
    if (rows.size() != instances.size())
      return invalid(join("input '", method.inputs[k], "' has a batch of ", rows.size(),
                          ", input '", method.inputs[0], "' of ", instances.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) instances[i].push_back(rows[i]);
  }
  if (instances.empty()) return invalid("the batch is empty");
  return instances;
}

std::variant<Instance, Failure> to_tensors(const Servable& servable, const Method& method,
                                           std::vector<Instance> rows) {
  if (!has_batch(servable, method)) return std::move(rows.front());
  Instance tensors;
  for (std::size_t k = 0; k < method.outputs.size(); ++k) {
    std::size_t size = 0;
    for (const Instance& row : rows) {
      const Value& first = rows.front()[k];
      if (row[k].dims != first.dims || row[k].type != first.type)
        return Failure{FailureCode::Failed,
                       join("output '", method.outputs[k],
                            "' differs in shape between the rows of the batch: ",
                            to_string(first.dims), " and ", to_string(row[k].dims))};
      size += row[k].bytes.size();
    }
    Value tensor = rows.front()[k];
    tensor.dims.insert(tensor.dims.begin(), static_cast<std::int64_t>(rows.size()));
    // Rows of one run usually lie one after the other.
    const std::byte* expected = tensor.bytes.data();
    bool is_one_piece = true;
    for (const Instance& row : rows) {
      is_one_piece =
          is_one_piece && row[k].bytes.data() == expected && row[k].owner == tensor.owner;
      expected = row[k].bytes.data() + row[k].bytes.size();
    }
    if (is_one_piece) {
      tensor.bytes = {tensor.bytes.data(), size};
    } else {
      const std::shared_ptr<std::byte[]> own = take_data(size);
      std::size_t at = 0;
      for (const Instance& row : rows) {
        std::ranges::copy(row[k].bytes, own.get() + at);
        at += row[k].bytes.size();
      }
      tensor.bytes = {own.get(), size};
      tensor.owner = own;
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

ModelDescription describe(const Servable& servable, const Signatures& signatures,
                          const Method& method) {
  ModelDescription metadata;
  metadata.platform = servable.models.empty()                               ? "mycel_python"
                      : servable.models.front().format == ModelFormat::Onnx ? "mycel_onnx"
                                                                            : "mycel_mindir";
  const bool has_rows = has_batch(servable, method);
  const auto spec_of = [&](std::string name, const TensorSpec* spec, bool is_shared) {
    TensorMetadata tensor;
    tensor.name = std::move(name);
    tensor.is_told = spec != nullptr;
    // What functions take and give is theirs to know.
    tensor.datatype = spec == nullptr ? "BYTES" : std::string(open_inference_name(spec->type));
    tensor.dims = spec == nullptr ? Dims{-1} : spec->dims;
    // Of a batch: requests may have any number of rows, whatever a run takes.
    if (spec != nullptr && has_rows) {
      if (!is_shared && !tensor.dims.empty()) tensor.dims.erase(tensor.dims.begin());
      tensor.dims.insert(tensor.dims.begin(), -1);
    }
    return tensor;
  };
  for (std::size_t i = 0; i < method.inputs.size(); ++i) {
    const TensorSpec* found = nullptr;
    bool is_shared = false;
    for (const Stage& stage : method.stages) {
      if (stage.kind != StageKind::Model) continue;
      for (std::size_t k = 0; k < stage.inputs.size(); ++k) {
        if (stage.inputs[k].stage != 0 || stage.inputs[k].index != i) continue;
        const ModelSpec& model = servable.models[stage.target];
        found = &signatures[stage.target][stage.subgraph].inputs[k];
        is_shared =
            std::ranges::find(model.inputs_without_batch, k) != model.inputs_without_batch.end();
      }
    }
    metadata.inputs.push_back(spec_of(method.inputs[i], found, is_shared));
  }
  for (std::size_t i = 0; i < method.outputs.size(); ++i) {
    const Source source = method.results[i];
    const TensorSpec* found = nullptr;
    if (source.stage > 0 && method.stages[source.stage - 1].kind == StageKind::Model) {
      const Stage& stage = method.stages[source.stage - 1];
      found = &signatures[stage.target][stage.subgraph].outputs[source.index];
    }
    metadata.outputs.push_back(spec_of(method.outputs[i], found, false));
  }
  return metadata;
}

}  // namespace mycel::serving
