// SPDX-License-Identifier: Apache-2.0
// The traces of one function, by what it is called with.
#pragma once

#include <deque>
#include <memory>
#include <shared_mutex>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "bindings/guard.h"
#include "bindings/result_form.h"
#include "bindings/signature.h"
#include "capture/recorder.h"
#include "capture/trace.h"
#include "tensor/tensor_stream.h"

namespace mycel::bindings {

// One kind of call and what is known about it.
struct Specialization {
  Signature arguments, keywords;
  capture::Trace trace;
  std::vector<Guard> guards;
  std::vector<nanobind::object> verify;  // asked when something has changed since `verified_at`
  std::uint64_t verified_at = 0;
  struct Constant {
    Tensor tensor;
    std::uint32_t version = 0;
  };
  std::vector<Constant> constants;
  struct ParameterLayout {
    Tensor parameter;
    tensor::DType dtype;
    tensor::Shape shape;
  };
  std::vector<ParameterLayout> parameters;
  std::string refusal;       // not empty: such calls run eagerly
  bool is_complete = false;  // a run has come to its end, so that everything above is known
  std::size_t runs = 0;
  std::shared_mutex mutex;  // shared: replaying; exclusive: growing

  Specialization(PyObject* args, PyObject* kwargs) : arguments(args), keywords(kwargs) {}
  bool holds();
};

class CaptureSession;

class TraceCache {
 public:
  explicit TraceCache(std::string name) : name_(std::move(name)) {}

  // The result; or `miss` when Python has to run, or `eager` when it has to without being captured.
  nanobind::object run(nanobind::args args, nanobind::kwargs kwargs);
  // Runs the function for the rows of a stream, without Python as long as nothing new turns up:
  // (steps done, the last one's result or None, a row that Python has to run or None, whether that
  // row's run has begun and `begin` goes on with it).
  nanobind::tuple run_stream(tensor::TensorStream& stream, std::size_t steps);
  std::unique_ptr<CaptureSession> begin(nanobind::tuple args, nanobind::dict kwargs);
  void clear() { specializations_.clear(); }
  nanobind::list report() const;
  std::vector<std::string> texts() const;  // of all graphs

  const std::string& name() const { return name_; }
  static PyObject *miss, *eager;  // never freed: the interpreter may be gone by then

 private:
  friend class CaptureSession;
  std::shared_ptr<Specialization> specialization_for(std::span<const Tensor> row);
  std::string name_;
  std::deque<std::shared_ptr<Specialization>> specializations_;
  std::shared_ptr<Specialization> unfinished_;  // met something new in its last replay
  capture::Trace::Run unfinished_run_;
  std::size_t captures_ = 0, runs_ = 0;
};

// One run of the function under a recorder.
class CaptureSession {
 public:
  CaptureSession(TraceCache& cache, std::shared_ptr<Specialization> specialization,
                 capture::Trace::Run run, std::vector<PyObject*> inputs, PyObject* args,
                 PyObject* kwargs);
  ~CaptureSession();

  nanobind::tuple arguments() const { return arguments_; }
  nanobind::dict keywords() const { return keywords_; }
  void watch(const Tensor& parameter, std::string name) {
    recorder_->watch(parameter, std::move(name));
  }
  void host_call(const std::string& name, nanobind::object function,
                 const std::vector<Tensor>& inputs);
  bool knows(const Tensor& tensor) const { return recorder_->knows(tensor); }
  void add_guard(int kind, nanobind::object holder, nanobind::object key,
                 nanobind::object expected);
  // `check` is called before Python looks at a value of this run; it may raise.
  void check_looks(nanobind::object check);
  void set_verify(nanobind::object verify) { verify_ = std::move(verify); }
  nanobind::object finish(nanobind::object result);
  void abandon(std::string reason) { recorder_->abandon(std::move(reason)); }
  // Does not hold another time, though this run was right.
  void refuse(std::string reason);
  void fail();
  // The run was only to see that it can be: nothing of it happens.
  void discard();
  std::string refusal() const;
  bool is_active() const { return recorder_->is_active(); }
  std::string text() const { return recorder_->text(); }

 private:
  void enter_refusal(std::string reason);
  void forget_run();
  TraceCache& cache_;
  std::shared_ptr<Specialization> specialization_;
  std::unique_lock<std::shared_mutex> lock_;
  std::unique_ptr<capture::Recorder> recorder_;
  std::vector<nanobind::object> inputs_;
  nanobind::tuple arguments_;
  nanobind::dict keywords_;
  std::vector<Guard> guards_;
  nanobind::object verify_;
  std::uint64_t begun_at_ = 0;
};

}  // namespace mycel::bindings
