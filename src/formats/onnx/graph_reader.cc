// SPDX-License-Identifier: Apache-2.0
#include "formats/onnx/graph_reader.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "platform/error/error.h"

namespace mycel::formats::onnx {

using tensor::Tensor;

namespace {

constexpr int kDeepest = 32;
// Of functions, counted at every call.
constexpr std::size_t kMostCopiedNodes = 100'000, kMostCopiedNames = 1'000'000;
constexpr std::size_t kMostListed = 20;  // operators, in a message
constexpr std::int64_t kSmall = 4096;    // elements

// Operators that the host is asked for.
bool is_foreign(std::string_view kind) { return kind == "Einsum" || kind == "GridSample"; }

Control control_of(std::string_view kind) {
  if (kind == "If") return Control::If;
  if (kind == "Loop") return Control::Loop;
  return kind == "Scan" ? Control::Scan : Control::None;
}

std::vector<std::string_view> graphs_of(Control control) {
  if (control == Control::If) return {"then_branch", "else_branch"};
  if (control == Control::Loop || control == Control::Scan) return {"body"};
  return {};
}

bool is_of_onnx(std::string_view domain) { return domain.empty() || domain == "ai.onnx"; }

bool is_known(std::string_view kind) {
  return op::find_mapping(op::ModelFormat::Onnx, kind) != nullptr || is_foreign(kind) ||
         control_of(kind) != Control::None;
}

std::vector<std::string_view> names_of(const std::vector<MessageView>& messages) {
  std::vector<std::string_view> names;
  names.reserve(messages.size());
  for (const MessageView& message : messages) names.push_back(message.text("name"));
  return names;
}

// Tensors that nodes read as plain numbers: scales, limits, shapes.
std::unordered_set<std::string_view> read_as_numbers(const std::vector<MessageView>& nodes) {
  std::unordered_set<std::string_view> names;
  for (const MessageView& node : nodes) {
    const op::StoredMapping* mapping =
        op::find_mapping(op::ModelFormat::Onnx, node.text("op_type"));
    if (mapping == nullptr) continue;
    const std::vector<std::string_view> inputs = node.texts("input");
    for (std::size_t i = 0; i < std::min(inputs.size(), mapping->parameters.size()); ++i)
      if (mapping->parameters[i].is_numbers) names.insert(inputs[i]);
  }
  return names;
}

}  // namespace

// Names that are defined so far.
struct GraphReader::Scope {
  Scope* around;  // the graph further out, whose values are visible; null: nothing is
  Graph& graph;
  std::unordered_map<std::string_view, Source> names;

  Source find(std::string_view name) const {
    int distance = 0;
    for (const Scope* scope = this; scope != nullptr; scope = scope->around, ++distance) {
      const auto found = scope->names.find(name);
      if (found == scope->names.end()) continue;
      Source source = found->second;
      source.distance = distance;
      return source;
    }
    return {};
  }
  // The same for somebody who reads it.
  Source use(std::string_view name) {
    const Source source = find(name);
    if (source.kind == Source::Kind::Slot && source.distance > 0)
      graph.outer.emplace(source.distance, source.index);
    return source;
  }
  std::size_t define(std::string_view name) {
    names[name] = {Source::Kind::Slot, graph.slot_count, 0, {}};
    return graph.slot_count++;
  }
};

// What a graph or a function consists of.
struct GraphReader::Contents {
  std::string_view name;
  std::vector<std::string_view> inputs, outputs;
  std::vector<MessageView> tensors, nodes;

