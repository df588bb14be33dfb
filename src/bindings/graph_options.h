// SPDX-License-Identifier: Apache-2.0
// How captured graphs are compiled, as settings and environment say.
#pragma once

#include <memory>

#include "ir/graph.h"
#include "runtime/executable.h"

namespace mycel::bindings {

// Told about every node of every run, when somebody wants to look (`set_graph_observer`).
const runtime::Observer& graph_observer();

std::shared_ptr<runtime::Executable> compile_graph(std::unique_ptr<ir::Graph> graph);

}  // namespace mycel::bindings
