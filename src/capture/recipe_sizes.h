// SPDX-License-Identifier: Apache-2.0
// What can be said of sizes in the graphs that a recipe gives: formulas of the arguments' lengths.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "capture/script.h"
#include "ir/size_table.h"

namespace mycel::capture {

class RecipeSizes {
 public:
  using Arguments = std::vector<op::TensorSpec>;
  // Gives the graph for arguments of such sizes; null: there is none.
  using Draft = std::function<std::unique_ptr<ir::Graph>(const Arguments& arguments)>;

  // `base`: what the script was learnt from.
  RecipeSizes(const Script& script, Arguments base);

  // Arguments with other sizes were met: which axes are open. May ask for some graphs.
  void learn(std::span<const Arguments> others, const Draft& draft);

  // Says what is known in a graph whose arguments are these of the script.
  void describe(ir::Graph& graph, std::span<const int> arguments) const;

 private:
  // Sizes to learn from: every open axis has several lengths. Axes that were always equally long
  // stay so.
  static std::vector<Arguments> probes(const std::vector<Arguments>& met);

  const Arguments base_;
  std::vector<ir::SizeRelation> relations_;  // of lengths of arguments
  mutable std::mutex mutex_;                 // guards the rest; nothing else happens meanwhile
  std::vector<Arguments> met_;
  std::shared_ptr<const ir::SizeTable> table_;
};

}  // namespace mycel::capture
