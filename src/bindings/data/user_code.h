// SPDX-License-Identifier: Apache-2.0
// Functions and objects of users that a pipeline calls.
#pragma once

#include <memory>
#include <string>

#include <Python.h>
#include <nanobind/nanobind.h>

#include "bindings/objects.h"
#include "data/pipeline/batch_stage.h"
#include "data/pipeline/order_stages.h"
#include "data/pipeline/sampler.h"
#include "data/pipeline/stage.h"
#include "data/pipeline/step_error.h"
#include "data/pipeline/watch_stage.h"
#include "data/source/registry.h"
#include "data/source/source_columns.h"
#include "data/transform/transform.h"
#include "platform/error/error.h"

namespace mycel::bindings {

// Something a user wrote has raised. The message is the operation that was running and the user's
// traceback.
class UserCodeError : public data::StepError {
 public:
  UserCodeError(const std::string& text, HeldPtr exception)
      : StepError(platform::ErrorKind::Runtime, text), exception_(std::move(exception)) {}
  PyObject* exception() const { return exception_->ptr(); }
  std::exception_ptr with(const std::string& note) const override {
    return std::make_exception_ptr(UserCodeError(message() + note + "\n", exception_));
  }

 private:
  HeldPtr exception_;
};

// Throws the pending Python error as a UserCodeError; `operation` says what was running.
[[noreturn]] void throw_user_error(const std::string& operation);
// The Python function that writes an exception out, set by the package.
void set_traceback_writer(PyObject* function);

// Random bits of the row this thread is calling a function for; 0 outside a pipeline. They depend
// on the seed, the epoch and the row alone.
std::uint64_t row_bits();
// `keep_objects`: the next function takes whatever this one made.
data::TransformPtr python_transform(nanobind::callable function, std::string name,
                                    bool keep_objects);
data::IndexedSourcePtr python_source(nanobind::object source, data::SourceColumns columns,
                                     std::int64_t rows);
// `make_iterator()` is called for every pass. `check(rows)` is called at its end, when there is
// one.
data::StagePtr iterable_stage(nanobind::callable make_iterator, data::SourceColumns columns,
                              nanobind::object check);
data::Predicate python_predicate(nanobind::callable predicate);
data::BatchFunction python_batch_function(nanobind::callable function);
std::function<std::int64_t(const data::BatchNumber&)> python_batch_size(
    nanobind::callable function);
data::CollateObjects python_collate(nanobind::callable function);
std::function<void()> python_gate(nanobind::callable function);
// Calls `function(event, epoch, step in epoch, step)`.
data::Watcher python_watcher(nanobind::callable function, bool steps, bool in_turn);
data::SamplerPtr python_sampler(nanobind::callable function);

}  // namespace mycel::bindings
