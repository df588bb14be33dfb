// SPDX-License-Identifier: Apache-2.0
// The tape as Python sees it; the shapes of results are arranged in python/mindspore/common.
#include <memory>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/parts.h"
#include "bindings/tensor_caster.h"
#include "eager/dispatch.h"
#include "eager/gradient_call.h"
#include "eager/random_state.h"
#include "eager/tape.h"

namespace mycel::bindings {
namespace {

namespace nb = nanobind;

// A Python object that the tape may drop on any thread.
std::shared_ptr<nb::object> shared_object(nb::object object) {
  return {new nb::object(std::move(object)), [](nb::object* held) {
            const nb::gil_scoped_acquire lock;
            delete held;
          }};
}

int register_hook(const Tensor& tensor, nb::object function) {
  const auto held = shared_object(std::move(function));
  return eager::add_hook(tensor, [held](const Tensor& gradient) {
    const nb::gil_scoped_acquire lock;
    return nb::cast<Tensor>((*held)(gradient));
  });
}

// outputs: fresh tensors; backward(*output gradients) returns one gradient or None per input.
void record_custom(const std::string& name, const std::vector<Tensor>& inputs,
                   std::vector<Tensor> outputs, nb::object backward) {
  const auto held = shared_object(std::move(backward));
  eager::record_custom(name, inputs, outputs, [held](std::span<const Tensor> gradients) {
    const nb::gil_scoped_acquire lock;
    nb::list arguments;
    for (const Tensor& gradient : gradients) arguments.append(gradient);
    return nb::cast<std::vector<Tensor>>((*held)(*nb::tuple(arguments)));
  });
}

}  // namespace

void bind_gradient(nb::module_& module) {
  nb::class_<eager::GradientCall>(module, "GradientCall")
      .def(nb::init<>())
      .def("watch", &eager::GradientCall::watch)
      .def("watch_parameter", &eager::GradientCall::watch_parameter)
      .def("end_forward", &eager::GradientCall::end_forward)
      .def("backward", [](eager::GradientCall& self, const std::vector<Tensor>& outputs,
                          const std::vector<Tensor>& seeds,
                          bool keep) { return self.backward(outputs, seeds, keep); });
  nb::class_<eager::RecordingSwitch>(module, "RecordingSwitch").def(nb::init<bool>());
  nb::class_<eager::ComputeTypeSwitch>(module, "ComputeType").def(nb::init<tensor::DType>());
  nb::class_<eager::RandomLog>(module, "RandomLog")
      .def(nb::init<>())
      .def("remember", &eager::RandomLog::remember)
      .def("repeat", &eager::RandomLog::repeat)
      .def("stop", &eager::RandomLog::stop);
  module.def("is_recording", &eager::is_recording);
  module.def("is_tracked", &eager::is_tracked);
  module.def("detach", &eager::detach);
  module.def("register_hook", register_hook);
  module.def("remove_hook", &eager::remove_hook);
  module.def("record_custom", record_custom);
  module.def("record_overwrite", &eager::record_overwrite);
  module.def("drop_history", [](const Tensor& tensor) { tensor.body().history = {}; });
  module.def("mark_parameter", [](const Tensor& tensor) { tensor.body().is_parameter = true; });
}

}  // namespace mycel::bindings
