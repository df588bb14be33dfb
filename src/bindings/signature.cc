// SPDX-License-Identifier: Apache-2.0
#include "bindings/signature.h"

#include <algorithm>
#include <cmath>

#include <nanobind/stl/string.h>

#include "bindings/dtype_object.h"
#include "bindings/exceptions.h"
#include "bindings/guard.h"
#include "bindings/indexing.h"
#include "bindings/numpy_exchange.h"
#include "platform/error/error.h"

namespace mycel::bindings {
namespace {

namespace nb = nanobind;

// Arguments of exactly this class; a Parameter is known by identity, and so is a tensor that a user
// has given attributes.
bool is_plain_tensor(PyObject* object) {
  return is_tensor(object) && tensor_of(object).defined() &&
         !tensor_of(object).body().is_parameter && !has_attributes(object);
}

// Numbers and texts that can have no attributes.
bool is_value(PyObject* object) {
  return Py_TYPE(object)->tp_dictoffset == 0 &&
         (PyLong_Check(object) || PyFloat_Check(object) || PyUnicode_Check(object) ||
          PyBytes_Check(object) || PyComplex_Check(object));
}

bool same_value(PyObject* now, PyObject* before) {
  if (is_same_value(now, before)) return true;
  if (Py_TYPE(now) != Py_TYPE(before) || PyFloat_CheckExact(now) || PyComplex_Check(now))
    return false;
  // Those of NumPy: -0.0 is not 0.0.
  if (PyFloat_Check(now) &&
      std::signbit(PyFloat_AS_DOUBLE(now)) != std::signbit(PyFloat_AS_DOUBLE(before)))
    return false;
  return PyObject_RichCompareBool(now, before, Py_EQ) == 1;
}

std::string text_of(nb::handle object) {
  PyObject* text = PyObject_Repr(object.ptr());
  if (text == nullptr) {
    PyErr_Clear();
    return "?";
  }
  std::string result = nb::cast<std::string>(nb::steal<nb::str>(text));
  if (result.size() > 60) result = result.substr(0, 57) + "...";
  return result;
}

}  // namespace

Signature::Signature(PyObject* object, std::vector<PyObject*>& inputs, int depth) {
  platform::require(depth < kDeepestNesting, platform::ErrorKind::Value,
                    "the arguments of a compiled function must not be nested more than ",
                    kDeepestNesting, " deep. Does a list or dict among them contain itself?");
  if (is_plain_tensor(object)) {
    const Tensor& tensor = tensor_of(object);
    kind_ = Kind::Tensor;
    object_ = nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(object)));
    dtype_ = tensor.dtype();
    shape_ = tensor.shape();
    if (!tensor.is_contiguous()) strides_ = tensor.strides();
    const auto known = std::find(inputs.begin(), inputs.end(), object);
    place_ = static_cast<std::size_t>(known - inputs.begin());
    is_repeated_ = known != inputs.end();
    if (!is_repeated_) inputs.push_back(object);
    return;
  }
  const bool sequence = PyTuple_Check(object) || PyList_Check(object);
  if (sequence) {
    kind_ = PyTuple_Check(object) ? Kind::Tuple : Kind::List;
    object_ = nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(object)));
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i)
      parts_.emplace_back(PySequence_Fast_GET_ITEM(object, i), inputs, depth + 1);
    return;
  }
  if (PyDict_Check(object)) {
    kind_ = Kind::Dict;
    object_ = nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(object)));
    PyObject *key = nullptr, *value = nullptr;
    Py_ssize_t position = 0;
    while (PyDict_Next(object, &position, &key, &value) != 0) {
      keys_.push_back(nb::borrow(key));
      parts_.emplace_back(value, inputs, depth + 1);
    }
    return;
  }
  kind_ = is_value(object) ? Kind::Equal : Kind::Same;
  object_ = nb::borrow(object);
}

