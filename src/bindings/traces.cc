// SPDX-License-Identifier: Apache-2.0
// The traces of a function as Python sees them: calls go in, results come out.
#include <algorithm>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings/bridge.h"
#include "bindings/call_reader.h"
#include "bindings/exceptions.h"
#include "bindings/objects.h"
#include "bindings/parts.h"
#include "bindings/python_interpreter.h"
#include "bindings/result_form.h"
#include "bindings/sessions.h"
#include "bindings/tensor_caster.h"
#include "bindings/truth_asker.h"
#include "capture/sink_loop.h"

namespace mycel::bindings {

namespace nb = nanobind;

namespace {

using capture::Outcome;
using capture::TraceCache;

// Answers of a cache; never freed: the interpreter may be gone by then.
PyObject *miss = nullptr, *eager_answer = nullptr;

// A call that has met something new: what was computed of it, for Python to go on with.
struct PausedCall {
  Outcome outcome;
};

// The result; or `miss` when Python has to run, or `eager_answer` when it has to without being
// captured; or a PausedCall, which `begin` goes on with.
nb::object run(TraceCache& cache, nb::args args, nb::kwargs kwargs) {
  const capture::Call call = read_call(args.ptr(), kwargs.ptr());
  Outcome outcome = cache.run(call);
  switch (outcome.kind) {
    case Outcome::Kind::Miss: return nb::borrow(miss);
    case Outcome::Kind::Eager: return nb::borrow(eager_answer);
    case Outcome::Kind::Paused: return nb::cast(PausedCall{std::move(outcome)});
    case Outcome::Kind::Done: break;
  }
  const capture::Step& last = *outcome.run.last;
  const bool hands_back = std::any_of(last.returned.begin(), last.returned.end(),
                                      [](const capture::Place& p) { return p.argument >= 0; });
  const auto inputs = hands_back ? input_objects(call) : std::vector<nb::object>();
  return form_of(last).build(Leaves(last, outcome.run.values, inputs));
}

// (steps done, the last one's result or None, a row that Python has to run or None, that row's
// PausedCall if its run has begun or None).
nb::tuple run_stream(TraceCache& cache, nb::capsule capsule, std::size_t steps) {
  auto& stream = *static_cast<std::shared_ptr<tensor::TensorStream>*>(capsule.data(kStreamName));
  try {
    capture::SinkResult done = capture::run_stream(cache, *stream, steps);
    nb::object result = nb::none();
    if (done.steps > 0)
      result = form_of(*done.last.last).build(Leaves(*done.last.last, done.last.values, {}));
    nb::object paused =
        done.paused ? nb::cast(PausedCall{std::move(*done.paused)}) : nb::object(nb::none());
    nb::object left = done.left ? nb::cast(std::move(*done.left)) : nb::object(nb::none());
    return nb::make_tuple(done.steps, result, left, paused);
  } catch (const PythonError&) {
    throw nb::python_error();
  }
}

std::unique_ptr<CaptureSession> begin(TraceCache& cache, nb::tuple args, nb::dict kwargs,
                                      PausedCall* paused) {
  const capture::Call call = read_call(args.ptr(), kwargs.ptr());
  auto session = cache.begin(call, paused == nullptr ? nullptr : &paused->outcome);
  if (!session) return nullptr;
  return std::make_unique<CaptureSession>(std::move(session), call, args, kwargs);
}

std::unique_ptr<RecipeSession> begin_recipe(TraceCache& cache, nb::tuple args, nb::dict kwargs,
                                            bool at_once) {
  if (truth_asker != nullptr) return nullptr;
  const capture::Call call = read_call(args.ptr(), kwargs.ptr());
  auto session = cache.begin_recipe(call, at_once);
  if (!session) return nullptr;
  return std::make_unique<RecipeSession>(std::move(session), call, args, kwargs);
}

nb::dict entry_for(const capture::Signature& signature) {
  const capture::Signature::Text text = signature.describe(python_interpreter());
  nb::dict entry;
  entry["arguments"] = text.arguments;
  entry["keywords"] = text.keywords;
  return entry;
}

nb::list report(const TraceCache& cache) {
  return list_of(cache.specializations(), [](const auto& known) {
    nb::dict entry = entry_for(*known->signature);
    entry["runs"] = known->runs->get();
    entry["segments"] = known->ways ? known->ways->step_count() : 0;
    entry["refusal"] = known->refusal;
    entry["is_made"] = known->base != nullptr;
    return entry;
  });
}

nb::list recipes(const TraceCache& cache) {
  return list_of(cache.recipes(), [](const auto& recipe) {
    const capture::Recipe::Notes notes = recipe->notes();
    nb::dict entry = entry_for(notes.signature);
    entry["made"] = notes.made;
    entry["failures"] = notes.failures;
    entry["last_failure"] = notes.last_failure;
    entry["refusal"] = recipe->refusal();
    entry["is_useful"] = recipe->is_useful();
    return entry;
  });
}

}  // namespace

void bind_traces(nb::module_& module) {
  nb::class_<PausedCall>(module, "PausedCall");
  nb::class_<TraceCache>(module, "TraceCache")
      .def("__init__",
           [](TraceCache* self, std::string name) {
             new (self) TraceCache(std::move(name), python_interpreter());
           })
      .def("__call__", run)
      .def("run_stream", run_stream)
      .def("begin", begin, nb::arg("args"), nb::arg("kwargs"),
           nb::arg("paused").none() = nb::none(), nb::keep_alive<0, 1>())
      .def("begin_recipe", begin_recipe, nb::keep_alive<0, 1>())
      .def("clear", &TraceCache::clear)
      .def_prop_ro("runs", &TraceCache::runs)
      .def("report", report)
      .def("recipes", recipes)
      .def("texts", &TraceCache::texts);
  miss = nb::module_::import_("builtins").attr("object")().release().ptr();
  eager_answer = nb::module_::import_("builtins").attr("object")().release().ptr();
  module.attr("CAPTURE_MISS") = nb::borrow(miss);
  module.attr("CAPTURE_EAGER") = nb::borrow(eager_answer);
}

}  // namespace mycel::bindings
