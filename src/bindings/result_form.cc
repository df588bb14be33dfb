// SPDX-License-Identifier: Apache-2.0
#include "bindings/result_form.h"

#include <algorithm>

#include "bindings/exceptions.h"
#include "bindings/indexing.h"
#include "bindings/number_stand_in.h"
#include "bindings/objects.h"
#include "bindings/size_object.h"
#include "capture/call.h"

namespace mycel::bindings {
namespace {

namespace nb = nanobind;

bool is_exactly(nb::handle object, PyTypeObject* type) { return Py_TYPE(object.ptr()) == type; }

bool is_atom(nb::handle object) {
  PyObject* o = object.ptr();
  return o == Py_None || o == Py_Ellipsis || PyLong_Check(o) || PyFloat_Check(o) ||
         PyUnicode_Check(o) || PyBytes_Check(o) || PyComplex_Check(o) || PyType_Check(o) ||
         PySlice_Check(o) || PyRange_Check(o) || PyModule_Check(o);
}

nb::object plain_copy(nb::handle object) {
  return nb::module_::import_("copy").attr("copy")(nb::borrow(object));
}

}  // namespace

ResultForm::ResultForm(nb::handle object, const Questions& ask, std::vector<Tensor>& tensors) {
  Search search{ask, tensors};
  *this = ResultForm(object, search, 0);
}

ResultForm::ResultForm(nb::handle object, Search& search, int depth) : object_(nb::borrow(object)) {
  PyObject* o = object.ptr();
  const Questions& ask = search.ask;
  const std::size_t known_tensors = search.tensors.size();
  if (depth == capture::kDeepestNesting) {
    refuse("it returns lists or dicts that contain themselves, or are nested too deeply");
    return;
  }
  if (ask.take_number && ask.take_number(object, leaf_)) {
    kind_ = Kind::Number;
    object_ = {};
  } else if (is_tensor(o)) {
    take_tensor(object, search, depth);
  } else if (ask.was_there && is_number_stand_in(o)) {
    kind_ = Kind::ReadNumber;
    parts_.emplace_back(nb::object(object.attr("in_graph")()), search, depth + 1);
    object_ = {};
  } else if (PyTuple_Check(o) || PyList_Check(o)) {
    take_sequence(object, search, depth);
  } else if (PyDict_Check(o)) {
    kind_ = Kind::Dict;
    for (const auto& [key, value] : nb::borrow<nb::dict>(object)) {
      keys_.push_back(nb::borrow(key));
      parts_.emplace_back(value, search, depth + 1);
    }
    if (!is_exactly(object, &PyDict_Type)) object_ = plain_copy(object);
  } else if (ask.was_there && !is_atom(object)) {
    take_other(object, search, depth);
  }
  const bool is_computed =
      kind_ == Kind::Leaf || kind_ == Kind::Number || kind_ == Kind::ReadNumber;
  if (!is_computed && kind_ != Kind::Refused)
    keep_if_it_was_there(object, ask, search.tensors.size() != known_tensors);
}

void ResultForm::refuse(const char* why) {
  kind_ = Kind::Refused;
  why_ = why;
}

void ResultForm::take_tensor(nb::handle object, Search& search, int depth) {
  PyObject* o = object.ptr();
  const Tensor& tensor = tensor_of(o);
  if (!tensor.defined() || tensor.body().is_parameter || !search.ask.is_leaf(object)) return;
  kind_ = Kind::Leaf;
  object_ = {};
  const auto known = std::find(search.leaves.begin(), search.leaves.end(), o);
  leaf_ = static_cast<std::size_t>(known - search.leaves.begin());
  if (has_attributes(o)) return refuse("it returns a tensor that it has given attributes");
  if (known != search.leaves.end()) return;
  search.leaves.push_back(o);
  search.tensors.push_back(tensor);
  if (search.ask.was_there) take_origin(object, search, depth);
}

void ResultForm::keep_if_it_was_there(nb::handle object, const Questions& ask,
                                      bool holds_computed) {
  if (kind_ == Kind::Constant || holds_computed || !ask.was_there || !ask.was_there(object)) return;
  kind_ = Kind::Constant;
  object_ = nb::borrow(object);
  parts_.clear();
  keys_.clear();
}

// A write into what advanced indexing gave also reaches the tensor it was read from, as long as
// somebody has that.
void ResultForm::take_origin(nb::handle object, Search& search, int depth) {
  PyObject* origin = index_origin(object.ptr());
  if (origin == nullptr) return;
  PyObject* read = PyWeakref_GetObject(PyTuple_GET_ITEM(origin, 0));
  if (read == Py_None) return;
  parts_.emplace_back(nb::handle(read), search, depth + 1);
  parts_.emplace_back(nb::handle(PyTuple_GET_ITEM(origin, 1)), search, depth + 1);
}

void ResultForm::take_sequence(nb::handle object, Search& search, int depth) {
  PyObject* o = object.ptr();
  kind_ = PyTuple_Check(o) ? Kind::Tuple : Kind::List;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i)
    parts_.emplace_back(nb::handle(PySequence_Fast_GET_ITEM(o, i)), search, depth + 1);
  if (is_exactly(object, &PyTuple_Type) || is_exactly(object, &PyList_Type)) object_ = {};
}

