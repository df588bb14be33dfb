// SPDX-License-Identifier: Apache-2.0
#include "bindings/guard.h"

#include <bit>
#include <functional>

#include "bindings/objects.h"
#include "bindings/parts.h"
#include "bindings/tensor_object.h"
#include "eager/interceptor.h"
#include "eager/tape.h"

namespace mycel::bindings {
namespace {

bool is_compared(PyObject* object) {
  return PyLong_CheckExact(object) || PyUnicode_CheckExact(object) || PyBool_Check(object) ||
         PyBytes_CheckExact(object);
}

// -0.0 is not 0.0, and NaN is NaN.
bool same_bits(double now, double before) {
  return std::bit_cast<std::uint64_t>(now) == std::bit_cast<std::uint64_t>(before);
}

bool same(PyObject* now, PyObject* before) {
  if (now == before) return true;
  if (now == nullptr || before == nullptr || Py_TYPE(now) != Py_TYPE(before)) return false;
  if (PyFloat_CheckExact(now)) return same_bits(PyFloat_AS_DOUBLE(now), PyFloat_AS_DOUBLE(before));
  if (PyComplex_CheckExact(now)) {
    const Py_complex a = PyComplex_AsCComplex(now), b = PyComplex_AsCComplex(before);
    return same_bits(a.real, b.real) && same_bits(a.imag, b.imag);
  }
  return is_compared(now) && PyObject_RichCompareBool(now, before, Py_EQ) == 1;
}

bool same_items(PyObject* now, PyObject* before) {
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(now);
  if (count != PyTuple_GET_SIZE(before)) return false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!same(PySequence_Fast_GET_ITEM(now, i), PyTuple_GET_ITEM(before, i))) return false;
  }
  return true;
}

// In the same order too: whoever goes through a dict sees it.
bool same_entries(PyObject* now, PyObject* before) {
  if (PyDict_GET_SIZE(now) != PyDict_GET_SIZE(before)) return false;
  PyObject *key = nullptr, *value = nullptr, *old_key = nullptr, *old_value = nullptr;
  Py_ssize_t position = 0, old_position = 0;
  while (PyDict_Next(now, &position, &key, &value) != 0 &&
         PyDict_Next(before, &old_position, &old_key, &old_value) != 0) {
    if (!same(key, old_key) || !same(value, old_value)) return false;
  }
  return true;
}

bool same_names(PyObject* now, PyObject* names, PyObject* before) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
    PyObject* name = PyTuple_GET_ITEM(names, i);
    if (!same(PyDict_GetItem(now, name), PyDict_GetItem(before, name))) return false;
  }
  return true;
}

// The order in which a set is gone through depends on how it came about.
bool same_members(PyObject* now, PyObject* before) {
  if (PySet_GET_SIZE(now) != PyTuple_GET_SIZE(before)) return false;
  const nanobind::object members = nanobind::steal(PySequence_Tuple(now));
  return members.is_valid() && same_items(members.ptr(), before);
}

// 0: this interpreter does not number the changes of its dicts.
std::uint64_t version_of([[maybe_unused]] PyObject* dict) {
#if PY_VERSION_HEX < 0x030D0000
  return reinterpret_cast<const PyDictObject*>(dict)->ma_version_tag;
#else
  return 0;
#endif
}

bool has_dict(PyObject* object, PyObject* dict) {
  if (dict == nullptr || dict == Py_None) return true;
  const nanobind::object now = nanobind::steal(PyObject_GenericGetDict(object, nullptr));
  if (!now.is_valid()) PyErr_Clear();
  return now.ptr() == dict;
}

bool same_function(PyObject* function, PyObject* before) {
  const auto is = [&](PyObject* now, Py_ssize_t i) {
    return (now == nullptr ? Py_None : now) == PyTuple_GET_ITEM(before, i);
  };
  return is(PyFunction_GET_CODE(function), 0) && is(PyFunction_GET_DEFAULTS(function), 1) &&
         is(PyFunction_GET_KW_DEFAULTS(function), 2);
}

}  // namespace

// The interpreter gives a class another number whenever something is assigned to it or to a base,
// and none until somebody looks something up in it.
bool PythonGuard::class_holds() const {
  const auto* type = reinterpret_cast<const PyTypeObject*>(holder_.ptr());
  unsigned version = type->tp_version_tag;
#ifdef Py_TPFLAGS_VALID_VERSION_TAG
  if ((type->tp_flags & Py_TPFLAGS_VALID_VERSION_TAG) == 0) version = 0;
#endif
  if (version != 0 && version == version_) return true;
  if (!same_entries(key_.ptr(), expected_.ptr())) return false;
  version_ = version;
  return true;
}

