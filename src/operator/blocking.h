// SPDX-License-Identifier: Apache-2.0
// Activations whose channels lie in blocks, (N, C / block, H, W, block): what convolutions of a
// processor with wide vectors work on.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "operator/contexts.h"

namespace mycel::op {

// Whether a value can be blocked: four axes, none empty, channels in whole blocks.
inline bool can_block(const TensorSpec& type, std::int64_t block) {
  return type.rank() == 4 && !type.is_number && type.shape[1] % block == 0 &&
         tensor::element_count(type.shape) > 0;
}

// One use of an operator, for which the operator says which values it would have in blocks. The
// operator `blocked_` + its name does the work then, or itself where there is none.
class BlockPlan : public AttributeReader {
 public:
  BlockPlan(const OpDef& definition, std::span<AttributeValue> attributes,
            std::span<const TensorSpec* const> inputs, std::span<const TensorSpec> outputs,
            std::int64_t channels_in_block)
      : AttributeReader(definition, attributes),
        block(channels_in_block),
        inputs_(inputs),
        outputs_(outputs) {}

  std::size_t input_count() const { return inputs_.size(); }
  bool has_input(std::size_t i) const { return i < inputs_.size() && inputs_[i] != nullptr; }
  const TensorSpec& input(std::size_t i) const { return *inputs_[i]; }
  const TensorSpec& output(std::size_t i = 0) const { return outputs_[i]; }
  bool all_inputs_are(DType dtype) const {
    return std::ranges::all_of(inputs_, [&](const TensorSpec* input) {
      return input == nullptr || input->dtype == dtype;
    });
  }

  const std::int64_t block;
  // ---- the answer ----
  std::vector<std::size_t> operands;   // those that would be blocked
  std::vector<std::uint32_t> results;  // those that would be
  std::int64_t reordered =
      0;  // elements that the plain form reorders on every call: what is gained
  std::vector<std::pair<std::string_view, AttributeValue>>
      changed;  // attributes of the blocked form

 private:
  std::span<const TensorSpec* const> inputs_;
  std::span<const TensorSpec> outputs_;
};

// The commonest plans, for float32: the first input or the first two, and the first result.
inline bool block_first(BlockPlan& plan) {
  if (!plan.all_inputs_are(DType::Float32)) return false;
  plan.operands = {0};
  plan.results = {0};
  return true;
}
inline bool block_first_two(BlockPlan& plan) {
  if (!block_first(plan)) return false;
  plan.operands = {0, 1};
  return true;
}

}  // namespace mycel::op
