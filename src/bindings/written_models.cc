// SPDX-License-Identifier: Apache-2.0
// Recorded networks, and what they are written to model files as.
#include <map>
#include <optional>

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/set.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings/objects.h"
#include "bindings/parts.h"
#include "bindings/tensor_caster.h"
#include "eager/dispatch.h"
#include "formats/mindir/written_model.h"
#include "formats/onnx/written_model.h"
#include "formats/writing/network.h"

namespace mycel::bindings {

namespace nb = nanobind;
using formats::writing::Network;
using formats::writing::WrittenFile;

namespace {

std::shared_ptr<Network> network_of(const ir::Graph& graph, const std::vector<Tensor>& inputs,
                                    std::size_t result_count, bool is_as_it_is) {
  std::vector<op::TensorSpec> specs;
  for (const Tensor& input : inputs) specs.push_back({input.dtype(), input.shape()});
  return std::make_shared<Network>(graph, specs, result_count, is_as_it_is);
}

std::vector<std::string> operators_of(const Network& network) {
  std::vector<std::string> names;
  network.way().for_graphs([&](const formats::writing::StraightGraph& graph) {
    for (const formats::writing::Node* node : graph.nodes)
      if (node->is_operator()) names.push_back(node->definition->name);
  });
  return names;
}

using Places = std::map<std::string, std::tuple<std::string, std::int64_t, std::int64_t>>;

formats::WrittenMessage message_of(const WrittenFile& file, const Places& places) {
  formats::writing::Places known;
  for (const auto& [name, place] : places)
    known[name] = {std::get<0>(place), std::get<1>(place), std::get<2>(place)};
  return file.message(known);
}

// `head`: further fields, encoded.
nb::object encoded(const WrittenFile& file, const Places& places, const nb::bytes& head) {
  const formats::WrittenMessage message = message_of(file, places);
  nb::object whole = owned(
      PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(message.size() + head.size())));
  char* end = PyBytes_AS_STRING(whole.ptr());
  message.encode([&](std::string_view part) { end = std::copy(part.begin(), part.end(), end); });
  std::copy_n(head.c_str(), head.size(), end);
  return whole;
}

// The same given to a function part by part; each part is there for as long as the function runs.
void write_parts(const WrittenFile& file, const nb::callable& write, const Places& places,
                 const nb::bytes& head) {
  message_of(file, places).encode([&](std::string_view part) {
    write(nb::steal(PyMemoryView_FromMemory(const_cast<char*>(part.data()),
                                            static_cast<Py_ssize_t>(part.size()), PyBUF_READ)));
  });
  write(head);
}

nb::list weights_of(const WrittenFile& file) {
  return list_of(file.weights(),
                 [](const auto& weight) { return nb::make_tuple(weight.name, weight.tensor); });
}

template <class Model>
std::vector<const Model*> models_in(const nb::list& models) {
  std::vector<const Model*> given;
  for (const nb::handle model : models) given.push_back(nb::cast<const Model*>(model));
  return given;
}

void bind_mindir(nb::module_& module) {
  using formats::mindir::WrittenModel;
  nb::class_<WrittenModel, WrittenFile>(module, "WrittenMindir");
  module.def(
      "write_mindir",
      [](const Network& network, std::vector<std::string> input_names,
         std::optional<std::set<std::string>> own_parameters, bool is_for_all_sizes,
         std::string version) {
        return WrittenModel(network,
                            {.input_names = std::move(input_names),
                             .own_parameters = std::move(own_parameters),
                             .is_for_all_sizes = is_for_all_sizes,
                             .version = std::move(version)},
                            eager::emitter());
      },
      nb::arg("network"), nb::arg("input_names"), nb::arg("own_parameters").none(),
      nb::arg("is_for_all_sizes"), nb::arg("version"));
  module.def("mindir_for_all_sizes", [](const nb::list& models) {
    return WrittenModel::for_all_sizes(models_in<WrittenModel>(models));
  });
}

void bind_onnx(nb::module_& module) {
  using formats::onnx::OpenAxis;
  using formats::onnx::WrittenModel;
  nb::class_<WrittenModel, WrittenFile>(module, "WrittenOnnx");
  module.def(
      "write_onnx",
      [](const Network& network, std::vector<std::string> input_names, bool is_for_all_sizes,
         std::string version) {
        return WrittenModel(network,
                            {.input_names = std::move(input_names),
                             .is_for_all_sizes = is_for_all_sizes,
                             .version = std::move(version)},
                            eager::emitter());
      },
      nb::arg("network"), nb::arg("input_names"), nb::arg("is_for_all_sizes"), nb::arg("version"));
  using Axis = std::tuple<std::size_t, std::size_t, std::vector<std::int64_t>>;
  module.def("onnx_for_all_sizes", [](const nb::list& models, const std::vector<Axis>& axes) {
    std::vector<OpenAxis> open;
    for (const auto& [input, axis, sizes] : axes) open.push_back({input, axis, sizes});
    return WrittenModel::for_all_sizes(models_in<WrittenModel>(models), open);
  });
}

}  // namespace

void bind_written_models(nb::module_& module) {
  nb::class_<ir::Graph>(module, "RecordedGraph");
  nb::class_<Network>(module, "RecordedNetwork")
      .def_prop_ro("name", &Network::name)
      .def_prop_ro("decides",
                   [](const Network& self) { return static_cast<bool>(self.way().question); })
      .def_prop_ro("operators", operators_of);
  module.def("recorded_network", network_of);
  nb::class_<WrittenFile>(module, "WrittenFile")
      .def_prop_ro("weights", weights_of)
      .def("encode", encoded, nb::arg("places"), nb::arg("head"))
      .def("write", write_parts, nb::arg("function"), nb::arg("places"), nb::arg("head"));
  bind_mindir(module);
  bind_onnx(module);
}

}  // namespace mycel::bindings