  static Contents of_graph(const MessageView& graph) {
    return {graph.text("name"), names_of(graph.messages("input")),
            names_of(graph.messages("output")), graph.messages("initializer"),
            graph.messages("node")};
  }
  static Contents of_function(const MessageView& function) {
    return {function.text("name"),
            function.texts("input"),
            function.texts("output"),
            {},
            function.messages("node")};
  }
};

// An attribute of a node, and what names of attributes in it mean; null: it is not in a function.
struct GraphReader::Attribute {
  std::string_view name;
  MessageView entry;
  const Given* given;
};

GraphReader::GraphReader(TensorReader& tensors, op::Emitter& emitter,
                         const std::vector<MessageView>& functions)
    : tensors_(tensors), emitter_(emitter) {
  for (const MessageView& function : functions)
    functions_.insert_or_assign({function.text("domain"), function.text("name")}, function);
}

std::unique_ptr<Graph> GraphReader::read(const MessageView& message,
                                         std::vector<Parameter>& parameters) {
  parameters_ = &parameters;
  std::unique_ptr<Graph> made = graph(Contents::of_graph(message), nullptr, nullptr, 0);
  if (unknown_.empty()) return made;
  std::string listed;
  for (const auto& [kind, node] : unknown_)
    listed += platform::join(listed.empty() ? "" : ", ", "'", kind, "' (node '", node, "')");
  if (unknown_kinds_.size() > unknown_.size())
    listed += platform::join(" and ", unknown_kinds_.size() - unknown_.size(), " others");
  platform::fail(platform::ErrorKind::NotImplemented, tensors_.name(), " uses ", listed,
                 ", which this release cannot run.");
}

std::unique_ptr<Graph> GraphReader::graph(const Contents& contents, Scope* around,
                                          const Given* given, int depth) {
  if (depth > kDeepest) tensors_.refuse("its graphs are nested too deeply");
  count_copied(0, contents.inputs.size() + contents.outputs.size() + contents.tensors.size());
  auto made = std::make_unique<Graph>();
  made->name = contents.name;
  Scope scope{around, *made, {}};
  // A tensor of an input's name is what the input is when nobody gives one.
  const std::vector<std::string_view> stored = names_of(contents.tensors);
  const std::unordered_set<std::string_view> with_tensors(stored.begin(), stored.end());
  std::size_t inputs = 0;
  for (const std::string_view input : contents.inputs) {
    if (with_tensors.contains(input)) continue;
    scope.define(input);
    ++inputs;
  }
  made->input_count = inputs;
  take_tensors(contents, scope, depth == 0);
  if (scope.names.contains("") || scope.names.size() != inputs + stored.size())
    tensors_.refuse("an input or tensor of graph '", made->name,
                    "' has no name or that of another");
  take_nodes(contents, scope, given, depth);
  for (const std::string_view output : contents.outputs) {
    made->outputs.push_back(scope.use(output));
    if (made->outputs.back().kind == Source::Kind::Absent)
      tensors_.refuse("nothing computes the output '", output, "' of graph '", made->name, "'");
  }
  note_last_uses(*made);
  return made;
}

void GraphReader::take_tensors(const Contents& contents, Scope& scope, bool is_outermost) {
  std::unordered_set<std::string_view> numbers;
  if (is_outermost) numbers = read_as_numbers(contents.nodes);
  for (const MessageView& message : contents.tensors) {
    const std::string_view name = message.text("name");
    const Tensor tensor = tensors_.tensor(message);
    if (is_outermost && tensor.rank() > 0 && tensor::is_floating(tensor.dtype()) &&
        !numbers.contains(name)) {
      scope.names[name] = {Source::Kind::Parameter, parameters_->size(), 0, {}};
      parameters_->push_back({std::string(name), tensor});
    } else {
      scope.names[name] = {Source::Kind::Constant, 0, 0, constant(message)};
    }
  }
}

// A tensor of the file that nobody changes. Whoever records a run may compute with a small one at
// once.
Datum GraphReader::constant(const MessageView& message) {
  const Tensor tensor = tensors_.tensor(message);
  if (tensor.size() <= kSmall) tensor.storage().set_constant();
  return Datum(op::Value(&emitter_, tensor));
}

void GraphReader::take_nodes(const Contents& contents, Scope& scope, const Given* given,
                             int depth) {
  Graph& graph = scope.graph;
  std::unordered_set<std::string_view> later;
  for (const MessageView& node : contents.nodes)
    for (const std::string_view name : node.texts("output")) later.insert(name);
  for (std::size_t i = 0; i < contents.nodes.size(); ++i) {
    const MessageView& node = contents.nodes[i];
    count_copied(1, node.texts("input").size() + node.texts("output").size() +
                        node.messages("attribute").size());
    Step made = step(node, scope, given, depth, platform::join(node.text("op_type"), "_", i));
    for (const std::string_view name : node.texts("input")) {
      made.inputs.push_back(name.empty() ? Source() : scope.use(name));
      if (name.empty() || made.inputs.back().kind != Source::Kind::Absent) continue;
      tensors_.refuse("the value '", name, "', which node '", made.name, "' reads, ",
                      later.contains(name)
                          ? "is computed later: its nodes form a cycle or are not in order"
                          : "is defined nowhere");
    }
    for (const std::string_view name : node.texts("output")) {
      if (scope.names.contains(name)) tensors_.refuse("two nodes compute the value '", name, "'");
      made.outputs.push_back(name.empty() ? -1 : static_cast<std::ptrdiff_t>(scope.define(name)));
    }
    for (const auto& inner : made.graphs)
      for (const auto& [distance, slot] : inner->outer)
        if (distance > 1) graph.outer.emplace(distance - 1, slot);
    graph.steps.push_back(std::move(made));
  }
}

// A function that is called often, or from functions that are called often, may become very large.
void GraphReader::count_copied(std::size_t nodes, std::size_t names) {
  if (functions_around_ == 0) return;
  copied_nodes_ += nodes;
  copied_names_ += names;
  if (copied_nodes_ > kMostCopiedNodes || copied_names_ > kMostCopiedNames)
    tensors_.refuse("calls of its functions make more than ", kMostCopiedNodes, " nodes, or ",
                    kMostCopiedNames, " names of values");
}

Step GraphReader::step(const MessageView& message, Scope& scope, const Given* given, int depth,
                       std::string hint) {
  const std::string_view kind = message.text("op_type"), domain = message.text("domain");
  Step made;
  made.kind = kind;
  made.name = message.text("name").empty() ? std::move(hint) : std::string(message.text("name"));
  const std::vector<Attribute> attributes = attributes_of(message, given);
  if (is_of_onnx(domain) && is_known(kind)) {
    made.control = control_of(kind);
    made.mapping = op::find_mapping(op::ModelFormat::Onnx, kind);
    take_attributes(made, attributes, scope, depth);
    return made;
  }
  const auto function = functions_.find({domain, kind});
  if (function != functions_.end()) {
    made.control = Control::Function;
    made.graphs.push_back(function_body(function->second, attributes, depth));
    return made;
  }
  std::string whole = platform::join(domain, domain.empty() ? "" : ".", kind);
  if (unknown_kinds_.insert(whole).second && unknown_.size() < kMostListed)
    unknown_.emplace_back(std::move(whole), made.name);
  return made;
}

std::unique_ptr<Graph> GraphReader::function_body(const MessageView& function,
                                                  const std::vector<Attribute>& attributes,
                                                  int depth) {
  ++functions_around_;
  Given given;
  const std::vector<MessageView> otherwise = function.messages("attribute_proto");
  count_copied(0, otherwise.size());
  for (const MessageView& entry : otherwise)
    given.insert_or_assign(entry.text("name"), Attribute{entry.text("name"), entry, nullptr});
  for (const Attribute& attribute : attributes) given.insert_or_assign(attribute.name, attribute);
  std::unique_ptr<Graph> body = graph(Contents::of_function(function), nullptr, &given, depth + 1);
  --functions_around_;
  return body;
}

// Attributes that refer to those of the function are filled in, or left out.
std::vector<GraphReader::Attribute> GraphReader::attributes_of(const MessageView& node,
                                                               const Given* given) {
  std::vector<Attribute> attributes;
  for (const MessageView& entry : node.messages("attribute")) {
    Attribute attribute{entry.text("name"), entry, given};
    if (const std::string_view source = entry.text("ref_attr_name");
        given != nullptr && !source.empty()) {
      const auto found = given->find(source);
      if (found == given->end()) continue;
      attribute.entry = found->second.entry;
      attribute.given = found->second.given;
    }
    attributes.push_back(attribute);
  }
  return attributes;
}

void GraphReader::take_attributes(Step& step, const std::vector<Attribute>& attributes,
                                  Scope& scope, int depth) {
  const std::vector<std::string_view> wanted = graphs_of(step.control);
  step.graphs.resize(wanted.size());
  for (const Attribute& attribute : attributes) {
    const auto place = std::ranges::find(wanted, attribute.name);
    if (place == wanted.end() || !attribute.entry.has("g")) {
      step.attributes.insert_or_assign(std::string(attribute.name), value(attribute, step.name));
      continue;
    }
    step.graphs[static_cast<std::size_t>(place - wanted.begin())] =
        graph(Contents::of_graph(attribute.entry.message("g")), &scope, attribute.given, depth + 1);
  }
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (step.graphs[i] == nullptr)
      tensors_.refuse("node '", step.name, "' (", step.kind, ") has no '", wanted[i], "'");
}

namespace {

// Fields of AttributeProto by its `type`.
constexpr std::array<std::string_view, 9> kFields{"",  "f",      "i",    "s",      "t",
                                                  "g", "floats", "ints", "strings"};

template <class Items>
Datum tuple_of(const Items& items) {
  std::vector<Datum> made;
  made.reserve(items.size());
  for (const auto& item : items) {
    if constexpr (std::is_same_v<std::decay_t<decltype(item)>, std::string_view>) {
      made.emplace_back(std::string(item));
    } else {
      made.emplace_back(item);
    }
  }
  return Datum::tuple(std::move(made));
}

}  // namespace

Datum GraphReader::value(const Attribute& attribute, const std::string& node) {
  const MessageView& entry = attribute.entry;
  const std::int64_t type = entry.integer("type");
  std::string_view field;
  if (type > 0 && type < static_cast<std::int64_t>(kFields.size()))
    field = kFields[static_cast<std::size_t>(type)];
  if (field.empty() || !entry.text("ref_attr_name").empty()) {
    std::vector<std::string_view> present;
    for (const std::string_view one : kFields)
      if (!one.empty() && entry.has(one)) present.push_back(one);
    if (present.size() != 1 || !entry.text("ref_attr_name").empty())
      tensors_.refuse("attribute '", attribute.name, "' of node '", node,
                      "' has no readable value");
    field = present[0];
  }
  if ((field == "t" || field == "g") && !entry.has(field))
    tensors_.refuse("attribute '", attribute.name, "' of node '", node, "' is empty");
  if (field == "f") return Datum(entry.real("f"));
  if (field == "i") return Datum(entry.integer("i"));
  if (field == "s") return Datum(std::string(entry.text("s")));
  if (field == "t") return constant(entry.message("t"));
  if (field == "floats") return tuple_of(entry.reals("floats"));
  if (field == "ints") return tuple_of(entry.integers("ints"));
  if (field == "strings") return tuple_of(entry.texts("strings"));
  return {};  // a graph where none is wanted
}

void GraphReader::note_last_uses(Graph& graph) {
  std::set<std::size_t> needed;
  const auto is_own = [](const Source& source) {
    return source.kind == Source::Kind::Slot && source.distance == 0;
  };
  for (const Source& output : graph.outputs)
    if (is_own(output)) needed.insert(output.index);
  for (auto step = graph.steps.rbegin(); step != graph.steps.rend(); ++step) {
    const auto note = [&](std::size_t slot) {
      if (needed.insert(slot).second) step->released.push_back(slot);
    };
    for (const Source& input : step->inputs)
      if (is_own(input)) note(input.index);
    for (const std::ptrdiff_t slot : step->outputs)
      if (slot >= 0) note(static_cast<std::size_t>(slot));
    for (const auto& inner : step->graphs)
      for (const auto& [distance, slot] : inner->outer)
        if (distance == 1) note(slot);
  }
}

}  // namespace mycel::formats::onnx
