// SPDX-License-Identifier: Apache-2.0
#include "formats/onnx/model.h"

#include <algorithm>
#include <filesystem>

#include "formats/onnx/graph_reader.h"
#include "formats/onnx/messages.h"
#include "formats/onnx/runner.h"
#include "formats/program/own_results.h"
#include "platform/error/error.h"

namespace mycel::formats::onnx {

using platform::ErrorKind;

namespace {

constexpr std::int64_t kFirstOpset = 11, kLastOpset = 21;

MessageTree decoded(const ModelBytes& content, const std::string& name) {
  return decode_message(onnx_model(), content.bytes(),
                        {ErrorKind::Value, platform::join(name, " cannot be read")});
}

int opset_of(const MessageView& message, const TensorReader& tensors) {
  for (const MessageView& entry : message.messages("opset_import")) {
    const std::string_view domain = entry.text("domain");
    if (!domain.empty() && domain != "ai.onnx") continue;
    const std::int64_t version = entry.integer("version");
    platform::require(kFirstOpset <= version && version <= kLastOpset, ErrorKind::NotImplemented,
                      "ONNX files with operators of version ", kFirstOpset, " to ", kLastOpset,
                      " can be read, but this one has version ", version, ".");
    return static_cast<int>(version);
  }
  tensors.refuse("it does not say which version of the operators it uses");
}

Input input_of(const MessageView& message) {
  const MessageView type = message.message("type").message("tensor_type");
  Input input{std::string(message.text("name")), op::stored_type(type.integer("elem_type")), {}};
  if (!type.has("shape")) return input;
  input.dims.emplace();
  for (const MessageView& length : type.message("shape").messages("dim"))
    input.dims->push_back(length.has("dim_value") ? length.integer("dim_value") : -1);
  return input;
}

std::string file_name(const std::string& path) {
  return platform::join("The ONNX file '", path, "'");
}

std::string folder_of(const std::string& path) {
  return std::filesystem::path(path).parent_path().string();
}

ModelBytes opened(const std::string& path) {
  try {
    return ModelBytes::of_file(path);
  } catch (const platform::Error& error) {
    platform::fail(ErrorKind::Value, file_name(path), " cannot be read: ", error.message());
  }
}

MessageView graph_of(const MessageView& message, const TensorReader& tensors) {
  if (!message.has("graph")) tensors.refuse("it holds no graph");
  return message.message("graph");
}

}  // namespace

std::shared_ptr<const Model> build(const MessageView& message, TensorReader& tensors,
                                   op::Emitter& emitter) {
  const MessageView graph = graph_of(message, tensors);
  auto model = std::make_shared<Model>();
  model->opset_ = opset_of(message, tensors);
  GraphReader reader(tensors, emitter, message.messages("functions"));
  model->graph_ = reader.read(graph, model->parameters_);
  std::vector<std::string_view> stored;
  for (const MessageView& tensor : graph.messages("initializer"))
    stored.push_back(tensor.text("name"));
  std::ranges::sort(stored);
  for (const MessageView& input : graph.messages("input"))
    if (!std::ranges::binary_search(stored, input.text("name")))
      model->inputs_.push_back(input_of(input));
  for (const MessageView& output : graph.messages("output"))
    model->outputs_.emplace_back(output.text("name"));
  return model;
}

std::shared_ptr<const Model> Model::load(const std::string& path, op::Emitter& emitter,
                                         const TensorFilter& filter) {
  const ModelBytes content = opened(path);
  TensorReader tensors(content, file_name(path), folder_of(path), filter);
  return build(decoded(content, tensors.name()), tensors, emitter);
}

std::shared_ptr<const Model> Model::read(std::string content, std::optional<std::string> folder,
                                         op::Emitter& emitter, const TensorFilter& filter) {
  const ModelBytes held = ModelBytes::in_memory(std::move(content));
  TensorReader tensors(held, "The ONNX model", std::move(folder), filter);
  return build(decoded(held, tensors.name()), tensors, emitter);
}

std::vector<Parameter> load_weights(const std::string& path) {
  const ModelBytes content = opened(path);
  TensorReader tensors(content, file_name(path), folder_of(path));
  const MessageTree tree = decoded(content, tensors.name());
  std::vector<Parameter> weights;
  for (const MessageView& message : graph_of(tree, tensors).messages("initializer")) {
    const tensor::Tensor tensor = tensors.tensor(message);
    if (tensor.rank() > 0 && tensor::is_floating(tensor.dtype()))
      weights.push_back({std::string(message.text("name")), tensor});
  }
  return weights;
}

namespace {

std::string listed(const std::vector<std::int64_t>& lengths) {
  std::string text = "(";
  for (std::size_t i = 0; i < lengths.size(); ++i)
    text +=
        platform::join(i == 0 ? "" : ", ", lengths[i] < 0 ? "None" : std::to_string(lengths[i]));
  return text + (lengths.size() == 1 ? ",)" : ")");
}

}  // namespace

void Input::check(const Datum& value, bool any_shape) const {
  platform::require(value.is_tensor(), ErrorKind::Type, "The input '", name,
                    "' must be a Tensor, but got ", value.type_name(), ".");
  const op::TensorSpec given = value.tensor().spec();
  platform::require(!dtype || given.dtype == *dtype, ErrorKind::Type, "The input '", name,
                    "' must have type ", dtype.value_or(given.dtype), ", but got ", given.dtype,
                    ".");
  if (any_shape || !dims) return;
  const bool fits = std::ranges::equal(
      *dims, given.shape,
      [](std::int64_t expected, std::int64_t got) { return expected < 0 || expected == got; });
  platform::require(fits, ErrorKind::Value, "The input '", name, "' must have shape ",
                    listed(*dims), ", but got ", listed({given.shape.begin(), given.shape.end()}),
                    ".");
}

Datum Model::run(std::span<const Datum> arguments, std::span<const op::Value> parameters,
                 Host& host) const {
  platform::require(arguments.size() == inputs_.size(), ErrorKind::Value, "The network takes ",
                    inputs_.size(), " inputs, but got ", arguments.size(), ".");
  std::vector<Held> given;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    inputs_[i].check(arguments[i], !host.keeps_shapes());
    given.push_back({arguments[i], false});
  }
  Runner runner(opset_, parameters, host);
  std::vector<Datum> results;
  for (const Held& held : runner.run(*graph_, std::move(given)))
    results.push_back(held.is_known ? copied(held.value)
                                    : without_parameters(held.value, parameters));
  return results.size() == 1 ? results[0] : Datum::tuple(std::move(results));
}

}  // namespace mycel::formats::onnx
