// SPDX-License-Identifier: Apache-2.0
// What a captured function was called with, as far as a later call must agree with it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <nanobind/nanobind.h>

#include "bindings/tensor_object.h"
#include "operator/value.h"

namespace mycel::bindings {

constexpr int kDeepestNesting = 200;  // of containers that a compiled function takes or gives

// One argument, or part of one: tensors agree by dtype, shape and strides, numbers and texts by
// value, containers by their parts, everything else by identity. A tensor that is given twice must
// be given twice again.
class Signature {
 public:
  enum class Kind { Tensor, Same, Equal, Tuple, List, Dict };

  // Appends the tensor arguments to `inputs`, each object once.
  Signature(PyObject* object, std::vector<PyObject*>& inputs, int depth = 0);

  // Appends the tensor arguments to `inputs`; false: not the same kind of call.
  // With `any_sizes` lengths of axes are not compared, only their number.
  bool matches(PyObject* object, std::vector<PyObject*>& inputs, bool any_sizes = false) const;
  // Whether a call with these tensors, one per argument, is of the same kind.
  bool matches_row(std::span<const Tensor> row) const;
  bool is_empty() const { return parts_.empty(); }
  // The same object with tensors replaced, in the order in which `matches` finds them.
  nanobind::object rebuild(PyObject* object, const std::vector<nanobind::object>& tensors) const;
  // A text for people: "Tensor[Float32](2, 3)", "3", "<Net object>".
  std::string describe() const;
  bool has_array() const;  // an ndarray, whose content nobody watches

  // Whether calls like this and the other differ in sizes alone.
  bool is_like(const Signature& other) const;
  // Opens, for people, the sizes in which the other one, which is like this, differs.
  void open_sizes(const Signature& other);
  void add_specs(std::vector<op::TensorSpec>& specs) const;  // of tensors, as `matches` finds them

 private:
  Kind kind_ = Kind::Same;
  nanobind::object object_;  // the constant, or the type of the container
  tensor::DType dtype_ = tensor::DType::Float32;
  tensor::Shape shape_;
  tensor::Strides strides_;   // of tensors that are not dense; otherwise empty
  std::size_t place_ = 0;     // of tensors among the inputs
  bool is_repeated_ = false;  // it stood there already
  std::vector<Signature> parts_;
  std::vector<nanobind::object> keys_;
};

// Whether a list or dict stands in several places of these: a call is recognized by the content of
// containers, not by which of them are one.
bool repeats_container(PyObject* args, PyObject* kwargs);

}  // namespace mycel::bindings
