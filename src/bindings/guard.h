// SPDX-License-Identifier: Apache-2.0
// What a captured function relied on, as Python knows it.
#pragma once

#include <cstdint>

#include <nanobind/nanobind.h>

#include "capture/guard.h"

namespace mycel::bindings {

// Python's lock guards it, which whoever asks it has.
class PythonGuard final : public capture::Guard {
 public:
  enum class Kind {
    Entry,
    Cell,
    Sequence,
    Mapping,
    Set,
    Question,
    Tracked,
    Class,
    Function,
    Type,
    Noted,
    Names
  };
  // Entry: holder[key] is expected. Cell: a closure's variable. Sequence, Mapping, Set: the whole
  // content in its order, compared with a copy. Question: `holder` is asked and says true. Tracked:
  // whether a gradient that is being recorded goes to the tensor `holder`. Class: `key` is what the
  // class `holder` defines; looked at only when the interpreter says that the class has changed. A
  // question's `key` and `expected` only say what it is about, if they are there. Function: (code,
  // defaults, defaults of keywords) of a Python function. Type: `holder` is of the class
  // `expected`, and its attributes are in the dict `key`, if there is one. Noted: always holds, but
  // a write to the fields of what `holder` refers to weakly, or to the dict `key` among them, is
  // noted as a change. Names: the names `key` stand for the same in the dict `holder` as in the
  // dict `expected`, or for nothing in both.
  PythonGuard(Kind kind, nanobind::object holder, nanobind::object key, nanobind::object expected)
      : kind_(kind),
        holder_(std::move(holder)),
        key_(std::move(key)),
        expected_(std::move(expected)) {}
  bool holds() const override;
  std::size_t subject() const override;
  bool is_about_same(const capture::Guard& other) const override;
  const nanobind::object& holder() const { return holder_; }

 private:
  PyObject* about() const;
  bool class_holds() const;
  template <typename Compare>
  bool dict_holds(Compare compare) const;
  void note_writes() const;
  Kind kind_;
  nanobind::object holder_, key_, expected_;
  mutable std::uint64_t version_ = 0;  // of a class or dict when it was last seen; 0: not known
};

// Whether a value is still what it was: the same object, or an equal number or text of the same
// class; floats are compared bit by bit.
bool is_same_value(PyObject* now, PyObject* before);

// A guard for whoever keeps guards. `kind` is a number of python/mindspore/_capture/questions.py.
std::shared_ptr<const capture::Guard> make_guard(int kind, nanobind::object holder,
                                                 nanobind::object key, nanobind::object expected);

}  // namespace mycel::bindings
