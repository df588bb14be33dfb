// SPDX-License-Identifier: Apache-2.0
// Captured functions as Python sees them; what is captured and when is decided in
// python/mindspore/_capture.
#include <chrono>
#include <cstdlib>
#include <sstream>

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/set.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings/bridge.h"
#include "bindings/exceptions.h"
#include "bindings/graph_options.h"
#include "bindings/parts.h"
#include "bindings/recipe.h"
#include "bindings/size_object.h"
#include "bindings/tensor_caster.h"
#include "bindings/trace_cache.h"
#include "bindings/truth_asker.h"
#include "eager/interceptor.h"
#include "passes/pipeline.h"
#include "platform/log/log.h"

namespace mycel::bindings {

namespace nb = nanobind;

namespace {

// MYCEL_PASSES_OFF=name,name leaves passes out; set_passes_off replaces the list.
passes::PipelineOptions options_of_environment() {
  passes::PipelineOptions chosen;
  const char* names = std::getenv("MYCEL_PASSES_OFF");
  std::stringstream list(names == nullptr ? "" : names);
  for (std::string name; std::getline(list, name, ',');) chosen.off.insert(name);
  return chosen;
}

passes::PipelineOptions& options() {
  static passes::PipelineOptions instance = options_of_environment();
  return instance;
}

void set_graph_watcher(nb::object watcher) {
  if (watcher.is_none()) {
    options().watch = nullptr;
    return;
  }
  static auto& held = *new nb::object();  // never freed: the interpreter may be gone by then
  held = std::move(watcher);
  options().watch = [](std::string_view pass, const ir::Graph& graph) {
    const nb::gil_scoped_acquire lock;
    held(nb::str(pass.data(), pass.size()), graph.name(), ir::to_text(graph));
  };
}

// Switches timing of nodes; returns what was measured so far: (operator, file, line, calls, ns).
nb::list profile_nodes(bool on) {
  nb::list rows;
  for (const runtime::NodeTime& entry : runtime::node_times()) {
    const ir::Node& node = *entry.node;
    const std::string& name = node.definition() != nullptr ? node.definition()->name : node.name();
    rows.append(nb::make_tuple(
        name, node.position().file, node.position().line,
        platform::join(node.output_count() > 0 ? node.type().shape : tensor::Shape{}), entry.calls,
        entry.nanoseconds));
  }
  runtime::measure_nodes(on);
  return rows;
}

runtime::Observer& observer() {
  static runtime::Observer instance;
  return instance;
}

// The callback gets (operator, file, line, outputs); the outputs are copies.
void set_graph_observer(nb::object callback) {
  if (callback.is_none()) {
    observer() = nullptr;
    return;
  }
  static auto& held = *new nb::object();
  held = std::move(callback);
  observer() = [](const runtime::Observation& seen) {
    const nb::gil_scoped_acquire lock;
    nb::list outputs;
    for (const Tensor& output : seen.outputs) {
      Tensor copy = Tensor::empty(output.shape(), output.dtype());
      tensor::copy_elements(output, copy);
      outputs.append(copy);
    }
    const ir::Node& node = seen.node;
    const std::string& name = node.definition() != nullptr ? node.definition()->name : node.name();
    held(name, node.position().file, node.position().line, outputs);
  };
}

// Puts an object in a place, None for nothing; gives what was there.
nb::object exchange(PyObject*& place, const nb::object& fresh) {
  PyObject* before = place;
  place = fresh.is_none() ? nullptr : fresh.inc_ref().ptr();
  return before == nullptr ? nb::none() : nb::steal(before);
}

nb::tuple run_stream(TraceCache& cache, nb::capsule stream, std::size_t steps) {
  auto* held = static_cast<std::shared_ptr<tensor::TensorStream>*>(stream.data(kStreamName));
  try {
    return cache.run_stream(**held, steps);
  } catch (const PythonError&) {
    throw nb::python_error();
  }
}

}  // namespace

const runtime::Observer& graph_observer() { return observer(); }

std::shared_ptr<runtime::Executable> compile_graph(std::unique_ptr<ir::Graph> graph) {
  const auto start = std::chrono::steady_clock::now();
  const std::string name = graph->name();
  const std::size_t recorded = graph->node_count();
  passes::optimize(*graph, options());
  auto executable = std::make_shared<runtime::Executable>(std::move(graph));
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
  platform::log_info("'", name, "': ", recorded, " recorded operators are compiled to ",
                     executable->graph().node_count(), " in ", taken.count(), " ms, ",
                     executable->arena_bytes(), " bytes for values in between");
  return executable;
}

void bind_capture(nb::module_& module) {
  make_size_type();
  nb::class_<RecipeSession>(module, "RecipeSession")
      .def_prop_ro("arguments", &RecipeSession::arguments)
      .def_prop_ro("keywords", &RecipeSession::keywords)
      .def_prop_ro("is_active", [](const RecipeSession&) { return true; })
      .def("host_call", &RecipeSession::host_call)
      .def("finish", &RecipeSession::finish, nb::arg("result").none(), nb::arg("was_there"))
      .def("refuse", &RecipeSession::refuse);
  nb::class_<CaptureSession>(module, "CaptureSession")
      .def_prop_ro("arguments", &CaptureSession::arguments)
      .def_prop_ro("keywords", &CaptureSession::keywords)
      .def_prop_ro("is_active", &CaptureSession::is_active)
      .def_prop_ro("refusal", &CaptureSession::refusal)
      .def_prop_ro("can_start_over", &CaptureSession::can_start_over)
      .def("watch", &CaptureSession::watch, nb::arg("parameter"), nb::arg("name") = "")
      .def("knows", &CaptureSession::knows)
      .def("host_call", &CaptureSession::host_call)
      .def("add_guard", &CaptureSession::add_guard, nb::arg("kind"), nb::arg("holder"),
           nb::arg("key").none(), nb::arg("expected").none())
      .def_prop_ro("verify", &CaptureSession::verify)
      .def("set_verify", &CaptureSession::set_verify)
      .def("follow_only", &CaptureSession::follow_only)
      .def_prop_ro("has_left", &CaptureSession::has_left)
      .def_prop_ro("new_way", &CaptureSession::new_way)
      .def_prop_ro("segments", &CaptureSession::segments)
      .def("check_looks", &CaptureSession::check_looks)
      .def("abandon", &CaptureSession::abandon)
      .def("refuse", &CaptureSession::refuse)
      .def("finish", &CaptureSession::finish, nb::arg("result").none(), nb::arg("was_there"))
      .def("text", &CaptureSession::text)
      .def("forbid_runs", &CaptureSession::forbid_runs)
      .def("draft", &CaptureSession::draft)
      .def("fail", &CaptureSession::fail)
      .def("discard", &CaptureSession::discard);
  nb::class_<PausedCall>(module, "PausedCall");
  nb::class_<TraceCache>(module, "TraceCache")
      .def(nb::init<std::string>())
      .def("__call__", &TraceCache::run)
      .def("run_stream", run_stream)
      .def("begin", &TraceCache::begin, nb::arg("args"), nb::arg("kwargs"),
           nb::arg("paused").none() = nb::none(), nb::keep_alive<0, 1>())
      .def("begin_recipe", &TraceCache::begin_recipe, nb::keep_alive<0, 1>())
      .def("recipes", &TraceCache::recipes)
      .def("clear", &TraceCache::clear)
      .def_prop_ro("runs", &TraceCache::runs)
      .def("report", &TraceCache::report)
      .def("texts", &TraceCache::texts);
  TraceCache::miss = nb::module_::import_("builtins").attr("object")().release().ptr();
  TraceCache::eager = nb::module_::import_("builtins").attr("object")().release().ptr();
  module.attr("CAPTURE_MISS") = nb::borrow(TraceCache::miss);
  module.attr("CAPTURE_EAGER") = nb::borrow(TraceCache::eager);
  module.def("is_capturing", [] { return eager::interceptor() != nullptr; });
  module.def("set_passes_off", [](const std::set<std::string>& names) {
    options().off = {names.begin(), names.end()};
  });
  module.def("pass_names", [] {
    std::vector<std::string> names;
    for (const passes::Pass& pass : passes::pipeline()) names.emplace_back(pass.name);
    return names;
  });
  module.def("set_graph_observer", &set_graph_observer, nb::arg("callback").none());
  module.def(
      "exchange_truth_asker", [](const nb::object& asker) { return exchange(truth_asker, asker); },
      nb::arg("asker").none());
  module.def("is_recorded", [](nb::handle object) {
    if (!is_tensor(object.ptr())) return false;
    const Tensor& tensor = tensor_of(object.ptr());
    return tensor.defined() && tensor.storage().watcher() != nullptr;
  });
  // Which memory a tensor lies in, and how often that has been written into.
  module.def("memory_state", [](const Tensor& tensor) {
    if (!tensor.defined()) return std::pair<std::uintptr_t, std::uint32_t>(0, 0);
    const tensor::Storage& storage = tensor.storage();
    return std::pair(reinterpret_cast<std::uintptr_t>(&storage), storage.version());
  });
  module.def("profile_nodes", &profile_nodes);
  module.def("set_graph_watcher", &set_graph_watcher, nb::arg("watcher").none());
}

}  // namespace mycel::bindings