// Fields of a Cell are assigned through the Cell, which notes it; this is for whoever goes round
// it.
void PythonGuard::note_writes() const {
#if PY_VERSION_HEX < 0x030D0000  // later interpreters do not tell
  PyObject** fields = _PyObject_GetDictPtr(PyWeakref_GetObject(holder_.ptr()));
  PyObject* dict = fields == nullptr ? nullptr : *fields;
  if (dict != nullptr && key_.is_valid() && !key_.is_none())
    dict = PyDict_GetItem(dict, key_.ptr());
  if (dict == nullptr || !PyDict_Check(dict)) return;
  const std::uint64_t version = version_of(dict);
  if (version == version_) return;
  version_ = version;
  capture::note_change();
#endif
}

template <typename Compare>
bool PythonGuard::dict_holds(Compare compare) const {
  const std::uint64_t version = version_of(holder_.ptr());
  if (version != 0 && version == version_) return true;
  if (!compare()) return false;
  version_ = version;
  return true;
}

bool PythonGuard::is_about_same(const capture::Guard& of) const {
  const auto* same = dynamic_cast<const PythonGuard*>(&of);
  if (same == nullptr) return false;
  const PythonGuard& other = *same;
  return kind_ == other.kind_ && key_.ptr() == other.key_.ptr() && about() == other.about();
}

PyObject* PythonGuard::about() const {
  const bool is_named = kind_ == Kind::Question && key_.ptr() != nullptr && !key_.is_none();
  return is_named ? expected_.ptr() : holder_.ptr();
}

std::size_t PythonGuard::subject() const {
  const std::hash<const void*> hash;
  return hash(key_.ptr()) * 31 + hash(about());
}

bool PythonGuard::holds() const {
  switch (kind_) {
    case Kind::Entry:
      return same(PyDict_GetItem(holder_.ptr(), key_.ptr()),
                  expected_.is_valid() ? expected_.ptr() : nullptr);
    case Kind::Cell: return same(PyCell_GET(holder_.ptr()), expected_.ptr());
    case Kind::Sequence: return same_items(holder_.ptr(), expected_.ptr());
    case Kind::Mapping:
      return dict_holds([this] { return same_entries(holder_.ptr(), expected_.ptr()); });
    case Kind::Names:
      return dict_holds([this] { return same_names(holder_.ptr(), key_.ptr(), expected_.ptr()); });
    case Kind::Set: return same_members(holder_.ptr(), expected_.ptr());
    case Kind::Question: return nanobind::cast<bool>(holder_());
    case Kind::Tracked: break;  // needs no Python
    case Kind::Class: return class_holds();
    case Kind::Function: return same_function(holder_.ptr(), expected_.ptr());
    case Kind::Type:
      return reinterpret_cast<PyObject*>(Py_TYPE(holder_.ptr())) == expected_.ptr() &&
             has_dict(holder_.ptr(), key_.ptr());
    case Kind::Noted: note_writes(); return true;
  }
  return false;
}

std::shared_ptr<const capture::Guard> make_guard(int kind, nanobind::object holder,
                                                 nanobind::object key, nanobind::object expected) {
  const auto known = static_cast<PythonGuard::Kind>(kind);
  if (known == PythonGuard::Kind::Tracked)
    return capture::tracking_guard(tensor_of(holder.ptr()), expected.ptr() == Py_True);
  return shared_under_lock(
      PythonGuard(known, std::move(holder), std::move(key), std::move(expected)));
}

bool is_same_value(PyObject* now, PyObject* before) { return same(now, before); }

void bind_guards(nanobind::module_& module) {
  // Whether a call belongs to nothing that is recorded.
  module.def("is_outermost",
             [] { return eager::interceptor() == nullptr && !eager::is_recording(); });
  module.def("note_change", &capture::note_change);
  module.def(
      "is_same_value",
      [](nanobind::handle now, nanobind::handle before) {
        return is_same_value(now.ptr(), before.ptr());
      },
      nanobind::arg("now").none(), nanobind::arg("before").none());
}

}  // namespace mycel::bindings
