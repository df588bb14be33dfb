// SPDX-License-Identifier: Apache-2.0
#include "bindings/size_object.h"

#include <new>
#include <optional>

#include "bindings/exceptions.h"
#include "bindings/objects.h"
#include "bindings/type_slots.h"

namespace mycel::bindings {
namespace {

namespace nb = nanobind;
using capture::ScriptWriter;
using capture::SizeValue;
using ir::SizeComparison;
using ir::SizeNumber;
using ir::SizeOperation;

std::size_t living = 0;

PyObject* new_size(SizeValue value) {
  auto* self = PyObject_New(SizeObject, size_type);
  if (self == nullptr) throw PythonError();
  new (&self->value) SizeValue(std::move(value));
  ++living;
  return reinterpret_cast<PyObject*>(self);
}

void destroy(PyObject* object) {
  reinterpret_cast<SizeObject*>(object)->value.~SizeValue();
  --living;
  PyTypeObject* type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
}

// The plain number; from here on the script relies on it.
nb::object plain(PyObject* object) {
  if (!is_size(object)) return nb::borrow(object);
  return owned(number_object(size_of(object).plain()));
}

// Nothing: no number that expressions know.
std::optional<SizeValue> value_of(PyObject* object) {
  if (is_size(object)) return size_of(object);
  if (PyFloat_Check(object)) return SizeValue(SizeNumber::of(PyFloat_AS_DOUBLE(object)));
  int overflow = 1;
  const std::int64_t whole =
      PyLong_Check(object) ? PyLong_AsLongLongAndOverflow(object, &overflow) : 0;
  return overflow == 0 ? std::optional(SizeValue(SizeNumber::of(whole))) : std::nullopt;
}

bool is_number(PyObject* object) {
  return is_size(object) || PyLong_Check(object) || PyFloat_Check(object) ||
         PyComplex_Check(object);
}

using Plain = PyObject* (*)(PyObject*, PyObject*);

PyObject* with_plain(PyObject* a, PyObject* b, Plain operation) {
  if (!is_number(a) || !is_number(b)) Py_RETURN_NOTIMPLEMENTED;
  const nb::object left = plain(a), right = plain(b);
  return operation(left.ptr(), right.ptr());
}

template <SizeOperation Operation, Plain Otherwise>
PyObject* size_slot(PyObject* a, PyObject* b) {
  return guarded([&] {
    const std::optional<SizeValue> left = value_of(a), right = value_of(b);
    std::optional<SizeValue> result;
    if (left && right) result = capture::combined(Operation, *left, *right);
    return result ? new_size(*std::move(result)) : with_plain(a, b, Otherwise);
  });
}
template <Plain Operation>
PyObject* plain_slot(PyObject* a, PyObject* b) {
  return guarded([&] { return with_plain(a, b, Operation); });
}
PyObject* plain_power(PyObject* a, PyObject* b) { return PyNumber_Power(a, b, Py_None); }
PyObject* power(PyObject* a, PyObject* b, PyObject*) { return plain_slot<plain_power>(a, b); }

// Something done to the plain number.
template <class Operation>
PyObject* of_plain(PyObject* self, const Operation& operation) {
  return guarded([&] { return operation(plain(self).ptr()); });
}
template <PyObject* (*Operation)(PyObject*)>
PyObject* plain_slot(PyObject* self) {
  return of_plain(self, Operation);
}

PyObject* negative(PyObject* self) {
  // -x of a float is not 0 - x where x is 0.
  if (size_of(self).now().is_real) return plain_slot<PyNumber_Negative>(self);
  return size_slot<SizeOperation::Subtract, PyNumber_Subtract>(nb::int_(0).ptr(), self);
}
PyObject* positive(PyObject* self) { return Py_NewRef(self); }

Py_hash_t hash_of(PyObject* self) {
  return guarded(Py_hash_t{-1}, [&] { return PyObject_Hash(plain(self).ptr()); });
}

int truth(PyObject* self) {
  return guarded(-1, [&] { return size_of(self).is_true() ? 1 : 0; });
}

PyObject* compare(PyObject* a, PyObject* b, int how) {
  return guarded([&]() -> PyObject* {
    if (!is_number(b)) Py_RETURN_NOTIMPLEMENTED;
    const std::optional<SizeValue> left = value_of(a), right = value_of(b);
    std::optional<bool> outcome;
    if (left && right) outcome = capture::compared(static_cast<SizeComparison>(how), *left, *right);
    if (outcome) return PyBool_FromLong(*outcome ? 1 : 0);
    const nb::object x = plain(a), y = plain(b);
    return PyObject_RichCompare(x.ptr(), y.ptr(), how);
  });
}

PyObject* posed_class(PyObject* self, void*) {
  PyTypeObject* posed = size_of(self).now().is_real ? &PyFloat_Type : &PyLong_Type;
  return Py_NewRef(reinterpret_cast<PyObject*>(posed));
}

// Whatever else numbers can do.
PyObject* get_attribute(PyObject* self, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(self, name);
  if (found != nullptr || PyErr_ExceptionMatches(PyExc_AttributeError) == 0) return found;
  PyErr_Clear();
  // Whether numbers have such an attribute does not depend on which number it is.
  const nb::object posed = nb::steal(posed_class(self, nullptr));
  if (!nb::steal(PyObject_GetAttr(posed.ptr(), name)).is_valid()) return nullptr;
  return of_plain(self, [&](PyObject* number) { return PyObject_GetAttr(number, name); });
}

constexpr char kFormat[] = "__format__", kRound[] = "__round__", kTruncate[] = "__trunc__";
template <const char* Name>
PyObject* call_plain(PyObject* self, PyObject* arguments) {
  return of_plain(self, [&](PyObject* number) {
    return PyObject_CallObject(owned(PyObject_GetAttrString(number, Name)).ptr(), arguments);
  });
}
PyObject* reduced(PyObject* self, PyObject*) {
  return of_plain(self, [](PyObject* number) {
    return Py_BuildValue("O(O)", reinterpret_cast<PyObject*>(Py_TYPE(number)), number);
  });
}
PyObject* itself(PyObject* self, PyObject*) { return Py_NewRef(self); }
PyObject* to_array(PyObject* self, PyObject* arguments, PyObject*) {
  return of_plain(self, [&](PyObject* number) {
    PyObject* dtype = PyTuple_GET_SIZE(arguments) > 0 ? PyTuple_GET_ITEM(arguments, 0) : Py_None;
    return PyObject_CallMethod(owned(PyImport_ImportModule("numpy")).ptr(), "asarray", "OO", number,
                               dtype);
  });
}

PyMethodDef methods[] = {
    {kFormat, call_plain<kFormat>, METH_VARARGS, nullptr},
    {kRound, call_plain<kRound>, METH_VARARGS, nullptr},
    {kTruncate, call_plain<kTruncate>, METH_VARARGS, nullptr},
    {"__reduce_ex__", reduced, METH_VARARGS, nullptr},
    {"__copy__", itself, METH_NOARGS, nullptr},
    {"__deepcopy__", itself, METH_O, nullptr},
    {"__array__", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(to_array)),
     METH_VARARGS | METH_KEYWORDS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef properties[] = {{"__class__", posed_class, nullptr, nullptr, nullptr},
                            {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace

PyTypeObject* size_type = nullptr;

PyObject* number_object(SizeNumber number) {
  return number.is_real ? PyFloat_FromDouble(number.real) : PyLong_FromLongLong(number.whole);
}

PyTypeObject* make_size_type() {
  static PyType_Slot slots[] = {
      {Py_tp_dealloc, slot(destroy)},
      {Py_tp_hash, slot(hash_of)},
      {Py_tp_repr, slot(plain_slot<PyObject_Repr>)},
      {Py_tp_str, slot(plain_slot<PyObject_Repr>)},
      {Py_tp_richcompare, slot(compare)},
      {Py_tp_getattro, slot(get_attribute)},
      {Py_tp_methods, methods},
      {Py_tp_getset, properties},
      {Py_nb_add, slot(size_slot<SizeOperation::Add, PyNumber_Add>)},
      {Py_nb_subtract, slot(size_slot<SizeOperation::Subtract, PyNumber_Subtract>)},
      {Py_nb_multiply, slot(size_slot<SizeOperation::Multiply, PyNumber_Multiply>)},
      {Py_nb_true_divide, slot(size_slot<SizeOperation::Divide, PyNumber_TrueDivide>)},
      {Py_nb_floor_divide, slot(size_slot<SizeOperation::FloorDivide, PyNumber_FloorDivide>)},
      {Py_nb_remainder, slot(size_slot<SizeOperation::Modulo, PyNumber_Remainder>)},
      {Py_nb_divmod, slot(plain_slot<PyNumber_Divmod>)},
      {Py_nb_power, slot(power)},
      {Py_nb_lshift, slot(plain_slot<PyNumber_Lshift>)},
      {Py_nb_rshift, slot(plain_slot<PyNumber_Rshift>)},
      {Py_nb_and, slot(plain_slot<PyNumber_And>)},
      {Py_nb_or, slot(plain_slot<PyNumber_Or>)},
      {Py_nb_xor, slot(plain_slot<PyNumber_Xor>)},
      {Py_nb_negative, slot(negative)},
      {Py_nb_positive, slot(positive)},
      {Py_nb_absolute, slot(plain_slot<PyNumber_Absolute>)},
      {Py_nb_invert, slot(plain_slot<PyNumber_Invert>)},
      {Py_nb_bool, slot(truth)},
      {Py_nb_int, slot(plain_slot<PyNumber_Long>)},
      {Py_nb_float, slot(plain_slot<PyNumber_Float>)},
      {Py_nb_index, slot(plain_slot<PyNumber_Index>)},
      {0, nullptr},
  };
  size_type = make_type("mindspore._c_expression.Size", sizeof(SizeObject),
                        Py_TPFLAGS_DISALLOW_INSTANTIATION, slots);
  return size_type;
}

std::size_t living_sizes() { return living; }

PyObject* shape_of_sizes(ScriptWriter& writer, const Tensor& tensor) {
  nb::object tuple = owned(PyTuple_New(static_cast<Py_ssize_t>(tensor.shape().size())));
  for (std::size_t axis = 0; axis < tensor.shape().size(); ++axis)
    PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(axis),
                     new_size(SizeValue::length(writer, tensor, axis)));
  return tuple.release().ptr();
}

PyObject* element_count_size(ScriptWriter& writer, const Tensor& tensor, std::int64_t factor) {
  std::optional<SizeValue> count = capture::element_count(writer, tensor, factor);
  if (count && !count->is_constant()) return new_size(*std::move(count));
  if (!count) writer.require_shape(tensor);  // a number that expressions do not know
  return PyLong_FromLongLong(tensor.size() * factor);
}

namespace {

nb::object without_size(PyObject* object, std::size_t attribute, int element) {
  if (!is_size(object)) return nb::borrow(object);
  if (ScriptWriter* writer = size_of(object).writer())
    writer->note_attribute(attribute, element, size_of(object).expression());
  return owned(number_object(size_of(object).now()));
}

}  // namespace

nb::object without_sizes(PyObject* object, std::size_t attribute) {
  if (!PyTuple_Check(object) && !PyList_Check(object)) return without_size(object, attribute, -1);
  int element = 0;
  const nb::list items = list_of(nb::handle(object), [&](nb::handle item) {
    return without_size(item.ptr(), attribute, element++);
  });
  return nb::tuple(items);
}

}  // namespace mycel::bindings
