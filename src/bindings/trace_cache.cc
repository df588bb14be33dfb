// SPDX-License-Identifier: Apache-2.0
#include "bindings/trace_cache.h"

#include <algorithm>

#include "bindings/exceptions.h"
#include "bindings/graph_options.h"
#include "bindings/recipe.h"
#include "ir/graph.h"
#include "passes/pipeline.h"
#include "platform/error/error.h"

namespace mycel::bindings {

namespace nb = nanobind;

PyObject* TraceCache::miss = nullptr;
PyObject* TraceCache::eager = nullptr;

namespace {

constexpr std::size_t kMostSpecializations = 64;
constexpr std::size_t kLongWork = 1U << 17;  // elements: below, giving up the lock costs more

// Drops the interpreter lock for long work.
class ReplayScope {
 public:
  explicit ReplayScope(bool is_long) {
    if (is_long) state_ = PyEval_SaveThread();
  }
  ~ReplayScope() {
    if (state_ != nullptr) PyEval_RestoreThread(state_);
  }
  ReplayScope(const ReplayScope&) = delete;
  ReplayScope& operator=(const ReplayScope&) = delete;

 private:
  PyThreadState* state_ = nullptr;
};

nb::object result_of(const capture::Step& step, const std::vector<Tensor>& values,
                     const std::vector<PyObject*>& inputs) {
  const auto& form = *static_cast<const ResultForm*>(step.epilogue.get());
  return form.build([&](std::size_t i) {
    const capture::Place& place = step.returned[i];
    // An argument that is handed back is the caller's own object.
    if (place.argument >= 0) return nb::borrow(inputs[static_cast<std::size_t>(place.argument)]);
    return nb::steal(wrap(place.in(values)));
  });
}

}  // namespace

std::vector<Tensor> argument_memory(const std::vector<PyObject*>& inputs) {
  std::vector<Tensor> tensors;
  tensors.reserve(inputs.size());
  for (PyObject* input : inputs) tensors.push_back(capture::argument_memory(tensor_of(input)));
  return tensors;
}

std::size_t Specialization::work() const {
  return ways && ways->root.executable ? ways->root.executable->work() : 0;
}

void Specialization::refuse(std::string reason) {
  ways = nullptr;
  refusal = std::move(reason);
}

bool Specialization::holds() {
  if (base && !base->holds()) return false;
  if (device::leaves_host() && !(device == device::current_device())) return false;
  for (const Guard& guard : guards) {
    if (!guard.holds()) return false;
  }
  for (const ParameterLayout& layout : parameters) {
    const Tensor& now = layout.parameter;
    if (now.dtype() != layout.dtype || !(now.shape() == layout.shape) || !now.is_contiguous())
      return false;
  }
  const std::uint64_t now = change_count();
  if (verified_at == now) return true;
  if (verify.is_valid() && !nb::cast<bool>(verify())) return false;
  verified_at = now;
  return true;
}

void Specialization::take_layout(const capture::Recorder& recorder) {
  memory.add(recorder.memory());
  for (const Tensor& parameter : recorder.parameters()) {
    const bool listed = std::any_of(parameters.begin(), parameters.end(), [&](const auto& entry) {
      return entry.parameter == parameter;
    });
    if (!listed) parameters.push_back({parameter, parameter.dtype(), parameter.shape()});
  }
}

std::vector<op::TensorSpec> Specialization::tensor_specs() const {
  std::vector<op::TensorSpec> specs;
  arguments.add_specs(specs);
  keywords.add_specs(specs);
  return specs;
}

nb::object TraceCache::run(nb::args args, nb::kwargs kwargs) {
  std::vector<PyObject*> inputs;
  if (repeats_container(args.ptr(), kwargs.ptr())) [[unlikely]]
    return nb::borrow(eager);
  const std::shared_ptr<const Specializations> specializations = specializations_;
  for (const std::shared_ptr<Specialization>& known : *specializations) {
    if (!known->matches(args.ptr(), kwargs.ptr(), inputs) || !known->holds()) continue;
    if (known != specializations->front()) move_to_front(known);
    if (!known->refusal.empty()) return nb::borrow(eager);
    capture::Run run;
    run.ways = known->ways;
    run.values = argument_memory(inputs);
    if (!known->memory.is_apart(run.values)) return nb::borrow(eager);
    try {
      const ReplayScope scope(known->work() > kLongWork);
      run.replay(graph_observer());
    } catch (const platform::Error&) {
      if (run.has_effects) throw;
      return nb::borrow(eager);  // which fails where the mistake is, or catches the error there
    }
    if (run.last->end == capture::Step::End::Return) {
      ++known->runs;
      ++runs_;
      return result_of(*run.last, run.values, inputs);
    }
    return nb::cast(PausedCall{known, std::move(run)});
  }
  if (!recipes_.empty()) {
    if (nb::object result = run_recipe(args.ptr(), kwargs.ptr()); result.is_valid()) {
      ++runs_;
      return result;
    }
  }
  return nb::borrow(miss);
}

void TraceCache::add_specialization(std::shared_ptr<Specialization> specialization) {
  Specializations list = {std::move(specialization)};
  for (const auto& known : *specializations_) {
    if (list.size() < kMostSpecializations) list.push_back(known);
  }
  specializations_ = std::make_shared<const Specializations>(std::move(list));
}

void TraceCache::move_to_front(const std::shared_ptr<Specialization>& used) {
  Specializations list = *specializations_;
  const auto place = std::find(list.begin(), list.end(), used);
  if (place == list.end()) return;  // cleared in the meantime
  std::rotate(list.begin(), place, place + 1);
  specializations_ = std::make_shared<const Specializations>(std::move(list));
}

namespace {

// False at the end of an epoch. The interpreter lock is free while the row is made, and Ctrl-C
// reaches the program however long that takes.
bool pull(tensor::TensorStream& stream, std::vector<Tensor>& row) {
  bool ready = false;
  while (!ready) {
    {
      const nb::gil_scoped_release release;
      ready = stream.wait(std::chrono::milliseconds(50));
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
  const nb::gil_scoped_release release;
  return stream.next(row);
}

nb::list wrapped(const std::vector<Tensor>& row) {
  nb::list objects;
  for (const Tensor& tensor : row) objects.append(nb::steal(wrap(tensor)));
  return objects;
}

}  // namespace

std::shared_ptr<Specialization> TraceCache::specialization_for(std::span<const Tensor> row) const {
  const std::shared_ptr<const Specializations> specializations = specializations_;
  for (const std::shared_ptr<Specialization>& known : *specializations) {
    if (known->arguments.matches_row(row) && known->keywords.is_empty() && known->holds() &&
        known->refusal.empty() && known->memory.is_apart(row))
      return known;
  }
  return nullptr;
}

nb::tuple TraceCache::run_stream(tensor::TensorStream& stream, std::size_t steps) {
  std::vector<Tensor> row;
  capture::Run run;
  std::size_t done = 0;
  nb::object left = nb::none(), paused = nb::none();
  for (; done < steps && pull(stream, row); ++done) {
    const std::shared_ptr<Specialization> known = specialization_for(row);
    capture::Run now;
    if (known) {
      now.ways = known->ways;
      now.values = row;
      const ReplayScope scope(known->work() > kLongWork);
      now.replay(graph_observer());
    }
    if (!known || now.last->end != capture::Step::End::Return) {
      if (known) paused = nb::cast(PausedCall{known, std::move(now)});
      left = wrapped(row);
      break;
    }
    ++known->runs;
    ++runs_;
    run = std::move(now);
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
  if (done == 0) return nb::make_tuple(done, nb::none(), left, paused);
  std::vector<Tensor> arguments(run.values.begin(), run.values.begin() + row.size());
  const nb::list objects = wrapped(arguments);
  std::vector<PyObject*> inputs;
  for (nb::handle object : objects) inputs.push_back(object.ptr());
  return nb::make_tuple(done, result_of(*run.last, run.values, inputs), left, paused);
}

std::unique_ptr<CaptureSession> TraceCache::begin(nb::tuple args, nb::dict kwargs,
                                                  PausedCall* paused) {
  std::shared_ptr<Specialization> specialization;
  capture::Run run;
  if (paused != nullptr) {
    specialization = paused->specialization;
    run = std::move(paused->run);
  } else {
    specialization = std::make_shared<Specialization>(args.ptr(), kwargs.ptr());
    if (specialization->arguments.has_array() || specialization->keywords.has_array())
      return nullptr;
    ++captures_;
  }
  std::vector<PyObject*> inputs;
  specialization->matches(args.ptr(), kwargs.ptr(), inputs);
  if (run.values.empty()) run.values = argument_memory(inputs);
  return std::make_unique<CaptureSession>(*this, std::move(specialization), std::move(run), inputs,
                                          args.ptr(), kwargs.ptr());
}

nb::list TraceCache::report() const {
  nb::list entries;
  for (const auto& known : *specializations_) {
    nb::dict entry;
    entry["arguments"] = nb::str(known->arguments.describe().c_str());
    entry["keywords"] = nb::str(known->keywords.describe().c_str());
    entry["runs"] = known->runs;
    entry["segments"] = known->ways ? known->ways->step_count() : 0;
    entry["refusal"] = nb::str(known->refusal.c_str());
    entry["is_made"] = known->base != nullptr;
    entries.append(entry);
  }
  return entries;
}

std::vector<std::string> TraceCache::texts() const {
  std::vector<std::string> texts;
  for (const auto& known : *specializations_) {
    if (!known->ways) continue;
    known->ways->visit([&](const capture::Step& step) {
      if (step.executable) texts.push_back(ir::to_text(step.executable->graph()));
    });
  }
  return texts;
}

}  // namespace mycel::bindings