void ResultForm::take_other(nb::handle object, Search& search, int depth) {
  if (PyIter_Check(object.ptr()) != 0)
    return refuse("it returns an iterator, which only one caller can use up");
  if (PyFunction_Check(object.ptr()) || PyMethod_Check(object.ptr()))
    return refuse("it returns a function that was made while it ran");
  const nb::object fields = nb::steal(PyObject_GetAttrString(object.ptr(), "__dict__"));
  if (!fields.is_valid()) {
    PyErr_Clear();
    // Sets and arrays: what a caller does to one is not for the next to see.
    if (PyObject_HasAttrString(object.ptr(), "copy") != 0) {
      kind_ = Kind::Copy;
      object_ = plain_copy(object);
    }
    return;
  }
  if (!PyDict_Check(fields.ptr())) return;
  std::vector<ResultForm> parts;
  std::vector<nb::object> keys;
  const std::size_t before = search.tensors.size();
  for (const auto& [key, field] : nb::borrow<nb::dict>(fields)) {
    PyObject* value = field.ptr();
    if (!is_tensor(value) && !PyTuple_Check(value) && !PyList_Check(value) && !PyDict_Check(value))
      continue;
    keys.push_back(nb::borrow(key));
    parts.emplace_back(field, search, depth + 1);
  }
  if (search.tensors.size() == before) return;  // nothing in it was computed here
  kind_ = Kind::Object;
  object_ = plain_copy(object);
  keys_ = std::move(keys);
  parts_ = std::move(parts);
}

const char* ResultForm::refusal() const {
  if (kind_ == Kind::Refused) return why_;
  for (const ResultForm& part : parts_) {
    if (const char* why = part.refusal()) return why;
  }
  return nullptr;
}

bool ResultForm::makes_copies() const {
  if (kind_ == Kind::Copy) return true;
  return std::any_of(parts_.begin(), parts_.end(),
                     [](const ResultForm& part) { return part.makes_copies(); });
}

std::shared_ptr<const capture::Epilogue> ResultForm::with_numbers(
    std::span<const ir::SizeNumber> numbers) const {
  std::vector<nb::object> objects;
  objects.reserve(numbers.size());
  for (const ir::SizeNumber& number : numbers) objects.push_back(nb::steal(number_object(number)));
  ResultForm form = *this;
  form.put_numbers(objects);
  return shared_under_lock(std::move(form));
}

void ResultForm::put_numbers(std::span<const nb::object> numbers) {
  if (kind_ == Kind::Number) {
    kind_ = Kind::Constant;
    object_ = numbers[leaf_];
  }
  for (ResultForm& part : parts_) part.put_numbers(numbers);
}

nb::object Leaves::make(std::size_t i) const {
  if (step_ == nullptr) return made_[i];
  const capture::Place& place = step_->returned[i];
  if (place.argument >= 0 && !inputs_.empty())
    return inputs_[static_cast<std::size_t>(place.argument)];
  return nb::steal(wrap(place.in(values_)));
}

const nb::object& Leaves::get(std::size_t i) {
  if (made_.size() <= i) made_.resize(i + 1);
  if (!made_[i].is_valid()) made_[i] = make(i);
  return made_[i];
}

nb::object ResultForm::build(Leaves leaves) const {
  if (kind_ == Kind::Leaf && parts_.empty()) return leaves.make(leaf_);
  return built(leaves);
}

nb::object ResultForm::built(Leaves& leaves) const {
  const auto items = [&] {
    return list_of(parts_, [&](const ResultForm& part) { return part.built(leaves); });
  };
  const auto fill = [&](nb::object dict) {
    for (std::size_t i = 0; i < parts_.size(); ++i) dict[keys_[i]] = parts_[i].built(leaves);
  };
  switch (kind_) {
    case Kind::Leaf: {
      nb::object tensor = leaves.get(leaf_);
      if (!parts_.empty())
        set_index_origin(tensor, parts_[0].built(leaves), parts_[1].built(leaves));
      return tensor;
    }
    case Kind::ReadNumber: return parts_[0].built(leaves).attr("item")();
    case Kind::Copy: return object_.attr("copy")();
    case Kind::Tuple: {
      if (object_.is_valid()) {
        const bool is_named = PyObject_HasAttrString(object_.ptr(), "_make") != 0;
        return is_named ? object_.attr("_make")(items()) : object_.type()(items());
      }
      nb::object tuple = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(parts_.size())));
      for (std::size_t i = 0; i < parts_.size(); ++i)
        PyTuple_SET_ITEM(tuple.ptr(), static_cast<Py_ssize_t>(i),
                         parts_[i].built(leaves).release().ptr());
      return tuple;
    }
    case Kind::List: {
      nb::list made = items();
      if (!object_.is_valid()) return made;
      nb::object copy = plain_copy(object_);
      if (PyList_SetSlice(copy.ptr(), 0, PyList_GET_SIZE(copy.ptr()), made.ptr()) != 0)
        throw PythonError();
      return copy;
    }
    case Kind::Dict: {
      nb::object dict =
          is_exactly(object_, &PyDict_Type) ? nb::object(nb::dict()) : plain_copy(object_);
      fill(dict);
      return dict;
    }
    case Kind::Object: {
      nb::object copy = plain_copy(object_);
      fill(copy.attr("__dict__"));  // straight: frozen classes refuse assignment
      return copy;
    }
    case Kind::Constant:
    case Kind::Number:
    case Kind::Refused: break;
  }
  return object_;
}

}  // namespace mycel::bindings
