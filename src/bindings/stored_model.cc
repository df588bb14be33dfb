// SPDX-License-Identifier: Apache-2.0
// Networks of model files: they run in C++, and ask Python for what only Python knows.
#include <optional>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/datum_object.h"
#include "bindings/objects.h"
#include "bindings/parts.h"
#include "bindings/tensor_caster.h"
#include "capture/logged_tape.h"
#include "eager/dispatch.h"
#include "eager/immediate.h"
#include "eager/interceptor.h"
#include "formats/mindir/model.h"
#include "formats/onnx/model.h"
#include "runtime/attend.h"

namespace mycel::bindings {

namespace nb = nanobind;
using formats::LoopMaker;
using formats::mindir::Input;
using formats::mindir::Model;
using formats::mindir::ResultPlan;
using OnnxInput = formats::onnx::Input;
using OnnxModel = formats::onnx::Model;
using op::Datum;

namespace {

nb::tuple objects_from(std::span<const Datum> values) {
  return nb::tuple(list_of(values, object_from));
}

// Loops and choices are made by a Python object with `make_loop` and `make_choice`.
class PythonLoopMaker final : public LoopMaker {
 public:
  explicit PythonLoopMaker(nb::object maker) : maker_(std::move(maker)) {}

  Outcome make_loop(const std::string& place, std::span<const Datum> initial, const Test& test,
                    const Turn& turn) override {
    const auto asked = [&](const nb::args& values) {
      return object_from(test(datums_from(values)));
    };
    const auto turned = [&](const nb::args& values) {
      const TurnEnd end = turn(datums_from(values));
      return nb::make_tuple(end.has_returned, object_from(end.value), objects_from(end.next));
    };
    const nb::object outcome = maker_.attr("make_loop")(
        place, objects_from(initial), nb::cpp_function(asked), nb::cpp_function(turned));
    return {nb::cast<bool>(outcome[0]), datum_from(outcome[1]), datums_from(outcome[2])};
  }

  bool wants_choices() const override { return nb::cast<bool>(maker_.attr("has_choices")); }

  Datum make_choice(const std::string& place, const std::function<Datum()>& body) override {
    return datum_from(
        maker_.attr("make_choice")(place, nb::cpp_function([&] { return object_from(body()); })));
  }

 private:
  nb::object maker_;
};

class PythonHost final : public formats::Host {
 public:
  PythonHost(nb::object foreign, const nb::object& maker, std::size_t deepest)
      : foreign_(std::move(foreign)), deepest_(deepest) {
    if (!maker.is_none()) maker_.emplace(maker);
  }

  op::Emitter& emitter() override { return eager::emitter(); }
  Datum stop_gradient(const op::Value& value) override {
    return Datum(op::Value(&emitter(), capture::detach(value.tensor())));
  }
  bool truth_of(const Datum& datum) override {
    if (!maker_ || !datum.is_tensor()) return op::truth_of(datum);
    const int answer = PyObject_IsTrue(object_from(datum).ptr());
    if (answer < 0) throw nb::python_error();
    return answer != 0;
  }
  LoopMaker* loop_maker() override { return maker_ ? &*maker_ : nullptr; }
  std::size_t deepest_call() const override { return deepest_; }
  Datum compute_now(const std::function<Datum()>& work) override {
    const eager::Immediate now;
    return work();
  }
  void attend() override { runtime::attend_between_turns(); }

  Datum call_foreign(const formats::ForeignCall& call) override {
    const nb::gil_scoped_acquire lock;
    nb::dict attributes;
    for (const auto& [name, value] : call.attributes)
      attributes[text_object(name)] = object_from(value);
    const auto meaning = [&](const std::string& parameter, nb::handle value) {
      return call.meaning ? object_from(call.meaning(parameter, datum_from(value)))
                          : nb::borrow(value);
    };
    return datum_from(foreign_(text_object(call.name), objects_from(call.arguments), attributes,
                               call.is_function, nb::cpp_function(meaning)));
  }

