// SPDX-License-Identifier: Apache-2.0
// What is captured on this thread, and who watches captured programs; what is captured and when is
// decided in python/mindspore/_capture.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/set.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/objects.h"
#include "bindings/parts.h"
#include "bindings/search_asker.h"
#include "bindings/tensor_caster.h"
#include "bindings/truth_asker.h"
#include "eager/interceptor.h"
#include "passes/pipeline.h"
#include "runtime/compile.h"

namespace mycel::bindings {

namespace nb = nanobind;

namespace {

void set_graph_watcher(nb::object watcher) {
  if (watcher.is_none()) {
    runtime::set_graph_watcher({});
    return;
  }
  runtime::set_graph_watcher([held = shared_under_lock(std::move(watcher))](
                                 std::string_view pass, const ir::Graph& graph) {
    const nb::gil_scoped_acquire lock;
    (*held)(text_object(pass), graph.name(), ir::to_text(graph));
  });
}

const std::string& name_of(const ir::Node& node) {
  return node.definition() != nullptr ? node.definition()->name : node.name();
}

nb::str text_of(op::Phase phase) { return text_object(op::name_of(phase)); }

// Switches timing of nodes; returns what was measured so far:
// (operator, phase, cell, file, line, shape, calls, ns).
nb::list profile_nodes(bool on) {
  nb::list rows;
  for (const runtime::NodeTime& entry : runtime::node_times()) {
    const ir::Node& node = *entry.node;
    rows.append(nb::make_tuple(
        name_of(node), text_of(node.phase()), node.cell(), node.position().file,
        node.position().line,
        platform::join(node.output_count() > 0 ? node.type().shape : tensor::Shape{}), entry.calls,
        entry.nanoseconds));
  }
  runtime::measure_nodes(on);
  return rows;
}

// The callback gets (operator, phase, cell, file, line, outputs); the outputs are copies.
void set_graph_observer(nb::object callback) {
  if (callback.is_none()) {
    runtime::set_observer({});
    return;
  }
  runtime::set_observer(
      [held = shared_under_lock(std::move(callback))](const runtime::Observation& seen) {
        const nb::gil_scoped_acquire lock;
        const nb::list outputs = list_of(seen.outputs, content_copy);
        const ir::Position& position = seen.node.position();
        (*held)(name_of(seen.node), text_of(seen.node.phase()), seen.node.cell(), position.file,
                position.line, outputs);
      });
}

// Gives a number that `leave_cell` takes.
std::size_t enter_cell(std::string path, const std::optional<std::string>& phase) {
  return op::enter_cell(std::move(path), phase ? op::phase_named(*phase) : std::nullopt);
}

// Puts an object in a place, None for nothing; gives what was there.
nb::object exchange(PyObject*& place, const nb::object& fresh) {
  PyObject* before = place;
  place = fresh.is_none() ? nullptr : fresh.inc_ref().ptr();
  return before == nullptr ? nb::none() : nb::steal(before);
}

}  // namespace

void bind_capture(nb::module_& module) {
  module.def("is_capturing", [] { return eager::interceptor() != nullptr; });
  module.def("set_passes_off", [](const std::set<std::string>& names) {
    runtime::set_passes_off({names.begin(), names.end()});
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
  module.def("set_search_asker", [](nb::callable asker) {
    search_asker = asker.release().ptr();  // never freed
  });
  module.def("search_eagerly", [] { searches_eagerly = true; });
  module.def("enter_cell", &enter_cell, nb::arg("path"), nb::arg("phase").none());
  module.def("leave_cell", &op::leave_origin, nb::arg("entered"));
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
