// SPDX-License-Identifier: Apache-2.0
// The registry as Python data: from it the package makes functions, primitives, methods, docs and
// tests.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/argument.h"
#include "bindings/attribute_object.h"
#include "bindings/exceptions.h"
#include "bindings/objects.h"
#include "bindings/operator_function.h"
#include "bindings/package_function.h"
#include "bindings/parts.h"
#include "bindings/spelling.h"
#include "bindings/tensor_caster.h"
#include "operator/descriptions.h"
#include "operator/registry.h"

namespace mycel::bindings {
namespace {

namespace nb = nanobind;
using op::AttributeValue;
using op::OpDef;

nb::dict sample_of(const op::Sample& sample) {
  const nb::list inputs = list_of(sample.inputs, [](const op::SampleInput& input) {
    nb::dict entry;
    entry["kind"] = std::string(name_of(input.kind));
    entry["shape"] = attribute_object(AttributeValue(input.shape));
    entry["low"] = input.low;
    entry["high"] = input.high;
    entry["values"] = nb::cast(input.values);
    entry["dtype"] = input.dtype ? nb::cast(*input.dtype) : nb::none();
    return entry;
  });
  nb::dict attributes;
  for (const auto& [name, value] : sample.attributes)
    attributes[name.c_str()] = attribute_object(value);
  nb::dict result;
  result["name"] = sample.name;
  result["inputs"] = inputs;
  result["attributes"] = attributes;
  return result;
}

nb::dict input_of(const op::InputDef& input) {
  nb::dict entry;
  entry["name"] = input.name;
  entry["doc"] = input.doc;
  entry["dtypes"] = nb::cast(op::dtypes_in(input.dtypes));
  entry["optional"] = input.optional;
  entry["variadic"] = input.variadic;
  entry["mask"] = input.is_mask;
  return entry;
}

nb::dict attribute_of(const op::AttributeDef& attribute) {
  nb::dict entry;
  entry["name"] = attribute.name;
  entry["doc"] = attribute.doc;
  entry["type"] = std::string(name_of(attribute.type));
  entry["default"] = attribute_object(attribute.initial);
  entry["required"] = attribute.required;
  entry["in_call"] = attribute.in_call;
  entry["choices"] = nb::cast(attribute.choices);
  return entry;
}

nb::dict names_of(const OpDef& definition) {
  nb::dict entry;
  entry["name"] = definition.name;
  entry["primitive"] = definition.primitive;
  entry["function"] = definition.function;
  entry["method"] = definition.method;
  entry["function_aliases"] = nb::cast(definition.function_aliases);
  entry["primitive_aliases"] = nb::cast(definition.primitive_aliases);
  entry["method_aliases"] = nb::cast(definition.method_aliases);
  return entry;
}

// Everything the registry says about one operator.
nb::dict describe(const std::string& name) {
  const OpDef& definition = op::find(name);
  nb::dict entry = names_of(definition);
  entry["doc"] = definition.doc;
  entry["numpy"] = definition.numpy;
  entry["inputs"] = list_of(definition.inputs, input_of);
  entry["attributes"] = list_of(definition.attributes, attribute_of);
  entry["outputs"] = list_of(definition.outputs, [](const op::OutputDef& output) {
    return nb::make_tuple(output.name, output.doc, output.alias_of, output.variadic);
  });
  entry["parameters"] = list_of(definition.parameters, [](op::ParameterRef parameter) {
    return nb::make_tuple(parameter.is_input, parameter.index);
  });
  entry["samples"] = list_of(definition.samples, sample_of);
  entry["sample_dtypes"] = nb::cast(op::dtypes_in(definition.sample_dtypes));
  entry["differentiable"] = definition.gradient_kind != op::GradientKind::None;
  entry["elementwise"] = definition.is_elementwise();
  entry["type_rule"] =
      std::string(definition.is_elementwise() ? name_of(definition.type_rule) : "");
  entry["result_type"] = definition.result_type ? nb::cast(*definition.result_type) : nb::none();
  entry["real_result"] = definition.real_result;
  entry["gives_mask"] = definition.is_elementwise() && definition.scalar.is_mask();
  entry["random"] = definition.is_random;
  entry["effects"] = definition.has_effects;
  entry["dynamic"] = definition.dynamic_outputs;
  entry["composite"] = definition.composite != nullptr;
  entry["view"] = definition.view != nullptr;
  entry["platforms"] = nb::cast(platforms_of(definition));
  return entry;
}

nb::list all_names() {
  nb::list list;
  for (const OpDef* definition : op::all()) {
    if (!definition->internal) list.append(names_of(*definition));
  }
  return list;
}

// Arguments by name, as the operator's function takes them.
nb::object infer(const std::string& name, const nb::kwargs& arguments) {
  std::vector<PyObject*> values;
  nb::list names;
  for (const auto& [key, value] : arguments) {
    names.append(key);
    values.push_back(value.ptr());
  }
  return owned(infer_operator(op::find(name), values.data(), 0, nb::tuple(names).ptr()));
}

}  // namespace

void bind_operators(nb::module_& module) {
  make_operator_function_type();
  make_package_function_type();
  module.def("operators", all_names, "Names of every operator.");
  module.def("describe_operator", describe);
  module.def("operator_function", [](const std::string& name) {
    return nb::steal<nb::object>(operator_function(op::find(name), false));
  });
  module.def("infer_operator", infer,
             "What inference says of a call: (dtype, shape) of every result.");
  module.def("operator_method", [](const std::string& name) {
    return nb::steal<nb::object>(operator_function(op::find(name), true));
  });
  module.def("package_function", [](nb::handle function) {
    return nb::steal<nb::object>(package_function(function.ptr()));
  });
  module.def("set_failure_explainer",
             [](nb::handle explainer) { set_failure_explainer(explainer.ptr()); });
  module.def("set_speller",
             [](nb::handle hint, nb::handle called) { set_speller(hint.ptr(), called.ptr()); });
  module.def("set_function_describer",
             [](nb::handle function) { set_function_describer(function.ptr()); });
  module.def("check_definitions", &op::check_definitions);
}

}  // namespace mycel::bindings
