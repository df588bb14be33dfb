// SPDX-License-Identifier: Apache-2.0
#include "formats/onnx/written_model.h"

#include "formats/onnx/messages.h"
#include "formats/onnx/network_writer.h"
#include "formats/onnx/open_sizes.h"
#include "operator/stored_call.h"

namespace mycel::formats::onnx {

namespace {

constexpr int kForm = 8;              // of the messages
constexpr int kOperatorVersion = 17;  // what rules of operators write
constexpr int kElsewhere = 1;         // a tensor's content lies in another file

WrittenMessage tensor_message(const writing::Weight& weight, const writing::Places& places) {
  WrittenMessage message(onnx_model().part("graph").part("initializer"));
  message.put_all("dims", weight.tensor.shape()).put("name", weight.name);
  message.put("data_type", op::stored_number(weight.tensor.dtype()));
  const auto place = places.find(weight.name);
  if (place == places.end()) {
    message.put("raw_data", weight.tensor);
    return message;
  }
  const auto put = [&](const char* key, std::string value) {
    message.message("external_data").put("key", key).put("value", std::move(value));
  };
  put("location", place->second.location);
  put("offset", std::to_string(place->second.offset));
  put("length", std::to_string(place->second.length));
  message.put("data_location", kElsewhere);
  return message;
}

}  // namespace

WrittenModel::WrittenModel(const writing::Network& network, const WritingOptions& options,
                           op::Emitter& emitter)
    : version_(options.version) {
  FileWriter file{.emitter = emitter, .is_sharing = !options.is_for_all_sizes};
  parts_.graph = NetworkWriter(network, file).write(options.input_names);
  const std::set<std::string> used = drop_unused(parts_.graph);
  for (writing::Weight& tensor : file.tensors)
    if (used.contains(tensor.name)) parts_.tensors.push_back(std::move(tensor));
  parts_.names = std::move(file.names);
}

WrittenModel WrittenModel::for_all_sizes(std::span<const WrittenModel* const> models,
                                         const std::vector<OpenAxis>& axes) {
  WrittenModel whole = *models[0];
  std::vector<Parts> parts;
  for (const WrittenModel* model : models) parts.push_back(model->parts_);
  whole.parts_ = with_open_sizes(std::move(parts), axes);
  return whole;
}

WrittenMessage WrittenModel::message(const writing::Places& places) const {
  WrittenMessage model(onnx_model());
  model.put("ir_version", kForm).put("producer_name", "Mycel").put("producer_version", version_);
  WrittenMessage graph = graph_message(parts_.graph);
  for (const writing::Weight& tensor : parts_.tensors)
    graph.put("initializer", tensor_message(tensor, places));
  model.put("graph", std::move(graph));
  model.message("opset_import").put("domain", "").put("version", kOperatorVersion);
  return model;
}

}  // namespace mycel::formats::onnx
