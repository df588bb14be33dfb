// SPDX-License-Identifier: Apache-2.0
// Kinds of calls that differ in sizes alone: captured once with sizes as symbols, then made for
// each size without Python.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "bindings/trace_cache.h"
#include "capture/script.h"
#include "capture/script_writer.h"

namespace mycel::bindings {

struct Recipe {
  std::shared_ptr<Specialization> base;  // the call it was learnt from; its guards hold for all
  capture::Script script;
  std::shared_ptr<ResultForm> form;
  Signature arguments, keywords;  // for people: sizes that were seen to differ are open
  std::string refusal;            // not empty: there is no script, and this is why
  std::size_t made = 0;
  std::size_t failures = 0;
  std::string last_failure;

  explicit Recipe(std::shared_ptr<Specialization> known)
      : base(std::move(known)), arguments(base->arguments), keywords(base->keywords) {}
  bool is_useful() const;
  bool fits(PyObject* args, PyObject* kwargs, std::vector<PyObject*>& inputs) const;
  void note_sizes(const Specialization& other);
  // The mark of the graph that it would give for such arguments; nothing where it gives none.
  std::optional<std::uint64_t> fingerprint_for(const Specialization& known,
                                               const std::string& name) const;
};

// Equal for equal graphs, wherever the caller's line was.
std::uint64_t fingerprint_of(const ir::Graph& graph);

// A run of the function that only learns: nothing of it happens.
class RecipeSession {
 public:
  RecipeSession(TraceCache& cache, std::shared_ptr<Specialization> known,
                const std::vector<PyObject*>& inputs, PyObject* args, PyObject* kwargs);
  ~RecipeSession();
  RecipeSession(const RecipeSession&) = delete;
  RecipeSession& operator=(const RecipeSession&) = delete;

  nanobind::tuple arguments() const { return arguments_; }
  nanobind::dict keywords() const { return keywords_; }
  void host_call(const std::string& name, nanobind::object function, nanobind::object inputs);
  // `was_there`: asked whether an object existed before the run.
  void finish(nanobind::object result, nanobind::callable was_there);
  // There will be no recipe.
  void refuse(const std::string& reason);

 private:
  void end();
  void verify();
  TraceCache& cache_;
  std::shared_ptr<Recipe> recipe_;
  std::unique_ptr<capture::Recorder> recorder_;
  std::unique_ptr<capture::ScriptWriter> writer_;
  nanobind::tuple arguments_;
  nanobind::dict keywords_;
  std::size_t sizes_before_ = 0;
};

}  // namespace mycel::bindings
