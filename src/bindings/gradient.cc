// SPDX-License-Identifier: Apache-2.0
// The tape as Python sees it; the shapes of results are arranged in python/mindspore/common.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/lost_gradient.h"
#include "bindings/objects.h"
#include "bindings/parts.h"
#include "bindings/tensor_caster.h"
#include "capture/logged_tape.h"
#include "eager/random_state.h"
#include "platform/error/error.h"

namespace mycel::bindings {
namespace {

namespace nb = nanobind;
using capture::LoggedGradientCall;
using capture::LoggedSwitch;
using capture::refuse_in_script;

// A tensor that is given to something a script can express; None is an undefined one.
Tensor given(nb::handle object) {
  if (object.is_none()) return {};
  platform::require(is_tensor(object.ptr()), platform::ErrorKind::Type,
                    "expected a Tensor, but got ", Py_TYPE(object.ptr())->tp_name);
  return tensor_of(object.ptr());
}

std::vector<Tensor> all_given(nb::handle objects) {
  std::vector<Tensor> tensors;
  for (const nb::handle object : objects) tensors.push_back(given(object));
  return tensors;
}

int register_hook(const Tensor& tensor, nb::object function) {
  refuse_in_script("it has hooks");
  const auto held = shared_under_lock(std::move(function));
  return eager::add_hook(tensor, [held](const Tensor& gradient) {
    const nb::gil_scoped_acquire lock;
    return nb::cast<Tensor>((*held)(gradient));
  });
}

// outputs: fresh tensors; backward(*output gradients) returns one gradient or None per input.
void record_custom(const std::string& name, const std::vector<Tensor>& inputs,
                   std::vector<Tensor> outputs, nb::object backward) {
  refuse_in_script("it has a backward of its own");
  const auto held = shared_under_lock(std::move(backward));
  eager::record_custom(name, inputs, outputs, [held](std::span<const Tensor> gradients) {
    const nb::gil_scoped_acquire lock;
    return nb::cast<std::vector<Tensor>>((*held)(*nb::tuple(list_of(gradients))));
  });
}

}  // namespace

void bind_gradient(nb::module_& module) {
  nb::class_<LoggedGradientCall>(module, "GradientCall")
      .def(nb::init<>())
      .def("watch",
           [](LoggedGradientCall& self, nb::handle input) { return self.watch(given(input)); })
      .def("watch_parameter",
           [](LoggedGradientCall& self, nb::handle input) { self.watch_parameter(given(input)); })
      .def("end_forward", &LoggedGradientCall::end_forward)
      .def("backward",
           [](LoggedGradientCall& self, nb::handle outputs, nb::handle seeds, bool keep) {
             return self.backward(all_given(outputs), all_given(seeds), keep);
           });
  // Two names for Python, which knows what it switches.
  struct RecordingSwitch : LoggedSwitch {
    using LoggedSwitch::LoggedSwitch;
  };
  struct ComputeType : LoggedSwitch {
    using LoggedSwitch::LoggedSwitch;
  };
  nb::class_<RecordingSwitch>(module, "RecordingSwitch").def(nb::init<bool>());
  nb::class_<ComputeType>(module, "ComputeType").def(nb::init<tensor::DType>());
  nb::class_<eager::RandomLog>(module, "RandomLog")
      .def(nb::init<>())
      .def("remember",
           [](eager::RandomLog& self) {
             refuse_in_script("it computes a block again for its gradient");
             self.remember();
           })
      .def("repeat", &eager::RandomLog::repeat)
      .def("stop", &eager::RandomLog::stop);
  module.def("is_recording", &eager::is_recording);
  module.def("is_tracked", [](nb::handle tensor) { return capture::is_tracked(given(tensor)); });
  // Called by a function of ours that the user's code, or NumPy for it, has called.
  module.def("warn_of_lost_gradient", [](nb::handle tensor, const char* what) {
    warn_of_lost_gradient(given(tensor), what, 1);
  });
  module.def("detach", [](nb::handle tensor) { return capture::detach(given(tensor)); });
  module.def("register_hook", register_hook);
  module.def("remove_hook", &eager::remove_hook);
  module.def("record_custom", record_custom);
  module.def("record_overwrite", [](nb::handle target, nb::handle result) {
    capture::overwrite_history(given(target), given(result));
  });
  module.def("drop_history", [](nb::handle tensor) { capture::drop_history(given(tensor)); });
  module.def("mark_parameter", [](const Tensor& tensor) { tensor.body().is_parameter = true; });
}

}  // namespace mycel::bindings
