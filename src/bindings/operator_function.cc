// SPDX-License-Identifier: Apache-2.0
#include "bindings/operator_function.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <structmember.h>

#include "bindings/argument.h"
#include "bindings/attribute_object.h"
#include "bindings/exceptions.h"
#include "bindings/objects.h"
#include "bindings/size_object.h"
#include "bindings/spelling.h"
#include "bindings/tensor_object.h"
#include "bindings/type_slots.h"
#include "eager/dispatch.h"
#include "operator/descriptions.h"
#include "operator/inference.h"
#include "platform/error/error.h"

namespace mycel::bindings {

namespace nb = nanobind;
namespace {

using op::OpDef;
using op::ParameterRef;
using platform::ErrorKind;

struct OperatorFunction {
  PyObject_HEAD vectorcallfunc call;
  const OpDef* definition;
  PyObject* attributes;
  bool is_method;  // described with `self` in place of the first parameter
};

constexpr std::size_t kMaxParameters = 24;

using Given = std::array<PyObject*, kMaxParameters>;

void place_keyword(const OpDef& definition, PyObject* keyword, PyObject* value, Given& given) {
  const char* name = PyUnicode_AsUTF8(keyword);
  if (const std::optional<std::size_t> place = op::find_parameter(definition, name)) {
    platform::require(given[*place] == nullptr, ErrorKind::Type, definition.shown_name(),
                      "() got multiple values for argument '", name, "'");
    given[*place] = value;
    return;
  }
  std::vector<std::string> known;
  for (const ParameterRef parameter : definition.parameters)
    known.push_back(op::parameter_name(definition, parameter));
  platform::fail(ErrorKind::Type, definition.shown_name(),
                 "() got an unexpected keyword argument '", name, "'.", keyword_hint(name, known));
}

// Arguments by parameter; null where not given.
void arrange(const OpDef& definition, PyObject* const* arguments, std::size_t count,
             PyObject* names, Given& given) {
  const std::size_t parameters = definition.parameters.size();
  platform::require(count <= parameters, ErrorKind::Type, definition.shown_name(), "() takes ",
                    parameters, " positional arguments but ", count, " were given");
  for (std::size_t i = 0; i < parameters; ++i) given[i] = i < count ? arguments[i] : nullptr;
  if (names == nullptr) return;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
    place_keyword(definition, PyTuple_GET_ITEM(names, i),
                  arguments[count + static_cast<std::size_t>(i)], given);
  }
}

Tensor input_from(const OpDef& definition, const op::InputDef& input, PyObject* object) {
  if (is_tensor(object)) [[likely]]
    return filled(object);
  if (object == Py_None) return Tensor();
  Tensor tensor = operand_from(object);
  platform::require(tensor.defined(), ErrorKind::Type, "For '", definition.shown_name(),
                    "', the input '", input.name, "' must be a Tensor or a number, but got ",
                    type_name(object), ".");
  return tensor;
}

void add_variadic(const OpDef& definition, const op::InputDef& input, PyObject* object,
                  std::vector<Tensor>& inputs) {
  if (is_tensor(object)) {
    inputs.push_back(filled(object));
    return;
  }
  platform::require(PyList_Check(object) || PyTuple_Check(object), ErrorKind::Type, "For '",
                    definition.shown_name(), "', the '", input.name,
                    "' must be a tuple or list of Tensor, but got ", type_name(object), ".");
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(object);
  for (Py_ssize_t i = 0; i < count; ++i) {
    Tensor tensor = input_from(definition, input, PySequence_Fast_GET_ITEM(object, i));
    platform::require(tensor.defined(), ErrorKind::Type, "For '", definition.shown_name(),
                      "', element ", i, " of '", input.name, "' must be a Tensor, but got None.");
    inputs.push_back(std::move(tensor));
  }
}

// A list beside a tensor takes the tensor's dtype.
void settle_lists(const OpDef& definition, const Given& given, std::span<Tensor> inputs) {
  if (!definition.is_elementwise()) return;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    PyObject* object = given[k];
    if (object == nullptr || !(PyList_Check(object) || PyTuple_Check(object))) continue;
    for (std::size_t other = 0; other < inputs.size(); ++other) {
      if (other == k || given[other] == nullptr || !is_tensor(given[other]) ||
          definition.inputs[other].is_mask)
        continue;
      inputs[k] = eager::cast_to(inputs[k], inputs[other].dtype());
      break;
    }
  }
}

