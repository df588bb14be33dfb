// SPDX-License-Identifier: Apache-2.0
#include "api/built_model.h"

#include <algorithm>
#include <cstring>

#include "api/boundary.h"
#include "api/element_type.h"
#include "api/tensor_impl.h"
#include "formats/model_bytes.h"
#include "platform/json/json.h"
#include "platform/log/log.h"
#include "platform/thread/parallel_for.h"

namespace mycel::api {
namespace {

using mindspore::MSTensor;
using Lengths = std::vector<std::int64_t>;

bool is_open(const Lengths& shape) {
  return std::any_of(shape.begin(), shape.end(), [](std::int64_t length) { return length < 0; });
}

bool fits(const Lengths& pattern, const Lengths& shape) {
  if (pattern == Lengths{kAnyShape}) return !is_open(shape);
  return pattern.size() == shape.size() && std::equal(pattern.begin(), pattern.end(), shape.begin(),
                                                      [](std::int64_t wanted, std::int64_t given) {
                                                        return given >= 0 &&
                                                               (wanted < 0 || wanted == given);
                                                      });
}

std::string text_of(const Lengths& shape) {
  std::string text = "[";
  for (const std::int64_t length : shape)
    text += (text.size() > 1 ? ", " : "") + (length < 0 ? "?" : std::to_string(length));
  return text + "]";
}

std::shared_ptr<MSTensor::Impl> described(std::string name, tensor::DType dtype,
                                          const Lengths& shape) {
  auto impl = std::make_shared<MSTensor::Impl>(std::move(name), element_type(dtype), shape, 0);
  impl->set_storage({}, impl->wanted_bytes().value_or(0));
  return impl;
}

platform::Json described_as_json(std::span<const MSTensor> tensors) {
  platform::Json::Array rows;
  for (const MSTensor& tensor : tensors) {
    platform::Json::Array lengths;
    for (const std::int64_t length : tensor.Shape()) lengths.emplace_back(length);
    const auto dtype = element_type(tensor.DataType());
    platform::Json::Object row;
    row.emplace_back("name", tensor.Name());
    row.emplace_back("type", dtype ? std::string(tensor::python_name(*dtype)) : "unknown");
    row.emplace_back("shape", std::move(lengths));
    rows.emplace_back(std::move(row));
  }
  return rows;
}

// The bytes as they lie there; a copy of those that are not aligned, or no truth values.
Tensor given_tensor(const MSTensor::Impl::Storage& storage, const tensor::Shape& shape,
                    tensor::DType dtype) {
  Tensor there = Tensor::from_storage(storage, shape, dtype);
  const auto* const bytes = static_cast<const unsigned char*>(there.raw());
  const bool is_fit =
      dtype == tensor::DType::Bool
          ? std::all_of(bytes, bytes + there.bytes(), [](auto byte) { return byte <= 1; })
          : reinterpret_cast<std::uintptr_t>(bytes) % tensor::size_of(dtype) == 0;
  if (is_fit) return there;
  Tensor copy = Tensor::empty(shape, dtype);
  std::memcpy(copy.raw(), bytes, copy.bytes());
  if (dtype == tensor::DType::Bool) formats::clean_mask(copy);
  return copy;
}

}  // namespace

BuiltModel::BuiltModel(std::shared_ptr<const ProgramSource> source, Target target)
    : program_(std::move(source)), target_(std::move(target)) {
  std::vector<Lengths> first;
  for (const ProgramInput& input : program_.source().inputs()) first.push_back(input.shape);
  prepare(std::move(first));
}

// Compiled before anything changes: where that fails, the shapes stay what they are.
void BuiltModel::prepare(std::vector<Lengths> shapes) {
  std::optional<Types> types;
  if (std::none_of(shapes.begin(), shapes.end(), is_open)) {
    PreparedProgram::Shapes wanted;
    for (const Lengths& shape : shapes) wanted.emplace_back(shape.begin(), shape.end());
    types = named_in_errors([&] { return program_.prepare(wanted); });
  }
  std::vector<MSTensor> inputs;
  for (std::size_t i = 0; i < shapes.size(); ++i)
    inputs.emplace_back(described(spec(i).name, spec(i).dtype, shapes[i]));
  std::vector<MSTensor> outputs = types ? described_outputs(*types) : std::vector<MSTensor>();
  const std::lock_guard lock(mutex_);
  shapes_ = std::move(shapes);
  inputs_ = std::move(inputs);
  outputs_ = std::move(outputs);
  outputs_are_known_ = types.has_value();
}

// As the program calls it, or by its place.
std::string BuiltModel::output_name(std::size_t i) const {
  const std::vector<std::string>& names = program_.source().output_names();
  return i < names.size() ? names[i] : "output" + std::to_string(i);
}

std::vector<MSTensor> BuiltModel::described_outputs(std::span<const op::TensorSpec> types) const {
  std::vector<MSTensor> tensors;
  for (const op::TensorSpec& type : types)
    tensors.emplace_back(described(output_name(tensors.size()), type.dtype,
                                   Lengths(type.shape.begin(), type.shape.end())));
  return tensors;
}

std::vector<Lengths> BuiltModel::shapes() const {
  const std::lock_guard lock(mutex_);
  return shapes_;
}

std::vector<MSTensor> BuiltModel::inputs() const {
  const std::lock_guard lock(mutex_);
  return inputs_;
}

// What is known of the results of a program with open lengths: a length that follows one of the
// inputs' is open too, and that shows when those are tried out.
BuiltModel::Types BuiltModel::probed_outputs() {
  const auto probe = [&](std::int64_t length) {
    PreparedProgram::Shapes wanted;
    for (const Lengths& shape : shapes()) {
      tensor::Shape& probed = wanted.emplace_back(shape.begin(), shape.end());
      for (std::int64_t& each : probed) each = each < 0 ? length : each;
    }
    return program_.prepare(wanted).value_or(Types());
  };
  Types types = probe(2);
  const Types others = probe(3);
  if (types.size() != others.size()) return {};
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i].shape.size() != others[i].shape.size()) return {};
    for (std::size_t axis = 0; axis < types[i].shape.size(); ++axis) {
      if (types[i].shape[axis] != others[i].shape[axis]) types[i].shape[axis] = -1;
    }
  }
  return types;
}

