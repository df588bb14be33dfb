// SPDX-License-Identifier: Apache-2.0
#include "capture/recipe.h"

#include <functional>

#include "platform/error/error.h"
#include "runtime/compile.h"

namespace mycel::capture {

namespace {

constexpr std::size_t kMostFailures = 4;  // in a row with nothing made

}  // namespace

Recipe::Recipe(std::shared_ptr<const Specialization> base, Script script,
               std::shared_ptr<const Epilogue> epilogue)
    : base_(std::move(base)),
      script_(std::move(script)),
      epilogue_(std::move(epilogue)),
      sizes_(script_, base_->signature->tensor_specs()),
      notes_{.signature = *base_->signature} {}

Recipe::Recipe(std::shared_ptr<const Specialization> base, std::string refusal)
    : base_(std::move(base)),
      sizes_(script_, {}),
      refusal_(std::move(refusal)),
      notes_{.signature = *base_->signature} {}

std::shared_ptr<const Epilogue> Recipe::epilogue_for(std::span<const SizeNumber> numbers) const {
  return numbers.empty() ? epilogue_ : epilogue_->with_numbers(numbers);
}

std::uint64_t fingerprint_of(const ir::Graph& graph) {
  return std::hash<std::string>()(ir::to_text(graph, ir::Detail::Computation));
}

void take_results(Recorder& recorder, std::span<const Tensor> results) {
  for (const Tensor& result : results)
    platform::require(recorder.take_over(result) && recorder.is_result(result),
                      platform::ErrorKind::Runtime, "a result is something from outside");
}

std::unique_ptr<ir::Graph> Recipe::graph_for(const std::vector<op::TensorSpec>& arguments,
                                             const std::string& name) const {
  Run run;
  for (const op::TensorSpec& spec : arguments)
    run.values.push_back(Tensor::empty(spec.shape, spec.dtype, base_->device));
  const std::vector<Tensor> given = run.values;
  ir::Position position;
  Recorder recorder(
      std::move(run), given, runtime::compile, [&] { return position; }, name);
  recorder.forbid_runs();
  std::unique_ptr<ir::Graph> graph;
  try {
    const Script::Results results = script_.replay(recorder, given.size(), position);
    take_results(recorder, results.tensors);
    graph = recorder.take_draft();
  } catch (const platform::Error&) {
  }
  recorder.discard();
  return graph;
}

void Recipe::learn_sizes(const std::vector<std::shared_ptr<const Signature>>& others,
                         const std::string& name) {
  std::vector<std::vector<op::TensorSpec>> arguments;
  for (const auto& other : others) arguments.push_back(other->tensor_specs());
  sizes_.learn(arguments,
               [&](const std::vector<op::TensorSpec>& probe) { return graph_for(probe, name); });
}

// ---- notes -------------------------------------------------------------------------------------

Recipe::Notes Recipe::notes() const {
  const std::lock_guard lock(mutex_);
  return notes_;
}

bool Recipe::is_useful() const {
  if (!refusal_.empty()) return false;
  const std::lock_guard lock(mutex_);
  return notes_.failures < kMostFailures || notes_.failures <= 2 * notes_.made;
}

void Recipe::note_sizes(const Signature& other) {
  const std::lock_guard lock(mutex_);
  notes_.signature.open_sizes(other);
}

void Recipe::note_made(const Signature& other) {
  const std::lock_guard lock(mutex_);
  ++notes_.made;
  notes_.signature.open_sizes(other);
}

void Recipe::note_failure(std::string failure) {
  const std::lock_guard lock(mutex_);
  ++notes_.failures;
  notes_.last_failure.swap(failure);
}

}  // namespace mycel::capture
