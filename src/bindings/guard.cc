// SPDX-License-Identifier: Apache-2.0
#include "bindings/guard.h"

#include <atomic>
#include <functional>

#include "bindings/tensor_object.h"
#include "eager/tape.h"

namespace mycel::bindings {
namespace {

std::atomic<std::uint64_t> changes{1};

bool is_value(PyObject* object) {
  return PyLong_CheckExact(object) || PyFloat_CheckExact(object) || PyUnicode_CheckExact(object) ||
         PyBool_Check(object);
}

bool same(PyObject* now, PyObject* before) {
  if (now == before) return true;
  if (now == nullptr || before == nullptr || Py_TYPE(now) != Py_TYPE(before) || !is_value(now))
    return false;
  return PyObject_RichCompareBool(now, before, Py_EQ) == 1;
}

bool same_items(PyObject* now, PyObject* before) {
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(now);
  if (count != PyTuple_GET_SIZE(before)) return false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!same(PySequence_Fast_GET_ITEM(now, i), PyTuple_GET_ITEM(before, i))) return false;
  }
  return true;
}

bool same_entries(PyObject* now, PyObject* before) {
  if (PyDict_GET_SIZE(now) != PyDict_GET_SIZE(before)) return false;
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t position = 0;
  while (PyDict_Next(now, &position, &key, &value) != 0) {
    if (!same(value, PyDict_GetItem(before, key))) return false;
  }
  return true;
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
bool Guard::class_holds() const {
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
void Guard::note_writes() const {
#if PY_VERSION_HEX < 0x030D0000  // later interpreters do not tell
  PyObject** fields = _PyObject_GetDictPtr(PyWeakref_GetObject(holder_.ptr()));
  PyObject* dict = fields == nullptr ? nullptr : *fields;
  if (dict != nullptr && key_.is_valid() && !key_.is_none())
    dict = PyDict_GetItem(dict, key_.ptr());
  if (dict == nullptr || !PyDict_Check(dict)) return;
  const std::uint64_t version = reinterpret_cast<const PyDictObject*>(dict)->ma_version_tag;
  if (version == version_) return;
  version_ = version;
  note_change();
#endif
}

bool Guard::is_about_same(const Guard& other) const {
  if (kind_ != other.kind_ || key_.ptr() != other.key_.ptr()) return false;
  if (kind_ != Kind::Question || key_.ptr() == nullptr || key_.is_none())
    return holder_.ptr() == other.holder_.ptr();
  return expected_.ptr() == other.expected_.ptr();
}

std::size_t Guard::subject() const {
  const bool is_named = kind_ == Kind::Question && key_.ptr() != nullptr && !key_.is_none();
  const std::hash<const void*> hash;
  return hash(key_.ptr()) * 31 + hash(is_named ? expected_.ptr() : holder_.ptr());
}

bool Guard::holds() const {
  switch (kind_) {
    case Kind::Entry:
      return same(PyDict_GetItem(holder_.ptr(), key_.ptr()),
                  expected_.is_valid() ? expected_.ptr() : nullptr);
    case Kind::Cell: return same(PyCell_GET(holder_.ptr()), expected_.ptr());
    case Kind::Sequence: return same_items(holder_.ptr(), expected_.ptr());
    case Kind::Mapping: return same_entries(holder_.ptr(), expected_.ptr());
    case Kind::Set:
      return PySet_GET_SIZE(holder_.ptr()) == PySet_GET_SIZE(expected_.ptr()) &&
             PyObject_RichCompareBool(holder_.ptr(), expected_.ptr(), Py_EQ) == 1;
    case Kind::Question: return nanobind::cast<bool>(holder_());
    case Kind::Tracked:
      return eager::is_tracked(tensor_of(holder_.ptr())) == (expected_.ptr() == Py_True);
    case Kind::Class: return class_holds();
    case Kind::Function: return same_function(holder_.ptr(), expected_.ptr());
    case Kind::Type: return reinterpret_cast<PyObject*>(Py_TYPE(holder_.ptr())) == expected_.ptr();
    case Kind::Noted: note_writes(); return true;
  }
  return false;
}

std::uint64_t change_count() { return changes.load(std::memory_order_relaxed); }
void note_change() { changes.fetch_add(1, std::memory_order_relaxed); }

}  // namespace mycel::bindings
