// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "device/backend.h"
#include "ir/graph.h"
#include "platform/error/error.h"

namespace mycel::ir {
namespace {

constexpr std::int64_t kShownElements = 8;

std::string type_text(const TensorSpec& type) {
  return platform::join(tensor::name_of(type.dtype), type.shape, type.is_number ? " number" : "");
}

// What is in quotation marks cannot have any; names of files may.
std::string quoted(std::string text) {
  std::replace(text.begin(), text.end(), '"', '\'');
  return platform::join("\"", text, "\"");
}

std::string device_text(device::Device device) {
  if (device.backend == device::kHostBackend) return "";
  return platform::join(" on ", device::backend_name(device.backend), " ", int{device.index});
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

std::string origin_text(const Node& node) {
  std::string text;
  if (node.phase() != Phase::Forward) text += platform::join(" ", op::name_of(node.phase()));
  if (!node.cell().empty()) text += platform::join(" ", quoted(node.cell()));
  if (node.position().line > 0)
    text += platform::join(" ", quoted(node.position().file), ":", node.position().line);
  return text.empty() ? text : "  @" + text;
}

// Lengths that are formulas of nothing else, by the names they get in the order of the arguments.
class Symbols {
 public:
  explicit Symbols(const Graph& graph) : arguments_(graph.body().arguments()) {
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      for (const SizeRef& size : arguments_[i]->facts().sizes) {
        if (size && size->operation == SizeOperation::Length && size->value == i)
          names_.try_emplace({size->value, size->axis}, name_for(names_.size()));
      }
    }
  }

  std::string text_of(const SizeRef& size) const {
    if (!size) return "?";
    return to_string(*size, [&](std::size_t value, std::size_t axis) { return name(value, axis); });
  }

 private:
  static std::string name_for(std::size_t number) {
    constexpr std::string_view kLetters = "nmkpqrstuvw";
    return number < kLetters.size() ? std::string(1, kLetters[number])
                                    : platform::join("n", number);
  }
  std::string name(std::size_t value, std::size_t axis) const {
    const auto found = names_.find({value, axis});
    // A length that is always the same.
    return found != names_.end() ? found->second
                                 : platform::join(arguments_[value]->type().shape[axis]);
  }

  const std::vector<Node*>& arguments_;
  std::map<std::pair<std::size_t, std::size_t>, std::string> names_;
};

class Printer {
 public:
  Printer(const Graph& graph, Detail detail) : symbols_(graph), detail_(detail) {}
  std::string text;

  std::string relations(const Graph& graph) const {
    if (detail_ != Detail::Everything) return {};
    std::string list;
    for (const SizeRelation& relation : graph.relations())
      list += platform::join(list.empty() ? " where " : ", ", symbols_.text_of(relation.a), " ",
                             sign_of(relation.how), " ", symbols_.text_of(relation.b));
    return list;
  }

  void region(const Region& region, const std::string& indent) {
    for (const Node* node : region.nodes()) line(*node, indent);
    text += platform::join(indent, "return ", list_text(region.results()), "\n");
  }

  std::string arguments(const Region& region) {
    std::string list;
    for (const Node* argument : region.arguments()) {
      list += platform::join(list.empty() ? "" : ", ", "%", argument->id(), ": ",
                             value_type(*argument, 0));
      if (!argument->name().empty()) list += " " + argument->name();
    }
    return list;
  }

 private:
  std::string value_type(const Node& node, std::size_t output) const {
    std::string shown = type_text(node.type(output));
    if (detail_ != Detail::Everything) return shown;
    const ValueFacts& facts = node.facts(output);
    std::string sizes;
    for (const SizeRef& size : facts.sizes)
      sizes += (sizes.empty() ? "" : ", ") + symbols_.text_of(size);
    if (!facts.sizes.empty()) shown += platform::join("[", sizes, "]");
    return facts.layout == Layout::Blocked ? shown + " blocked" : shown;
  }

  std::string value_types(const Node& node) const {
    std::string list;
    for (std::size_t i = 0; i < node.output_count(); ++i)
      list += (i == 0 ? "" : ", ") + value_type(node, i);
    return list;
  }

  void line(const Node& node, const std::string& indent) {
    text += platform::join(indent, "%", node.id(), " = ");
    switch (node.kind()) {
      case NodeKind::Argument: break;
      case NodeKind::Constant:
        text += platform::join("constant ", constant_text(node.tensor()));
        break;
      case NodeKind::Parameter: text += platform::join("parameter ", quoted(node.name())); break;
      case NodeKind::HostCall:
      case NodeKind::Fused:
        text += platform::join(name_of(node.kind()), " ", quoted(node.name()), "(",
                               list_text(node.operands()), ")");
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
    text += platform::join(" : ", value_types(node));
    for (const auto& inner : node.regions()) {
      text += platform::join(" {(", arguments(*inner), ")\n");
      region(*inner, indent + "  ");
      text += indent + "}";
    }
    if (detail_ == Detail::Everything) text += origin_text(node);
    text += "\n";
  }

  Symbols symbols_;
  Detail detail_;
};

}  // namespace

std::string to_text(const Graph& graph, Detail detail) {
  Printer printer(graph, detail);
  printer.text = platform::join("graph @", graph.name(), "(", printer.arguments(graph.body()), ")",
                                printer.relations(graph), device_text(graph.device()), " {\n");
  printer.region(graph.body(), "  ");
  return printer.text + "}\n";
}

}  // namespace mycel::ir
