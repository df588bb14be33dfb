// SPDX-License-Identifier: Apache-2.0
#include "bindings/size_object.h"

#include <new>
#include <optional>
#include <set>

#include "bindings/exceptions.h"
#include "eager/dispatch.h"

namespace mycel::bindings {
namespace {

using capture::ScriptWriter;
using ir::SizeComparison;
using ir::SizeNumber;
using ir::SizeOperation;
using ir::SizeRef;

std::size_t living = 0;
std::set<std::uint64_t> used_elsewhere;  // numbers of writers

SizeObject* size_of(PyObject* object) { return reinterpret_cast<SizeObject*>(object); }

PyObject* new_size(const ScriptWriter& writer, SizeRef expression, SizeNumber now) {
  auto* self = PyObject_New(SizeObject, size_type);
  if (self == nullptr) throw PythonError();
  new (&self->expression) SizeRef(std::move(expression));
  self->now = now;
  self->writer = writer.serial();
  ++living;
  return reinterpret_cast<PyObject*>(self);
}

void destroy(PyObject* object) {
  size_of(object)->expression.~SizeRef();
  --living;
  PyTypeObject* type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
}

// The plain number; from here on the script relies on it.
PyObject* plain(PyObject* object) {
  if (!is_size(object)) return Py_NewRef(object);
  const SizeObject* size = size_of(object);
  if (ScriptWriter* writer = writer_of(object))
    writer->require(size->expression, SizeComparison::Equal, ir::number_size(size->now), true);
  return number_object(size->now);
}

struct Operand {
  SizeRef expression;
  SizeNumber now;
};

// Nothing: no number that expressions know.
std::optional<Operand> operand_of(PyObject* object) {
  if (is_size(object)) {
    if (writer_of(object) == nullptr) return std::nullopt;
    return Operand{size_of(object)->expression, size_of(object)->now};
  }
  SizeNumber number;
  if (PyFloat_Check(object)) {
    number = SizeNumber::of(PyFloat_AS_DOUBLE(object));
  } else if (PyLong_Check(object)) {
    int overflow = 0;
    const std::int64_t value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow != 0) return std::nullopt;
    number = SizeNumber::of(value);
  } else {
    return std::nullopt;
  }
  return Operand{ir::number_size(number), number};
}

bool is_number(PyObject* object) {
  return is_size(object) || PyLong_Check(object) || PyFloat_Check(object) ||
         PyComplex_Check(object);
}

using Plain = PyObject* (*)(PyObject*, PyObject*);

PyObject* with_plain(PyObject* a, PyObject* b, Plain operation) {
  if (!is_number(a) || !is_number(b)) Py_RETURN_NOTIMPLEMENTED;
  PyObject* left = plain(a);
  PyObject* right = plain(b);
  PyObject* result = operation(left, right);
  Py_DECREF(left);
  Py_DECREF(right);
  return result;
}

PyObject* arithmetic(PyObject* a, PyObject* b, SizeOperation operation, Plain otherwise) {
  return guarded([&]() -> PyObject* {
    const std::optional<Operand> left = operand_of(a);
    const std::optional<Operand> right = operand_of(b);
    ScriptWriter* writer = capture::script_writer();
    if (!left || !right || writer == nullptr) return with_plain(a, b, otherwise);
    const std::optional<SizeNumber> now = ir::apply(operation, left->now, right->now);
    if (!now) return with_plain(a, b, otherwise);
    return new_size(*writer, ir::combined_size(operation, left->expression, right->expression),
                    *now);
  });
}

template <SizeOperation Operation, Plain Otherwise>
PyObject* size_slot(PyObject* a, PyObject* b) {
  return arithmetic(a, b, Operation, Otherwise);
}
template <Plain Operation>
PyObject* plain_slot(PyObject* a, PyObject* b) {
  return guarded([&] { return with_plain(a, b, Operation); });
}
PyObject* power(PyObject* a, PyObject* b, PyObject*) {
  return guarded([&] {
    return with_plain(a, b, [](PyObject* x, PyObject* y) { return PyNumber_Power(x, y, Py_None); });
  });
}

// Something done to the plain number.
template <class Operation>
PyObject* of_plain(PyObject* self, const Operation& operation) {
  return guarded([&]() -> PyObject* {
    PyObject* number = plain(self);
    PyObject* result = operation(number);
    Py_DECREF(number);
    return result;
  });
}

PyObject* negative(PyObject* self) {
  return guarded([&]() -> PyObject* {
    PyObject* zero = PyLong_FromLong(0);
    // -x of a float is not 0 - x where x is 0.
    PyObject* result = size_of(self)->now.is_real
                           ? of_plain(self, PyNumber_Negative)
                           : arithmetic(zero, self, SizeOperation::Subtract, PyNumber_Subtract);
    Py_DECREF(zero);
    return result;
  });
}
PyObject* positive(PyObject* self) { return Py_NewRef(self); }

template <PyObject* (*Operation)(PyObject*)>
PyObject* plain_slot(PyObject* self) {
  return of_plain(self, Operation);
}

Py_hash_t hash_of(PyObject* self) {
  return guarded(Py_hash_t{-1}, [&] {
    PyObject* number = plain(self);
    const Py_hash_t hash = PyObject_Hash(number);
    Py_DECREF(number);
    return hash;
  });
}

int truth(PyObject* self) {
  return guarded(-1, [&] {
    const SizeNumber now = size_of(self)->now;
    const bool is_true = now.is_real ? now.real != 0 : now.whole != 0;
    if (ScriptWriter* writer = writer_of(self))
      writer->require(size_of(self)->expression, SizeComparison::NotEqual,
                      ir::number_size(SizeNumber::of(std::int64_t{0})), is_true);
    return is_true ? 1 : 0;
  });
}

PyObject* compare(PyObject* a, PyObject* b, int how) {
  return guarded([&]() -> PyObject* {
    if (!is_number(b)) Py_RETURN_NOTIMPLEMENTED;
    const auto comparison = static_cast<SizeComparison>(how);
    const std::optional<Operand> left = operand_of(a);
    const std::optional<Operand> right = operand_of(b);
    std::optional<bool> outcome;
    if (left && right) outcome = ir::compare(comparison, left->now, right->now);
    if (outcome) {
      capture::script_writer()->require(left->expression, comparison, right->expression, *outcome);
      return PyBool_FromLong(*outcome ? 1 : 0);
    }
    PyObject* x = plain(a);
    PyObject* y = plain(b);
    PyObject* result = PyObject_RichCompare(x, y, how);
    Py_DECREF(x);
    Py_DECREF(y);
    return result;
  });
}

// Whatever else numbers can do.
PyObject* get_attribute(PyObject* self, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(self, name);
  if (found != nullptr || PyErr_ExceptionMatches(PyExc_AttributeError) == 0) return found;
  PyErr_Clear();
  // Whether numbers have such an attribute does not depend on which number it is.
  PyTypeObject* posed = size_of(self)->now.is_real ? &PyFloat_Type : &PyLong_Type;
  PyObject* of_class = PyObject_GetAttr(reinterpret_cast<PyObject*>(posed), name);
  if (of_class == nullptr) return nullptr;
  Py_DECREF(of_class);
  return of_plain(self, [&](PyObject* number) { return PyObject_GetAttr(number, name); });
}

PyObject* posed_class(PyObject* self, void*) {
  PyTypeObject* posed = size_of(self)->now.is_real ? &PyFloat_Type : &PyLong_Type;
  return Py_NewRef(reinterpret_cast<PyObject*>(posed));
}

PyObject* call_plain(PyObject* self, const char* name, PyObject* arguments) {
  return of_plain(self, [&](PyObject* number) -> PyObject* {
    PyObject* method = PyObject_GetAttrString(number, name);
    if (method == nullptr) return nullptr;
    PyObject* result = PyObject_CallObject(method, arguments);
    Py_DECREF(method);
    return result;
  });
}
PyObject* format(PyObject* self, PyObject* arguments) {
  return call_plain(self, "__format__", arguments);
}
PyObject* rounded(PyObject* self, PyObject* arguments) {
  return call_plain(self, "__round__", arguments);
}
PyObject* truncated(PyObject* self, PyObject* arguments) {
  return call_plain(self, "__trunc__", arguments);
}
PyObject* reduced(PyObject* self, PyObject*) {
  return of_plain(self, [](PyObject* number) {
    return Py_BuildValue("O(O)", reinterpret_cast<PyObject*>(Py_TYPE(number)), number);
  });
}
PyObject* itself(PyObject* self, PyObject*) { return Py_NewRef(self); }
PyObject* to_array(PyObject* self, PyObject* arguments, PyObject*) {
  return of_plain(self, [&](PyObject* number) -> PyObject* {
    PyObject* numpy = PyImport_ImportModule("numpy");
    if (numpy == nullptr) return nullptr;
    PyObject* dtype = PyTuple_GET_SIZE(arguments) > 0 ? PyTuple_GET_ITEM(arguments, 0) : Py_None;
    PyObject* array = PyObject_CallMethod(numpy, "asarray", "OO", number, dtype);
    Py_DECREF(numpy);
    return array;
  });
}

PyMethodDef methods[] = {
    {"__format__", format, METH_VARARGS, nullptr},
    {"__round__", rounded, METH_VARARGS, nullptr},
    {"__trunc__", truncated, METH_VARARGS, nullptr},
    {"__reduce_ex__", reduced, METH_VARARGS, nullptr},
    {"__copy__", itself, METH_NOARGS, nullptr},
    {"__deepcopy__", itself, METH_O, nullptr},
    {"__array__", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(to_array)),
     METH_VARARGS | METH_KEYWORDS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef properties[] = {{"__class__", posed_class, nullptr, nullptr, nullptr},
                            {nullptr, nullptr, nullptr, nullptr, nullptr}};

template <class Function>
constexpr void* slot(Function* function) {
  return reinterpret_cast<void*>(function);
}

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
  static PyType_Spec spec = {"mindspore._c_expression.Size", sizeof(SizeObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  size_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return size_type;
}

ScriptWriter* writer_of(PyObject* size) {
  ScriptWriter* writer = capture::script_writer();
  if (writer != nullptr && writer->serial() == size_of(size)->writer) return writer;
  used_elsewhere.insert(size_of(size)->writer);
  return nullptr;
}

bool was_used_elsewhere(const ScriptWriter& writer) {
  return used_elsewhere.contains(writer.serial());
}

std::size_t living_sizes() { return living; }

PyObject* shape_of_sizes(ScriptWriter& writer, const Tensor& tensor) {
  PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(tensor.shape().size()));
  for (std::size_t axis = 0; tuple != nullptr && axis < tensor.shape().size(); ++axis) {
    PyTuple_SET_ITEM(
        tuple, static_cast<Py_ssize_t>(axis),
        new_size(writer, writer.length(tensor, axis), SizeNumber::of(tensor.shape()[axis])));
  }
  return tuple;
}

PyObject* element_count_size(ScriptWriter& writer, const Tensor& tensor, std::int64_t factor) {
  PyObject* product = PyLong_FromLongLong(factor);
  for (std::size_t axis = 0; product != nullptr && axis < tensor.shape().size(); ++axis) {
    PyObject* length =
        new_size(writer, writer.length(tensor, axis), SizeNumber::of(tensor.shape()[axis]));
    Py_SETREF(product, PyNumber_Multiply(product, length));
    Py_DECREF(length);
  }
  return product;
}

Tensor size_operand(PyObject* size) {
  const SizeObject* held = size_of(size);
  if (ScriptWriter* writer = writer_of(size)) return writer->number(held->expression, held->now);
  return held->now.is_real ? eager::number_tensor(held->now.real)
                           : eager::number_tensor(held->now.whole);
}

namespace {

PyObject* without_size(PyObject* object, std::size_t attribute, int element) {
  if (!is_size(object)) return Py_NewRef(object);
  if (ScriptWriter* writer = writer_of(object))
    writer->note_attribute(attribute, element, size_of(object)->expression);
  return number_object(size_of(object)->now);
}

}  // namespace

PyObject* without_sizes(PyObject* object, std::size_t attribute) {
  if (!PyTuple_Check(object) && !PyList_Check(object)) return without_size(object, attribute, -1);
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(object);
  PyObject* items = PyTuple_New(count);
  if (items == nullptr) throw PythonError();
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyTuple_SET_ITEM(
        items, i,
        without_size(PySequence_Fast_GET_ITEM(object, i), attribute, static_cast<int>(i)));
  }
  return items;
}

}  // namespace mycel::bindings
