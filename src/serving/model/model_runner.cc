// SPDX-License-Identifier: Apache-2.0
#include "serving/model/model_runner.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <numeric>
#include <utility>

#include "include/api/context.h"

namespace mycel::serving {
namespace {

using mindspore::MSTensor;
using platform::ErrorKind;
using platform::fail;
using platform::join;
using platform::require;

// Types of tensors, here and in the C++ API.
constexpr std::pair<ElementType, mindspore::DataType> kTypes[] = {
    {ElementType::Bool, mindspore::DataType::kNumberTypeBool},
    {ElementType::Int8, mindspore::DataType::kNumberTypeInt8},
    {ElementType::UInt8, mindspore::DataType::kNumberTypeUInt8},
    {ElementType::Int16, mindspore::DataType::kNumberTypeInt16},
    {ElementType::UInt16, mindspore::DataType::kNumberTypeUInt16},
    {ElementType::Int32, mindspore::DataType::kNumberTypeInt32},
    {ElementType::UInt32, mindspore::DataType::kNumberTypeUInt32},
    {ElementType::Int64, mindspore::DataType::kNumberTypeInt64},
    {ElementType::UInt64, mindspore::DataType::kNumberTypeUInt64},
    {ElementType::Float16, mindspore::DataType::kNumberTypeFloat16},
    {ElementType::Float32, mindspore::DataType::kNumberTypeFloat32},
    {ElementType::Float64, mindspore::DataType::kNumberTypeFloat64},
    {ElementType::BFloat16, mindspore::DataType::kNumberTypeBFloat16},
};

ElementType element_type(mindspore::DataType type) {
  for (const auto& [ours, theirs] : kTypes)
    if (theirs == type) return ours;
  return ElementType::Unknown;
}

mindspore::DataType data_type(ElementType type) {
  for (const auto& [ours, theirs] : kTypes)
    if (ours == type) return theirs;
  return mindspore::DataType::kTypeUnknown;
}

std::vector<TensorSpec> specs_of(const std::vector<MSTensor>& tensors) {
  std::vector<TensorSpec> specs;
  for (const MSTensor& tensor : tensors) {
    TensorSpec spec{tensor.Name(), element_type(tensor.DataType()), tensor.Shape()};
    require(spec.type != ElementType::Unknown, ErrorKind::Runtime, "tensor '", spec.name,
            "' has a type that cannot be served");
    specs.push_back(std::move(spec));
  }
  return specs;
}

bool is_shared(const ModelSpec& model, std::size_t input) {
  return std::ranges::find(model.inputs_without_batch, input) != model.inputs_without_batch.end();
}

// Rows of a run: the first length of the inputs that have a batch. All have to agree.
std::uint32_t batch_size(const ModelSpec& model, const std::vector<TensorSpec>& inputs) {
  if (!model.has_batch) return 1;
  std::int64_t rows = -2;  // none seen
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (is_shared(model, i)) continue;
    require(!inputs[i].dims.empty(), ErrorKind::Runtime, "input ", i,
            " has no dimension that could be the batch; declare the model with "
            "with_batch_dim=False or the input "
            "in without_batch_dim_inputs");
    const std::int64_t length = inputs[i].dims.front();
    require(rows == -2 || rows == length, ErrorKind::Runtime, "the first dimension of input ", i,
            " is ", length, ", that of inputs before it ", rows,
            "; name inputs without a batch in without_batch_dim_inputs");
    rows = length;
  }
  return rows < 0 ? 0 : static_cast<std::uint32_t>(rows);
}

std::shared_ptr<mindspore::Context> context_for(const ModelSpec& model) {
  auto context = std::make_shared<mindspore::Context>();
  context->SetThreadNum(model.thread_count);
  auto device = std::make_shared<mindspore::CPUDeviceInfo>();
  if (model.use_float16) device->SetEnableFP16(true);
  context->MutableDeviceInfo().push_back(device);
  return context;
}

mindspore::Model load(const ModelSpec& spec, const std::string& file, const ModelPlace& place) {
  const std::string path = (std::filesystem::path(place.version_folder) / file).string();
  const auto type = spec.format == ModelFormat::Onnx ? mindspore::kONNX : mindspore::kMindIR;
  mindspore::Model model;
  const std::shared_ptr<mindspore::Context> context = context_for(spec);
  const mindspore::Status status =
      place.key.empty()
          ? model.Build(path, type, context)
          : model.Build(path, type, context, mindspore::Key(place.key.data(), place.key.size()),
                        place.key_mode, "");
  require(status.IsOk(), ErrorKind::Runtime,
          "Load model failed, servable directory: ", place.servable_folder, ", model file: ", path,
          ", reason: ", status.ToString());
  return model;
}

// A value that refers to rows of a result.
Value rows_of(const MSTensor& tensor, const std::shared_ptr<const void>& bytes, Dims dims,
              std::size_t first_byte, std::size_t size) {
  return {element_type(tensor.DataType()),
          std::move(dims),
          {static_cast<const std::byte*>(bytes.get()) + first_byte, size},
          bytes};
}

// The rows of an input, one after the other, and copies of the first where there are too few.
MSTensor batched(const TensorSpec& spec, std::size_t input, std::span<const Instance> instances,
                 std::size_t rows, const Dims& instance_shape,
                 std::vector<std::shared_ptr<std::byte[]>>& own) {
  const Value& first = instances.front()[input];
  const std::size_t size = first.bytes.size();
  Dims dims = instance_shape;
  dims.insert(dims.begin(), static_cast<std::int64_t>(rows));
  const bool is_one_piece = instances.size() == rows && [&] {
    for (std::size_t i = 1; i < instances.size(); ++i)
      if (instances[i][input].bytes.data() != first.bytes.data() + i * size) return false;
    return true;
  }();
  const std::byte* bytes = first.bytes.data();
  if (!is_one_piece) {
    own.push_back(take_data(rows * size));
    for (std::size_t row = 0; row < rows; ++row) {
      const Value& from = instances[row < instances.size() ? row : 0][input];
      if (size != 0) std::memcpy(own.back().get() + row * size, from.bytes.data(), size);
    }
    bytes = own.back().get();
  }
  MSTensor* tensor =
      MSTensor::CreateRefTensor(spec.name, data_type(spec.type), dims, bytes, rows * size, false);
  require(tensor != nullptr, ErrorKind::Runtime, "a tensor of ", rows * size,
          " bytes cannot be made");
  MSTensor result = *tensor;
  MSTensor::DestroyTensorPtr(tensor);
  return result;
}

bool is_same(const Value& one, const Value& other) {
  return one.dims == other.dims &&
         (one.bytes.data() == other.bytes.data() || std::ranges::equal(one.bytes, other.bytes));
}

// Whether two instances may be rows of one batch: where lengths are open they have to agree, and
// so has what all rows share. Where the model says every length, the server has seen to it.
bool fit_together(const ModelSpec& model, const ModelSignature& signature, const Instance& one,
                  const Instance& other) {
  for (std::size_t i = 0; i < signature.inputs.size(); ++i) {
    if (is_shared(model, i)) {
      if (!is_same(one[i], other[i])) return false;
      continue;
    }
    const Dims dims = instance_dims(model, signature, i);
    const bool is_open = std::ranges::find(dims, -1) != dims.end();
    if (is_open && one[i].dims != other[i].dims) return false;
  }
  return true;
}

Failure failure_of(const mindspore::Status& status) {
  return {FailureCode::Failed, join("model run failed: ", status.ToString())};
}

}  // namespace

