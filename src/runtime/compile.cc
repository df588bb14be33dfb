// SPDX-License-Identifier: Apache-2.0
#include "runtime/compile.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <sstream>

#include "passes/pipeline.h"
#include "platform/log/log.h"

namespace mycel::runtime {

namespace {

passes::PipelineOptions options_of_environment() {
  passes::PipelineOptions chosen;
  const char* names = std::getenv("MYCEL_PASSES_OFF");
  std::stringstream list(names == nullptr ? "" : names);
  for (std::string name; std::getline(list, name, ',');) chosen.off.insert(name);
  return chosen;
}

struct Settings {
  std::mutex mutex;  // guards the options and the observer; held to copy or exchange them only
  passes::PipelineOptions options = options_of_environment();
  Observer observer;
};

std::atomic<bool> has_observer = false;  // so that a run that nobody watches locks nothing

Settings& settings() {
  static auto& instance = *new Settings();  // never freed: threads may outlive the process's end
  return instance;
}

}  // namespace

std::shared_ptr<Executable> compile(std::unique_ptr<ir::Graph> graph) {
  const auto start = std::chrono::steady_clock::now();
  const std::string name = graph->name();
  const std::size_t recorded = graph->node_count();
  passes::PipelineOptions options;
  {
    const std::lock_guard lock(settings().mutex);
    options = settings().options;
  }
  passes::optimize(*graph, options);
  auto executable = std::make_shared<Executable>(std::move(graph));
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
  platform::log_info("'", name, "': ", recorded, " recorded operators are compiled to ",
                     executable->graph().node_count(), " in ", taken.count(), " ms, ",
                     executable->arena_bytes(), " bytes for values in between");
  return executable;
}

void set_passes_off(std::set<std::string, std::less<>> names) {
  const std::lock_guard lock(settings().mutex);
  settings().options.off.swap(names);
}

void set_graph_watcher(GraphWatcher watcher) {
  const std::lock_guard lock(settings().mutex);
  settings().options.watch.swap(watcher);
}

void set_observer(Observer observer) {
  const std::lock_guard lock(settings().mutex);
  has_observer = static_cast<bool>(observer);
  settings().observer.swap(observer);
}

Observer current_observer() {
  if (!has_observer.load(std::memory_order_relaxed)) return {};
  const std::lock_guard lock(settings().mutex);
  return settings().observer;
}

}  // namespace mycel::runtime
