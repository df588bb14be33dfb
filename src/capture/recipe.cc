// SPDX-License-Identifier: Apache-2.0
#include "capture/recipe.h"

#include <functional>
#include <string_view>

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
      notes_{.signature = *base_->signature} {}

Recipe::Recipe(std::shared_ptr<const Specialization> base, std::string refusal)
    : base_(std::move(base)),
      refusal_(std::move(refusal)),
      notes_{.signature = *base_->signature} {}

std::shared_ptr<const Epilogue> Recipe::epilogue_for(std::span<const SizeNumber> numbers) const {
  return numbers.empty() ? epilogue_ : epilogue_->with_numbers(numbers);
}

std::uint64_t fingerprint_of(const ir::Graph& graph) {
  const std::string text = ir::to_text(graph);
  std::string kept;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) end = text.size();
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    kept += line.substr(0, line.rfind("  # "));
    kept += '\n';
    begin = end + 1;
  }
  return std::hash<std::string>()(kept);
}

void take_results(Recorder& recorder, std::span<const Tensor> results) {
  for (const Tensor& result : results)
    platform::require(recorder.take_over(result) && recorder.is_result(result),
                      platform::ErrorKind::Runtime, "a result is something from outside");
}

std::optional<std::uint64_t> Recipe::fingerprint_for(const Specialization& known,
                                                     const std::string& name) const {
  Run run;
  for (const op::TensorSpec& spec : known.signature->tensor_specs())
    run.values.push_back(Tensor::empty(spec.shape, spec.dtype, known.device));
  const std::vector<Tensor> given = run.values;
  ir::Position position;
  Recorder recorder(
      std::move(run), given, runtime::compile, [&] { return position; }, name);
  recorder.forbid_runs();
  std::optional<std::uint64_t> mark;
  try {
    const Script::Results results = script_.replay(recorder, given.size(), position);
    take_results(recorder, results.tensors);
    const ir::Graph& graph = recorder.draft();
    const bool is_empty = graph.body().nodes().empty() && graph.body().results().empty();
    mark = is_empty ? 0 : fingerprint_of(graph);  // nothing would be compiled
  } catch (const platform::Error&) {
  }
  recorder.discard();
  return mark;
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
