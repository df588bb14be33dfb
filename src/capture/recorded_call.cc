// SPDX-License-Identifier: Apache-2.0
#include "capture/recorded_call.h"

#include <algorithm>

#include "platform/error/error.h"

namespace mycel::capture {

using eager::Edge;
using eager::Saved;
using platform::ErrorKind;
using platform::Ref;
using tensor::Storage;

namespace {

// Lends `stand_in` the bytes of `value`, which must be dense.
void lend(const Tensor& stand_in, const Tensor& value) {
  if (stand_in.body().storage == value.body().storage) return;
  const std::size_t skipped =
      static_cast<std::size_t>(value.body().offset) * tensor::size_of(value.dtype());
  stand_in.storage().fulfil(value.body().storage, skipped);
}

void take_back(const Tensor& stand_in) {
  static const Ref<Storage> nothing = Storage::allocate({}, 1);
  stand_in.storage().fulfil(nothing);
}

Tensor stand_in_for(const Tensor& tensor, Recorder& recorder) {
  const Ref<Storage> storage = Storage::promise(tensor.device(), tensor.bytes(), recorder);
  storage->set_watcher(nullptr);  // nobody computes it: it is lent what it stands for
  return Tensor::from_storage(storage, tensor.shape(), tensor.dtype());
}

}  // namespace

void RecordedCall::keep(const Tensor& tensor) {
  const auto same = [&](const Tensor& known) {
    return known.body().storage == tensor.body().storage;
  };
  if (std::none_of(stand_ins_.begin(), stand_ins_.end(), same)) stand_ins_.push_back(tensor);
}

void RecordedCall::note_saved(Recorder& recorder, Saved& saved) {
  const Tensor content = saved.content();  // as it was: a copy where it has been written since
  const Tensor reference = recorder.reference(content.storage());
  if (!reference.defined()) {
    if (recorder.knows(content)) keep(recorder.whole(content));
    saved = Saved(content);
    return;
  }
  auto known = std::find_if(references_.begin(), references_.end(),
                            [&](const Reference& one) { return one.tensor == reference; });
  if (known == references_.end())
    known = references_.insert(known, {reference, stand_in_for(reference, recorder)});
  saved = Saved(Tensor::view(known->stand_in, content.shape(), content.strides(),
                             content.body().offset - reference.body().offset));
}

std::string RecordedCall::note_parameters(const Recorder& recorder,
                                          const std::vector<Edge>& outside) {
  for (const Tensor& parameter : recorder.parameters()) {
    if (call_.has_computed(parameter))
      return "a Parameter is assigned something that a gradient goes through";
    const auto same = [&](const auto& known) { return known.first == parameter; };
    if (std::none_of(parameters_.begin(), parameters_.end(), same))
      parameters_.emplace_back(parameter, eager::is_tracked(parameter));
  }
  for (const Edge& edge : outside) {
    const auto found = std::find_if(parameters_.begin(), parameters_.end(), [&](const auto& known) {
      const tensor::TensorBody& body = known.first.body();
      return body.history.get() == edge.node.get() && body.output_index == edge.output;
    });
    if (found == parameters_.end())
      return "it uses a tensor from outside that a gradient goes to; make it an argument";
    targets_.push_back(found->first);
  }
  return {};
}

std::string RecordedCall::settle(const std::vector<Tensor>& outputs) {
  Recorder* recorder = current_recorder();
  if (recorder == nullptr) return "it is not being captured";
  if (recorder->has_written_arguments()) return "it writes into an argument";
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!call_.has_computed(outputs[i])) continue;
    if (!recorder->knows(outputs[i])) return "it returns a tensor that was not captured";
    places_.push_back(i);
    outputs_.push_back(outputs[i]);
  }
  const std::vector<Edge> outside = call_.cut(
      outputs_, [&](Saved& saved) { note_saved(*recorder, saved); }, has_custom_);
  std::string problem = note_parameters(*recorder, outside);
  if (has_custom_) {
    for (const Tensor& tensor : recorder->live()) keep(tensor);
  }
  if (!problem.empty()) leave();
  return problem;
}

