// SPDX-License-Identifier: Apache-2.0
// How captured graphs are compiled, as settings and environment say.
#pragma once

#include <memory>

#include "ir/graph.h"
#include "runtime/executable.h"

namespace mycel::bindings {

std::shared_ptr<runtime::Executable> compile_graph(std::unique_ptr<ir::Graph> graph);

}  // namespace mycel::bindings
