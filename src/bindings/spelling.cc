// SPDX-License-Identifier: Apache-2.0
#include "bindings/spelling.h"

#include "bindings/objects.h"
#include "operator/registry.h"

namespace mycel::bindings {
namespace {

namespace nb = nanobind;

PyObject* hint_for_keyword = nullptr;
PyObject* name_of_call = nullptr;

// A message without a hint is better than an error about the hint.
std::string text_of(const nb::object& result) {
  const bool is_text = result.is_valid() && PyUnicode_Check(result.ptr());
  const char* text = is_text ? PyUnicode_AsUTF8(result.ptr()) : nullptr;
  PyErr_Clear();
  return text == nullptr ? "" : text;
}

bool is_ours_alone(const std::string& name) {
  const op::OpDef* definition = op::find_or_null(name);
  return definition != nullptr && definition->function.empty() && definition->primitive.empty() &&
         definition->method.empty();
}

}  // namespace

void set_speller(PyObject* hint, PyObject* called) {
  keep(hint_for_keyword, hint);
  keep(name_of_call, called);
}

std::string keyword_hint(const char* wrong, const std::vector<std::string>& known) {
  if (hint_for_keyword == nullptr) return {};
  const nb::list names = list_of(known, text_object);
  return text_of(nb::steal(PyObject_CallFunction(hint_for_keyword, "sO", wrong, names.ptr())));
}

std::string in_users_words(std::string message) {
  constexpr std::string_view kStart = "For '";
  if (name_of_call == nullptr || !message.starts_with(kStart)) return message;
  const std::size_t length = message.find('\'', kStart.size()) - kStart.size();
  const std::string named = message.substr(kStart.size(), length);
  if (!is_ours_alone(named)) return message;
  const std::string called =
      text_of(nb::steal(PyObject_CallFunction(name_of_call, "s", named.c_str())));
  return called.empty() ? message : message.replace(kStart.size(), length, called);
}

}  // namespace mycel::bindings
