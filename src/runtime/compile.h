// SPDX-License-Identifier: Apache-2.0
// How graphs become programs, and who watches these: settings of the process. Any thread may read
// and set them; a compilation or run goes by what was set when it began.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "ir/graph.h"
#include "runtime/executable.h"

namespace mycel::runtime {

// Runs the passes and makes the graph ready.
std::shared_ptr<Executable> compile(std::unique_ptr<ir::Graph> graph);

// Names of passes that are left out. Until it is called: MYCEL_PASSES_OFF=name,name.
void set_passes_off(std::set<std::string, std::less<>> names);

// Told before the first pass ("captured"), after each that changed something, and at the end
// ("final"); empty: nobody.
using GraphWatcher = std::function<void(std::string_view pass, const ir::Graph& graph)>;
void set_graph_watcher(GraphWatcher watcher);

// Told about every node of every replay; empty: nobody.
void set_observer(Observer observer);
Observer current_observer();

}  // namespace mycel::runtime
