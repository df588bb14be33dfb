// SPDX-License-Identifier: Apache-2.0
// The traces of one function, by what it is called with.
//
// Any number of threads may use a cache. Its content is one immutable object that a change
// replaces; whoever goes through it goes through the one there was. The mutex guards the pointer to
// it and is held to exchange that only: never while a guard or the interpreter is asked, a graph is
// compiled or run, or anything of the interpreter's is let go.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "capture/recipe.h"
#include "capture/specialization.h"

namespace mycel::capture {

class CaptureSession;
class RecipeSession;

// What has become of a call.
struct Outcome {
  enum class Kind {
    Miss,    // the interpreter has to run; such calls can be captured
    Eager,   // it has to run without being captured
    Done,    // `run` has come to its end
    Paused,  // `run` has met something new: the interpreter goes on, see TraceCache::begin
  };
  Kind kind = Kind::Miss;
  std::shared_ptr<const Specialization> specialization = {};  // Paused
  Run run = {};
};

class TraceCache {
 public:
  // The interpreter must live as long.
  TraceCache(std::string name, Interpreter& interpreter)
      : name_(std::move(name)), interpreter_(interpreter) {}
  TraceCache(const TraceCache&) = delete;
  TraceCache& operator=(const TraceCache&) = delete;

  Outcome run(const Call& call);
  // The same for a row of tensors, which are all the arguments there are.
  Outcome run_row(std::span<const Tensor> row);

  // A run of the function that is recorded; it goes on with what a paused call has computed, if
  // there is one. Null: such calls cannot be recognized. The cache must live as long.
  std::unique_ptr<CaptureSession> begin(const Call& call, Outcome* paused);
  // A run to learn a recipe from; null: it is too early, or there are enough.
  std::unique_ptr<RecipeSession> begin_recipe(const Call& call, bool at_once);
  void clear();

  const std::string& name() const { return name_; }
  Interpreter& interpreter() const { return interpreter_; }
  std::size_t runs() const;                // replays that came to their end
  std::vector<std::string> texts() const;  // of all graphs
  std::vector<std::shared_ptr<const Specialization>> specializations() const;
  std::vector<std::shared_ptr<Recipe>> recipes() const;

 private:
  friend class CaptureSession;
  friend class RecipeSession;
  static constexpr std::size_t kCapturesBeforeLearning = 3;  // that differ in sizes alone
  static constexpr std::size_t kCapturesBetweenRecipes = 2;
  static constexpr std::size_t kMostRecipes = 4;  // for one kind of call
  static constexpr std::size_t kMostRecipesAtAll = 16;

  using Known = std::shared_ptr<const Specialization>;
  struct Content {
    std::vector<Known> specializations;  // used last, first
    std::vector<std::shared_ptr<Recipe>> recipes;
  };
  std::shared_ptr<const Content> content() const {
    const std::lock_guard lock(mutex_);
    return content_;
  }
  // Puts what `change` makes of the content in its place. It is called under the mutex.
  void exchange(const std::function<void(Content&)>& change);

  Outcome replay(const Known& known, const Content& content, std::vector<Tensor> memory);
  Outcome run_recipe(const Call& call, const Content& content);
  // Nothing (a Miss): the recipe does not serve such a call.
  Outcome make_from(Recipe& recipe, const Call& call);

  void add(const std::shared_ptr<Specialization>& specialization);
  void move_to_front(const Known& used);
  // The version that calls find now of what was `mine` once; null: it has been dropped.
  Known latest(const Known& mine) const;
  // Publishes what `change` makes of the latest version, and gives it. It may be called several
  // times, and ask whom it likes.
  Known amend(const Known& mine, const std::function<void(Specialization&)>& change);
  // Puts a version in the place of the one it was made from. False: that is gone.
  bool replace(const Known& before, const std::shared_ptr<Specialization>& version);

  bool is_worth_learning(const Specialization& known, bool at_once) const;
  Known captured_like(const Specialization& known) const;
  void add_recipe(const std::shared_ptr<Recipe>& recipe);

  const std::string name_;
  Interpreter& interpreter_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Content> content_ = std::make_shared<const Content>();
  std::uint64_t publications_ = 0;  // guarded by the mutex, and so is this:
  std::size_t dropped_runs_ = 0;    // of specializations that are no longer here
};

}  // namespace mycel::capture
