// SPDX-License-Identifier: Apache-2.0
// The traces of one function, by what it is called with.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "bindings/guard.h"
#include "bindings/result_form.h"
#include "bindings/signature.h"
#include "capture/recorder.h"
#include "capture/trace.h"
#include "device/current.h"
#include "tensor/tensor_stream.h"

namespace mycel::bindings {

// One kind of call and what is known about it. Python's lock guards it, but for the ways, which
// are gone without that.
struct Specialization {
  Signature arguments, keywords;
  std::shared_ptr<capture::Ways> ways;  // null: such calls run eagerly
  capture::WrittenMemory memory;
  std::vector<Guard> guards;
  nanobind::object verify;  // asked when something has changed since `verified_at`
  std::uint64_t verified_at = 0;
  struct ParameterLayout {
    Tensor parameter;
    tensor::DType dtype;
    tensor::Shape shape;
  };
  std::vector<ParameterLayout> parameters;
  device::Device device = device::current_device();
  std::string refusal;  // not empty: such calls run eagerly
  // Made from a recipe that was learnt from this one; null: captured.
  std::shared_ptr<Specialization> base;
  std::uint64_t fingerprint = 0;                           // of the first graph, as captured
  std::vector<std::pair<Tensor, std::string>> references;  // what that reads where it is
  std::size_t runs = 0;

  Specialization(PyObject* args, PyObject* kwargs) : Specialization(args, kwargs, {}) {}
  bool holds();
  // Python looks at nothing on its way.
  bool is_one_way() const { return ways && ways->root.end == capture::Step::End::Return; }
  std::size_t work() const;
  void refuse(std::string reason);
  // Adds what the recorder has found outside to what is compared before a run.
  void take_layout(const capture::Recorder& recorder);
  // Whether calls differ in sizes alone.
  bool is_like(const Specialization& other) const {
    return arguments.is_like(other.arguments) && keywords.is_like(other.keywords);
  }
  bool matches(PyObject* args, PyObject* kwargs, std::vector<PyObject*>& inputs) const {
    inputs.clear();
    return arguments.matches(args, inputs) && keywords.matches(kwargs, inputs);
  }
  std::vector<op::TensorSpec> tensor_specs() const;

 private:
  Specialization(PyObject* args, PyObject* kwargs, std::vector<PyObject*> inputs)
      : arguments(args, inputs), keywords(kwargs, inputs) {}
};

// What a captured function works on for these arguments.
std::vector<Tensor> argument_memory(const std::vector<PyObject*>& inputs);

// A call that has met something new: what was computed of it, for Python to go on with.
struct PausedCall {
  std::shared_ptr<Specialization> specialization;
  capture::Run run;
};

class CaptureSession;
class RecipeSession;
struct Recipe;

class TraceCache {
 public:
  explicit TraceCache(std::string name) : name_(std::move(name)) {}

  // The result; or `miss` when Python has to run, or `eager` when it has to without being captured;
  // or a PausedCall, which `begin` goes on with.
  nanobind::object run(nanobind::args args, nanobind::kwargs kwargs);
  // Runs the function for the rows of a stream, without Python as long as nothing new turns up:
  // (steps done, the last one's result or None, a row that Python has to run or None, that row's
  // PausedCall if its run has begun or None).
  nanobind::tuple run_stream(tensor::TensorStream& stream, std::size_t steps);
  std::unique_ptr<CaptureSession> begin(nanobind::tuple args, nanobind::dict kwargs,
                                        PausedCall* paused);
  void clear() {
    specializations_ = std::make_shared<const Specializations>();
    recipes_.clear();
  }
  nanobind::list report() const;
  std::size_t runs() const { return runs_; }  // replays that came to their end

  // A run to learn a recipe from; null: it is too early, or there are enough.
  std::unique_ptr<RecipeSession> begin_recipe(nanobind::tuple args, nanobind::dict kwargs,
                                              bool at_once);
  nanobind::list recipes() const;
  std::vector<std::string> texts() const;  // of all graphs