std::vector<MSTensor> BuiltModel::outputs() {
  {
    const std::lock_guard lock(mutex_);
    if (outputs_are_known_) return outputs_;
  }
  Types types;
  try {
    types = probed_outputs();
  } catch (const platform::Error& error) {
    platform::log_info("the outputs of '", name(),
                       "' are known after the first call only: ", error.message());
  }
  const std::lock_guard lock(mutex_);
  if (!outputs_are_known_) outputs_ = described_outputs(types);
  outputs_are_known_ = true;
  return outputs_;
}

void BuiltModel::resize(std::size_t input_count, const std::vector<Lengths>& dims) {
  const std::size_t count = program_.source().inputs().size();
  require(input_count == count, mindspore::kMCInvalidInput, "model '", name(), "' has ", count,
          " inputs, but got ", input_count);
  require(dims.size() == input_count, mindspore::kMCInvalidInput, "there are ", input_count,
          " inputs, but ", dims.size(), " shapes");
  for (std::size_t i = 0; i < dims.size(); ++i) {
    for (const std::int64_t length : dims[i])
      require(length > 0 && length <= INT32_MAX, mindspore::kLiteInputParamInvalid,
              "the lengths of input '", spec(i).name, "' must be in [1, ", INT32_MAX, "], but got ",
              text_of(dims[i]));
  }
  try {
    prepare(dims);
  } catch (const platform::Error& error) {
    if (error.kind() == platform::ErrorKind::Memory) throw;
    std::string own;
    for (std::size_t i = 0; i < count; ++i) own += (i > 0 ? ", " : "") + text_of(spec(i).shape);
    platform::fail(error.kind(), error.message(), "\nThe model was exported for inputs of ", own,
                   ", and may hold sizes that follow from them; lengths that are to change have to "
                   "be left open when it is exported.");
  }
}

