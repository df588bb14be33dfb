// SPDX-License-Identifier: Apache-2.0
#include "formats/mindir/written_model.h"

#include <bit>

#include "formats/mindir/messages.h"
#include "formats/mindir/network_writer.h"
#include "formats/mindir/open_sizes.h"

namespace mycel::formats::mindir {

namespace {

constexpr const char* kFormVersion = "0.1.1";
constexpr int kForm = 1;

}  // namespace

WrittenModel::WrittenModel(const writing::Network& network, const WritingOptions& options,
                           op::Emitter& emitter)
    : name_(network.name()), model_(mindir_model()) {
  FileWriter file{.emitter = emitter, .is_for_all_sizes = options.is_for_all_sizes};
  NetworkWriter writer(network, file);
  writer.check(options.own_parameters);
  const std::unique_ptr<GraphWriter> outermost = writer.write(options.input_names);
  model_.put("ir_version", kFormVersion).put("producer_name", "MindSpore");
  model_.put("model_version", options.version);
  WrittenMessage& graph = model_.message("graph");
  outermost->write_nodes(graph);
  outermost->write_ends(graph);
  graph.put("bprop_hash", "").put("bprop_filepath", "");
  for (const auto& function : file.functions) {
    WrittenMessage& message = model_.message("functions");
    function->write_nodes(message);
    function->write_ends(message);
  }
  model_.put("little_endian", std::endian::native == std::endian::little);
  model_.put_all("primitives", std::move(file.primitive_entries)).put("mind_ir_version", kForm);
  weights_ = std::move(file.weights);
}

WrittenModel WrittenModel::for_all_sizes(std::span<const WrittenModel* const> models) {
  WrittenModel whole = *models[0];
  std::vector<const WrittenMessage*> messages;
  for (const WrittenModel* model : models) messages.push_back(&model->model_);
  whole.model_ = with_open_sizes(whole.name_, messages);
  return whole;
}

std::vector<writing::Weight> WrittenModel::weights() const {
  std::vector<writing::Weight> weights;
  for (const Weight& weight : weights_)
    weights.push_back({std::string(weight.name()), weight.tensor});
  return weights;
}

WrittenMessage WrittenModel::message(const writing::Places& places) const {
  WrittenMessage whole = model_;
  std::vector<WrittenMessage> parameters;
  for (const Weight& weight : weights_) {
    WrittenMessage& entry = parameters.emplace_back(weight.entry);
    const auto place = places.find(std::string(weight.name()));
    if (place == places.end()) {
      entry.put("raw_data", weight.tensor);
    } else {
      const auto& [location, offset, length] = place->second;
      entry.message("external_data")
          .put("location", location)
          .put("offset", offset)
          .put("length", length);
    }
  }
  whole.messages("graph")[0].put_all("parameter", std::move(parameters));
  return whole;
}

}  // namespace mycel::formats::mindir
