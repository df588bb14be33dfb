// SPDX-License-Identifier: Apache-2.0
#include "bindings/spelling.h"

#include "operator/registry.h"

namespace mycel::bindings {
namespace {

PyObject* hint_for_keyword = nullptr;
PyObject* name_of_call = nullptr;

void replace(PyObject*& held, PyObject* given) {
  Py_XINCREF(given);
  Py_XSETREF(held, given);
}

// Takes over the reference. A message without a hint is better than an error about the hint.
std::string text_of(PyObject* result) {
  const char* text =
      result != nullptr && PyUnicode_Check(result) ? PyUnicode_AsUTF8(result) : nullptr;
  std::string found = text == nullptr ? "" : text;
  Py_XDECREF(result);
  PyErr_Clear();
  return found;
}

bool is_ours_alone(const std::string& name) {
  const op::OpDef* definition = op::find_or_null(name);
  return definition != nullptr && definition->function.empty() && definition->primitive.empty() &&
         definition->method.empty();
}

}  // namespace

void set_speller(PyObject* hint, PyObject* called) {
  replace(hint_for_keyword, hint);
  replace(name_of_call, called);
}

std::string keyword_hint(const char* wrong, const std::vector<std::string>& known) {
  if (hint_for_keyword == nullptr) return {};
  PyObject* names = PyList_New(0);
  for (const std::string& name : known) {
    PyObject* text = PyUnicode_FromString(name.c_str());
    if (text != nullptr && names != nullptr) PyList_Append(names, text);
    Py_XDECREF(text);
  }
  PyObject* hint = PyObject_CallFunction(hint_for_keyword, "sO", wrong, names);
  Py_XDECREF(names);
  return text_of(hint);
}

std::string in_users_words(std::string message) {
  constexpr std::string_view kStart = "For '";
  if (name_of_call == nullptr || !message.starts_with(kStart)) return message;
  const std::size_t length = message.find('\'', kStart.size()) - kStart.size();
  const std::string named = message.substr(kStart.size(), length);
  if (!is_ours_alone(named)) return message;
  const std::string called = text_of(PyObject_CallFunction(name_of_call, "s", named.c_str()));
  return called.empty() ? message : message.replace(kStart.size(), length, called);
}

}  // namespace mycel::bindings
