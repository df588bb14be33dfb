// SPDX-License-Identifier: Apache-2.0
#include "bindings/sessions.h"

#include <set>

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/call_reader.h"
#include "bindings/guard.h"
#include "bindings/indexing.h"
#include "bindings/objects.h"
#include "bindings/parts.h"
#include "bindings/size_object.h"
#include "bindings/tensor_caster.h"

namespace mycel::bindings {

namespace nb = nanobind;

namespace {

constexpr int kMostNesting = 8;

template <class Session>
std::vector<nb::object> stand_ins_of(const Session& session, const capture::Call& call) {
  std::vector<nb::object> objects;
  for (std::size_t i = 0; i < call.input_count(); ++i)
    objects.push_back(nb::steal(wrap(session.argument(i))));
  return objects;
}

}  // namespace

std::vector<nb::object> input_objects(const capture::Call& call) {
  std::vector<nb::object> objects;
  objects.reserve(call.input_count());
  for (std::size_t i = 0; i < call.input_count(); ++i)
    objects.push_back(nb::borrow(static_cast<PyObject*>(const_cast<void*>(call.input(i).object))));
  return objects;
}

GivenArguments::GivenArguments(nb::handle args, nb::handle kwargs,
                               std::vector<nb::object> stand_ins) {
  std::vector<Tensor> tensors;
  const ResultForm::Questions ask{
      .is_leaf = [](nb::handle object) { return is_plain_tensor(object.ptr()); }};
  const nb::object both =
      ResultForm(nb::make_tuple(args, kwargs), ask, tensors).build(Leaves(std::move(stand_ins)));
  arguments = nb::cast<nb::tuple>(both[0]);
  keywords = nb::cast<nb::dict>(both[1]);
}

// ---- capturing ---------------------------------------------------------------------------------

CaptureSession::CaptureSession(std::unique_ptr<capture::CaptureSession> session,
                               const capture::Call& call, nb::handle args, nb::handle kwargs)
    : session_(std::move(session)),
      inputs_(input_objects(call)),
      stand_ins_(stand_ins_of(session_->recorder(), call)),
      given_(args, kwargs, stand_ins_) {}

void CaptureSession::host_call(const std::string& name, nb::object function,
                               const std::vector<Tensor>& inputs) const {
  const auto call = [held =
                         shared_under_lock(std::move(function))](std::span<const Tensor> values) {
    const nb::gil_scoped_acquire lock;
    // The memory behind them is used again when the call is over.
    (*held)(*nb::tuple(list_of(values, content_copy)));
    return std::vector<Tensor>();
  };
  recorder().host_call(name, call, inputs);
}

// The caller's own objects where an argument is handed back, in containers that stay what they are.
nb::object CaptureSession::with_own_arguments(nb::object result, int depth) const {
  PyObject* o = result.ptr();
  for (std::size_t i = 0; i < inputs_.size() && is_tensor(o); ++i) {
    if (tensor_of(o) == recorder().argument(i)) return inputs_[i];
    exchange_index_origin(result, stand_ins_[i], inputs_[i]);
  }
  if (depth == kMostNesting) return result;
  if (Py_TYPE(o) == &PyTuple_Type) {
    nb::list parts;
    for (nb::handle part : nb::borrow<nb::tuple>(result))
      parts.append(with_own_arguments(nb::borrow(part), depth + 1));
    return nb::tuple(parts);
  }
  if (Py_TYPE(o) == &PyList_Type) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(o); ++i)
      PyList_SetItem(o, i, with_own_arguments(result[i], depth + 1).release().ptr());
  } else if (Py_TYPE(o) == &PyDict_Type) {
    for (nb::handle key : nb::list(nb::borrow<nb::dict>(result).keys()))
      result[key] = with_own_arguments(result[key], depth + 1);
  }
  return result;
}

nb::object CaptureSession::finish(nb::object result, nb::callable was_there) const {
  std::shared_ptr<const ResultForm> form;
  const auto take_apart = [&] {
    capture::CaptureSession::Returned returned;
    const auto is_computed = [&](nb::handle object) {
      const Tensor& tensor = tensor_of(object.ptr());
      return recorder().take_over(tensor) && recorder().is_result(tensor);
    };
    const ResultForm::Questions ask{.is_leaf = is_computed, .was_there = asker(was_there)};
    form = shared_under_lock(ResultForm(result, ask, returned.tensors));
    if (const char* why = form->refusal()) returned.refusal = why;
    returned.epilogue = form;
    return returned;
  };
  if (!session_->finish(take_apart)) return with_own_arguments(std::move(result));
  return form->build(Leaves(recorder().last_step(), recorder().run().values, inputs_));
}

void CaptureSession::fail() const {
  // The caller has an error in hand already: a second one, from what was pending, is not for it.
  const nb::object error = take_error();
  try {
    recorder().fail();
  } catch (...) {
  }
  if (error.is_valid()) set_error(error);
}

// ---- learning sizes ----------------------------------------------------------------------------

RecipeSession::RecipeSession(std::unique_ptr<capture::RecipeSession> session,
                             const capture::Call& call, nb::handle args, nb::handle kwargs)
    : session_(std::move(session)),
      sizes_before_(living_sizes()),
      given_(args, kwargs, stand_ins_of(*session_, call)) {}

