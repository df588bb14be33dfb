// SPDX-License-Identifier: Apache-2.0
// Small things that passes which replace nodes by others have in common.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace mycel::passes {

struct OutputHash {
  std::size_t operator()(const ir::Output& output) const {
    return std::hash<const void*>()(output.node) * 31 + output.index;
  }
};

// Does to every region, outer ones first, what works on the nodes of one; whether any was changed.
bool in_every_region(ir::Graph& graph, const std::function<bool(ir::Region& region)>& change);

// Null for what is no operator.
const op::Traits* traits_of(const ir::Node& node);

// By name; the operator must have it.
const op::AttributeValue& attribute(const ir::Node& node, std::string_view name);

// The operator's defaults, with these in their place.
op::AttributeList attributes_for(const op::OpDef& definition,
                                 std::vector<op::NamedAttribute> given = {});
// Those of `node` that `definition` knows too, under the same names.
op::AttributeList attributes_like(const op::OpDef& definition, const ir::Node& node);

// A new node before `before`, at its position in the user's program, with the types that inference
// gives.
ir::Node& add_before(ir::Graph& graph, ir::Node& before, const op::OpDef& definition,
                     std::vector<ir::Output> operands, op::AttributeList attributes);

}  // namespace mycel::passes