// ---- predict -----------------------------------------------------------------------------------

Lengths BuiltModel::shape_of(std::size_t i, const MSTensor& given, const Lengths& usual) const {
  const Lengths& pattern = spec(i).shape;
  if (!is_open(pattern)) return usual;
  if (fits(pattern, given.Shape())) return given.Shape();
  refuse(mindspore::kMCInvalidInput, "the shape of input '", spec(i).name, "' of model '", name(),
         "' must be ", text_of(pattern), ", but got ", text_of(given.Shape()));
}

void BuiltModel::warn_of_other_form(std::size_t i, const MSTensor& given, const Lengths& shape) {
  const bool is_same = given.DataType() == element_type(spec(i).dtype) && given.Shape() == shape;
  if (is_same || has_warned_.exchange(true)) return;
  platform::log_warning("input '", spec(i).name, "' of model '", name(),
                        "' has another type or shape than the model: its bytes are taken as ",
                        tensor::name_of(spec(i).dtype), " ", text_of(shape));
}

Tensor BuiltModel::argument(std::size_t i, const MSTensor& given, const Lengths& usual) {
  require(given != nullptr, mindspore::kMCInvalidInput, "input '", spec(i).name, "' of model '",
          name(), "' is null");
  require(!given.IsDevice(), mindspore::kMCInvalidInput, "input '", spec(i).name, "' of model '",
          name(), "' lies on a device, but the model is built for the ", target_.device);
  const Lengths lengths = shape_of(i, given, usual);
  const tensor::DType dtype = spec(i).dtype;
  const tensor::Shape shape(lengths.begin(), lengths.end());
  const std::optional<std::size_t> wanted = formats::array_bytes(shape, dtype);
  require(wanted.has_value(), mindspore::kMCInvalidInput, "input '", spec(i).name, "' of model '",
          name(), "' cannot have the shape ", text_of(lengths),
          ": there is no memory of that size");
  require(given.DataSize() == *wanted, mindspore::kMCInvalidInput, "input '", spec(i).name,
          "' of model '", name(), "' must have ", *wanted, " bytes (", tensor::name_of(dtype), " ",
          text_of(lengths), "), but got ", given.DataSize(), " bytes (shape ",
          text_of(given.Shape()), ")");
  warn_of_other_form(i, given, lengths);
  if (*wanted == 0) return Tensor::empty(shape, dtype);
  return given_tensor(given.impl()->storage(), shape, dtype);
}

std::vector<MSTensor> BuiltModel::predict(const std::vector<MSTensor>& inputs) {
  const std::size_t count = program_.source().inputs().size();
  require(inputs.size() == count, mindspore::kMCInvalidInput, "model '", name(), "' has ", count,
          " inputs, but got ", inputs.size());
  const std::vector<Lengths> usual = shapes();
  std::vector<Tensor> arguments;
  for (std::size_t i = 0; i < count; ++i) arguments.push_back(argument(i, inputs[i], usual[i]));
  std::vector<MSTensor> results;
  {
    std::optional<platform::TeamLimit> limit;
    if (target_.threads > 0) limit.emplace(target_.threads);
    for (const Tensor& result : named_in_errors([&] { return program_.run(arguments); }))
      results.push_back(as_ms_tensor(output_name(results.size()), result));
  }
  publish(inputs, arguments, results, usual);
  return results;
}

