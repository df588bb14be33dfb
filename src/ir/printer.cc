// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/graph.h"
#include "platform/error/error.h"

namespace mycel::ir {
namespace {

constexpr std::int64_t kShownElements = 8;

std::string type_text(const TensorSpec& type) {
  return platform::join(tensor::name_of(type.dtype), type.shape, type.is_number ? " number" : "");
}

std::string value_text(const Output& value) {
  if (!value) return "none";
  const bool single = value.node->output_count() == 1;
  return single ? platform::join("%", value.node->id())
                : platform::join("%", value.node->id(), "#", value.index);
}

std::string list_text(const std::vector<Output>& values) {
  std::string text;
  for (const Output& value : values) text += (text.empty() ? "" : ", ") + value_text(value);
  return text;
}

std::string types_text(const Node& node) {
  std::string text;
  for (std::size_t i = 0; i < node.output_count(); ++i)
    text += (i == 0 ? "" : ", ") + type_text(node.type(i));
  return text;
}

std::string number_text(double value) {
  std::string text = platform::join(value);
  if (text.find_first_of(".einf") == std::string::npos)
    text += ".0";  // stays a float when read back
  return text;
}

std::string attribute_text(const op::AttributeValue& value) {
  return value.is_float() ? number_text(value.real()) : to_string(value);
}

std::string attributes_text(const Node& node) {
  std::string text;
  const auto& definitions = node.definition()->attributes;
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    if (node.attributes()[i] == definitions[i].initial && !definitions[i].required) continue;
    text += platform::join(text.empty() ? "" : ", ", definitions[i].name, "=",
                           attribute_text(node.attributes()[i]));
  }
  return text;
}

std::string constant_text(const Tensor& tensor) {
  if (tensor.size() > kShownElements || tensor::is_complex(tensor.dtype())) return "[...]";
  const Tensor dense = tensor::contiguous(tensor);
  std::string text = "[";
  for (std::int64_t i = 0; i < dense.size(); ++i) {
    const Tensor element = Tensor::view(dense, {}, {}, dense.body().offset + i);
    const bool whole = !tensor::is_floating(dense.dtype());
    text += (i == 0 ? "" : ", ") +
            (whole ? platform::join(element.as_int()) : number_text(element.as_double()));
  }
  return text + "]";
}

class Printer {
 public:
  std::string text;

  void region(const Region& region, const std::string& indent) {
    for (const Node* node : region.nodes()) line(*node, indent);
    text += platform::join(indent, "return ", list_text(region.results()), "\n");
  }

  std::string arguments(const Region& region) {
    std::string list;
    for (const Node* argument : region.arguments()) {
      list += platform::join(list.empty() ? "" : ", ", "%", argument->id(), ": ",
                             type_text(argument->type()));
      if (!argument->name().empty()) list += " " + argument->name();
    }
    return list;
  }

 private:
  void line(const Node& node, const std::string& indent) {
    text += platform::join(indent, "%", node.id(), " = ");
    switch (node.kind()) {
      case NodeKind::Argument: break;
      case NodeKind::Constant:
        text += platform::join("constant ", constant_text(node.tensor()));
        break;
      case NodeKind::Parameter: text += platform::join("parameter \"", node.name(), "\""); break;
      case NodeKind::HostCall:
        text += platform::join("host_call \"", node.name(), "\"(", list_text(node.operands()), ")");
        break;
      case NodeKind::Operator: {
        const std::string attributes = attributes_text(node);
        text += platform::join(node.definition()->name, "(", list_text(node.operands()),
                               attributes.empty() ? "" : "; ", attributes, ")");
        break;
      }
      case NodeKind::If:
      case NodeKind::While:
        text += platform::join(name_of(node.kind()), "(", list_text(node.operands()), ")");
        break;
    }
    text += platform::join(" : ", types_text(node));
    for (const auto& inner : node.regions()) {
      text += platform::join(" {(", arguments(*inner), ")\n");
      region(*inner, indent + "  ");
      text += indent + "}";
    }
    if (node.position().line > 0)
      text += platform::join("  # ", node.position().file, ":", node.position().line);
    text += "\n";
  }
};

}  // namespace

std::string to_text(const Graph& graph) {
  Printer printer;
  printer.text =
      platform::join("graph @", graph.name(), "(", printer.arguments(graph.body()), ") {\n");
  printer.region(graph.body(), "  ");
  return printer.text + "}\n";
}

}  // namespace mycel::ir
