// SPDX-License-Identifier: Apache-2.0
#include "formats/onnx/graph_writer.h"

#include "formats/message/tensor_bytes.h"
#include "platform/error/error.h"

namespace mycel::formats::onnx {

namespace {

constexpr std::int64_t kMostShared = 64;  // elements of a constant that is written once for all

}  // namespace

std::string NameGiver::free(const std::string& name) {
  std::string free = name;
  std::size_t* count = nullptr;
  while (!taken_.insert(free).second) {
    if (count == nullptr) count = &counts_[name];
    free = platform::join(name, "_", ++*count);
  }
  return free;
}

std::string FileWriter::add_tensor(const tensor::Tensor& tensor, const std::string& name) {
  tensors.push_back({names.free(name), tensor});
  return tensors.back().name;
}

std::unique_ptr<GraphWriter> GraphWriter::subgraph() const {
  return std::unique_ptr<GraphWriter>(
      new GraphWriter(file_, std::make_shared<WrittenGraph>(), this));
}

std::unique_ptr<GraphWriter> GraphWriter::scope() const {
  return std::unique_ptr<GraphWriter>(new GraphWriter(file_, graph_, this));
}

const std::string& GraphWriter::name_of(const Value& value) const {
  const auto found = names_.find(value);
  if (found != names_.end()) return found->second;
  platform::require(above_ != nullptr, platform::ErrorKind::Internal,
                    "a value is used before it is written");
  return above_->name_of(value);
}

void GraphWriter::name_values(const std::vector<Value>& values, const Names& names) {
  for (std::size_t i = 0; i < names.size(); ++i) names_[values[i]] = names[i];
}

op::onnx::Symbol GraphWriter::symbol(const Value& value) {
  return {*this, name_of(value), value.type().dtype};
}

std::string GraphWriter::add_input(const std::string& hint, const op::TensorSpec& type) {
  graph_->inputs.push_back(value_of(new_name(hint), type));
  return graph_->inputs.back().name;
}

std::string GraphWriter::stored(const Value& value, const tensor::Tensor& tensor,
                                const std::string& hint) {
  std::string& name = file_.stored[value];
  if (name.empty()) name = file_.add_tensor(tensor, hint);
  return name;
}

WrittenNode& GraphWriter::add_node(const std::string& kind, Names inputs, std::size_t outputs) {
  while (!inputs.empty() && inputs.back().empty()) inputs.pop_back();
  WrittenNode& node = graph_->nodes.emplace_back();
  node.kind = kind;
  node.inputs = std::move(inputs);
  for (std::size_t i = 0; i < outputs; ++i) node.outputs.push_back(new_name(kind));
  node.name = new_name(kind + "_node");
  return node;
}

Names GraphWriter::add(std::string_view kind, Names inputs, std::size_t outputs,
                       const op::onnx::NamedList& attributes) {
  WrittenNode& node = add_node(std::string(kind), std::move(inputs), outputs);
  for (const auto& [name, value] : attributes)
    node.attributes.push_back(attribute_message(name, value.datum));
  return node.outputs;
}

Names GraphWriter::add_control(const std::string& kind, Names inputs, std::size_t outputs,
                               std::vector<InnerGraph> graphs) {
  WrittenNode& node = add_node(kind, std::move(inputs), outputs);
  node.graphs = std::move(graphs);
  return node.outputs;
}

InnerGraph GraphWriter::as_attribute(const std::string& attribute, const Names& results,
                                     const std::vector<op::TensorSpec>& types) {
  set_outputs(*graph_, results, types, [&](const std::string& hint) { return new_name(hint); });
  drop_unused(*graph_);
  graph_->name = new_name(attribute);
  return {attribute, std::move(*graph_)};
}

std::string GraphWriter::constant(const tensor::Tensor& value) {
  const std::string hint = "constant";
  if (!file_.is_sharing || value.size() > kMostShared) return file_.add_tensor(value, hint);
  const tensor::Tensor content = dense(value);
  std::string& name = file_.constants.name_of(content);
  if (name.empty()) name = file_.add_tensor(content, hint);
  return name;
}

}  // namespace mycel::formats::onnx