bool Signature::matches(PyObject* object, std::vector<PyObject*>& inputs, bool any_sizes) const {
  switch (kind_) {
    case Kind::Tensor: {
      if (reinterpret_cast<PyObject*>(Py_TYPE(object)) != object_.ptr()) return false;
      const Tensor& tensor = tensor_of(object);
      if (!tensor.defined() || tensor.dtype() != dtype_ || tensor.body().is_parameter ||
          has_attributes(object))
        return false;
      if (any_sizes ? tensor.shape().size() != shape_.size() : !(tensor.shape() == shape_))
        return false;
      if (is_repeated_) return inputs[place_] == object;
      if (strides_.empty() ? !tensor.is_contiguous() : any_sizes || !(tensor.strides() == strides_))
        return false;
      if (std::find(inputs.begin(), inputs.end(), object) != inputs.end()) return false;
      inputs.push_back(object);
      return true;
    }
    case Kind::Same: return object == object_.ptr();
    case Kind::Equal: return same_value(object, object_.ptr());
    case Kind::Tuple:
    case Kind::List: {
      if (reinterpret_cast<PyObject*>(Py_TYPE(object)) != object_.ptr() ||
          static_cast<std::size_t>(PySequence_Fast_GET_SIZE(object)) != parts_.size())
        return false;
      for (std::size_t i = 0; i < parts_.size(); ++i) {
        if (!parts_[i].matches(PySequence_Fast_GET_ITEM(object, static_cast<Py_ssize_t>(i)), inputs,
                               any_sizes))
          return false;
      }
      return true;
    }
    case Kind::Dict: {
      if (reinterpret_cast<PyObject*>(Py_TYPE(object)) != object_.ptr() ||
          static_cast<std::size_t>(PyDict_GET_SIZE(object)) != parts_.size())
        return false;
      PyObject *key = nullptr, *value = nullptr;
      Py_ssize_t position = 0;
      for (std::size_t i = 0; PyDict_Next(object, &position, &key, &value) != 0; ++i) {
        if (!same_value(key, keys_[i].ptr()) || !parts_[i].matches(value, inputs, any_sizes))
          return false;
      }
      return true;
    }
  }
  return false;
}

bool Signature::matches_row(std::span<const Tensor> row) const {
  if (kind_ != Kind::Tuple || parts_.size() != row.size()) return false;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const Signature& part = parts_[i];
    if (part.kind_ != Kind::Tensor || part.dtype_ != row[i].dtype() || part.is_repeated_ ||
        !(part.shape_ == row[i].shape()) || !part.strides_.empty() || !row[i].is_contiguous())
      return false;
  }
  return true;
}

nb::object Signature::rebuild(PyObject* object, const std::vector<nb::object>& tensors) const {
  if (kind_ == Kind::Tensor) return tensors[place_];
  if (kind_ == Kind::Same || kind_ == Kind::Equal) return nb::borrow(object);
  if (kind_ == Kind::Dict) {
    nb::object copy = nb::borrow(object).attr("copy")();
    std::size_t i = 0;
    PyObject *key = nullptr, *value = nullptr;
    Py_ssize_t position = 0;
    while (PyDict_Next(object, &position, &key, &value) != 0) {
      const nb::object part = parts_[i++].rebuild(value, tensors);
      if (PyObject_SetItem(copy.ptr(), key, part.ptr()) != 0) throw PythonError();
    }
    return copy;
  }
  nb::list items;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    items.append(
        parts_[i].rebuild(PySequence_Fast_GET_ITEM(object, static_cast<Py_ssize_t>(i)), tensors));
  }
  if (kind_ == Kind::Tuple && object_.ptr() == reinterpret_cast<PyObject*>(&PyTuple_Type))
    return nb::tuple(items);
  if (kind_ == Kind::List && object_.ptr() == reinterpret_cast<PyObject*>(&PyList_Type))
    return items;
  // A named tuple takes its parts one by one; other sequences of users' own take them whole.
  if (PyObject_HasAttrString(object_.ptr(), "_make") != 0) return object_.attr("_make")(items);
  nb::object copy = nb::module_::import_("copy").attr("copy")(nb::borrow(object));
  if (kind_ == Kind::List) {
    if (PyList_SetSlice(copy.ptr(), 0, PyList_GET_SIZE(copy.ptr()), items.ptr()) != 0)
      throw PythonError();
    return copy;
  }
  return object_(items);
}

