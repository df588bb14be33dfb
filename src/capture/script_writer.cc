// SPDX-License-Identifier: Apache-2.0
#include "capture/script_writer.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "eager/dispatch.h"
#include "eager/tape.h"
#include "platform/error/error.h"

namespace mycel::capture {
namespace {

using platform::ErrorKind;

thread_local ScriptWriter* current_writer = nullptr;
std::atomic<std::uint64_t> next_serial = 1;

}  // namespace

ScriptWriter* script_writer() { return current_writer; }

ScriptWriter* script_writer_of(const Tensor& tensor) {
  ScriptWriter* writer = script_writer();
  return writer != nullptr && writer->knows(tensor) ? writer : nullptr;
}

ScriptWriter::ScriptWriter(Recorder& recorder, std::size_t argument_count,
                           std::function<ir::Position()> position)
    : recorder_(recorder), position_(std::move(position)), serial_(next_serial++) {
  for (std::size_t i = 0; i < argument_count; ++i) enter(recorder.argument(i));
  recorder_.log = this;
  current_writer = this;
}

ScriptWriter::~ScriptWriter() {
  recorder_.log = nullptr;
  current_writer = nullptr;
  for (auto& [body, held] : held_) {
    tensor::Storage& storage = held.tensor.storage();
    if (storage.watcher() == &recorder_ && !recorder_.identify(held.tensor))
      storage.set_watcher(nullptr);
  }
}

// ---- values -------------------------------------------------------------------------------------

ScriptWriter::Key ScriptWriter::key_of(std::size_t order, const Tensor& tensor) {
  const tensor::TensorBody& body = tensor.body();
  std::string part = platform::join(body.shape, body.strides, body.offset);
  if (!body.history) return {order, 0, 0, std::move(part)};
  return {order, static_cast<const eager::Node*>(body.history.get())->sequence, body.output_index,
          std::move(part)};
}

std::optional<std::size_t> ScriptWriter::find(const Tensor& tensor) const {
  if (const auto held = held_.find(tensor.body_ref().get()); held != held_.end())
    return held->second.value;
  const std::optional<Recorder::Identity> identity = recorder_.identify(tensor);
  if (!identity) return std::nullopt;
  const auto found = values_.find(key_of(identity->order, tensor));
  if (found == values_.end()) return std::nullopt;
  return found->second;
}

bool ScriptWriter::knows(const Tensor& tensor) const {
  return depth_ == 0 && tensor.defined() && !tensor.body().is_parameter && find(tensor).has_value();
}

void ScriptWriter::name(const Tensor& tensor, std::size_t value) {
  if (const std::optional<Recorder::Identity> identity = recorder_.identify(tensor)) {
    values_[key_of(identity->order, tensor)] = value;
    return;
  }
  held_[tensor.body_ref().get()] = {tensor, value};
  // What Python reads of what was made here may depend on sizes.
  tensor::Storage& storage = tensor.storage();
  if (storage.watcher() == nullptr && storage.birth() == tensor::Storage::birth_mark)
    storage.set_watcher(&recorder_);
}

void ScriptWriter::enter(const Tensor& tensor) {
  const std::size_t value = next_value_++;
  if (tensor.defined() && !tensor.body().is_parameter) name(tensor, value);
}

std::vector<ScriptResult> ScriptWriter::enter_results(std::span<const Tensor> tensors) {
  std::vector<ScriptResult> results;
  for (const Tensor& tensor : tensors) {
    ScriptResult& result = results.emplace_back();
    result.is_defined = tensor.defined();
    if (result.is_defined) {
      result.rank = tensor.shape().size();
      result.dtype = tensor.dtype();
    }
    const bool is_given = std::find(given_.begin(), given_.end(), tensor) != given_.end();
    if (result.is_defined && (is_given || find(tensor))) {
      result.same = operand(tensor);
      ++next_value_;
    } else {
      enter(tensor);
    }
  }
  given_.clear();
  return results;
}

void ScriptWriter::note_watched(const Tensor& tensor, const std::string& name) {
  if (!watched_.emplace(tensor.body_ref().get(), script_.watched.size()).second) return;
  script_.watched.push_back({tensor, name});
}

ScriptOperand ScriptWriter::operand(const Tensor& tensor) {
  if (!tensor.defined()) return {};
  const std::optional<Recorder::Identity> identity = recorder_.identify(tensor);
  if (identity && identity->reference == tensor) {
    note_watched(tensor, identity->name);
    return {ScriptOperand::Kind::Outside, 0, tensor};
  }
  if (const std::optional<std::size_t> value = find(tensor))
    return {ScriptOperand::Kind::Value, *value, {}};
  if (identity) refuse("it uses a tensor in a way that is not written down");
  const bool is_made_here = tensor.storage().birth() == tensor::Storage::birth_mark;
  if (tensor.body().is_number || !is_made_here) return {ScriptOperand::Kind::Outside, 0, tensor};
  if (tensor.body().is_parameter) refuse("it makes a Parameter");
  Tensor copy = Tensor::empty(tensor.shape(), tensor.dtype());
  tensor::copy_elements(tensor, copy);
  add(step::Constant{copy});
  const std::size_t value = next_value_++;
  held_[tensor.body_ref().get()] = {tensor, value};
  return {ScriptOperand::Kind::Value, value, {}};
}

std::vector<ScriptOperand> ScriptWriter::operands(std::span<const Tensor> tensors) {
  std::vector<ScriptOperand> found;
  for (const Tensor& tensor : tensors) found.push_back(operand(tensor));
  return found;
}

ScriptStep& ScriptWriter::add(decltype(ScriptStep::action) action) {
  op::Origin origin = op::current_origin();
  if (!origin.position) origin.position = std::make_shared<const ir::Position>(position_());
  return script_.steps.emplace_back(ScriptStep{std::move(action), std::move(origin)});
}

// ---- calls --------------------------------------------------------------------------------------

void ScriptWriter::begin_call(const op::OpDef& definition, std::span<const Tensor> inputs,
                              std::span<const op::AttributeValue> attributes) {
  if (depth_ == 0) {
    if (!refusal_.empty()) refuse(refusal_);
    if (definition.dynamic_outputs) refuse("values decide the shape of a result");
    step::Call call;
    call.definition = &definition;
    call.inputs = operands(inputs);
    call.attributes.assign(attributes.begin(), attributes.end());
    call.sizes = std::exchange(sizes_, {});
    call.index = std::exchange(index_, std::nullopt);
    given_.assign(inputs.begin(), inputs.end());
    add(std::move(call));
  }
  ++depth_;
}

void ScriptWriter::end_call(std::span<const Tensor> outputs) {
  if (--depth_ > 0) return;
  std::get<step::Call>(script_.steps.back().action).results = enter_results(outputs);
}

void ScriptWriter::fail_call() noexcept {
  --depth_;
  mark("an operator raises an error");
}

void ScriptWriter::note_attribute(std::size_t attribute, int element, SizeRef size) {
  sizes_.push_back({attribute, element, std::move(size)});
}

// ---- sizes --------------------------------------------------------------------------------------

SizeRef ScriptWriter::length(const Tensor& tensor, std::size_t axis) {
  return ir::length_of(find(tensor).value(), axis);
}

void ScriptWriter::require(SizeRef a, SizeComparison how, SizeRef b, bool outcome) {
  add(step::Require{std::move(a), std::move(b), how, outcome});
}

void ScriptWriter::require_length(const Tensor& tensor, std::size_t axis) {
  require(length(tensor, axis), SizeComparison::Equal,
          number_size(SizeNumber::of(tensor.shape()[axis])), true);
}

void ScriptWriter::require_shape(const Tensor& tensor) {
  for (std::size_t axis = 0; axis < tensor.shape().size(); ++axis) require_length(tensor, axis);
}

Tensor ScriptWriter::number(SizeRef size, SizeNumber now) {
  Tensor tensor = now.is_real ? eager::number_tensor(now.real) : eager::number_tensor(now.whole);
  add(step::Number{std::move(size)});
  held_[tensor.body_ref().get()] = {tensor, next_value_++};
  return tensor;
}

// ---- gradients ----------------------------------------------------------------------------------

std::size_t ScriptWriter::begin_gradient() {
  add(step::BeginGradient{});
  return next_scope_++;
}

void ScriptWriter::watch(std::size_t scope, const Tensor& input, const Tensor& alias) {
  add(step::Watch{scope, operand(input), false});
  enter(alias);
}

void ScriptWriter::watch_parameter(std::size_t scope, const Tensor& parameter) {
  add(step::Watch{scope, operand(parameter), true});
}

void ScriptWriter::end_forward(std::size_t scope) { add(step::EndForward{scope}); }

void ScriptWriter::begin_backward(std::size_t scope, std::span<const Tensor> outputs,
                                  std::span<const Tensor> seeds, bool keep) {
  if (!refusal_.empty()) refuse(refusal_);
  step::Backward backward;
  backward.scope = scope;
  backward.outputs = operands(outputs);
  backward.seeds = operands(seeds);
  backward.keep = keep;
  given_.assign(outputs.begin(), outputs.end());
  given_.insert(given_.end(), seeds.begin(), seeds.end());
  add(std::move(backward));
  ++depth_;
}

void ScriptWriter::end_backward(std::span<const Tensor> gradients) {
  --depth_;
  std::get<step::Backward>(script_.steps.back().action).results = enter_results(gradients);
}

std::size_t ScriptWriter::begin_switch(step::BeginSwitch change) {
  add(change);
  return next_scope_++;
}

void ScriptWriter::end_switch(std::size_t scope) { add(step::EndSwitch{scope}); }

void ScriptWriter::detach(const Tensor& input, const Tensor& result) {
  add(step::Detach{operand(input)});
  enter(result);
}

void ScriptWriter::drop_history(const Tensor& tensor) { add(step::DropHistory{operand(tensor)}); }

void ScriptWriter::overwrite(const Tensor& target, const Tensor& result) {
  add(step::Overwrite{operand(target), operand(result)});
}

void ScriptWriter::history_changed(const Tensor& tensor) {
  const ScriptStep& step = script_.steps.back();
  const auto* dropped = std::get_if<step::DropHistory>(&step.action);
  const ScriptOperand& changed =
      dropped != nullptr ? dropped->input : std::get<step::Overwrite>(step.action).target;
  if (changed.kind == ScriptOperand::Kind::Value) name(tensor, changed.value);
}

void ScriptWriter::is_tracked(const Tensor& tensor, bool outcome) {
  if (tensor.defined()) add(step::IsTracked{operand(tensor), outcome});
}

// ---- the end ------------------------------------------------------------------------------------

void ScriptWriter::note_unlogged(const Tensor& tensor) noexcept {
  if (!tensor.defined()) return;
  const std::optional<Recorder::Identity> identity = recorder_.identify(tensor);
  if ((identity && !(identity->reference == tensor)) || held_.contains(tensor.body_ref().get()))
    mark("it gives a tensor to a function that is not an operator");
}

void ScriptWriter::mark(std::string_view reason) noexcept {
  if (!refusal_.empty()) return;
  const ir::Position position = position_();
  refusal_ = platform::join(reason, " (", position.file, ":", position.line, ")");
}

void ScriptWriter::refuse(std::string_view reason) {
  mark(reason);
  platform::fail(ErrorKind::Runtime, refusal_);
}

Script ScriptWriter::finish(std::span<const Tensor> results, std::vector<SizeRef> numbers) {
  if (!refusal_.empty()) refuse(refusal_);
  script_.results = operands(results);
  script_.numbers = std::move(numbers);
  return std::move(script_);
}

}  // namespace mycel::capture
