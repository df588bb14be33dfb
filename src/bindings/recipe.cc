// SPDX-License-Identifier: Apache-2.0
#include "bindings/recipe.h"

#include <functional>
#include <set>
#include <string_view>

#include "bindings/exceptions.h"
#include "bindings/graph_options.h"
#include "bindings/size_object.h"
#include "bindings/truth_asker.h"
#include "eager/tape.h"
#include "platform/error/error.h"

namespace mycel::bindings {

namespace nb = nanobind;

namespace {

constexpr std::size_t kMostFailures = 4;  // in a row with nothing made

ir::Position position_now() {
  UserPosition position = user_position();
  return {std::move(position.file), position.line};
}

// What was made of sizes alone is made again in every call.
void take_results(capture::Recorder& recorder, const std::vector<Tensor>& results) {
  for (const Tensor& result : results)
    platform::require(recorder.take_over(result) && recorder.is_result(result),
                      platform::ErrorKind::Runtime, "a result is something from outside");
}

}  // namespace

bool Recipe::is_useful() const {
  return refusal.empty() && (failures < kMostFailures || failures <= 2 * made);
}

bool Recipe::fits(PyObject* args, PyObject* kwargs, std::vector<PyObject*>& inputs) const {
  inputs.clear();
  return base->arguments.matches(args, inputs, true) &&
         base->keywords.matches(kwargs, inputs, true);
}

void Recipe::note_sizes(const Specialization& other) {
  arguments.open_sizes(other.arguments);
  keywords.open_sizes(other.keywords);
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

std::optional<std::uint64_t> Recipe::fingerprint_for(const Specialization& known,
                                                     const std::string& name) const {
  capture::Run run;
  for (const op::TensorSpec& spec : known.tensor_specs())
    run.values.push_back(Tensor::empty(spec.shape, spec.dtype, known.device));
  const std::vector<Tensor> given = run.values;
  const std::size_t count = given.size();
  ir::Position position;
  capture::Recorder recorder(
      std::move(run), given, compile_graph, [&] { return position; }, name);
  recorder.forbid_runs();
  std::optional<std::uint64_t> mark;
  try {
    const capture::Script::Results results = script.replay(recorder, count, position);
    take_results(recorder, results.tensors);
    const ir::Graph& graph = recorder.draft();
    const bool is_empty = graph.body().nodes().empty() && graph.body().results().empty();
    mark = is_empty ? 0 : fingerprint_of(graph);  // nothing would be compiled
  } catch (const platform::Error&) {
  }
  recorder.discard();
  return mark;
}

// ---- learning
// ------------------------------------------------------------------------------------

RecipeSession::RecipeSession(TraceCache& cache, std::shared_ptr<Specialization> known,
                             const std::vector<PyObject*>& inputs, PyObject* args, PyObject* kwargs)
    : cache_(cache), recipe_(std::make_shared<Recipe>(std::move(known))) {
  const Specialization& base = *recipe_->base;
  capture::Run run;
  run.values = argument_memory(inputs);
  const std::vector<Tensor> given = run.values;  // dense, or sizes would not be all that differs
  recorder_ = std::make_unique<capture::Recorder>(std::move(run), given, compile_graph,
                                                  position_now, cache.name());
  recorder_->forbid_runs();
  for (const auto& [tensor, name] : base.references) recorder_->watch(tensor, name);
  sizes_before_ = living_sizes();
  writer_ = std::make_unique<capture::ScriptWriter>(*recorder_, inputs.size(), position_now);
  std::vector<nb::object> stand_ins;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    stand_ins.push_back(nb::steal(wrap(recorder_->argument(i))));
  arguments_ = nb::cast<nb::tuple>(base.arguments.rebuild(args, stand_ins));
  keywords_ = nb::cast<nb::dict>(base.keywords.rebuild(kwargs, stand_ins));
}

RecipeSession::~RecipeSession() { end(); }

void RecipeSession::end() {
  writer_.reset();
  if (recorder_) recorder_->discard();
}

void RecipeSession::host_call(const std::string& name, nb::object, nb::object) {
  writer_->refuse(platform::join("it calls ", name));
}

void RecipeSession::finish(nb::object result, nb::callable was_there) {
  std::vector<Tensor> tensors;
  const auto is_of_this_run = [&](const Tensor& tensor) {
    return recorder_->knows(tensor) || tensor.storage().birth() == tensor::Storage::birth_mark;
  };
  std::vector<capture::SizeRef> numbers;
  std::set<PyObject*> sizes;
  const auto take_number = [&](nb::handle object, std::size_t& place) {
    if (!is_size(object.ptr()) || writer_of(object.ptr()) == nullptr) return false;
    sizes.insert(object.ptr());
    place = numbers.size();
    numbers.push_back(reinterpret_cast<SizeObject*>(object.ptr())->expression);
    return true;
  };
  const ResultForm::Questions ask{is_of_this_run, take_number, asker(was_there)};
  recipe_->form = std::make_shared<ResultForm>(result, ask, tensors);
  if (recipe_->form->makes_copies() || recipe_->form->refusal() != nullptr)
    writer_->refuse("it returns something that is not made of tensors and plain values");
  if (living_sizes() != sizes_before_ + sizes.size() || was_used_elsewhere(*writer_))
    writer_->refuse("it keeps a size");
  recipe_->script = writer_->finish(tensors, std::move(numbers));
  end();
  verify();
  cache_.add_recipe(recipe_);
}

void RecipeSession::verify() {
  // What is learnt must give what was captured: for this call, and for another one.
  const std::shared_ptr<Specialization> other = cache_.captured_like(*recipe_->base);
  for (const Specialization* known : {recipe_->base.get(), other.get()}) {
    if (known == nullptr) continue;
    const auto mark = recipe_->fingerprint_for(*known, cache_.name());
    const bool differs = mark ? *mark != known->fingerprint : known == recipe_->base.get();
    platform::require(!differs, platform::ErrorKind::Runtime,
                      "what was learnt gives another graph than a capture for ",
                      known->arguments.describe());
  }
}

void RecipeSession::refuse(const std::string& reason) {
  const std::string known = writer_ ? writer_->refusal() : "";
  const bool is_same = known.empty() || reason.find(known) != std::string::npos;
  recipe_->refusal = is_same ? reason : platform::join(known, ": ", reason);
  if (recipe_->refusal.empty()) recipe_->refusal = "it cannot be run with sizes as symbols";
  end();
  cache_.add_recipe(recipe_);
}

// ---- using
// ---------------------------------------------------------------------------------------

namespace {

std::shared_ptr<ResultForm> form_with(const std::shared_ptr<ResultForm>& form,
                                      const std::vector<capture::SizeNumber>& numbers) {
  if (numbers.empty()) return form;
  std::vector<nb::object> objects;
  objects.reserve(numbers.size());
  for (const capture::SizeNumber& number : numbers) {
    objects.push_back(nb::steal(number.is_real ? PyFloat_FromDouble(number.real)
                                               : PyLong_FromLongLong(number.whole)));
  }
  return std::make_shared<ResultForm>(form->with_numbers(objects));
}

}  // namespace

nb::object TraceCache::run_recipe(PyObject* args, PyObject* kwargs) {
  if (eager::interceptor() != nullptr || eager::is_recording()) return {};
  std::vector<PyObject*> inputs;
  const auto recipes = recipes_;  // guards may run Python, and that other threads
  for (const std::shared_ptr<Recipe>& recipe : recipes) {
    if (!recipe->is_useful() || !recipe->fits(args, kwargs, inputs) || !recipe->base->holds())
      continue;
    if (nb::object result = make_from(*recipe, inputs, args, kwargs); result.is_valid())
      return result;
  }
  return {};
}

nb::object TraceCache::make_from(Recipe& recipe, const std::vector<PyObject*>& inputs,
                                 PyObject* args, PyObject* kwargs) {
  auto made = std::make_shared<Specialization>(args, kwargs);
  made->base = recipe.base;
  capture::Run run;
  run.values = argument_memory(inputs);
  if (!recipe.base->memory.is_apart(run.values)) return nb::borrow(eager);
  const std::vector<Tensor> given = run.values;
  ir::Position position;
  capture::Recorder recorder(
      std::move(run), given, compile_graph, [&] { return position; }, name_);
  recorder.forbid_runs();
  capture::Script::Results results;
  try {
    results = recipe.script.replay(recorder, inputs.size(), position);
    take_results(recorder, results.tensors);
  } catch (const platform::Error& error) {
    recorder.discard();
    ++recipe.failures;
    recipe.last_failure =
        platform::join(error.message(), " (", position.file, ":", position.line, ")");
    return {};
  }
  const std::shared_ptr<ResultForm> form = form_with(recipe.form, results.numbers);
  recorder.finish(results.tensors, form);
  made->ways = recorder.run().ways;
  made->take_layout(recorder);
  made->runs = 1;
  ++recipe.made;
  recipe.note_sizes(*made);
  add_specialization(made);
  const capture::Step& step = recorder.last_step();
  const std::vector<Tensor>& values = recorder.run().values;
  return form->build([&](std::size_t i) {
    const capture::Place& place = step.returned[i];
    if (place.argument >= 0) return nb::borrow(inputs[static_cast<std::size_t>(place.argument)]);
    return nb::steal(wrap(place.in(values)));
  });
}

std::unique_ptr<RecipeSession> TraceCache::begin_recipe(nb::tuple args, nb::dict kwargs,
                                                        bool at_once) {
  const bool is_inside = eager::interceptor() != nullptr || eager::is_recording();
  if (is_inside || truth_asker != nullptr) return nullptr;
  std::vector<PyObject*> inputs;
  std::shared_ptr<Specialization> known;
  for (const auto& each : *specializations_) {
    if (!each->matches(args.ptr(), kwargs.ptr(), inputs)) continue;
    known = each;
    break;
  }
  const bool is_whole = known && known->is_one_way() && !known->base;
  if (!is_whole || inputs.empty() || !is_worth_learning(*known, at_once)) return nullptr;
  return std::make_unique<RecipeSession>(*this, std::move(known), inputs, args.ptr(), kwargs.ptr());
}

bool TraceCache::is_worth_learning(const Specialization& known, bool at_once) const {
  std::size_t captured = 0;
  const auto specializations = specializations_;
  for (const auto& each : *specializations)
    captured += !each->base && each->is_like(known) && each->holds() ? 1 : 0;
  std::size_t tried = 0;
  const auto recipes = recipes_;
  for (const auto& recipe : recipes) {
    if (!recipe->base->is_like(known) || !recipe->base->holds()) continue;
    if (!recipe->refusal.empty()) return false;  // whatever it was, it was no size
    ++tried;
  }
  const std::size_t first = at_once ? 1 : kCapturesBeforeLearning;
  return tried < kMostRecipes && captured >= first + tried * kCapturesBetweenRecipes;
}

std::shared_ptr<Specialization> TraceCache::captured_like(const Specialization& known) const {
  const auto specializations = specializations_;
  for (const auto& each : *specializations) {
    const bool is_whole = each->is_one_way() && !each->base;
    if (each.get() != &known && is_whole && each->is_like(known) && each->holds()) return each;
  }
  return nullptr;
}

void TraceCache::add_recipe(std::shared_ptr<Recipe> recipe) {
  for (const auto& each : *specializations_) {
    if (each->is_like(*recipe->base)) recipe->note_sizes(*each);
  }
  recipes_.push_back(std::move(recipe));
  if (recipes_.size() > kMostRecipesAtAll) recipes_.erase(recipes_.begin());
}

nb::list TraceCache::recipes() const {
  nb::list entries;
  for (const auto& recipe : recipes_) {
    nb::dict entry;
    entry["arguments"] = nb::str(recipe->arguments.describe().c_str());
    entry["keywords"] = nb::str(recipe->keywords.describe().c_str());
    entry["made"] = recipe->made;
    entry["failures"] = recipe->failures;
    entry["last_failure"] = nb::str(recipe->last_failure.c_str());
    entry["refusal"] = nb::str(recipe->refusal.c_str());
    entry["is_useful"] = recipe->is_useful();
    entries.append(entry);
  }
  return entries;
}

}  // namespace mycel::bindings
