// SPDX-License-Identifier: Apache-2.0
#include "bindings/tensor_object.h"

#include <cstddef>
#include <new>

#include <structmember.h>

#include "bindings/argument.h"
#include "bindings/dtype_object.h"
#include "bindings/exceptions.h"
#include "bindings/indexing.h"
#include "bindings/lost_gradient.h"
#include "bindings/number_stand_in.h"
#include "bindings/numpy_exchange.h"
#include "bindings/objects.h"
#include "bindings/search_asker.h"
#include "bindings/size_object.h"
#include "bindings/truth_asker.h"
#include "bindings/type_slots.h"
#include "capture/guard.h"
#include "eager/dispatch.h"
#include "eager/interceptor.h"
#include "operator/registry.h"
#include "platform/error/error.h"
#include "tensor/number.h"

namespace mycel::bindings {
namespace {

namespace nb = nanobind;
using op::OpDef;
using platform::ErrorKind;

PyObject* allocate(PyTypeObject* type, PyObject*, PyObject*) {
  auto* self = reinterpret_cast<TensorObject*>(type->tp_alloc(type, 0));
  if (self != nullptr) new (&self->tensor) Tensor();
  return reinterpret_cast<PyObject*>(self);
}

void destroy(PyObject* object) {
  auto* self = reinterpret_cast<TensorObject*>(object);
  if (self->weak_references != nullptr) PyObject_ClearWeakRefs(object);
  Py_CLEAR(self->attributes);
  self->tensor.~Tensor();
  PyTypeObject* type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
}

Py_hash_t hash_of(PyObject* object) {
  return static_cast<Py_hash_t>(reinterpret_cast<std::uintptr_t>(object) >> 4);
}

// A tensor that has no data yet knows its shape and dtype; null when this is not one.
PyObject* pending(PyObject* object, const char* name) {
  PyObject* attributes = reinterpret_cast<TensorObject*>(object)->attributes;
  if (tensor_of(object).defined() || attributes == nullptr) return nullptr;
  return PyDict_GetItemString(attributes, name);
}

std::int64_t pending_size(PyObject* shape) {
  std::int64_t size = 1;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(shape); ++i)
    size *= PyLong_AsLongLong(PyTuple_GET_ITEM(shape, i));
  return size;
}

// ---- arithmetic ------------------------------------------------------------------------------

// A list beside a tensor is first given the tensor's dtype; other strangers are not ours to handle.
bool operand(PyObject* object, const Tensor* other, Tensor& result) {
  if (is_tensor(object)) {
    result = filled(object);
    return true;
  }
  result = number_from(object);
  if (result.defined()) return true;
  if (!PyList_Check(object) && !PyTuple_Check(object) && !is_numpy_scalar(object)) return false;
  result = tensor_from_python(object);
  if (other != nullptr && !is_numpy_scalar(object)) result = eager::cast_to(result, other->dtype());
  return true;
}

PyObject* binary(const OpDef& definition, PyObject* a, PyObject* b) {
  return guarded([&]() -> PyObject* {
    Tensor inputs[2];
    const bool a_is_tensor = is_tensor(a);
    const Tensor* left = a_is_tensor ? &tensor_of(a) : nullptr;
    const Tensor* right = is_tensor(b) ? &tensor_of(b) : nullptr;
    if (!operand(a, right, inputs[0])) Py_RETURN_NOTIMPLEMENTED;
    if (!operand(b, left, inputs[1])) {
      // An array on the right would otherwise take the tensor in and answer with an array.
      platform::require(!PyObject_CheckBuffer(b), ErrorKind::Type, "For '", definition.shown_name(),
                        "', a Tensor cannot be combined with '", type_name(b),
                        "'; turn it into a Tensor first.");
      Py_RETURN_NOTIMPLEMENTED;
    }
    return wrap(eager::dispatch_one(definition, inputs));
  });
}

PyObject* unary(const OpDef& definition, PyObject* a) {
  return guarded([&] {
    Tensor inputs[1] = {filled(a)};
    return wrap(eager::dispatch_one(definition, inputs));
  });
}

// One C function per slot, each with its operator looked up once.
template <const char* Name>
const OpDef& definition_of() {
  static const OpDef& definition = op::find(Name);
  return definition;
}
template <const char* Name>
PyObject* binary_slot(PyObject* a, PyObject* b) {
  return binary(definition_of<Name>(), a, b);
}
template <const char* Name>
PyObject* unary_slot(PyObject* a) {
  return unary(definition_of<Name>(), a);
}

constexpr char kAdd[] = "add", kSub[] = "sub", kMul[] = "mul", kDiv[] = "div",
               kFloorDiv[] = "floor_div", kMod[] = "floor_mod", kPow[] = "pow",
               kMatmul[] = "matmul", kNeg[] = "neg", kAbs[] = "abs", kAnd[] = "bitwise_and",
               kOr[] = "bitwise_or", kXor[] = "bitwise_xor", kLogicalNot[] = "logical_not",
               kLogicalAnd[] = "logical_and", kLogicalOr[] = "logical_or",
               kLogicalXor[] = "logical_xor";

PyObject* power(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus == Py_None) return binary(definition_of<kPow>(), a, b);
  PyErr_SetString(PyExc_TypeError, "pow() of a Tensor takes no modulus; use pow(x, y) % z.");
  return nullptr;
}
PyObject* positive(PyObject* a) { return Py_NewRef(a); }

