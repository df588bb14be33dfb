// SPDX-License-Identifier: Apache-2.0
// Branches and loops of the function that is being recorded on this thread.
#include <thread>

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include "bindings/exceptions.h"
#include "bindings/parts.h"
#include "bindings/tensor_caster.h"
#include "capture/declined.h"
#include "capture/recorder.h"
#include "runtime/attend.h"

namespace mycel::bindings {

namespace nb = nanobind;

namespace {

capture::Recorder& recorder() {
  capture::Recorder* const current = capture::current_recorder();
  if (current == nullptr) throw capture::Declined("stands in a function that is not recorded");
  return *current;
}

}  // namespace

void bind_regions(nb::module_& module) {
  // Ctrl-C ends a loop that turns in C++; others have the interpreter meanwhile.
  runtime::set_attend([] {
    const nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    const nb::gil_scoped_release pause;
    std::this_thread::yield();
  });
  // Not an Exception: no handler of the user's should see it.
  declined_error = PyErr_NewExceptionWithDoc(
      "mindspore._c_expression.Declined",
      "A loop or decision cannot be written down as such: what it does that is in the way.",
      PyExc_BaseException, nullptr);
  module.attr("Declined") = nb::borrow(declined_error);
  using Tensors = std::vector<Tensor>;
  module.def("begin_loop", [](const Tensors& initial) { return recorder().begin_loop(initial); });
  module.def("begin_turn",
             [](const Tensor& condition) { return recorder().begin_turn(condition); });
  module.def("end_loop", [](const Tensors& next) { return recorder().end_loop(next); });
  module.def("begin_scan",
             [](std::int64_t count, const Tensors& initial, const Tensors& rows,
                const Tensors& made) { return recorder().begin_scan(count, initial, rows, made); });
  module.def("end_scan", [](const Tensors& next, const Tensors& made) {
    return recorder().end_scan(next, made);
  });
  module.def("begin_branch", [](const Tensor& condition) { recorder().begin_branch(condition); });
  module.def("begin_other_branch",
             [](const Tensors& results) { recorder().begin_other_branch(results); });
  module.def("end_branch", [](const Tensors& results) { return recorder().end_branch(results); });
  module.def("note_shared", [](const Tensors& tensors) { recorder().note_shared(tensors); });
  // Whether nobody had a tensor before the function ran.
  module.def("is_made_here", [](const Tensor& tensor) {
    const capture::Recorder* const current = capture::current_recorder();
    return current != nullptr && current->is_made_here(tensor);
  });
  module.def("region_depth", [] {
    const capture::Recorder* const current = capture::current_recorder();
    return current == nullptr ? 0 : current->region_depth();
  });
  module.def("drop_regions", [](std::size_t depth) {
    if (capture::Recorder* const current = capture::current_recorder())
      current->drop_regions(depth);
  });
}

}  // namespace mycel::bindings