std::string Signature::describe() const {
  switch (kind_) {
    case Kind::Tensor: {
      std::string sizes;
      for (const std::int64_t size : shape_)
        sizes += (sizes.empty() ? "" : ", ") + (size < 0 ? std::string("?") : platform::join(size));
      return platform::join("Tensor[", dtype_, "](", sizes, shape_.size() == 1 ? ",)" : ")");
    }
    case Kind::Same:
    case Kind::Equal: return text_of(object_);
    case Kind::Dict: {
      std::string text = "{";
      for (std::size_t i = 0; i < parts_.size(); ++i)
        text += (i > 0 ? ", " : "") + text_of(keys_[i]) + ": " + parts_[i].describe();
      return text + "}";
    }
    default: break;
  }
  std::string text = kind_ == Kind::Tuple ? "(" : "[";
  for (std::size_t i = 0; i < parts_.size(); ++i)
    text += (i > 0 ? ", " : "") + parts_[i].describe();
  return text + (kind_ == Kind::Tuple ? ")" : "]");
}

bool Signature::is_like(const Signature& other) const {
  if (kind_ != other.kind_ || parts_.size() != other.parts_.size()) return false;
  if (kind_ == Kind::Tensor)
    return object_.is(other.object_) && dtype_ == other.dtype_ && place_ == other.place_ &&
           is_repeated_ == other.is_repeated_ && shape_.size() == other.shape_.size() &&
           strides_.empty() && other.strides_.empty();
  if (kind_ == Kind::Same || kind_ == Kind::Equal) {
    std::vector<PyObject*> none;
    return matches(other.object_.ptr(), none);
  }
  if (!object_.is(other.object_)) return false;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (!parts_[i].is_like(other.parts_[i])) return false;
    if (kind_ == Kind::Dict && !keys_[i].equal(other.keys_[i])) return false;
  }
  return true;
}

void Signature::open_sizes(const Signature& other) {
  for (std::size_t i = 0; i < shape_.size(); ++i) {
    if (shape_[i] != other.shape_[i]) shape_[i] = -1;
  }
  for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i].open_sizes(other.parts_[i]);
}

void Signature::add_specs(std::vector<op::TensorSpec>& specs) const {
  if (kind_ == Kind::Tensor && !is_repeated_) specs.push_back({dtype_, shape_, false});
  for (const Signature& part : parts_) part.add_specs(specs);
}

namespace {

struct Met {
  PyObject* container;
  bool is_around;  // what is looked at stands in it
};

bool meets_again(PyObject* object, std::vector<Met>& met, int depth) {
  const bool is_dict = PyDict_Check(object);
  const bool is_sequence = PyTuple_Check(object) || PyList_Check(object);
  if (!(is_dict || is_sequence) || depth == kDeepestNesting) return false;
  const std::size_t place = met.size();
  if (!PyTuple_Check(object)) {
    const auto known = std::find_if(met.begin(), met.end(),
                                    [&](const Met& one) { return one.container == object; });
    if (known != met.end()) return !known->is_around;  // what contains itself is an error elsewhere
    met.push_back({object, true});
  }
  for (Py_ssize_t i = 0; is_sequence && i < PySequence_Fast_GET_SIZE(object); ++i) {
    if (meets_again(PySequence_Fast_GET_ITEM(object, i), met, depth + 1)) return true;
  }
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t position = 0;
  while (is_dict && PyDict_Next(object, &position, &key, &value) != 0) {
    if (meets_again(value, met, depth + 1)) return true;
  }
  if (place < met.size()) met[place].is_around = false;
  return false;
}

}  // namespace

bool repeats_container(PyObject* args, PyObject* kwargs) {
  std::vector<Met> met;
  return meets_again(args, met, 0) || (PyDict_GET_SIZE(kwargs) > 0 && meets_again(kwargs, met, 0));
}

bool Signature::has_array() const {
  if (kind_ == Kind::Same)
    return PyObject_CheckBuffer(object_.ptr()) != 0 && !is_tensor(object_.ptr());
  for (const Signature& part : parts_) {
    if (part.has_array()) return true;
  }
  return false;
}

}  // namespace mycel::bindings