// The interpreter is free for others while much is computed.
class LockRelease {
 public:
  explicit LockRelease(std::span<const Tensor> inputs) {
    if (eager::is_long_work(inputs)) released_.emplace();
  }

 private:
  std::optional<nb::gil_scoped_release> released_;
};

PyObject* run(const OpDef& definition, std::span<Tensor> inputs,
              std::span<AttributeValue> attributes) {
  if (definition.outputs.size() == 1 && !definition.outputs[0].variadic) {
    Tensor output;
    {
      const LockRelease release(inputs);
      output = eager::dispatch_one(definition, inputs, attributes);
    }
    return wrap(std::move(output));
  }
  std::vector<Tensor> outputs;
  {
    const LockRelease release(inputs);
    eager::dispatch(definition, inputs, attributes, outputs);
  }
  return wrap_outputs(outputs);
}

AttributeValue read_attribute(PyObject* given, const OpDef& definition, std::size_t index) {
  const op::AttributeDef& attribute = definition.attributes[index];
  if (capture::script_writer() == nullptr) [[likely]]
    return attribute_from(given, attribute, definition.shown_name());
  return attribute_from(without_sizes(given, index).ptr(), attribute, definition.shown_name());
}

void read_attributes(const OpDef& definition, const Given& given,
                     std::vector<AttributeValue>& attributes) {
  attributes.resize(definition.attributes.size());
  for (std::size_t k = 0; k < definition.attributes.size(); ++k)
    attributes[k] = definition.attributes[k].initial;
  for (std::size_t k = 0; k < definition.parameters.size(); ++k) {
    const ParameterRef parameter = definition.parameters[k];
    if (parameter.is_input) continue;
    const op::AttributeDef& attribute =
        definition.attributes[static_cast<std::size_t>(parameter.index)];
    if (given[k] != nullptr) {
      attributes[static_cast<std::size_t>(parameter.index)] =
          read_attribute(given[k], definition, static_cast<std::size_t>(parameter.index));
    } else if (attribute.required) {
      op::refuse_missing(definition, parameter);
    }
  }
}

// What is done with the arguments once they are tensors and attributes.
using Action = PyObject* (*)(const OpDef&, std::span<Tensor>, std::span<AttributeValue>);

PyObject* call_arranged(const OpDef& definition, const Given& given, Action action) {
  std::array<Tensor, 8> few;
  std::vector<Tensor> many;
  Given by_input{};
  const bool variadic = !definition.inputs.empty() && definition.inputs.back().variadic;
  const bool use_many = variadic || definition.inputs.size() > few.size();
  if (use_many) many.reserve(definition.inputs.size() + 8);
  for (std::size_t k = 0; k < definition.parameters.size(); ++k) {
    const ParameterRef parameter = definition.parameters[k];
    if (!parameter.is_input) continue;
    const auto index = static_cast<std::size_t>(parameter.index);
    const op::InputDef& input = definition.inputs[index];
    by_input[index] = given[k];
    if (given[k] == nullptr && !input.optional) op::refuse_missing(definition, parameter);
    if (input.variadic) {
      add_variadic(definition, input, given[k], many);
      continue;
    }
    Tensor tensor = given[k] == nullptr ? Tensor() : input_from(definition, input, given[k]);
    if (use_many) {
      if (many.size() <= index) many.resize(index + 1);
      many[index] = std::move(tensor);
    } else {
      few[index] = std::move(tensor);
    }
  }
  const std::span<Tensor> inputs =
      use_many ? std::span<Tensor>(many) : std::span<Tensor>(few.data(), definition.inputs.size());
  if (!use_many) settle_lists(definition, by_input, inputs);
  if (definition.attributes.empty()) return action(definition, inputs, {});
  std::vector<AttributeValue> attributes;
  read_attributes(definition, given, attributes);
  return action(definition, inputs, attributes);
}

