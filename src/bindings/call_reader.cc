// SPDX-License-Identifier: Apache-2.0
#include "bindings/call_reader.h"

#include "bindings/indexing.h"
#include "bindings/tensor_object.h"
#include "platform/error/error.h"

namespace mycel::bindings {
namespace {

using Kind = capture::Argument::Kind;

// Numbers and texts that can have no attributes.
bool is_value(PyObject* object) {
  return Py_TYPE(object)->tp_dictoffset == 0 &&
         (PyLong_Check(object) || PyFloat_Check(object) || PyUnicode_Check(object) ||
          PyBytes_Check(object) || PyComplex_Check(object));
}

Kind kind_of_other(PyObject* object) {
  if (is_value(object)) return Kind::Equal;
  return PyObject_CheckBuffer(object) != 0 && !is_tensor(object) ? Kind::Memory : Kind::Same;
}

void read(PyObject* object, capture::Call& call, int depth) {
  const bool is_tuple = PyTuple_Check(object), is_dict = PyDict_Check(object);
  if (!is_tuple && !is_dict && !PyList_Check(object)) {
    if (is_plain_tensor(object)) {
      call.add_tensor(object, Py_TYPE(object), tensor_of(object));
    } else {
      call.add_value(kind_of_other(object), object);
    }
    return;
  }
  platform::require(depth < capture::kDeepestNesting, platform::ErrorKind::Value,
                    "the arguments of a compiled function must not be nested more than ",
                    capture::kDeepestNesting,
                    " deep. Does a list or dict among them contain itself?");
  const Py_ssize_t count = is_dict ? PyDict_GET_SIZE(object) : PySequence_Fast_GET_SIZE(object);
  call.add_container(is_dict    ? Kind::Dict
                     : is_tuple ? Kind::Tuple
                                : Kind::List,
                     object, Py_TYPE(object), static_cast<std::size_t>(count));
  for (Py_ssize_t i = 0; i < count && !is_dict; ++i)
    read(PySequence_Fast_GET_ITEM(object, i), call, depth + 1);
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t position = 0;
  while (is_dict && PyDict_Next(object, &position, &key, &value) != 0) {
    call.add_value(Kind::Equal, key);
    read(value, call, depth + 1);
  }
}

}  // namespace

bool is_plain_tensor(PyObject* object) {
  return is_tensor(object) && tensor_of(object).defined() &&
         !tensor_of(object).body().is_parameter && !has_attributes(object);
}

capture::Call read_call(PyObject* args, PyObject* kwargs) {
  capture::Call call;
  read(args, call, 0);
  read(kwargs, call, 0);
  return call;
}

}  // namespace mycel::bindings