ModelRunner::ModelRunner(const std::vector<ModelSpec>& models, const ModelPlace& place)
    : specs_(models) {
  for (const ModelSpec& spec : specs_) {
    std::vector<mindspore::Model> subgraphs;
    std::vector<ModelSignature> signatures;
    for (const std::string& file : spec.files) {
      mindspore::Model model = load(spec, file, place);
      try {
        ModelSignature signature{specs_of(model.GetInputs()), specs_of(model.GetOutputs()), 1};
        signature.batch_size = batch_size(spec, signature.inputs);
        signatures.push_back(std::move(signature));
      } catch (const platform::Error& error) {
        fail(ErrorKind::Runtime, "Load model failed, servable directory: ", place.servable_folder,
             ", model file: ", file, ", reason: ", error.message());
      }
      subgraphs.push_back(std::move(model));
    }
    models_.push_back(std::move(subgraphs));
    signatures_.push_back(std::move(signatures));
  }
}

std::vector<Outcome> ModelRunner::run(std::size_t model, std::size_t subgraph,
                                      std::span<const Instance> instances) {
  if (instances.empty()) return {};
  if (!specs_[model].has_batch) return run_one_by_one(model, subgraph, instances);
  const ModelSignature& signature = signatures_[model][subgraph];
  const bool is_one_batch = std::ranges::all_of(instances, [&](const Instance& instance) {
    return fit_together(specs_[model], signature, instances.front(), instance);
  });
  return is_one_batch ? run_batch(model, subgraph, instances)
                      : run_groups(model, subgraph, instances);
}

