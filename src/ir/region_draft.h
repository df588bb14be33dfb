// SPDX-License-Identifier: Apache-2.0
// How nodes look to a device that computes them in one go.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "ir/graph.h"
#include "operator/region_compiler.h"

namespace mycel::ir {

// What a node is as a step of a region, by what its operator says of itself.
enum class RegionRole : std::uint8_t {
  None,
  Formula,
  Conversion,  // of its operand, to another type
  Reduction,
};
RegionRole region_role(const Node& node);

// What a value is a view of, as far as views only stretch it and put in or leave out axes of length
// 1; the value itself when it is none.
struct SeenValue {
  Output source;
  tensor::IntList
      axes;  // for each axis of the value that of the source; -1: stretched, or of length 1
};
SeenValue seen_through_views(Output value);

// Whether such a step leads from this node's result to its operand.
bool is_plain_view(const Node& node);

// Nodes as one program: they have a space in common and read each other's values place by place.
class RegionDraft {
 public:
  // Each node has a role and stands behind what it reads. Nothing: they are not one program. What
  // is there has no formulas and no results yet.
  static std::optional<RegionDraft> of(std::span<Node* const> nodes);

  const op::RegionProgram& program() const { return program_; }
  // What is read from outside, views taken off; in the order of the program's arguments.
  const std::vector<Output>& arguments() const { return arguments_; }

  // With formulas, and with these values of the nodes as results; nothing: one of them is no step.
  std::optional<op::RegionProgram> finished(std::span<const Output> results) const;

 private:
  explicit RegionDraft(std::span<Node* const> nodes) : nodes_(nodes.begin(), nodes.end()) {}
  bool find_space();
  bool add(const Node& node);
  bool add_operand(const Node& node, std::size_t i, op::RegionStep& step);
  std::optional<bool> is_reduced(const tensor::Shape& shape) const;
  tensor::IntList axes_in_space(const tensor::Shape& shape, bool is_reduced) const;
  std::size_t load(Output source, tensor::IntList axes);

  std::vector<Node*> nodes_;
  op::RegionProgram program_;
  std::vector<Output> arguments_;
  std::unordered_map<const Node*, std::size_t> steps_;
  std::size_t loads_ = 0;
};

// The program that a fused node's region is; its arguments are the node's operands. Nothing: a
// device has to run the nodes one by one.
std::optional<op::RegionProgram> region_program(const Node& fused);

}  // namespace mycel::ir
