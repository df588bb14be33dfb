// SPDX-License-Identifier: Apache-2.0
#include "capture/recipe_session.h"

#include "eager/tape.h"
#include "platform/error/error.h"
#include "runtime/compile.h"

namespace mycel::capture {

// ---- learning ----------------------------------------------------------------------------------

RecipeSession::RecipeSession(TraceCache& cache, std::shared_ptr<const Specialization> base,
                             std::vector<Tensor> inputs)
    : cache_(cache), base_(std::move(base)) {
  const auto position = [&interpreter = cache.interpreter()] { return interpreter.position(); };
  const std::size_t count = inputs.size();
  Run run;
  run.values = inputs;
  recorder_ =
      std::make_unique<Recorder>(std::move(run), inputs, runtime::compile, position, cache.name());
  recorder_->forbid_runs();
  for (const auto& [tensor, name] : base_->references) recorder_->watch(tensor, name);
  writer_ = std::make_unique<ScriptWriter>(*recorder_, count, position);
}

RecipeSession::~RecipeSession() { end(); }

void RecipeSession::end() {
  writer_.reset();
  recorder_->discard();
}

bool RecipeSession::has_made(const Tensor& tensor) const {
  return recorder_->knows(tensor) || tensor.storage().birth() == tensor::Storage::birth_mark;
}

void RecipeSession::finish(std::span<const Tensor> tensors, std::vector<SizeRef> numbers,
                           std::shared_ptr<const Epilogue> epilogue) {
  Script script = writer_->finish(tensors, std::move(numbers));
  end();
  const auto recipe = std::make_shared<Recipe>(base_, std::move(script), std::move(epilogue));
  verify(*recipe);
  cache_.add_recipe(recipe);
}

namespace {

std::uint64_t mark_of(const ir::Graph& graph) {
  const bool is_empty = graph.body().nodes().empty() && graph.body().results().empty();
  return is_empty ? 0 : fingerprint_of(graph);  // nothing would be compiled
}

}  // namespace

void RecipeSession::verify(const Recipe& recipe) const {
  // What is learnt must give what was captured: for this call, and for another one.
  const auto other = cache_.captured_like(*base_);
  for (const Specialization* known : {base_.get(), other.get()}) {
    if (known == nullptr) continue;
    const auto graph = recipe.graph_for(known->signature->tensor_specs(), cache_.name());
    const bool is_known = graph != nullptr && mark_of(*graph) == known->fingerprint;
    const bool differs = !is_known && (graph != nullptr || known == base_.get());
    platform::require(!differs, platform::ErrorKind::Runtime,
                      "what was learnt gives another graph than a capture for ",
                      known->signature->describe(cache_.interpreter()).arguments);
  }
}

void RecipeSession::refuse(const std::string& reason) {
  const std::string known = writer_ ? writer_->refusal() : "";
  const bool is_same = known.empty() || reason.find(known) != std::string::npos;
  std::string refusal = is_same ? reason : platform::join(known, ": ", reason);
  if (refusal.empty()) refusal = "it cannot be run with sizes as symbols";
  end();
  cache_.add_recipe(std::make_shared<Recipe>(base_, std::move(refusal)));
}

// ---- when --------------------------------------------------------------------------------------

namespace {

bool is_inside_another() { return eager::interceptor() != nullptr || eager::is_recording(); }

}  // namespace

std::unique_ptr<RecipeSession> TraceCache::begin_recipe(const Call& call, bool at_once) {
  if (is_inside_another()) return nullptr;
  const auto now = content();
  for (const Known& known : now->specializations) {
    if (!known->signature->matches(call, interpreter_)) continue;
    const bool can_learn = known->is_captured_whole() && call.input_count() > 0;
    if (!can_learn || !is_worth_learning(*known, at_once)) return nullptr;
    return std::make_unique<RecipeSession>(*this, known, call.input_memory());
  }
  return nullptr;
}

bool TraceCache::is_worth_learning(const Specialization& known, bool at_once) const {
  const auto now = content();
  const auto is_alike = [&](const Specialization& other) {
    return other.signature->is_like(*known.signature, interpreter_) && other.holds();
  };
  std::size_t captured = 0, tried = 0;
  for (const Known& each : now->specializations) captured += !each->base && is_alike(*each) ? 1 : 0;
  for (const auto& recipe : now->recipes) {
    if (!is_alike(recipe->base())) continue;
    if (!recipe->refusal().empty()) return false;  // whatever it was, it was no size
    ++tried;
  }
  const std::size_t first = at_once ? 1 : kCapturesBeforeLearning;
  return tried < kMostRecipes && captured >= first + tried * kCapturesBetweenRecipes;
}

TraceCache::Known TraceCache::captured_like(const Specialization& known) const {
  const auto now = content();
  for (const Known& each : now->specializations) {
    if (each->signature != known.signature && each->is_captured_whole() &&
        each->signature->is_like(*known.signature, interpreter_) && each->holds())
      return each;
  }
  return nullptr;
}

void TraceCache::add_recipe(const std::shared_ptr<Recipe>& recipe) {
  const Signature& kind = *recipe->base().signature;
  std::vector<std::shared_ptr<const Signature>> alike;
  for (const Known& each : specializations()) {
    if (!each->signature->is_like(kind, interpreter_)) continue;
    recipe->note_sizes(*each->signature);
    alike.push_back(each->signature);
  }
  if (recipe->refusal().empty()) recipe->learn_sizes(alike, name_);
  exchange([&](Content& content) {
    auto& list = content.recipes;
    list.push_back(recipe);
    if (list.size() > kMostRecipesAtAll) list.erase(list.begin());
  });
}

// ---- using -------------------------------------------------------------------------------------

Outcome TraceCache::run_recipe(const Call& call, const Content& content) {
  if (is_inside_another()) return {};
  for (const auto& recipe : content.recipes) {
    const Specialization& base = recipe->base();
    if (!recipe->is_useful() ||
        !base.signature->matches(call, interpreter_, Signature::Sizes::Any) || !base.holds())
      continue;
    Outcome outcome = make_from(*recipe, call);
    if (outcome.kind != Outcome::Kind::Miss) return outcome;
  }
  return {};
}

Outcome TraceCache::make_from(Recipe& recipe, const Call& call) {
  const auto signature = std::make_shared<Signature>(call, interpreter_);
  recipe.learn_sizes({signature}, name_);
  Run run;
  run.values = call.input_memory();
  if (!recipe.base().memory.is_apart(run.values)) return {.kind = Outcome::Kind::Eager};
  const std::vector<Tensor> given = run.values;
  ir::Position position;
  const Recorder* recording = nullptr;
  const auto compile = [&](std::unique_ptr<ir::Graph> graph) {
    recipe.sizes().describe(*graph, recording->graph_arguments());
    return runtime::compile(std::move(graph));
  };
  Recorder recorder(
      std::move(run), given, compile, [&] { return position; }, name_);
  recording = &recorder;
  recorder.forbid_runs();
  Script::Results results;
  try {
    results = recipe.script().replay(recorder, given.size(), position);
    take_results(recorder, results.tensors);
  } catch (const platform::Error& error) {
    recorder.discard();
    recipe.note_failure(
        platform::join(error.message(), " (", position.file, ":", position.line, ")"));
    return {};
  }
  auto made = std::make_shared<Specialization>(signature);
  made->base = recipe.shared_base();
  recorder.finish(results.tensors, recipe.epilogue_for(results.numbers));
  made->ways = recorder.run().ways;
  made->take_layout(recorder);
  made->runs->add_one();
  recipe.note_made(*made->signature);
  add(made);
  Outcome outcome{.kind = Outcome::Kind::Done, .run = recorder.run()};
  outcome.run.last = &made->ways->root;
  return outcome;
}

}  // namespace mycel::capture
