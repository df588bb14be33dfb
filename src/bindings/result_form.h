// SPDX-License-Identifier: Apache-2.0
// The form of what a captured function returns: where its tensors stand and what is around them.
#pragma once

#include <functional>
#include <vector>

#include <nanobind/nanobind.h>

#include "bindings/signature.h"
#include "bindings/tensor_object.h"

namespace mycel::bindings {

// A question about an object that Python answers.
inline std::function<bool(nanobind::handle)> asker(const nanobind::callable& question) {
  return [question](nanobind::handle object) { return nanobind::cast<bool>(question(object)); };
}

class ResultForm {
 public:
  // `is_computed(tensor)`: made by the run, so every call must give out a new one; such tensors are
  // collected in `tensors`, and an object that stands in several places is one again later.
  struct Questions {
    std::function<bool(const Tensor&)> is_computed;
    // `take_number(object, place)`: a number that is another one in other calls, and its place
    // among these; may be empty.
    std::function<bool(nanobind::handle, std::size_t&)> take_number = {};
    // Whether an object was there before the run: every call gives out that one, not a copy.
    std::function<bool(nanobind::handle)> was_there = {};
  };
  ResultForm(nanobind::handle object, const Questions& ask, std::vector<Tensor>& tensors);
  // `leaves`: the objects that were met so far; `depth`: in how many containers this one stands.
  ResultForm(nanobind::handle object, const Questions& ask, std::vector<Tensor>& tensors,
             std::vector<PyObject*>& leaves, int depth);

  // Null, or why no later call could give out the same.
  const char* refusal() const;
  // `leaf(i)` gives the i-th tensor; asked once for each.
  nanobind::object build(const std::function<nanobind::object(std::size_t)>& leaf) const;
  bool is_single_tensor() const { return kind_ == Kind::Leaf; }
  bool makes_copies() const;  // of something made while the function ran
  // The same with these for the numbers that differ.
  ResultForm with_numbers(const std::vector<nanobind::object>& numbers) const;

 private:
  enum class Kind { Leaf, Constant, Copy, Tuple, List, Dict, Object, Number, Refused };
  void take_sequence(nanobind::handle object, const Questions& ask, std::vector<Tensor>& tensors,
                     std::vector<PyObject*>& leaves, int depth);
  void take_other(nanobind::handle object, const Questions& ask, std::vector<Tensor>& tensors,
                  std::vector<PyObject*>& leaves, int depth);
  void take_origin(nanobind::handle object, const Questions& ask, std::vector<Tensor>& tensors,
                   std::vector<PyObject*>& leaves, int depth);
  // What was there before and holds nothing that was computed stays itself.
  void keep_if_it_was_there(nanobind::handle object, const Questions& ask, bool holds_computed);
  nanobind::object built(const std::function<nanobind::object(std::size_t)>& leaf) const;

  Kind kind_ = Kind::Constant;
  std::size_t leaf_ = 0;
  nanobind::object object_;
  std::vector<ResultForm> parts_;  // of a leaf that advanced indexing read: from what, and where
  std::vector<nanobind::object> keys_;
  const char* why_ = nullptr;
};

}  // namespace mycel::bindings
