// SPDX-License-Identifier: Apache-2.0
#include "bindings/trace_cache.h"

#include <algorithm>
#include <unordered_set>

#include "bindings/exceptions.h"
#include "bindings/graph_options.h"
#include "bindings/recipe.h"
#include "ir/graph.h"
#include "passes/pipeline.h"

namespace mycel::bindings {

namespace nb = nanobind;

PyObject* TraceCache::miss = nullptr;
PyObject* TraceCache::eager = nullptr;

namespace {

constexpr std::size_t kMostSpecializations = 64;
constexpr std::size_t kLongWork = 1U << 17;  // elements: below, giving up the lock costs more

// Drops the interpreter lock for long work and takes the other lock in the meantime.
class ReplayScope {
 public:
  ReplayScope(std::shared_mutex& mutex, bool is_long) : mutex_(mutex) {
    if (is_long || !mutex.try_lock_shared()) {
      state_ = PyEval_SaveThread();
      mutex.lock_shared();
    }
  }
  ~ReplayScope() {
    mutex_.unlock_shared();
    if (state_ != nullptr) PyEval_RestoreThread(state_);
  }
  ReplayScope(const ReplayScope&) = delete;
  ReplayScope& operator=(const ReplayScope&) = delete;

 private:
  std::shared_mutex& mutex_;
  PyThreadState* state_ = nullptr;
};

nb::object result_of(const capture::Step& step, const std::vector<Tensor>& values,
                     const std::vector<PyObject*>& inputs) {
  const auto& form = *static_cast<const ResultForm*>(step.epilogue.get());
  return form.build([&](std::size_t i) {
    const auto place = static_cast<std::size_t>(step.returned[i]);
    // An argument that is handed back is the caller's own object.
    if (place < inputs.size()) return nb::borrow(inputs[place]);
    return nb::steal(wrap(values[place]));
  });
}

std::vector<Tensor> tensors_of(const std::vector<PyObject*>& inputs) {
  std::vector<Tensor> tensors;
  tensors.reserve(inputs.size());
  for (PyObject* input : inputs) tensors.push_back(tensor::contiguous(tensor_of(input)));
  return tensors;
}

}  // namespace

bool Specialization::holds() {
  if (base && !base->holds()) return false;
  for (const Guard& guard : guards) {
    if (!guard.holds()) return false;
  }
  for (const Constant& constant : constants) {
    if (constant.tensor.storage().version() != constant.version) return false;
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
  std::unordered_set<const void*> known;
  for (const Constant& constant : constants) known.insert(constant.tensor.body_ref().get());
  for (const Tensor& constant : recorder.constants()) {
    if (known.insert(constant.body_ref().get()).second)
      constants.push_back({constant, constant.storage().version()});
  }
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
  for (std::size_t i = 0; i < specializations_.size(); ++i) {
    const std::shared_ptr<Specialization> known = specializations_[i];
    inputs.clear();
    if (!known->arguments.matches(args.ptr(), inputs) ||
        !known->keywords.matches(kwargs.ptr(), inputs) || !known->holds())
      continue;
    if (i > 0) {
      const auto place = specializations_.begin() + static_cast<std::ptrdiff_t>(i);
      std::rotate(specializations_.begin(), place, place + 1);
    }
    if (!known->refusal.empty()) return nb::borrow(eager);
    capture::Trace::Run run;
    std::vector<Tensor> given = tensors_of(inputs);
    {
      const ReplayScope scope(known->mutex, known->trace.work() > kLongWork);
      known->trace.replay(std::move(given), run, graph_observer());
    }
    if (run.last->end == capture::Step::End::Return) {
      ++known->runs;
      ++runs_;
      return result_of(*run.last, run.values, inputs);
    }
    unfinished_ = known;
    unfinished_run_ = std::move(run);
    return nb::borrow(miss);
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
  specializations_.push_front(std::move(specialization));
  if (specializations_.size() > kMostSpecializations) specializations_.pop_back();
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

std::shared_ptr<Specialization> TraceCache::specialization_for(std::span<const Tensor> row) {
  for (const std::shared_ptr<Specialization>& known : specializations_) {
    if (known->refusal.empty() && known->arguments.matches_row(row) && known->keywords.is_empty() &&
        known->holds())
      return known;
  }
  return nullptr;
}

nb::tuple TraceCache::run_stream(tensor::TensorStream& stream, std::size_t steps) {
  std::vector<Tensor> row;
  capture::Trace::Run run;
  std::size_t done = 0;
  nb::object left = nb::none();
  bool is_begun = false;
  for (; done < steps && pull(stream, row); ++done) {
    const std::shared_ptr<Specialization> known = specialization_for(row);
    capture::Trace::Run now;
    if (known) {
      const ReplayScope scope(known->mutex, known->trace.work() > kLongWork);
      known->trace.replay(row, now, graph_observer());
    }
    if (!known || now.last->end != capture::Step::End::Return) {
      is_begun = known != nullptr;
      if (is_begun) {
        unfinished_ = known;
        unfinished_run_ = std::move(now);
      }
      left = wrapped(row);
      break;
    }
    ++known->runs;
    ++runs_;
    run = std::move(now);
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
  if (done == 0) return nb::make_tuple(done, nb::none(), left, is_begun);
  std::vector<Tensor> arguments(run.values.begin(), run.values.begin() + row.size());
  const nb::list objects = wrapped(arguments);
  std::vector<PyObject*> inputs;
  for (nb::handle object : objects) inputs.push_back(object.ptr());
  return nb::make_tuple(done, result_of(*run.last, run.values, inputs), left, is_begun);
}

std::unique_ptr<CaptureSession> TraceCache::begin(nb::tuple args, nb::dict kwargs) {
  std::shared_ptr<Specialization> specialization = std::move(unfinished_);
  unfinished_ = nullptr;
  capture::Trace::Run run = std::move(unfinished_run_);
  unfinished_run_ = {};
  std::vector<PyObject*> inputs;
  if (!specialization) {
    specialization = std::make_shared<Specialization>(args.ptr(), kwargs.ptr());
    if (specialization->arguments.has_array() || specialization->keywords.has_array())
      return nullptr;
    add_specialization(specialization);
    ++captures_;
  }
  specialization->arguments.matches(args.ptr(), inputs);
  specialization->keywords.matches(kwargs.ptr(), inputs);
  if (run.values.empty()) run.values = tensors_of(inputs);
  return std::make_unique<CaptureSession>(*this, std::move(specialization), std::move(run), inputs,
                                          args.ptr(), kwargs.ptr());
}

nb::list TraceCache::report() const {
  nb::list entries;
  for (const auto& known : specializations_) {
    nb::dict entry;
    entry["arguments"] = nb::str(known->arguments.describe().c_str());
    entry["keywords"] = nb::str(known->keywords.describe().c_str());
    entry["runs"] = known->runs;
    entry["segments"] = known->trace.step_count();
    entry["refusal"] = nb::str(known->refusal.c_str());
    entry["is_made"] = known->base != nullptr;
    entries.append(entry);
  }
  return entries;
}

namespace {

void collect_texts(const capture::Step& step, std::vector<std::string>& texts) {
  if (step.executable) texts.push_back(ir::to_text(step.executable->graph()));
  for (const auto& [seen, next] : step.next) collect_texts(*next, texts);
}

}  // namespace

std::vector<std::string> TraceCache::texts() const {
  std::vector<std::string> texts;
  for (const auto& known : specializations_) collect_texts(known->trace.root, texts);
  return texts;
}

}  // namespace mycel::bindings