PyObject* infer(const OpDef& definition, std::span<Tensor> inputs,
                std::span<AttributeValue> attributes) {
  if (capture::ScriptWriter* writer = capture::script_writer())
    writer->refuse("it asks what an operator would give");
  const auto specs = op::infer_outputs(definition, inputs, {attributes.begin(), attributes.end()});
  nb::list list;
  for (const op::TensorSpec& spec : specs)
    list.append(nb::make_tuple(attribute_object(spec.dtype), attribute_object(spec.shape)));
  return list.release().ptr();
}

PyObject* vectorcall(PyObject* self, PyObject* const* arguments, std::size_t flags,
                     PyObject* names) {
  const OpDef& definition = *reinterpret_cast<OperatorFunction*>(self)->definition;
  return call_operator(definition, arguments, static_cast<std::size_t>(PyVectorcall_NARGS(flags)),
                       names);
}

PyObject* to_repr(PyObject* self) {
  const OpDef& definition = *reinterpret_cast<OperatorFunction*>(self)->definition;
  return PyUnicode_FromFormat("<function %s>", definition.shown_name().c_str());
}

void destroy(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  Py_CLEAR(reinterpret_cast<OperatorFunction*>(self)->attributes);
  type->tp_free(self);
  Py_DECREF(type);
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(OperatorFunction, call), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(OperatorFunction, attributes), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
// Name, docs and signature are made by the package when somebody looks.
PyObject* describer = nullptr;

PyObject* described(PyObject* self, void* what) {
  const auto* function = reinterpret_cast<OperatorFunction*>(self);
  if (describer == nullptr) Py_RETURN_NONE;
  return PyObject_CallFunction(describer, "ssi", function->definition->name.c_str(),
                               static_cast<const char*>(what), function->is_method ? 1 : 0);
}

PyGetSetDef properties[] = {
    property("__name__", described, "name"),
    property("__qualname__", described, "name"),
    property("__module__", described, "module"),
    property("__doc__", described, "doc"),
    property("__signature__", described, "signature"),
    property("_operator", described, "operator"),
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot slots[] = {{Py_tp_call, slot(PyVectorcall_Call)},
                       {Py_tp_descr_get, slot(bind_method)},
                       {Py_tp_repr, slot(to_repr)},
                       {Py_tp_dealloc, slot(destroy)},
                       {Py_tp_members, members},
                       {Py_tp_getset, properties},
                       {0, nullptr}};
PyTypeObject* function_type = nullptr;

PyObject* act(const OpDef& definition, PyObject* const* arguments, std::size_t count,
              PyObject* names, Action action) {
  return guarded([&] {
    Given given;
    arrange(definition, arguments, count, names, given);
    try {
      return call_arranged(definition, given, action);
    } catch (const platform::Error& error) {
      op::rethrow_named(definition, error);
    }
  });
}

}  // namespace

PyObject* call_operator(const OpDef& definition, PyObject* const* arguments, std::size_t count,
                        PyObject* names) {
  return act(definition, arguments, count, names, run);
}

PyObject* infer_operator(const OpDef& definition, PyObject* const* arguments, std::size_t count,
                         PyObject* names) {
  return act(definition, arguments, count, names, infer);
}

void set_function_describer(PyObject* function) { keep(describer, function); }

PyTypeObject* make_operator_function_type() {
  function_type = make_type(
      "mindspore._c_expression.OperatorFunction", sizeof(OperatorFunction),
      Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR | Py_TPFLAGS_DISALLOW_INSTANTIATION,
      slots);
  return function_type;
}

PyObject* operator_function(const OpDef& definition, bool is_method) {
  platform::require(definition.parameters.size() <= kMaxParameters, ErrorKind::Internal,
                    "operator '", definition.name, "' has too many parameters");
  auto* function = PyObject_New(OperatorFunction, function_type);
  function->call = vectorcall;
  function->definition = &definition;
  function->attributes = nullptr;
  function->is_method = is_method;
  return reinterpret_cast<PyObject*>(function);
}

}  // namespace mycel::bindings
