// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "formats/writing/folding.h"
#include "formats/writing/network.h"
#include "operator/operator_use.h"

namespace mycel::formats::writing {

// What rules ask about an operator. `read`: values of its graph that somebody reads.
op::OperatorUse::Facts facts_of(Node& node, const std::set<Value>& read, std::string_view format);

// Operators of a graph for which a format has no counterpart and that are no constants either, with
// the lines where they are used first, as a message lists them; empty: there are none.
std::string missing_operators(const StraightGraph& graph, Folding& folding,
                              const std::function<bool(const op::OpDef&)>& can_be_written);

}  // namespace mycel::formats::writing
