// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>

#include "ir/graph.h"

namespace mycel::passes {

// Does this node write memory that others read by reference (a parameter's, an argument's)? Random
// operators have effects too, but only on the generator.
bool writes_memory(const ir::Node& node);

// Could the node write into its i-th operand? What it declares, and whatever has the same shape:
// the slots of an optimizer look like their variable. An operator on lists declares all it writes.
bool may_write(const ir::Node& node, std::size_t operand);

// Is this value memory that is written in place, a parameter's or an argument's, or a view of it,
// rather than a value of its own?
bool is_parameter_memory(ir::Output value);

// Has a value memory that was made for it in its region, or for each turn of its loop?
bool owns_memory(ir::Output value);

// Does an operator write into this value in place?
bool is_written(const ir::Node& node);

// Does anybody write into the memory of this value in place, also through views of it?
bool is_written_through_views(ir::Output value);

// Where in a region memory is written: what reads memory that changes must not be moved past a
// write.
class MemoryEffects {
 public:
  explicit MemoryEffects(const ir::Region& region);
  // Whether the node reads the same at the place of the other, before or behind its own.
  bool can_sink(const ir::Node& node, const ir::Node& to) const;
  void note_replacement(const ir::Node& node, const ir::Node& replacement);

 private:
  std::unordered_map<const ir::Node*, std::size_t> writes_before_;
};

}  // namespace mycel::passes
