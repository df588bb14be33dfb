// SPDX-License-Identifier: Apache-2.0
#include "eager/tape.h"

#include <algorithm>
#include <atomic>

#include "eager/aliases.h"
#include "eager/interceptor.h"
#include "eager/tape_state.h"
#include "platform/error/error.h"

namespace mycel::eager {

using op::GradientKind;
using op::OpDef;
using platform::ErrorKind;

thread_local TapeState tape_state;

namespace {

// What nodes leave behind when they go, so that a long chain of them does not become a deep
// recursion.
struct Remains {
  std::vector<Edge> edges;
  BackwardFunction custom;
  std::shared_ptr<RegionGradient> region;
};
thread_local std::vector<Remains>* remains = nullptr;

}  // namespace

Node::~Node() {
  if (remains != nullptr) {
    remains->push_back({std::move(edges), std::move(custom), std::move(region)});
    return;
  }
  std::vector<Remains> left;
  left.push_back({std::move(edges), std::move(custom), std::move(region)});
  remains = &left;
  while (!left.empty()) {
    const Remains next = std::move(left.back());
    left.pop_back();
  }
  remains = nullptr;
}

void Node::release_saved() {
  inputs.clear();
  outputs.clear();
  edges.clear();
  custom = nullptr;
  region = nullptr;
  released = true;
}

bool is_recording() { return tape_state.recording; }

Node* node_of(const Tensor& tensor) {
  if (!tensor.defined()) return nullptr;
  const tensor::TensorBody& body = tensor.body();
  if (body.storage->recorded_version() > body.seen_version) [[unlikely]]
    follow_writes(tensor);
  if (!body.history) return nullptr;
  auto* node = static_cast<Node*>(tensor.body().history.get());
  return node->scope == tape_state.scope ? node : nullptr;
}

bool is_tracked(const Tensor& tensor) { return tape_state.recording && node_of(tensor) != nullptr; }

RecordingSwitch::RecordingSwitch(bool on) : before_(tape_state.recording) {
  tape_state.recording = on;
}
RecordingSwitch::~RecordingSwitch() { tape_state.recording = before_; }

Tensor detach(const Tensor& tensor) {
  Tensor copy = Tensor::view(tensor, tensor.shape(), tensor.strides(), tensor.body().offset);
  copy.body().is_number = tensor.body().is_number;
  return copy;
}

namespace {

Ref<Node> make_node(std::span<const Tensor> inputs, const OpDef* definition) {
  Ref<Node> node(new Node());
  node->scope = tape_state.scope;
  node->sequence = tape_state.next_sequence++;
  node->definition = definition;
  if (const Interceptor* recorder = interceptor()) node->origin = recorder->last_origin();
  node->edges.resize(inputs.size());
  node->input_specs.resize(inputs.size());
  node->present.resize(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    node->present[i] = inputs[i].defined();
    if (!inputs[i].defined()) continue;
    node->input_specs[i] = {inputs[i].dtype(), inputs[i].shape(), inputs[i].body().is_number};
    if (Node* producer = node_of(inputs[i]))
      node->edges[i] = {Ref<Node>(producer), inputs[i].body().output_index};
  }
  return node;
}

void attach_outputs(const Ref<Node>& node, std::span<Tensor> outputs) {
  node->output_specs.resize(outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    node->output_specs[i] = {outputs[i].dtype(), outputs[i].shape(), false};
    if (!node->is_window) note_layout(*node, static_cast<std::uint32_t>(i), outputs[i]);
    tensor::TensorBody& body = outputs[i].body();
    body.history = Ref<tensor::History>(node.get());
    body.output_index = static_cast<std::uint32_t>(i);
    body.seen_version = body.storage->version();
  }
}

}  // namespace

void note_layout(Node& node, std::uint32_t output, const Tensor& tensor) {
  const bool is_whole = tensor.body().offset == 0 && tensor.is_contiguous() &&
                        tensor.bytes() == tensor.storage().bytes();
  if (!is_whole) node.layouts.push_back({output, {tensor.strides(), tensor.body().offset}});
}

namespace {

bool any_tracked(std::span<const Tensor> inputs) {
  return std::any_of(inputs.begin(), inputs.end(),
                     [](const Tensor& input) { return node_of(input) != nullptr; });
}

bool all_discrete(std::span<const Tensor> outputs) {
  return std::all_of(outputs.begin(), outputs.end(), [](const Tensor& output) {
    return !tensor::is_floating(output.dtype()) && !tensor::is_complex(output.dtype());
  });
}

}  // namespace

std::uint32_t inputs_to_keep(const Node& node) {
  const OpDef& definition = *node.definition;
  if (definition.gradient_kind != GradientKind::Derived) return definition.kept_inputs;
  std::uint32_t keep = 0;
  for (std::size_t i = 0; i < node.edges.size(); ++i) {
    if (!node.edges[i].node) continue;
    if (const OpDef* gradient = definition.derived_gradient(static_cast<int>(i)))
      keep |= op::inputs_read(gradient->scalar);
  }
  return keep;
}

void record(const OpDef& definition, std::span<const Tensor> inputs,
            std::span<const op::AttributeValue> attributes, std::span<Tensor> outputs) {
  if (definition.has_effects || !any_tracked(inputs)) return;
  if (definition.gradient_kind == GradientKind::None && all_discrete(outputs)) return;
  const Ref<Node> node = make_node(inputs, &definition);
  node->attributes.assign(attributes.begin(), attributes.end());
  const std::uint32_t keep = inputs_to_keep(*node);
  node->inputs.resize(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const bool kept = (keep >> std::min<std::size_t>(i, 31) & 1U) != 0;
    if (kept && inputs[i].defined()) node->inputs[i] = Saved(inputs[i]);
  }
  node->outputs.resize(outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if ((definition.kept_outputs >> std::min<std::size_t>(i, 31) & 1U) != 0)
      node->outputs[i] = Saved(outputs[i]);
  }
  node->is_window =
      definition.view != nullptr && inputs[0].body().storage == outputs[0].body().storage;
  attach_outputs(node, outputs);
}

void record_custom(std::string name, std::span<const Tensor> inputs, std::span<Tensor> outputs,
                   BackwardFunction backward) {
  if (!tape_state.recording || !any_tracked(inputs)) return;
  const Ref<Node> node = make_node(inputs, nullptr);
  node->custom = std::move(backward);
  node->custom_name = std::move(name);
  attach_outputs(node, outputs);
}

void record_region(std::shared_ptr<RegionGradient> region, std::vector<Edge> edges,
                   std::span<Tensor> outputs) {
  const Ref<Node> node = make_node({}, nullptr);
  node->region = std::move(region);
  node->edges = std::move(edges);
  attach_outputs(node, outputs);
}

int add_hook(const Tensor& tensor, Hook hook) {
  static std::atomic<int> next_id{1};
  Node* node = node_of(tensor);
  if (node == nullptr) return 0;
  const int id = next_id++;
  node->hooks.push_back({tensor.body().output_index, id, std::move(hook)});
  return id;
}

void remove_hook(const Tensor& tensor, int id) {
  Node* node = node_of(tensor);
  if (node == nullptr) return;
  std::erase_if(node->hooks, [&](const Node::OutputHook& hook) { return hook.id == id; });
}

}  // namespace mycel::eager
