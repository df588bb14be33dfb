// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include "ir/graph.h"

namespace mycel::bindings {

// A graph as plain Python values, for writers of model files:
//   name; arguments: list of node; nodes: list of node; results: list of value
//   node: dict of kind ("argument", "constant", "parameter", "operator", ...), id, name, operands
//         (list of value or None), attributes (dict), types (list of (dtype, shape)), tensor, file,
//         line, regions (list of the same three lists)
//   value: (id of the node, which of its outputs)
nanobind::dict captured_graph(const ir::Graph& graph);

}  // namespace mycel::bindings
