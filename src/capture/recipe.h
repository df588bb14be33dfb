// SPDX-License-Identifier: Apache-2.0
// Kinds of calls that differ in sizes alone: captured once with sizes as symbols, then made for
// each size without the interpreter.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "capture/recipe_sizes.h"
#include "capture/script.h"
#include "capture/specialization.h"

namespace mycel::capture {

// Never changes, but for notes about its use, which a mutex of its own guards: nothing else happens
// while that is locked.
class Recipe {
 public:
  // `base`: the call it was learnt from; its guards hold for all.
  Recipe(std::shared_ptr<const Specialization> base, Script script,
         std::shared_ptr<const Epilogue> epilogue);
  // There is no script, and this is why.
  Recipe(std::shared_ptr<const Specialization> base, std::string refusal);

  const Specialization& base() const { return *base_; }
  const std::shared_ptr<const Specialization>& shared_base() const { return base_; }
  const Script& script() const { return script_; }
  const std::string& refusal() const { return refusal_; }
  std::shared_ptr<const Epilogue> epilogue_for(std::span<const SizeNumber> numbers) const;
  // The graph that it would give for such arguments; null where it gives none.
  std::unique_ptr<ir::Graph> graph_for(const std::vector<op::TensorSpec>& arguments,
                                       const std::string& name) const;
  // Such arguments were met.
  void learn_sizes(const std::vector<std::shared_ptr<const Signature>>& others,
                   const std::string& name);
  const RecipeSizes& sizes() const { return sizes_; }

  struct Notes {
    Signature signature;  // for people: sizes that were seen to differ are open
    std::size_t made = 0;
    std::size_t failures = 0;
    std::string last_failure = {};
  };
  Notes notes() const;
  bool is_useful() const;
  void note_sizes(const Signature& other);
  void note_made(const Signature& other);
  void note_failure(std::string failure);

 private:
  const std::shared_ptr<const Specialization> base_;
  const Script script_;
  const std::shared_ptr<const Epilogue> epilogue_;
  RecipeSizes sizes_;
  const std::string refusal_;
  mutable std::mutex mutex_;
  Notes notes_;
};

// Equal for equal graphs, wherever the caller's line was.
std::uint64_t fingerprint_of(const ir::Graph& graph);

// What was made of sizes alone is made again in every call.
void take_results(Recorder& recorder, std::span<const Tensor> results);

}  // namespace mycel::capture
