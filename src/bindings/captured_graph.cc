// SPDX-License-Identifier: Apache-2.0
#include "bindings/captured_graph.h"

#include <nanobind/stl/string.h>

#include "bindings/attribute_object.h"
#include "bindings/tensor_caster.h"

namespace mycel::bindings {

namespace nb = nanobind;

namespace {

nb::object value_of(const ir::Output& output) {
  if (!output) return nb::none();
  return nb::make_tuple(output.node->id(), output.index);
}

nb::dict region_of(const ir::Region& region);

nb::dict node_of(const ir::Node& node) {
  nb::dict entry;
  const std::string_view kind = ir::name_of(node.kind());
  entry["kind"] = nb::str(kind.data(), kind.size());
  entry["id"] = node.id();
  entry["name"] = node.definition() != nullptr ? node.definition()->name : node.name();
  nb::list operands, types;
  for (const ir::Output& operand : node.operands()) operands.append(value_of(operand));
  for (std::size_t i = 0; i < node.output_count(); ++i)
    types.append(nb::make_tuple(node.type(i).dtype, attribute_object(node.type(i).shape)));
  entry["operands"] = operands;
  entry["types"] = types;
  nb::dict attributes;
  if (node.definition() != nullptr) {
    const auto& definitions = node.definition()->attributes;
    for (std::size_t i = 0; i < definitions.size() && i < node.attributes().size(); ++i)
      attributes[definitions[i].name.c_str()] = attribute_object(node.attributes()[i]);
  }
  entry["attributes"] = attributes;
  const bool has_tensor =
      node.kind() == ir::NodeKind::Constant || node.kind() == ir::NodeKind::Parameter;
  entry["tensor"] = has_tensor ? nb::cast(node.tensor()) : nb::none();
  entry["is_number"] = node.output_count() > 0 && node.type().is_number;
  entry["file"] = node.position().file;
  entry["line"] = node.position().line;
  nb::list regions;
  for (const auto& inner : node.regions()) regions.append(region_of(*inner));
  entry["regions"] = regions;
  return entry;
}

nb::dict region_of(const ir::Region& region) {
  nb::dict result;
  nb::list arguments, nodes, results;
  for (const ir::Node* argument : region.arguments()) arguments.append(node_of(*argument));
  for (const ir::Node* node : region.nodes()) nodes.append(node_of(*node));
  for (const ir::Output& output : region.results()) results.append(value_of(output));
  result["arguments"] = arguments;
  result["nodes"] = nodes;
  result["results"] = results;
  return result;
}

}  // namespace

nb::dict captured_graph(const ir::Graph& graph) {
  nb::dict result = region_of(graph.body());
  result["name"] = graph.name();
  return result;
}

}  // namespace mycel::bindings