void RecipeSession::finish(nb::object result, nb::callable was_there) const {
  std::vector<Tensor> tensors;
  const auto is_of_this_run = [&](nb::handle object) {
    return session_->has_made(tensor_of(object.ptr()));
  };
  std::vector<ir::SizeRef> numbers;
  std::set<PyObject*> sizes;
  const auto take_number = [&](nb::handle object, std::size_t& place) {
    if (!is_size(object.ptr()) || size_of(object.ptr()).writer() == nullptr) return false;
    sizes.insert(object.ptr());
    place = numbers.size();
    numbers.push_back(size_of(object.ptr()).expression());
    return true;
  };
  const ResultForm::Questions ask{is_of_this_run, take_number, asker(was_there)};
  const auto form = shared_under_lock(ResultForm(result, ask, tensors));
  if (form->makes_copies() || form->refusal() != nullptr)
    session_->writer().refuse("it returns something that is not made of tensors and plain values");
  if (living_sizes() != sizes_before_ + sizes.size() ||
      capture::was_used_elsewhere(session_->writer()))
    session_->writer().refuse("it keeps a size");
  session_->finish(tensors, std::move(numbers), form);
}

// ---- Python's view -----------------------------------------------------------------------------

void bind_sessions(nb::module_& module) {
  make_size_type();
  nb::class_<RecipeSession>(module, "RecipeSession")
      .def_prop_ro("arguments", [](const RecipeSession& self) { return self.given().arguments; })
      .def_prop_ro("keywords", [](const RecipeSession& self) { return self.given().keywords; })
      .def_prop_ro("is_active", [](const RecipeSession&) { return true; })
      .def("host_call",
           [](const RecipeSession& self, const std::string& name, nb::handle, nb::handle) {
             self.session().writer().refuse(platform::join("it calls ", name));
           })
      .def("finish", &RecipeSession::finish, nb::arg("result").none(), nb::arg("was_there"))
      .def("refuse", [](const RecipeSession& self, const std::string& reason) {
        self.session().refuse(reason);
      });
  using Session = const CaptureSession&;
  nb::class_<CaptureSession>(module, "CaptureSession")
      .def_prop_ro("arguments", [](Session self) { return self.given().arguments; })
      .def_prop_ro("keywords", [](Session self) { return self.given().keywords; })
      .def_prop_ro("is_active", [](Session self) { return self.recorder().is_active(); })
      .def_prop_ro("refusal", [](Session self) { return self.session().refusal(); })
      .def_prop_ro("can_start_over", [](Session self) { return self.recorder().can_start_over(); })
      .def_prop_ro("has_left", [](Session self) { return self.recorder().has_left(); })
      .def_prop_ro("new_way", [](Session self) { return self.session().new_way(); })
      .def_prop_ro("segments", [](Session self) { return self.session().segments(); })
      .def(
          "watch",
          [](Session self, const Tensor& parameter, std::string name) {
            self.recorder().watch(parameter, std::move(name));
          },
          nb::arg("parameter"), nb::arg("name") = "")
      .def("knows", [](Session self, const Tensor& it) { return self.recorder().knows(it); })
      .def("host_call", &CaptureSession::host_call)
      .def(
          "add_guard",
          [](Session self, int kind, nb::object holder, nb::object key, nb::object expected) {
            self.session().add_guard(
                make_guard(kind, std::move(holder), std::move(key), std::move(expected)));
          },
          nb::arg("kind"), nb::arg("holder"), nb::arg("key").none(), nb::arg("expected").none())
      .def_prop_ro("verify",
                   [](Session self) -> nb::object {
                     const auto verify = self.session().verify();
                     if (!verify) return nb::none();
                     return static_cast<const PythonGuard&>(*verify).holder();
                   })
      .def("set_verify",
           [](Session self, nb::object verify) {
             self.session().set_verify(shared_under_lock(
                 PythonGuard(PythonGuard::Kind::Question, std::move(verify), {}, {})));
           })
      // `check` is called before Python looks at a value of this run; it may raise.
      .def("check_looks",
           [](Session self, nb::object check) {
             self.recorder().on_look = [check = std::move(check)] {
               const nb::gil_scoped_acquire lock;
               check();
             };
           })
      // `note` is called when Python has looked at a value that decides on a new way.
      .def("note_growth",
           [](Session self, nb::object note) {
             self.recorder().on_growth = [note = std::move(note)] {
               const nb::gil_scoped_acquire lock;
               note();
             };
           })
      .def("follow_only", [](Session self) { self.session().follow_only(); })
      .def("abandon", [](Session self, std::string why) { self.recorder().abandon(why); })
      .def("refuse", [](Session self, std::string why) { self.session().refuse(std::move(why)); })
      .def("finish", &CaptureSession::finish, nb::arg("result").none(), nb::arg("was_there"))
      .def("text", [](Session self) { return self.recorder().text(); })
      .def("forbid_runs", [](Session self) { self.recorder().forbid_runs(); })
      .def("take_draft", [](Session self) { return std::shared_ptr(self.session().take_draft()); })
      .def("fail", &CaptureSession::fail)
      .def("discard", [](Session self) { self.recorder().discard(); });
}

}  // namespace mycel::bindings