// What knows no product but can be repeated would be: "ab" * Tensor(2) is "abab" to Python.
bool is_repeated(PyObject* object) {
  if (PyList_Check(object) || PyTuple_Check(object)) return false;  // become tensors
  const PyTypeObject* type = Py_TYPE(object);
  const bool repeats =
      type->tp_as_sequence != nullptr && type->tp_as_sequence->sq_repeat != nullptr;
  return repeats && (type->tp_as_number == nullptr || type->tp_as_number->nb_multiply == nullptr);
}
PyObject* multiply(PyObject* a, PyObject* b) {
  if (is_repeated(a) || is_repeated(b)) {
    return PyErr_Format(PyExc_TypeError, "unsupported operand type(s) for *: '%s' and '%s'",
                        type_name(a).c_str(), type_name(b).c_str());
  }
  return binary(definition_of<kMul>(), a, b);
}

bool is_boolean(PyObject* object) {
  if (is_tensor(object))
    return tensor_of(object).defined() && tensor_of(object).dtype() == tensor::DType::Bool;
  return PyBool_Check(object) != 0;
}
template <const char* Logical, const char* Bitwise>
PyObject* bit_slot(PyObject* a, PyObject* b) {
  return binary(
      is_boolean(a) && is_boolean(b) ? definition_of<Logical>() : definition_of<Bitwise>(), a, b);
}

PyObject* compare(PyObject* a, PyObject* b, int how) {
  if (how == Py_EQ && (searches_eagerly || eager::interceptor() != nullptr)) [[unlikely]] {
    PyObject* answer = search_answer(a, b);
    if (answer != Py_None) return answer;
    Py_DECREF(answer);
  }
  static const OpDef* const definitions[] = {&op::find("less"),    &op::find("less_equal"),
                                             &op::find("equal"),   &op::find("not_equal"),
                                             &op::find("greater"), &op::find("greater_equal")};
  const bool comparable = is_tensor(b) || PyFloat_Check(b) || PyLong_Check(b) ||
                          PyComplex_Check(b) || is_size(b) || is_numpy_scalar(b);
  if (!comparable) {
    if (is_number_stand_in(b)) Py_RETURN_NOTIMPLEMENTED;
    if (how == Py_EQ) Py_RETURN_FALSE;
    if (how == Py_NE) Py_RETURN_TRUE;
    if (!PyList_Check(b) && !PyTuple_Check(b)) Py_RETURN_NOTIMPLEMENTED;
  }
  return binary(*definitions[how], a, b);
}

// ---- conversions to Python numbers -----------------------------------------------------------

int asked_truth(PyObject* self) {
  return PyObject_IsTrue(owned(PyObject_CallOneArg(truth_asker, self)).ptr());
}

// While a function is captured, a decision is a fork with two ways, whatever the number is.
int captured_truth(PyObject* self) {
  static PyObject* const zero = PyLong_FromLong(0);
  const Tensor is_true = tensor_of(owned(compare(self, zero, Py_NE)).ptr());
  return is_true.as_double() != 0 ? 1 : 0;
}

