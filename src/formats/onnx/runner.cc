// SPDX-License-Identifier: Apache-2.0
#include "formats/onnx/runner.h"

#include <algorithm>

#include "platform/error/error.h"

namespace mycel::formats::onnx {

using platform::ErrorKind;

namespace {

constexpr std::int64_t kSmall = 4096;  // elements: what is computed before the network runs

// Whether a step's results follow from known values, shapes and types alone.
bool gives_known(const Step& step, std::span<const Held> inputs) {
  if (step.mapping == nullptr) return false;
  const std::vector<op::StoredParameter>& parameters = step.mapping->parameters;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].value.is_none() || (i < parameters.size() && parameters[i].is_measured)) continue;
    const bool is_small = inputs[i].value.is_tensor() &&
                          tensor::element_count(inputs[i].value.tensor().shape()) <= kSmall;
    if (!inputs[i].is_known || !is_small) return false;
  }
  return true;
}

}  // namespace

Held Runner::fetch(const Source& source, Frame& frame) const {
  switch (source.kind) {
    case Source::Kind::Absent: return {};
    case Source::Kind::Constant: return {source.value, true};
    case Source::Kind::Parameter: return {Datum(parameters_[source.index]), false};
    case Source::Kind::Slot: break;
  }
  Frame* owner = &frame;
  for (int i = 0; i < source.distance; ++i) owner = owner->around;
  return owner->values[source.index];
}

std::vector<Held> Runner::run(const Graph& graph, std::vector<Held> inputs, Frame* around) {
  inputs.resize(graph.slot_count);
  Frame frame{around, std::move(inputs)};
  std::vector<Held> arguments;
  for (const Step& step : graph.steps) {
    arguments.clear();
    for (const Source& source : step.inputs) arguments.push_back(fetch(source, frame));
    std::vector<Held> found = results(step, arguments, frame);
    platform::require(found.size() >= step.outputs.size(), ErrorKind::Value, "Node '", step.name,
                      "' (", step.kind, ") of the ONNX network gives ", found.size(),
                      " values, but ", step.outputs.size(), " are expected.");
    for (std::size_t i = 0; i < step.outputs.size(); ++i)
      if (step.outputs[i] >= 0)
        frame.values[static_cast<std::size_t>(step.outputs[i])] = std::move(found[i]);
    for (const std::size_t slot : step.released) frame.values[slot] = {};
  }
  std::vector<Held> outputs;
  for (const Source& source : graph.outputs) outputs.push_back(fetch(source, frame));
  return outputs;
}

std::vector<Held> Runner::results(const Step& step, Inputs inputs, Frame& frame) {
  switch (step.control) {
    case Control::None: return call(step, inputs);
    case Control::If: return choose(step, inputs, frame);
    case Control::Loop:
      return host_.loop_maker() == nullptr ? turns(step, inputs, frame) : loop(step, inputs, frame);
    case Control::Scan: return scan(step, inputs, frame);
    case Control::Function: return function(step, inputs);
  }
  return {};
}

std::vector<Held> Runner::call(const Step& step, Inputs inputs) {
  std::vector<Datum> arguments;
  for (const Held& input : inputs) arguments.push_back(input.value);
  const bool is_known = gives_known(step, inputs);
  const Datum result = computed(step, arguments, is_known);
  if (!result.is_sequence()) return {{result, is_known}};
  std::vector<Held> parts;
  for (const Datum& item : result.items()) parts.push_back({item, is_known});
  return parts;
}

Datum Runner::computed(const Step& step, std::span<const Datum> arguments, bool is_known) {
  try {
    if (step.mapping == nullptr)
      return host_.call_foreign({step.kind, arguments, step.attributes, false});
    const op::StoredUse use{arguments, step.attributes, host_.emitter(), opset_,
                            step.outputs.size()};
    if (!is_known) return (*step.mapping)(use);
    return host_.compute_now([&] { return (*step.mapping)(use); });
  } catch (const platform::Error& error) {
    platform::fail(error.kind(), "Node '", step.name, "' (", step.kind,
                   ") of the ONNX network: ", error.message());
  }
}

std::vector<Held> Runner::function(const Step& step, Inputs inputs) {
  const Graph& body = *step.graphs[0];
  std::vector<Held> given(inputs.begin(), inputs.end());
  platform::require(given.size() <= body.input_count, ErrorKind::Value, "The function '", step.kind,
                    "' that node '", step.name, "' of the ONNX network calls takes ",
                    body.input_count, " inputs, but got ", given.size(), ".");
  return run(body, std::move(given), nullptr);
}

}  // namespace mycel::formats::onnx
