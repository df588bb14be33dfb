// SPDX-License-Identifier: Apache-2.0
// The form of what a captured function returns: where its tensors stand and what is around them.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <nanobind/nanobind.h>

#include "bindings/tensor_object.h"
#include "capture/interpreter.h"
#include "capture/trace.h"

namespace mycel::bindings {

// A question about an object that Python answers.
inline std::function<bool(nanobind::handle)> asker(const nanobind::callable& question) {
  return [question](nanobind::handle object) { return nanobind::cast<bool>(question(object)); };
}

// The tensors of one run where a form has its leaves, each one object.
class Leaves {
 public:
  explicit Leaves(std::vector<nanobind::object> objects) : made_(std::move(objects)) {}
  // What a run that ended with this step returns. An argument that is handed back is the caller's
  // own object, one of `inputs`, if there are any.
  Leaves(const capture::Step& step, std::span<const Tensor> values,
         std::span<const nanobind::object> inputs)
      : step_(&step), values_(values), inputs_(inputs) {}
  nanobind::object make(std::size_t i) const;  // a new one
  const nanobind::object& get(std::size_t i);  // the one

 private:
  const capture::Step* step_ = nullptr;
  std::span<const Tensor> values_;
  std::span<const nanobind::object> inputs_;
  std::vector<nanobind::object> made_;
};

class ResultForm final : public capture::Epilogue {
 public:
  struct Questions {
    // Whether every call must give out another tensor in its place. Such tensors are collected in
    // `tensors`, and an object that stands in several places is one again later.
    std::function<bool(nanobind::handle)> is_leaf;
    // `take_number(object, place)`: a number that is another one in other calls, and its place
    // among these; may be empty.
    std::function<bool(nanobind::handle, std::size_t&)> take_number = {};
    // Whether an object was there before the run: every call gives out that one, not a copy. Empty:
    // containers are taken apart, and nothing else.
    std::function<bool(nanobind::handle)> was_there = {};
  };
  // What is asked, and what was found so far.
  struct Search {
    const Questions& ask;
    std::vector<Tensor>& tensors;
    std::vector<PyObject*> leaves = {};  // the objects that these are in
  };
  ResultForm(nanobind::handle object, const Questions& ask, std::vector<Tensor>& tensors);
  // `depth`: in how many containers this object stands.
  ResultForm(nanobind::handle object, Search& search, int depth);

  // Null, or why no later call could give out the same.
  const char* refusal() const;
  nanobind::object build(Leaves leaves) const;
  bool makes_copies() const;  // of something made while the function ran
  std::shared_ptr<const capture::Epilogue> with_numbers(
      std::span<const ir::SizeNumber> numbers) const override;

 private:
  enum class Kind { Leaf, Constant, Copy, Tuple, List, Dict, Object, Number, ReadNumber, Refused };
  void take_tensor(nanobind::handle object, Search& search, int depth);
  void take_sequence(nanobind::handle object, Search& search, int depth);
  void take_other(nanobind::handle object, Search& search, int depth);
  void take_origin(nanobind::handle object, Search& search, int depth);
  void refuse(const char* why);
  // What was there before and holds nothing that was computed stays itself.
  void keep_if_it_was_there(nanobind::handle object, const Questions& ask, bool holds_computed);
  void put_numbers(std::span<const nanobind::object> numbers);
  nanobind::object built(Leaves& leaves) const;

  Kind kind_ = Kind::Constant;
  std::size_t leaf_ = 0;
  nanobind::object object_;
  std::vector<ResultForm> parts_;  // of a leaf that advanced indexing read: from what, and where
  std::vector<nanobind::object> keys_;
  const char* why_ = nullptr;
};

}  // namespace mycel::bindings