  const std::string& name() const { return name_; }
  static PyObject *miss, *eager;  // never freed: the interpreter may be gone by then

 private:
  friend class CaptureSession;
  friend class RecipeSession;
  static constexpr std::size_t kCapturesBeforeLearning = 3;  // that differ in sizes alone
  static constexpr std::size_t kCapturesBetweenRecipes = 2;
  static constexpr std::size_t kMostRecipes = 4;  // for one kind of call
  static constexpr std::size_t kMostRecipesAtAll = 16;

  using Specializations = std::vector<std::shared_ptr<Specialization>>;

  std::shared_ptr<Specialization> specialization_for(std::span<const Tensor> row) const;
  void add_specialization(std::shared_ptr<Specialization> specialization);
  void move_to_front(const std::shared_ptr<Specialization>& used);
  // The result, or nothing: no recipe serves such a call.
  nanobind::object run_recipe(PyObject* args, PyObject* kwargs);
  nanobind::object make_from(Recipe& recipe, const std::vector<PyObject*>& inputs, PyObject* args,
                             PyObject* kwargs);
  bool is_worth_learning(const Specialization& known, bool at_once) const;
  std::shared_ptr<Specialization> captured_like(const Specialization& known) const;
  void add_recipe(std::shared_ptr<Recipe> recipe);

  std::string name_;
  // Used last, first. Guards may run Python, and that other threads: whoever goes through the list
  // goes through the one there was.
  std::shared_ptr<const Specializations> specializations_ =
      std::make_shared<const Specializations>();
  std::vector<std::shared_ptr<Recipe>> recipes_;
  std::size_t captures_ = 0, runs_ = 0;
};

// One run of the function under a recorder.
class CaptureSession {
 public:
  CaptureSession(TraceCache& cache, std::shared_ptr<Specialization> specialization,
                 capture::Run run, std::span<PyObject* const> inputs, PyObject* args,
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
  // What is asked when something has changed; None until the first run of this kind has set it.
  nanobind::object verify() const;
  void set_verify(nanobind::object verify) { verify_ = std::move(verify); }
  // `was_there`: asked whether an object existed before the run.
  nanobind::object finish(nanobind::object result, nanobind::callable was_there);
  void abandon(std::string reason) { recorder_->abandon(std::move(reason)); }
  // Does not hold another time, though this run was right.
  void refuse(std::string reason);
  // A way that is not known yet is not recorded: from where it parts, this run is eager execution.
  // The first of a kind of call is recorded all the same.
  void follow_only() {
    if (was_known_) recorder_->follow_only();
  }
  bool has_left() const { return recorder_->has_left(); }
  // Where a run of a kind of call that was known has gone a new way; empty: it has not.
  std::string new_way() const;
  std::size_t segments() const {
    return specialization_->ways ? specialization_->ways->step_count() : 0;
  }
  void fail();
  // The run was only to see that it can be: nothing of it happens.
  void discard();
  std::string refusal() const;
  bool is_active() const { return recorder_->is_active(); }
  bool can_start_over() const { return recorder_->can_start_over(); }
  std::string text() const { return recorder_->text(); }
  // From here on whatever would have to compute something is an error.
  void forbid_runs() { recorder_->forbid_runs(); }
  // What was recorded, for writers of model files; see captured_graph.h.
  nanobind::dict draft();

 private:
  void take_guards();
  void publish();
  nanobind::object with_own_arguments(nanobind::object result, int depth = 0) const;
  TraceCache& cache_;
  std::shared_ptr<Specialization> specialization_;
  std::unique_ptr<capture::Recorder> recorder_;
  std::vector<nanobind::object> inputs_, stand_ins_;
  nanobind::tuple arguments_;
  nanobind::dict keywords_;
  std::vector<Guard> guards_;
  nanobind::object verify_;
  std::uint64_t begun_at_ = 0;
  bool was_known_ = false;
};

}  // namespace mycel::bindings