// Those that fit together make a batch.
std::vector<Outcome> ModelRunner::run_groups(std::size_t model, std::size_t subgraph,
                                             std::span<const Instance> instances) {
  std::vector<Outcome> outcomes(instances.size());
  std::vector<std::size_t> left(instances.size());
  std::iota(left.begin(), left.end(), 0);
  while (!left.empty()) {
    const Instance& first = instances[left.front()];
    const auto differs = std::stable_partition(left.begin(), left.end(), [&](std::size_t i) {
      return fit_together(specs_[model], signatures_[model][subgraph], first, instances[i]);
    });
    std::vector<Instance> group;
    for (auto at = left.begin(); at != differs; ++at) group.push_back(instances[*at]);
    std::vector<Outcome> part = run_batch(model, subgraph, group);
    for (std::size_t k = 0; k < part.size(); ++k) outcomes[left[k]] = std::move(part[k]);
    left.erase(left.begin(), differs);
  }
  return outcomes;
}

std::vector<Outcome> ModelRunner::run_one_by_one(std::size_t model, std::size_t subgraph,
                                                 std::span<const Instance> instances) {
  const ModelSignature& signature = signatures_[model][subgraph];
  std::vector<Outcome> outcomes;
  for (const Instance& instance : instances) {
    Tensors inputs, results;
    for (std::size_t i = 0; i < signature.inputs.size(); ++i) {
      const TensorSpec& spec = signature.inputs[i];
      const bool is_open = std::ranges::find(spec.dims, -1) != spec.dims.end();
      MSTensor* tensor = MSTensor::CreateRefTensor(
          spec.name, data_type(spec.type), is_open ? instance[i].dims : spec.dims,
          instance[i].bytes.data(), instance[i].bytes.size(), false);
      require(tensor != nullptr, ErrorKind::Runtime, "a tensor cannot be made");
      inputs.push_back(*tensor);
      MSTensor::DestroyTensorPtr(tensor);
    }
    const mindspore::Status status = models_[model][subgraph].Predict(inputs, &results);
    if (!status.IsOk()) {
      outcomes.emplace_back(failure_of(status));
      continue;
    }
    Instance values;
    for (const MSTensor& result : results)
      values.push_back(rows_of(result, result.Data(), result.Shape(), 0, result.DataSize()));
    outcomes.emplace_back(std::move(values));
  }
  return outcomes;
}

std::vector<Outcome> ModelRunner::run_batch(std::size_t model, std::size_t subgraph,
                                            std::span<const Instance> instances) {
  const ModelSignature& signature = signatures_[model][subgraph];
  const std::size_t count = instances.size();
  const std::size_t rows = signature.batch_size == 0 ? count : signature.batch_size;
  std::vector<std::shared_ptr<std::byte[]>> own;
  Tensors inputs, results;
  for (std::size_t i = 0; i < signature.inputs.size(); ++i) {
    Dims dims = instance_dims(specs_[model], signature, i);
    if (std::ranges::find(dims, -1) != dims.end()) dims = instances.front()[i].dims;
    if (is_shared(specs_[model], i)) {
      const Value& value = instances.front()[i];
      MSTensor* tensor =
          MSTensor::CreateRefTensor(signature.inputs[i].name, data_type(value.type), dims,
                                    value.bytes.data(), value.bytes.size(), false);
      require(tensor != nullptr, ErrorKind::Runtime, "a tensor cannot be made");
      inputs.push_back(*tensor);
      MSTensor::DestroyTensorPtr(tensor);
    } else {
      inputs.push_back(batched(signature.inputs[i], i, instances, rows, dims, own));
    }
  }
  const mindspore::Status status = models_[model][subgraph].Predict(inputs, &results);
  if (!status.IsOk() && count > 1) return run_apart(model, subgraph, instances);
  if (!status.IsOk()) return {failure_of(status)};
  std::vector<Instance> values(count);
  for (const MSTensor& result : results) {
    Dims dims = result.Shape();
    if (dims.empty() || dims.front() != static_cast<std::int64_t>(rows)) {
      return std::vector<Outcome>(
          count, Failure{FailureCode::Failed,
                         join("output '", result.Name(), "' of shape ", to_string(dims), " has no ",
                              rows, " rows; declare the model with with_batch_dim=False")});
    }
    dims.erase(dims.begin());
    const std::shared_ptr<const void> bytes = result.Data();
    const std::size_t size = result.DataSize() / rows;
    for (std::size_t i = 0; i < count; ++i)
      values[i].push_back(rows_of(result, bytes, dims, i * size, size));
  }
  return {std::make_move_iterator(values.begin()), std::make_move_iterator(values.end())};
}

// After a batch that failed: an index that is out of range, say, is the fault of one instance.
std::vector<Outcome> ModelRunner::run_apart(std::size_t model, std::size_t subgraph,
                                            std::span<const Instance> instances) {
  std::vector<Outcome> outcomes;
  for (std::size_t i = 0; i < instances.size(); ++i)
    outcomes.push_back(std::move(run_batch(model, subgraph, instances.subspan(i, 1)).front()));
  return outcomes;
}

}  // namespace mycel::serving
