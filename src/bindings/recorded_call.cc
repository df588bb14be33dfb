// SPDX-License-Identifier: Apache-2.0
#include "capture/recorded_call.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/objects.h"
#include "bindings/parts.h"
#include "bindings/tensor_caster.h"
#include "tensor/overlap.h"

namespace mycel::bindings {

namespace nb = nanobind;

namespace {

using capture::RecordedCall;

// The tensors inside the objects.
std::vector<Tensor*> tensors_in(const nb::list& objects) {
  std::vector<Tensor*> tensors;
  for (nb::handle object : objects) tensors.push_back(&tensor_of(object.ptr()));
  return tensors;
}

RecordedCall::Backward backward_of(nb::object function) {
  return [held = shared_under_lock(std::move(function))](std::span<const Tensor> kept,
                                                         std::span<const Tensor> gradients) {
    const nb::gil_scoped_acquire lock;
    return nb::cast<std::vector<Tensor>>(
        (*held)(nb::tuple(list_of(kept)), nb::tuple(list_of(gradients))));
  };
}

}  // namespace

void bind_recorded_call(nb::module_& module) {
  nb::class_<RecordedCall>(module, "RecordedCall")
      .def(nb::init<>())
      .def("watch", &RecordedCall::watch)
      .def("end", &RecordedCall::end)
      .def("settle", &RecordedCall::settle)
      .def_prop_ro("kept", &RecordedCall::kept)
      .def_prop_ro("parameters", &RecordedCall::parameters)
      .def_prop_ro("has_custom", &RecordedCall::has_custom)
      .def("record",
           [](RecordedCall& call, const std::string& name, const std::vector<Tensor>& inputs,
              nb::list outputs, const std::vector<Tensor>& kept, nb::object backward) {
             call.record(name, inputs, tensors_in(outputs), kept, backward_of(std::move(backward)));
           })
      .def("join", [](RecordedCall& call, nb::list outputs) { call.join(tensors_in(outputs)); })
      .def("leave", &RecordedCall::leave)
      .def("walk", &RecordedCall::walk);
  module.def("gradient_level", &eager::gradient_level);
  module.def("share_memory",
             [](const std::vector<Tensor>& tensors) { return tensor::any_overlap(tensors); });
}

}  // namespace mycel::bindings
