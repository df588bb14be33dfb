// SPDX-License-Identifier: Apache-2.0
#include "api/prepared_program.h"

#include <algorithm>

#include "capture/declined.h"
#include "capture/recorder.h"
#include "eager/dispatch.h"
#include "platform/log/log.h"
#include "runtime/compile.h"

namespace mycel::api {
namespace {

constexpr std::size_t kMostVariants = 64;  // sets of shapes that stay compiled
constexpr std::size_t kMostSteps = 256;    // of the ways of one; beyond, new ones are walked

// The walk under a recorder. Results that the walk did not compute (a weight, an input) are copied
// by an operator of the graph.
std::vector<Tensor> recorded_walk(capture::Recorder& recorder, const ProgramSource& source) {
  std::vector<Tensor> stand_ins;
  for (std::size_t i = 0; i < source.inputs().size(); ++i)
    stand_ins.push_back(recorder.argument(i));
  std::vector<Tensor> results = source.walk(stand_ins);
  for (Tensor& result : results) {
    if (!recorder.is_active()) break;
    if (recorder.take_over(result) && recorder.is_result(result)) continue;
    op::Emitter& emitter = eager::emitter();
    result = emitter.call("copy", {op::Value(&emitter, result)}).tensor();
  }
  return results;
}

// Dense, and nobody else's memory.
void own(std::vector<Tensor>& results, std::span<const Tensor> values_before) {
  std::vector<const tensor::Storage*> taken;
  for (const Tensor& value : values_before) taken.push_back(&value.storage());
  for (Tensor& result : results) {
    const tensor::Storage& storage = result.storage();
    const bool is_own = result.is_contiguous() && result.body().offset == 0 &&
                        storage.bytes() == result.bytes() && !storage.may_be_known_otherwise() &&
                        std::find(taken.begin(), taken.end(), &storage) == taken.end();
    if (!is_own) {
      const Tensor copy = Tensor::empty(result.shape(), result.dtype());
      tensor::copy_elements(result, copy);
      result = copy;
    }
    taken.push_back(&result.storage());
  }
}

}  // namespace

struct PreparedProgram::Variant {
  explicit Variant(Shapes shapes) : shapes(std::move(shapes)) {}
  const Shapes shapes;

  // Written by whoever is alone with the program, and only once each but for `has_effects`.
  std::shared_ptr<capture::Ways> ways;  // null: nothing has been recorded
  bool has_effects = false;             // runs write weights, so they must be alone
  bool is_planned = false;              // `results` says what is known without values
  std::optional<std::vector<op::TensorSpec>> results;
  std::string why_walked;  // not empty: recording is no use

