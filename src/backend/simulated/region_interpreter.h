// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "operator/op_def.h"
#include "operator/region_compiler.h"

namespace mycel::backend {

// Runs a region from its description, step by step: each on all places of the space at once, by the
// CPU's loops, and rounded to its type before the next one reads it. Nothing else is known of the
// operators it was made of.
class RegionInterpreter {
 public:
  explicit RegionInterpreter(op::RegionProgram program);

  // All tensors are the host's. Results may lie where arguments lie, if the program allows it.
  void run(std::span<const tensor::Tensor> arguments,
           std::span<const tensor::Tensor> results) const;
  const op::RegionProgram& program() const { return program_; }

 private:
  void run_step(std::size_t step, const std::vector<tensor::Tensor>& values,
                tensor::Tensor& result) const;

  op::RegionProgram program_;
  std::vector<std::unique_ptr<op::OpDef>> formulas_;  // null: a reduction
};

}  // namespace mycel::backend