int truth(PyObject* self) {
  return guarded(-1, [&] {
    const Tensor& tensor = filled(self);
    platform::require(tensor.size() == 1, ErrorKind::Value,
                      "The truth value of an array with more than one element is ambiguous. Use "
                      "any() or all(). Only tensor which shape is () or (1,) can be converted to "
                      "bool, but got tensor shape is ",
                      tensor.shape());
    if (truth_asker != nullptr && tensor.storage().watcher() != nullptr) [[unlikely]]
      return asked_truth(self);
    if (tensor.storage().watcher() != nullptr && tensor.dtype() != tensor::DType::Bool &&
        !tensor::is_complex(tensor.dtype()) && eager::interceptor() != nullptr) [[unlikely]]
      return captured_truth(self);
    return tensor::is_nonzero(tensor) ? 1 : 0;
  });
}

PyObject* number_object(bool value) { return PyBool_FromLong(value ? 1 : 0); }
PyObject* number_object(std::int64_t value) { return PyLong_FromLongLong(value); }
PyObject* number_object(std::uint64_t value) { return PyLong_FromUnsignedLongLong(value); }
PyObject* number_object(double value) { return PyFloat_FromDouble(value); }
PyObject* number_object(std::complex<double> value) {
  return PyComplex_FromDoubles(value.real(), value.imag());
}

PyObject* item(const Tensor& tensor) {
  return std::visit([](auto value) { return number_object(value); }, tensor::only_number(tensor));
}

PyObject* to_int(PyObject* self) {
  return guarded([&] { return PyNumber_Long(owned(item(filled(self))).ptr()); });
}

PyObject* to_float(PyObject* self) {
  return guarded([&] {
    const Tensor& tensor = filled(self);
    platform::require(!tensor::is_complex(tensor.dtype()), ErrorKind::Type,
                      "float() needs a real number, but got a Tensor of ", tensor.dtype(),
                      "; take its real part first.");
    warn_of_lost_gradient(tensor, "float()");
    return PyFloat_FromDouble(tensor.as_double());
  });
}

PyObject* to_complex(PyObject* self, PyObject*) {
  return guarded([&] {
    nb::object number = owned(item(filled(self)));
    if (PyComplex_Check(number.ptr())) return number.release().ptr();
    return PyComplex_FromDoubles(PyFloat_AsDouble(number.ptr()), 0);
  });
}

PyObject* to_index(PyObject* self) {
  return guarded([&] {
    const Tensor& tensor = filled(self);
    const bool whole = tensor::is_integral(tensor.dtype()) || tensor.dtype() == tensor::DType::Bool;
    platform::require(whole && tensor.size() == 1, ErrorKind::Value,
                      "Only integer tensors of a single element can be converted to an index.");
    return PyLong_FromLongLong(tensor.as_int());
  });
}

void rely_on_shape(const Tensor& tensor) {
  if (capture::ScriptWriter* writer = capture::script_writer_of(tensor))
    writer->require_shape(tensor);
}

Py_ssize_t length(PyObject* self) {
  return guarded(Py_ssize_t{-1}, [&] {
    const Tensor& tensor = filled(self);
    platform::require(tensor.rank() > 0, ErrorKind::Type, "Not support len of a 0-D tensor.");
    if (capture::ScriptWriter* writer = capture::script_writer_of(tensor))
      writer->require_length(tensor, 0);
    return static_cast<Py_ssize_t>(tensor.shape()[0]);
  });
}

// Makes a Tensor a sequence for those who ask, NumPy among them.
PyObject* sequence_item(PyObject* self, Py_ssize_t index) {
  return get_item(self, nb::int_(index).ptr());
}

// ---- properties and methods ------------------------------------------------------------------

PyObject* tuple_of(const tensor::IntList& values, std::int64_t factor = 1) {
  PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(values.size()));
  for (std::size_t i = 0; tuple != nullptr && i < values.size(); ++i) {
    PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), PyLong_FromLongLong(values[i] * factor));
  }
  return tuple;
}

