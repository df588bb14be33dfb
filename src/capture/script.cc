// SPDX-License-Identifier: Apache-2.0
#include "capture/script.h"

#include <memory>

#include "capture/recorder.h"
#include "eager/aliases.h"
#include "eager/dispatch.h"
#include "eager/gradient_call.h"
#include "eager/tape.h"
#include "platform/error/error.h"

namespace mycel::capture {
namespace {

using platform::ErrorKind;

[[noreturn]] void differ(const std::string& why) { platform::fail(ErrorKind::Runtime, why); }

// Whatever ends later than it begins; goes in reverse when a replay is given up.
struct ReplayScope {
  std::unique_ptr<eager::GradientCall> gradient;
  std::unique_ptr<eager::RecordingSwitch> recording;
  std::unique_ptr<eager::ComputeTypeSwitch> compute_type;

  void end() {
    gradient.reset();
    recording.reset();
    compute_type.reset();
  }
};

void set_element(op::AttributeValue& attribute, int element, SizeNumber number) {
  const auto place = static_cast<std::size_t>(element < 0 ? 0 : element);
  if (attribute.is_ints()) {
    tensor::IntList values = attribute.ints();
    if (number.is_real || place >= values.size()) differ("an attribute has another form");
    values[place] = number.whole;
    attribute = std::move(values);
  } else if (attribute.is_floats()) {
    std::vector<double> values = attribute.reals();
    if (place >= values.size()) differ("an attribute has another form");
    values[place] = number.as_real();
    attribute = std::move(values);
  } else if (attribute.is_float()) {
    attribute = number.as_real();
  } else if (attribute.is_int() && !number.is_real) {
    attribute = number.whole;
  } else {
    differ("an attribute has another form");
  }
}

class Replay {
 public:
  Replay(Recorder& recorder, std::size_t argument_count) {
    for (std::size_t i = 0; i < argument_count; ++i) values_.push_back(recorder.argument(i));
  }
  ~Replay() {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) scope->end();
  }
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  Tensor tensor_of(const ScriptOperand& operand) const {
    switch (operand.kind) {
      case ScriptOperand::Kind::None: break;
      case ScriptOperand::Kind::Value: return values_[operand.value];
      case ScriptOperand::Kind::Outside: return operand.tensor;
    }
    return {};
  }

  SizeNumber number_of(const SizeExpression& size) const {
    const std::optional<SizeNumber> number = evaluate(size, values_);
    if (!number) differ(platform::join(size, " is no number that fits"));
    return *number;
  }

