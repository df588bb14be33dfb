// SPDX-License-Identifier: Apache-2.0
// Runs of a function that are recorded, as Python sees them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "bindings/result_form.h"
#include "capture/call.h"
#include "capture/capture_session.h"
#include "capture/recipe_session.h"

namespace mycel::bindings {

// How results of a way that Python captured are made.
inline const ResultForm& form_of(const capture::Step& step) {
  return static_cast<const ResultForm&>(*step.epilogue);
}

std::vector<nanobind::object> input_objects(const capture::Call& call);

// What the function is called with instead of its arguments: the same containers, with other
// tensors for the inputs.
struct GivenArguments {
  GivenArguments(nanobind::handle args, nanobind::handle kwargs,
                 std::vector<nanobind::object> stand_ins);
  nanobind::tuple arguments;
  nanobind::dict keywords;
};

class CaptureSession {
 public:
  CaptureSession(std::unique_ptr<capture::CaptureSession> session, const capture::Call& call,
                 nanobind::handle args, nanobind::handle kwargs);

  capture::CaptureSession& session() const { return *session_; }
  capture::Recorder& recorder() const { return session_->recorder(); }
  const GivenArguments& given() const { return given_; }
  void host_call(const std::string& name, nanobind::object function,
                 const std::vector<Tensor>& inputs) const;
  // `was_there`: asked whether an object existed before the run.
  nanobind::object finish(nanobind::object result, nanobind::callable was_there) const;
  void fail() const;

 private:
  nanobind::object with_own_arguments(nanobind::object result, int depth = 0) const;

  std::unique_ptr<capture::CaptureSession> session_;
  std::vector<nanobind::object> inputs_, stand_ins_;
  GivenArguments given_;
};

class RecipeSession {
 public:
  RecipeSession(std::unique_ptr<capture::RecipeSession> session, const capture::Call& call,
                nanobind::handle args, nanobind::handle kwargs);

  capture::RecipeSession& session() const { return *session_; }
  const GivenArguments& given() const { return given_; }
  void finish(nanobind::object result, nanobind::callable was_there) const;

 private:
  std::unique_ptr<capture::RecipeSession> session_;
  std::size_t sizes_before_;
  GivenArguments given_;
};

}  // namespace mycel::bindings