PyObject* get_shape(PyObject* self, void*) {
  if (PyObject* shape = pending(self, "_pending_shape")) return Py_NewRef(shape);
  return guarded([&] {
    const Tensor& tensor = filled(self);
    if (capture::ScriptWriter* writer = capture::script_writer_of(tensor)) [[unlikely]]
      return shape_of_sizes(*writer, tensor);
    return tuple_of(tensor.shape());
  });
}
PyObject* get_strides(PyObject* self, void*) {
  return guarded([&] {
    const Tensor& tensor = filled(self);
    rely_on_shape(tensor);
    return tuple_of(tensor.strides(), static_cast<std::int64_t>(tensor::size_of(tensor.dtype())));
  });
}
PyObject* get_dtype(PyObject* self, void*) {
  if (PyObject* dtype = pending(self, "_pending_dtype")) return Py_NewRef(dtype);
  return guarded([&] { return Py_NewRef(dtype_object(filled(self).dtype())); });
}
PyObject* get_rank(PyObject* self, void*) {
  if (PyObject* shape = pending(self, "_pending_shape"))
    return PyLong_FromSsize_t(PyTuple_GET_SIZE(shape));
  return guarded([&] { return PyLong_FromLongLong(filled(self).rank()); });
}
PyObject* element_count(PyObject* self, std::int64_t factor) {
  const Tensor& tensor = filled(self);
  if (capture::ScriptWriter* writer = capture::script_writer_of(tensor)) [[unlikely]]
    return element_count_size(*writer, tensor, factor);
  return PyLong_FromLongLong(tensor.size() * factor);
}
PyObject* get_size(PyObject* self, void*) {
  if (PyObject* shape = pending(self, "_pending_shape"))
    return PyLong_FromLongLong(pending_size(shape));
  return guarded([&] { return element_count(self, 1); });
}
PyObject* get_bytes(PyObject* self, void*) {
  return guarded([&] {
    return element_count(self, static_cast<std::int64_t>(tensor::size_of(filled(self).dtype())));
  });
}
PyObject* get_item_bytes(PyObject* self, void*) {
  return guarded([&] { return PyLong_FromSize_t(tensor::size_of(filled(self).dtype())); });
}

PyObject* as_numpy(PyObject* self, PyObject*) {
  return guarded([&] { return numpy_from_tensor(filled(self)); });
}
PyObject* only_item(PyObject* self, PyObject*) {
  return guarded([&] { return item(filled(self)); });
}
PyObject* element_strides(PyObject* self, PyObject*) {
  return guarded([&] {
    rely_on_shape(filled(self));
    return tuple_of(filled(self).strides());
  });
}
PyObject* is_dense(PyObject* self, PyObject*) {
  return guarded([&] {
    rely_on_shape(filled(self));
    return PyBool_FromLong(filled(self).is_contiguous() ? 1 : 0);
  });
}
PyObject* offset(PyObject* self, PyObject*) {
  return guarded([&] {
    rely_on_shape(filled(self));
    return PyLong_FromLongLong(filled(self).body().offset);
  });
}
PyObject* is_filled(PyObject* self, PyObject*) {
  return PyBool_FromLong(tensor_of(self).defined() ? 1 : 0);
}

// This handle becomes another name of the same tensor.
PyObject* share(PyObject* self, PyObject* other) {
  return guarded([&]() -> PyObject* {
    platform::require(is_tensor(other), ErrorKind::Type, "expected a Tensor, but got ",
                      type_name(other));
    if (capture::ScriptWriter* writer = capture::script_writer();
        writer != nullptr && tensor_of(self).defined())
      writer->refuse("it gives a tensor the content of another one");
    tensor_of(self) = tensor_of(other);
    Py_RETURN_NONE;
  });
}

// Compiled functions may rely on what was there.
int set_attribute(PyObject* self, PyObject* name, PyObject* value) {
  const int done = PyObject_GenericSetAttr(self, name, value);
  if (done == 0) capture::note_change();
  return done;
}

