// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "bindings/captured_graph.h"
#include "bindings/exceptions.h"
#include "bindings/graph_options.h"
#include "bindings/indexing.h"
#include "bindings/recipe.h"
#include "bindings/tensor_caster.h"
#include "bindings/trace_cache.h"
#include "passes/passes.h"

namespace mycel::bindings {

namespace nb = nanobind;

namespace {

constexpr int kMostNesting = 8;
constexpr std::size_t kRunsWorthKeeping = 8;

ir::Position position_now() {
  UserPosition position = user_position();
  return {std::move(position.file), position.line};
}

// Compiles, and marks what the first graph was.
capture::Compiler compile_marked(Specialization& known) {
  return [&known](std::unique_ptr<ir::Graph> graph) {
    if (known.fingerprint == 0) known.fingerprint = fingerprint_of(*graph);
    return compile_graph(std::move(graph));
  };
}

}  // namespace

CaptureSession::CaptureSession(TraceCache& cache, std::shared_ptr<Specialization> specialization,
                               capture::Run run, std::span<PyObject* const> inputs, PyObject* args,
                               PyObject* kwargs)
    : cache_(cache),
      specialization_(std::move(specialization)),
      begun_at_(change_count()),
      was_known_(run.ways != nullptr) {
  std::vector<Tensor> given;
  for (PyObject* input : inputs) {
    inputs_.push_back(nb::borrow(input));
    given.push_back(tensor_of(input));
  }
  recorder_ = std::make_unique<capture::Recorder>(
      std::move(run), given, compile_marked(*specialization_), position_now, cache.name());
  if (specialization_->runs >= kRunsWorthKeeping) recorder_->keep_when_crowded();
  for (std::size_t i = 0; i < inputs.size(); ++i)
    stand_ins_.push_back(nb::steal(wrap(recorder_->argument(i))));
  arguments_ = nb::cast<nb::tuple>(specialization_->arguments.rebuild(args, stand_ins_));
  keywords_ = nb::cast<nb::dict>(specialization_->keywords.rebuild(kwargs, stand_ins_));
}

CaptureSession::~CaptureSession() = default;

void CaptureSession::host_call(const std::string& name, nb::object function,
                               const std::vector<Tensor>& inputs) {
  const std::shared_ptr<nb::object> held(new nb::object(std::move(function)), [](nb::object* o) {
    const nb::gil_scoped_acquire lock;
    delete o;
  });
  recorder_->host_call(
      name,
      [held](std::span<const Tensor> values) {
        const nb::gil_scoped_acquire lock;
        nb::list arguments;
        // The memory behind them is used again when the call is over.
        for (const Tensor& value : values) {
          Tensor copy = Tensor::empty(value.shape(), value.dtype());
          tensor::copy_elements(value, copy);
          arguments.append(copy);
        }
        (*held)(*nb::tuple(arguments));
        return std::vector<Tensor>();
      },
      inputs);
}

void CaptureSession::add_guard(int kind, nb::object holder, nb::object key, nb::object expected) {
  guards_.emplace_back(static_cast<Guard::Kind>(kind), std::move(holder), std::move(key),
                       std::move(expected));
}

void CaptureSession::check_looks(nb::object check) {
  recorder_->on_look = [check = std::move(check)] {
    const nb::gil_scoped_acquire lock;
    check();
  };
}

void CaptureSession::refuse(std::string reason) { specialization_->refuse(std::move(reason)); }

std::string CaptureSession::refusal() const { return specialization_->refusal; }

std::string CaptureSession::new_way() const {
  if (!was_known_ || !recorder_->has_seen_new()) return {};
  const ir::Position& position = recorder_->first_new();
  return position.file.empty() ? "code without a file"
                               : platform::join(position.file, ":", position.line);
}

nb::object CaptureSession::verify() const {
  return specialization_->verify.is_valid() ? specialization_->verify : nb::none();
}

// Another way through the function relies on further things; those of the ways before still hold.
void CaptureSession::take_guards() {
  std::vector<Guard>& known = specialization_->guards;
  std::unordered_multimap<std::size_t, std::size_t> by_subject;
  for (std::size_t i = 0; i < known.size(); ++i) by_subject.emplace(known[i].subject(), i);
  for (Guard& guard : guards_) {
    const auto [first, last] = by_subject.equal_range(guard.subject());
    const bool is_there = std::any_of(first, last, [&](const auto& entry) {
      const Guard& before = known[entry.second];
      return before.is_about_same(guard) && before.holds();
    });
    if (!is_there) known.push_back(std::move(guard));
  }
  if (verify_.is_valid()) specialization_->verify = verify_;
  specialization_->verified_at = begun_at_;
}

// From here on calls of other threads may use it.
void CaptureSession::publish() {
  if (!was_known_) cache_.add_specialization(specialization_);
}

// The caller's own objects where an argument is handed back, in containers that stay what they are.
nb::object CaptureSession::with_own_arguments(nb::object result, int depth) const {
  PyObject* o = result.ptr();
  for (std::size_t i = 0; i < inputs_.size() && is_tensor(o); ++i) {
    if (tensor_of(o) == recorder_->argument(i)) return inputs_[i];
    exchange_index_origin(result, stand_ins_[i], inputs_[i]);
  }
  if (depth == kMostNesting) return result;
  if (Py_TYPE(o) == &PyTuple_Type) {
    nb::list parts;
    for (nb::handle part : nb::borrow<nb::tuple>(result))
      parts.append(with_own_arguments(nb::borrow(part), depth + 1));
    return nb::tuple(parts);
  }
  if (Py_TYPE(o) == &PyList_Type) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(o); ++i)
      PyList_SetItem(o, i, with_own_arguments(result[i], depth + 1).release().ptr());
  } else if (Py_TYPE(o) == &PyDict_Type) {
    for (nb::handle key : nb::list(nb::borrow<nb::dict>(result).keys()))
      result[key] = with_own_arguments(result[key], depth + 1);
  }
  return result;
}