  void operator()(const step::Call& call) {
    std::vector<Tensor> inputs = tensors_of(call.inputs);
    op::AttributeList attributes =
        call.index ? index_attributes(*call.index, inputs[0].shape()) : call.attributes;
    for (const AttributeSize& entry : call.sizes)
      set_element(attributes[entry.attribute], entry.element, number_of(*entry.size));
    std::vector<Tensor> outputs;
    eager::dispatch(*call.definition, inputs, attributes, outputs);
    take(outputs, call.results);
  }
  void operator()(const step::Number& step) {
    const SizeNumber number = number_of(*step.size);
    values_.push_back(number.is_real ? eager::number_tensor(number.real)
                                     : eager::number_tensor(number.whole));
  }
  void operator()(const step::Constant& constant) {
    Tensor copy = Tensor::empty(constant.content.shape(), constant.content.dtype());
    tensor::copy_elements(constant.content, copy);
    values_.push_back(std::move(copy));
  }
  void operator()(const step::Require& step) {
    const std::optional<bool> now = compare(step.how, number_of(*step.a), number_of(*step.b));
    if (now == step.outcome) return;
    differ(platform::join("Python relies on ", step.outcome ? "" : "not ", *step.a, " ",
                          sign_of(step.how), " ", *step.b));
  }
  void operator()(const step::BeginGradient&) {
    scopes_.emplace_back().gradient = std::make_unique<eager::GradientCall>();
  }
  void operator()(const step::Watch& step) {
    eager::GradientCall& gradient = *scopes_[step.scope].gradient;
    const Tensor input = tensor_of(step.input);
    if (step.is_parameter) {
      gradient.watch_parameter(input);
    } else {
      values_.push_back(gradient.watch(input));
    }
  }
  void operator()(const step::EndForward& step) { scopes_[step.scope].gradient->end_forward(); }
  void operator()(const step::Backward& step) {
    const std::vector<Tensor> gradients = scopes_[step.scope].gradient->backward(
        tensors_of(step.outputs), tensors_of(step.seeds), step.keep);
    take(gradients, step.results);
  }
  void operator()(const step::BeginSwitch& step) {
    ReplayScope& scope = scopes_.emplace_back();
    if (step.compute_type) {
      scope.compute_type = std::make_unique<eager::ComputeTypeSwitch>(*step.compute_type);
    } else {
      scope.recording = std::make_unique<eager::RecordingSwitch>(step.recording);
    }
  }
  void operator()(const step::EndSwitch& step) { scopes_[step.scope].end(); }
  void operator()(const step::Detach& step) {
    const Tensor input = tensor_of(step.input);
    eager::note_origin(input);
    values_.push_back(eager::detach(input));
  }
  void operator()(const step::DropHistory& step) {
    const Tensor input = tensor_of(step.input);
    if (!input.defined()) return;
    eager::note_origin(input);
    input.body().history = {};
  }
  void operator()(const step::Overwrite& step) {
    eager::record_overwrite(tensor_of(step.target), tensor_of(step.result));
  }
  void operator()(const step::IsTracked& step) {
    if (eager::is_tracked(tensor_of(step.input)) != step.outcome)
      differ("a gradient reaches other tensors");
  }

 private:
  std::vector<Tensor> tensors_of(const std::vector<ScriptOperand>& operands) const {
    std::vector<Tensor> tensors;
    tensors.reserve(operands.size());
    for (const ScriptOperand& operand : operands) tensors.push_back(tensor_of(operand));
    return tensors;
  }
  op::AttributeList index_attributes(const ScriptIndex& index, const tensor::Shape& shape) const {
    std::vector<eager::IndexPart> parts = index.parts;
    for (const IndexSize& entry : index.sizes) {
      const SizeNumber number = number_of(*entry.size);
      if (number.is_real) differ("an index is no integer");
      (entry.field == 0 ? parts[entry.part].start : parts[entry.part].stop) = number.whole;
    }
    return eager::window_attributes(shape, parts);
  }
  // What was one tensor under two names must be one again: later steps know only one of them.
  void take(std::span<const Tensor> tensors, const std::vector<ScriptResult>& results) {
    if (tensors.size() != results.size()) differ("an operator has another number of results");
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i].defined() != results[i].is_defined) differ("an operator has other results");
      if (results[i].is_defined &&
          (tensors[i].shape().size() != results[i].rank || tensors[i].dtype() != results[i].dtype))
        differ("a result has another number of axes, or another type");
      const Tensor same = tensor_of(results[i].same);
      if (same.defined() && same.body().storage.get() != tensors[i].body().storage.get())
        differ("an operator gives a new tensor instead of one that was there");
      values_.push_back(tensors[i]);
    }
  }

  std::vector<Tensor> values_;
  std::vector<ReplayScope> scopes_;
};

}  // namespace

Script::Results Script::replay(Recorder& recorder, std::size_t argument_count,
                               ir::Position& position) const {
  for (const Watched& entry : watched) recorder.watch(entry.tensor, entry.name);
  Replay replay(recorder, argument_count);
  for (const ScriptStep& step : steps) {
    position = *step.origin.position;
    const op::OriginScope origin(step.origin);
    std::visit(replay, step.action);
  }
  Results found;
  for (const ScriptOperand& result : results) {
    found.tensors.push_back(replay.tensor_of(result));
    if (!found.tensors.back().defined()) differ("a result is no value of this run");
  }
  for (const SizeRef& number : numbers) found.numbers.push_back(replay.number_of(*number));
  return found;
}

}  // namespace mycel::capture