void RecordedCall::record(const std::string& name, std::span<const Tensor> inputs,
                          std::span<Tensor* const> outputs, std::span<const Tensor> kept,
                          Backward backward) {
  if (++records_ == 2) let_go();
  std::vector<Tensor> sources(inputs.begin(), inputs.end());
  sources.insert(sources.end(), targets_.begin(), targets_.end());
  std::vector<Tensor> results;
  results.reserve(places_.size());
  for (const std::size_t place : places_) {
    Tensor& result = *outputs[place];
    result = eager::detach(result);  // a body of its own: it gets a history
    results.push_back(result);
  }
  std::vector<Saved> saved;
  saved.reserve(kept.size() + references_.size());
  for (const Tensor& value : kept) saved.emplace_back(value);
  for (const Reference& one : references_) saved.emplace_back(one.tensor);
  eager::record_custom(
      name, sources, results,
      [name, backward = std::move(backward), saved](std::span<const Tensor> gradients) {
        platform::require(!eager::is_recording(), ErrorKind::Runtime, "For '", name,
                          "', the gradient of a compiled function is itself differentiated, which "
                          "was not known when it was called. Call it inside both gradients, or set "
                          "MS_JIT=0.");
        if (Recorder* recorder = current_recorder())
          recorder->abandon("the gradient of another compiled function is taken inside");
        std::vector<Tensor> values;
        for (const Saved& one : saved) values.push_back(one.content());
        return backward(values, gradients);
      });
}

void RecordedCall::leave() const {
  for (const Reference& one : references_) lend(one.stand_in, tensor::contiguous(one.tensor));
}

void RecordedCall::join(std::span<Tensor* const> outputs) {
  leave();
  for (std::size_t i = 0; i < places_.size(); ++i) {
    Tensor& result = *outputs[places_[i]];
    result = eager::detach(result);
    result.body().history = outputs_[i].body().history;
    result.body().output_index = outputs_[i].body().output_index;
    result.body().seen_version = result.storage().version();
  }
}

std::vector<Tensor> RecordedCall::walk(const std::vector<Tensor>& kept,
                                       const std::vector<Tensor>& seeds) {
  std::vector<Tensor> places = stand_ins_;
  for (const Reference& one : references_) places.push_back(one.stand_in);
  std::vector<Tensor> values;
  Recorder* recorder = current_recorder();
  for (std::size_t i = 0; i < places.size(); ++i) {
    values.push_back(tensor::contiguous(kept[i]));
    if (recorder == nullptr || !recorder->adopt(places[i], values[i])) lend(places[i], values[i]);
  }
  std::vector<Tensor> outputs, gradients;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    if (!seeds[i].defined()) continue;
    outputs.push_back(outputs_[i]);
    gradients.push_back(seeds[i]);
  }
  std::vector<Tensor> found = call_.backward(outputs, gradients, true);
  for (Tensor& gradient : found) {
    for (std::size_t i = 0; gradient.defined() && i < places.size(); ++i) {
      const tensor::TensorBody& body = gradient.body();
      if (!(body.storage == places[i].body().storage)) continue;
      const std::int64_t offset = body.offset + values[i].body().offset;
      gradient = Tensor::view(values[i], body.shape, body.strides, offset);
      break;
    }
  }
  // Python may still hold what the captured call computed, but nobody else has stand-ins of
  // Parameters, and a Parameter that is kept would be copied when it is written.
  const std::size_t first = records_ > 1 ? 0 : stand_ins_.size();
  for (std::size_t i = first; i < places.size() && !has_custom_; ++i) take_back(places[i]);
  return found;
}

// The first call is over, and its values are not this object's to keep alive.
void RecordedCall::let_go() {
  call_.forget_outside();
  if (has_custom_) return;  // somebody else may hold them too
  for (const Tensor& stand_in : stand_ins_) take_back(stand_in);
  for (const Reference& one : references_) take_back(one.stand_in);
  for (const Tensor& output : outputs_) take_back(output);
}

}  // namespace mycel::capture