nb::object CaptureSession::finish(nb::object result, nb::callable was_there) {
  Specialization& known = *specialization_;
  if (recorder_->has_left()) return with_own_arguments(std::move(result));
  take_guards();
  if (!recorder_->is_active()) {
    known.refuse(recorder_->refusal());
    publish();
    return with_own_arguments(std::move(result));
  }
  std::vector<Tensor> tensors;
  const auto is_computed = [&](const Tensor& tensor) {
    return recorder_->take_over(tensor) && recorder_->is_result(tensor);
  };
  const ResultForm::Questions ask{is_computed, {}, asker(was_there)};
  auto form = std::make_shared<ResultForm>(result, ask, tensors);
  if (const char* why = form->refusal()) {
    recorder_->abandon(why);
    known.refuse(why);
    publish();
    return with_own_arguments(std::move(result));
  }
  known.references = recorder_->references();
  recorder_->finish(tensors, form);
  if (!recorder_->refusal().empty()) known.refuse(recorder_->refusal());
  if (known.refusal.empty()) {
    known.ways = recorder_->run().ways;
    known.take_layout(*recorder_);
  }
  publish();
  if (!known.refusal.empty()) return with_own_arguments(std::move(result));
  const capture::Step& step = recorder_->last_step();
  const std::vector<Tensor>& values = recorder_->run().values;
  return form->build([&](std::size_t i) {
    const capture::Place& place = step.returned[i];
    if (place.argument >= 0) return inputs_[static_cast<std::size_t>(place.argument)];
    return nb::steal(wrap(place.in(values)));
  });
}

void CaptureSession::fail() {
  // The caller has an error in hand already: a second one, from what was pending, is not for it.
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  try {
    recorder_->fail();
  } catch (...) {
  }
  PyErr_Restore(type, value, traceback);
}

void CaptureSession::discard() { recorder_->discard(); }

nb::dict CaptureSession::draft() {
  ir::Graph& graph = recorder_->draft();
  // Each side of a decision was recorded from the beginning of the function.
  if (graph.has_inner_regions()) {
    passes::skip_idle_choices(graph);
    passes::merge_equal_nodes(graph);
    passes::erase_dead_nodes(graph);
  }
  return captured_graph(graph);
}

}  // namespace mycel::bindings
