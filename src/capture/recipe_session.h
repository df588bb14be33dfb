// SPDX-License-Identifier: Apache-2.0
// A run of a function that only learns a recipe: nothing of it happens.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "capture/recipe.h"
#include "capture/recorder.h"
#include "capture/script_writer.h"
#include "capture/trace_cache.h"

namespace mycel::capture {

class RecipeSession {
 public:
  // `inputs`: memory of the call's tensors; dense, or sizes would not be all that differs.
  RecipeSession(TraceCache& cache, std::shared_ptr<const Specialization> base,
                std::vector<Tensor> inputs);
  ~RecipeSession();
  RecipeSession(const RecipeSession&) = delete;
  RecipeSession& operator=(const RecipeSession&) = delete;

  Tensor argument(std::size_t i) const { return recorder_->argument(i); }
  ScriptWriter& writer() { return *writer_; }
  // Made by this run, so that every call must give out a new one.
  bool has_made(const Tensor& tensor) const;
  // The function has returned these. An error says why there can be no recipe; then `refuse` tells
  // the cache.
  void finish(std::span<const Tensor> tensors, std::vector<SizeRef> numbers,
              std::shared_ptr<const Epilogue> epilogue);
  void refuse(const std::string& reason);

 private:
  void end();
  void verify(const Recipe& recipe) const;

  TraceCache& cache_;
  std::shared_ptr<const Specialization> base_;
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<ScriptWriter> writer_;
};

}  // namespace mycel::capture