 private:
  nb::object foreign_;
  std::optional<PythonLoopMaker> maker_;
  std::size_t deepest_;
};

template <class AnyModel>
nb::object run(const AnyModel& model, const nb::tuple& arguments, const nb::tuple& parameters,
               nb::object foreign, const nb::object& maker, std::size_t deepest) {
  capture::refuse_in_script("it runs a network of a model file");
  PythonHost host(std::move(foreign), maker, deepest);
  const std::vector<Datum> given = datums_from(arguments);
  std::vector<op::Value> values;
  for (const nb::handle parameter : parameters)
    values.emplace_back(&eager::emitter(), filled(parameter.ptr()));
  // Whoever records asks for the user's line, and loops are made by Python.
  if (eager::interceptor() != nullptr || host.loop_maker() != nullptr)
    return object_from(model.run(given, values, host));
  return object_from(unlocked([&] { return model.run(given, values, host); }));
}

// None, "coo", "csr", or a list of these.
nb::object plan_from(const ResultPlan& plan) {
  switch (plan.kind) {
    case ResultPlan::Kind::Plain: return nb::none();
    case ResultPlan::Kind::Coo: return nb::str("coo");
    case ResultPlan::Kind::Csr: return nb::str("csr");
    case ResultPlan::Kind::Parts: break;
  }
  return list_of(plan.parts, plan_from);
}

nb::dict user_info(const Model& model) {
  nb::dict info;
  for (const auto& [key, value] : model.user_info()) info[text_object(key)] = text_object(value);
  return info;
}

template <class Parameters>
nb::list named_tensors(const Parameters& parameters) {
  return list_of(parameters, [](const auto& parameter) {
    const auto& [name, tensor] = parameter;
    return nb::make_tuple(text_object(name), tensor);
  });
}

template <class AnyInput>
nb::class_<AnyInput> bind_input(nb::module_& module, const char* name) {
  return nb::class_<AnyInput>(module, name)
      .def_ro("name", &AnyInput::name)
      .def_prop_ro(
          "dtype",
          [](const AnyInput& input) { return input.dtype ? nb::cast(*input.dtype) : nb::none(); })
      .def_prop_ro("dims", [](const AnyInput& input) {
        return input.dims ? nb::object(nb::tuple(nb::cast(*input.dims))) : nb::none();
      });
}

}  // namespace

void bind_stored_models(nb::module_& module) {
  bind_datums(module);
  bind_input<Input>(module, "StoredInput").def_ro("kind", &Input::kind);
  nb::class_<Model>(module, "StoredModel")
      .def_prop_ro("name", &Model::name)
      .def_prop_ro("graph_names", &Model::graph_names)
      .def_prop_ro("version", &Model::version)
      .def_prop_ro("user_info", user_info)
      .def_prop_ro("inputs", &Model::inputs)
      .def_prop_ro("parameters",
                   [](const Model& model) { return named_tensors(model.parameters()); })
      .def_prop_ro("result", [](const Model& model) { return plan_from(model.result()); })
      .def("run", run<Model>, nb::arg("arguments"), nb::arg("parameters"), nb::arg("foreign"),
           nb::arg("loop_maker").none(), nb::arg("deepest_call"));
  module.def("load_mindir",
             [](const std::string& path, const nb::bytes& key, const std::string& mode) {
               const platform::CipherKey cipher{std::string(bytes_in(key)), mode};
               const nb::gil_scoped_release release;
               return std::const_pointer_cast<Model>(Model::load(path, cipher, eager::emitter()));
             });
  module.def("read_mindir", [](const nb::bytes& content, std::optional<std::string> folder) {
    return std::const_pointer_cast<Model>(
        Model::read(std::string(bytes_in(content)), std::move(folder), eager::emitter()));
  });
  bind_input<OnnxInput>(module, "StoredOnnxInput");
  nb::class_<OnnxModel>(module, "StoredOnnxModel")
      .def_prop_ro("name", &OnnxModel::name)
      .def_prop_ro("inputs", &OnnxModel::inputs)
      .def_prop_ro("outputs", &OnnxModel::outputs)
      .def_prop_ro("parameters",
                   [](const OnnxModel& model) { return named_tensors(model.parameters()); })
      .def("run", run<OnnxModel>, nb::arg("arguments"), nb::arg("parameters"), nb::arg("foreign"),
           nb::arg("loop_maker").none(), nb::arg("deepest_call"));
  module.def("load_onnx", [](const std::string& path) {
    const nb::gil_scoped_release release;
    return std::const_pointer_cast<OnnxModel>(OnnxModel::load(path, eager::emitter()));
  });
  module.def("load_onnx_weights", [](const std::string& path) {
    return named_tensors(formats::onnx::load_weights(path));
  });
}

}  // namespace mycel::bindings