  void take(const std::shared_ptr<capture::Ways>& recorded) {
    ways = recorded;
    ways->visit([&](const capture::Step& step) {
      if (step.executable) has_effects = has_effects || step.executable->has_effects();
    });
  }
};

PreparedProgram::PreparedProgram(std::shared_ptr<const ProgramSource> source)
    : source_(std::move(source)) {}
PreparedProgram::~PreparedProgram() = default;

std::size_t PreparedProgram::compiled_count() const {
  const std::lock_guard lock(mutex_);
  return variants_.size();
}

std::shared_ptr<PreparedProgram::Variant> PreparedProgram::variant(const Shapes& shapes) {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(variants_.begin(), variants_.end(),
                   [&](const std::shared_ptr<Variant>& known) { return known->shapes == shapes; });
  if (found != variants_.end()) {
    variants_.splice(variants_.begin(), variants_, found);
  } else {
    variants_.push_front(std::make_shared<Variant>(shapes));
    if (variants_.size() > kMostVariants) variants_.pop_back();
  }
  return variants_.front();
}

std::optional<std::vector<op::TensorSpec>> PreparedProgram::prepare(const Shapes& shapes) {
  const std::shared_ptr<Variant> known = variant(shapes);
  const auto lock = source_->lock().alone();
  if (!known->is_planned) plan(*known, shapes);
  return known->results;
}

// The walk on tensors without content. Whoever looks into one of them ends it.
void PreparedProgram::plan(Variant& variant, const Shapes& shapes) {
  capture::Run run;
  for (std::size_t i = 0; i < shapes.size(); ++i)
    run.values.push_back(Tensor::empty(shapes[i], source_->inputs()[i].dtype));
  const std::vector<Tensor> inputs = run.values;
  capture::Recorder recorder(
      std::move(run), inputs, runtime::compile, [] { return ir::Position{}; }, source_->name());
  recorder.forbid_runs();
  recorder.compute_nothing();
  bool needs_values = false;
  recorder.on_look = [&] { needs_values = true; };
  try {
    const std::vector<Tensor> results = recorded_walk(recorder, *source_);
    recorder.finish(results, nullptr);
    variant.results.emplace();
    for (const Tensor& result : results)
      variant.results->push_back({result.dtype(), result.shape(), false});
  } catch (const std::exception& error) {
    recorder.discard();
    const bool is_declined = dynamic_cast<const capture::Declined*>(&error) != nullptr;
    if (!needs_values && !is_declined && recorder.refusal().empty()) throw;
    platform::log_info("'", source_->name(), "' is compiled with the first call: ", error.what());
  }
  variant.is_planned = true;
  if (variant.results) variant.take(recorder.run().ways);
}

std::optional<std::vector<Tensor>> PreparedProgram::replay(capture::Run& run) {
  run.replay();
  if (run.last->end != capture::Step::End::Return) return std::nullopt;
  std::vector<Tensor> results;
  for (const capture::Place& place : run.last->returned) results.push_back(place.in(run.values));
  return results;
}

std::vector<Tensor> PreparedProgram::run(std::span<const Tensor> inputs) {
  Shapes shapes;
  capture::Run run;
  for (const Tensor& input : inputs) {
    shapes.push_back(input.shape());
    run.values.push_back(capture::argument_memory(input));
  }
  const std::shared_ptr<Variant> known = variant(shapes);
  {
    const auto lock = source_->lock().together();
    if (known->why_walked.empty() && known->ways && !known->has_effects) {
      run.ways = known->ways;
      if (std::optional<std::vector<Tensor>> results = replay(run)) {
        own(*results, inputs);
        return std::move(*results);
      }
    }
  }
  const auto lock = source_->lock().alone();
  std::vector<Tensor> results;
  if (!known->why_walked.empty()) {
    results = walk(inputs);
  } else {
    const bool is_new = run.ways == nullptr;
    run.ways = known->ways;
    std::optional<std::vector<Tensor>> found;
    if (is_new && run.ways) found = replay(run);
    results = found ? std::move(*found) : record(*known, std::move(run), inputs);
  }
  own(results, inputs);
  return results;
}

std::vector<Tensor> PreparedProgram::record(Variant& variant, capture::Run run,
                                            std::span<const Tensor> inputs) {
  const bool is_crowded = run.ways && run.ways->step_count() >= kMostSteps;
  capture::Recorder recorder(
      std::move(run), inputs, runtime::compile, [] { return ir::Position{}; }, source_->name());
  if (is_crowded) recorder.follow_only();
  std::vector<Tensor> results;
  try {
    results = recorded_walk(recorder, *source_);
    if (recorder.is_active()) recorder.finish(results, nullptr);
  } catch (const platform::Error&) {
    recorder.discard();
    if (!recorder.can_start_over()) throw;
    return walk(inputs);
  }
  if (!recorder.refusal().empty()) {
    variant.why_walked = recorder.refusal();
    platform::log_info("'", source_->name(), "' is walked in every call: ", variant.why_walked);
  } else if (!recorder.has_left()) {
    variant.take(recorder.run().ways);
  }
  return results;
}

std::vector<Tensor> PreparedProgram::walk(std::span<const Tensor> inputs) const {
  return source_->walk(inputs);
}

}  // namespace mycel::api
