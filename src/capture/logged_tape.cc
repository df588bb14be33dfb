// SPDX-License-Identifier: Apache-2.0
#include "capture/logged_tape.h"

#include "eager/aliases.h"

namespace mycel::capture {

ScriptWriter* ScriptScope::writer() const {
  ScriptWriter* writer = script_writer();
  return writer != nullptr && writer->serial() == serial_ ? writer : nullptr;
}

LoggedGradientCall::LoggedGradientCall() {
  if (ScriptWriter* writer = script_writer()) script_.begin(*writer, writer->begin_gradient());
}

Tensor LoggedGradientCall::watch(const Tensor& input) {
  Tensor alias = call_.watch(input);
  if (ScriptWriter* writer = script_.writer()) writer->watch(script_.number(), input, alias);
  return alias;
}

void LoggedGradientCall::watch_parameter(const Tensor& parameter) {
  if (ScriptWriter* writer = script_.writer()) writer->watch_parameter(script_.number(), parameter);
  call_.watch_parameter(parameter);
}

void LoggedGradientCall::end_forward() {
  if (!in_forward_) return;
  in_forward_ = false;
  if (ScriptWriter* writer = script_.writer()) writer->end_forward(script_.number());
  call_.end_forward();
}

std::vector<Tensor> LoggedGradientCall::backward(std::span<const Tensor> outputs,
                                                 std::span<const Tensor> seeds, bool keep) {
  ScriptWriter* writer = script_.writer();
  if (writer == nullptr) return call_.backward(outputs, seeds, keep);
  writer->begin_backward(script_.number(), outputs, seeds, keep);
  try {
    std::vector<Tensor> gradients = call_.backward(outputs, seeds, keep);
    writer->end_backward(gradients);
    return gradients;
  } catch (...) {
    writer->fail_call();
    throw;
  }
}

LoggedSwitch::LoggedSwitch(bool recording)
    : recording_(std::make_unique<eager::RecordingSwitch>(recording)) {
  if (ScriptWriter* writer = script_writer())
    script_.begin(*writer, writer->begin_switch({std::nullopt, recording}));
}

LoggedSwitch::LoggedSwitch(tensor::DType compute_type)
    : compute_type_(std::make_unique<eager::ComputeTypeSwitch>(compute_type)) {
  if (ScriptWriter* writer = script_writer())
    script_.begin(*writer, writer->begin_switch({compute_type, false}));
}

LoggedSwitch::~LoggedSwitch() {
  if (ScriptWriter* writer = script_.writer()) writer->end_switch(script_.number());
}

Tensor detach(const Tensor& tensor) {
  eager::note_origin(tensor);
  Tensor result = eager::detach(tensor);
  if (ScriptWriter* writer = script_writer()) writer->detach(tensor, result);
  return result;
}

void drop_history(const Tensor& tensor) {
  ScriptWriter* writer = script_writer();
  if (writer != nullptr) writer->drop_history(tensor);
  eager::note_origin(tensor);
  tensor.body().history = {};
  if (writer != nullptr) writer->history_changed(tensor);
}

void overwrite_history(const Tensor& target, const Tensor& result) {
  ScriptWriter* writer = script_writer();
  if (writer != nullptr) writer->overwrite(target, result);
  eager::record_overwrite(target, result);
  if (writer != nullptr) writer->history_changed(target);
}

bool is_tracked(const Tensor& tensor) {
  const bool outcome = eager::is_tracked(tensor);
  if (ScriptWriter* writer = script_writer()) writer->is_tracked(tensor, outcome);
  return outcome;
}

void refuse_in_script(const char* what) {
  if (ScriptWriter* writer = script_writer()) writer->refuse(what);
}

}  // namespace mycel::capture