// What the model shows from now on, unless it was resized meanwhile. The caller's memory may change
// or go, so it is copied, unless it is the model's already; whoever holds tensors of an earlier
// call keeps them as they are.
void BuiltModel::publish(const std::vector<MSTensor>& given, std::span<const Tensor> arguments,
                         const std::vector<MSTensor>& results, const std::vector<Lengths>& usual) {
  const std::vector<MSTensor> before = inputs();
  std::vector<MSTensor> shown;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] == before[i]) {
      shown.push_back(before[i]);
      continue;
    }
    const Tensor copy = Tensor::empty(arguments[i].shape(), arguments[i].dtype());
    if (copy.bytes() > 0) std::memcpy(copy.raw(), arguments[i].raw(), copy.bytes());
    shown.push_back(as_ms_tensor(spec(i).name, copy));
  }
  const std::lock_guard lock(mutex_);
  if (shapes_ != usual) return;
  inputs_ = std::move(shown);
  outputs_ = results;
  outputs_are_known_ = true;
}

// ---- preprocess --------------------------------------------------------------------------------

namespace {

Tensor stacked(std::size_t column, const std::vector<std::vector<Tensor>>& rows) {
  const Tensor& first = rows.front()[column];
  tensor::Shape shape = first.shape();
  shape.insert(0, static_cast<std::int64_t>(rows.size()));
  Tensor all = Tensor::empty(shape, first.dtype());
  auto* place = static_cast<char*>(all.raw());
  for (const std::vector<Tensor>& row : rows) {
    const Tensor dense = tensor::contiguous(row[column]);
    require(dense.shape() == first.shape() && dense.dtype() == first.dtype(), mindspore::kMEFailed,
            "the samples cannot be stacked: they have the shapes ", first.shape(), " and ",
            dense.shape(), " after the preprocessing");
    if (dense.bytes() > 0) std::memcpy(place, dense.raw(), dense.bytes());
    place += dense.bytes();
  }
  return all;
}

}  // namespace

std::shared_ptr<const Preprocessing> BuiltModel::preprocessing() {
  const std::lock_guard lock(mutex_);
  const std::vector<StoredMap> stored = program_.source().preprocessing();
  require(!stored.empty(), mindspore::kMEFailed, "the model '", name(), "' holds no preprocessing");
  if (!preprocessing_) preprocessing_ = make_preprocessing(stored);
  return preprocessing_;
}

std::vector<MSTensor> BuiltModel::preprocess(const std::vector<std::vector<MSTensor>>& samples) {
  const std::shared_ptr<const Preprocessing> work = preprocessing();
  require(!samples.empty(), mindspore::kMEInvalidInput, "there are no samples");
  std::vector<std::vector<Tensor>> rows;
  for (const std::vector<MSTensor>& sample : samples) {
    std::string names;
    for (const std::string& column : work->columns()) names += (names.empty() ? "" : ", ") + column;
    require(sample.size() == work->columns().size(), mindspore::kMEInvalidInput,
            "a sample of model '", name(), "' has ", work->columns().size(), " columns (", names,
            "), but got ", sample.size());
    std::vector<Tensor> columns;
    for (const MSTensor& column : sample) columns.push_back(as_tensor(column));
    rows.push_back(work->run(columns));
  }
  std::vector<MSTensor> results;
  for (std::size_t i = 0; i < rows.front().size(); ++i) {
    const std::string shown = i < program_.source().inputs().size() ? spec(i).name : "";
    results.push_back(as_ms_tensor(shown, stacked(i, rows)));
  }
  return results;
}

std::string BuiltModel::info(const std::string& key) {
  if (key == "inputs") return described_as_json(inputs()).text();
  if (key == "outputs") return described_as_json(outputs()).text();
  if (key == "device") return platform::Json(target_.device).text();
  if (key == "version") return platform::Json(mindspore::Version()).text();
  if (key == "weights_bytes") return std::to_string(program_.source().weights_bytes());
  if (key == "user_info") return program_.source().user_info();
  return {};
}

}  // namespace mycel::api