// What stands before "--" is the signature that `inspect` shows.
PyMethodDef methods[] = {
    {"asnumpy", as_numpy, METH_NOARGS,
     "asnumpy($self)\n--\n\nNumPy array that shares this tensor's memory."},
    {"_item", only_item, METH_NOARGS, "_item($self)\n--\n\n"},
    {"__complex__", to_complex, METH_NOARGS, "__complex__($self)\n--\n\n"},
    {"_strides", element_strides, METH_NOARGS, "_strides($self)\n--\n\n"},
    {"is_contiguous", is_dense, METH_NOARGS,
     "is_contiguous($self)\n--\n\nWhether the elements lie in row-major order."},
    {"storage_offset", offset, METH_NOARGS,
     "storage_offset($self)\n--\n\nFirst element's place in the storage."},
    {"_has_data", is_filled, METH_NOARGS, "_has_data($self)\n--\n\n"},
    {"_share", share, METH_O, "_share($self, other)\n--\n\n"},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef properties[] = {
    {"shape", get_shape, nullptr, "Length of every axis.", nullptr},
    {"dtype", get_dtype, nullptr, "Type of the elements.", nullptr},
    {"ndim", get_rank, nullptr, "Number of axes.", nullptr},
    {"size", get_size, nullptr, "Number of elements.", nullptr},
    {"nbytes", get_bytes, nullptr, "Bytes of all elements.", nullptr},
    {"itemsize", get_item_bytes, nullptr, "Bytes of one element.", nullptr},
    {"strides", get_strides, nullptr, "Bytes from one element to the next, by axis.", nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMemberDef members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(TensorObject, attributes), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(TensorObject, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

}  // namespace

PyTypeObject* tensor_type = nullptr;

const Tensor& filled(PyObject* object) {
  const Tensor& tensor = tensor_of(object);
  if (tensor.defined()) [[likely]]
    return tensor;
  owned(PyObject_CallMethod(object, "init_data", nullptr));
  platform::require(tensor.defined(), ErrorKind::Value, "the Tensor holds no data");
  return tensor;
}

PyTypeObject* make_tensor_type() {
  static PyType_Slot slots[] = {
      {Py_tp_new, slot(allocate)},
      {Py_tp_dealloc, slot(destroy)},
      {Py_tp_hash, slot(hash_of)},
      {Py_tp_setattro, slot(set_attribute)},
      {Py_tp_richcompare, slot(compare)},
      {Py_tp_methods, methods},
      {Py_tp_getset, properties},
      {Py_tp_members, members},
      {Py_nb_add, slot(binary_slot<kAdd>)},
      {Py_nb_subtract, slot(binary_slot<kSub>)},
      {Py_nb_multiply, slot(multiply)},
      {Py_nb_true_divide, slot(binary_slot<kDiv>)},
      {Py_nb_floor_divide, slot(binary_slot<kFloorDiv>)},
      {Py_nb_remainder, slot(binary_slot<kMod>)},
      {Py_nb_power, slot(power)},
      {Py_nb_matrix_multiply, slot(binary_slot<kMatmul>)},
      {Py_nb_and, slot(bit_slot<kLogicalAnd, kAnd>)},
      {Py_nb_or, slot(bit_slot<kLogicalOr, kOr>)},
      {Py_nb_xor, slot(bit_slot<kLogicalXor, kXor>)},
      {Py_nb_negative, slot(unary_slot<kNeg>)},
      {Py_nb_positive, slot(positive)},
      {Py_nb_absolute, slot(unary_slot<kAbs>)},
      {Py_nb_invert, slot(unary_slot<kLogicalNot>)},
      {Py_nb_bool, slot(truth)},
      {Py_nb_int, slot(to_int)},
      {Py_nb_float, slot(to_float)},
      {Py_nb_index, slot(to_index)},
      {Py_mp_length, slot(length)},
      {Py_sq_length, slot(length)},
      {Py_sq_item, slot(sequence_item)},
      {Py_mp_subscript, slot(get_item)},
      {Py_mp_ass_subscript, slot(set_item)},
      {Py_bf_getbuffer, slot(get_buffer)},
      {Py_bf_releasebuffer, slot(release_buffer)},
      {0, nullptr},
  };
  tensor_type =
      make_type("mindspore.common.tensor.Tensor", sizeof(TensorObject), Py_TPFLAGS_BASETYPE, slots);
  return tensor_type;
}

PyObject* wrap(Tensor tensor) {
  auto* object = reinterpret_cast<TensorObject*>(tensor_type->tp_alloc(tensor_type, 0));
  if (object == nullptr) throw PythonError();
  new (&object->tensor) Tensor(std::move(tensor));
  return reinterpret_cast<PyObject*>(object);
}

PyObject* wrap_outputs(std::vector<Tensor>& outputs) {
  PyObject* tuple = PyTuple_New(static_cast<Py_ssize_t>(outputs.size()));
  if (tuple == nullptr) throw PythonError();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), wrap(std::move(outputs[i])));
  }
  return tuple;
}

}  // namespace mycel::bindings
