// SPDX-License-Identifier: Apache-2.0
#include "formats/mindir/builder.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "formats/mindir/joined_nodes.h"
#include "formats/mindir/primitive.h"
#include "platform/error/error.h"

namespace mycel::formats::mindir {

namespace {

constexpr std::string_view kReference = "REF::";
constexpr std::int64_t kFunctionForm = 2;  // PrimitiveProto's `prim_type`
constexpr std::int64_t kTuple = 20, kList = 21, kCsr = 30, kCoo = 31;
constexpr int kDeepestResult = 100;

Version version_of(std::string_view text) {
  Version version;
  const char* const end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, version.major);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') return {};
  if (std::from_chars(major.ptr + 1, end, version.minor).ec != std::errc()) return {};
  return version;
}

// The part behind the colon, if there is one and something behind it.
std::string short_name(std::string_view name) {
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos || colon + 1 == name.size()) return std::string(name);
  return std::string(name.substr(colon + 1));
}

Input input_of(const MessageView& message) {
  Input input;
  input.name = short_name(message.text("name"));
  const std::vector<MessageView> tensors = message.messages("tensor");
  if (tensors.empty()) {
    input.kind = message.text("denotation");
    return input;
  }
  input.kind = "Tensor";
  input.dims = tensors[0].integers("dims");
  if (const std::int64_t number = tensors[0].integer("data_type"); number != 0) {
    input.dtype = data_type(number);
    if (!input.dtype) refuse("The data type ", number, " is not supported.");
  }
  return input;
}

ResultPlan result_of(const MessageView& attribute, int depth = 0) {
  const std::int64_t kind = attribute.integer("type");
  if (kind == kCoo || kind == kCsr)
    return {kind == kCoo ? ResultPlan::Kind::Coo : ResultPlan::Kind::Csr, {}};
  const bool is_dynamic = attribute.message("seq_info").integer("is_dyn_len") != 0;
  if ((kind != kTuple && kind != kList) || is_dynamic || depth > kDeepestResult) return {};
  ResultPlan plan;
  for (const MessageView& part : attribute.messages("values")) {
    plan.parts.push_back(result_of(part, depth + 1));
    if (plan.parts.back().kind != ResultPlan::Kind::Plain) plan.kind = ResultPlan::Kind::Parts;
  }
  return plan.kind == ResultPlan::Kind::Plain ? ResultPlan{} : plan;
}

}  // namespace

class Builder {
 public:
  Builder(const MessageView& model, const ValueReader& values)
      : message_(model),
        values_(values),
        model_(std::make_shared<Model>()),
        version_(version_of(model.text("model_version"))) {}

  // Primitives, names of graphs, what they define, and then what they use.
  std::shared_ptr<const Model> build(std::span<const StoredParameters> parameters) {
    model_->version_ = message_.text("model_version");
    for (const MessageView& op : message_.message("preprocessor").messages("op"))
      model_->preprocessing_.push_back({std::string(op.text("input_columns")),
                                        std::string(op.text("output_columns")),
                                        std::string(op.text("operations"))});
    for (const MessageView& entry : message_.messages("user_info"))
      model_->user_info_.emplace_back(entry.text("key"), entry.text("value"));
    for (const MessageView& primitive : message_.messages("primitives"))
      declare_primitive(primitive);
    const MessageView top = message_.message("graph");
    std::vector<MessageView> messages = message_.messages("functions");
    messages.insert(messages.begin(), top);
    for (const MessageView& message : messages) declare_graph(message);
    for (const StoredParameters& part : parameters) declare_parameters(part);
    for (const MessageView& map : top.messages("map_parameter"))
      enter(map.text("name"),
            Operand::constant(Datum(built_in("map parameter", map.text("name"), version_))));
    for (std::size_t i = 0; i < messages.size(); ++i)
      declare_contents(messages[i], *model_->graphs_[i], i == 0);
    for (std::size_t i = 0; i < messages.size(); ++i) resolve(messages[i], *model_->graphs_[i]);
    note_writing();
    own_what_is_written();
    join_biases(model_->graphs_);
    join_variances(model_->graphs_);
    try {
      arrange(model_->graphs_);
    } catch (const platform::Error& error) {
      refuse(error.message());
    }
    model_->result_ = result_plan(top);
    return model_;
  }

 private:
  void enter(std::string_view name, Operand operand) {
    if (name.empty()) refuse("Something in the file has no name.");
    if (!table_.emplace(name, std::move(operand)).second)
      refuse("The name '", name, "' is defined twice.");
  }

  // The result type of a call, which old files keep among the attributes, is left out.
  op::DatumMap attributes_of(const MessageView& message) const {
    op::DatumMap attributes;
    for (const MessageView& attribute : message.messages("attribute")) {
      const std::string_view name = attribute.text("name");
      if (name.empty() || attribute.text("ref_attr_name").starts_with("shape:")) continue;
      attributes.insert_or_assign(std::string(name), values_.value(attribute));
    }
    return attributes;
  }

  Operand primitive(std::string_view op_type, const MessageView& message, bool is_function) {
    auto made = std::make_shared<Primitive>(op_type, attributes_of(message), is_function, version_);
    primitives_.push_back(made);
    return Operand::constant(Datum(std::shared_ptr<const op::Opaque>(std::move(made))));
  }

  void declare_primitive(const MessageView& message) {
    const bool is_function = message.integer("prim_type", 1) == kFunctionForm;
    enter(message.text("name"), primitive(message.text("op_type"), message, is_function));
  }

  void declare_graph(const MessageView& message) {
    Graph& graph = *model_->graphs_.emplace_back(std::make_unique<Graph>());
    graph.name = message.text("name");
    enter(graph.name, Operand::graph_value(graph));
  }

  void declare_parameters(const StoredParameters& part) {
    for (const MessageView& message : part.graph.messages("parameter")) {
      const std::string_view name = message.text("name");
      enter(name, Operand::parameter(model_->parameters_.size()));
      std::string shown = short_name(name);
      tensor::Tensor tensor =
          part.tensors->tensor(message, platform::join("the parameter '", shown, "'"));
      model_->parameters_.push_back({std::move(shown), std::move(tensor)});
    }
  }

  void declare_contents(const MessageView& message, Graph& graph, bool is_top) {
    for (const MessageView& value : message.messages("input")) {
      enter(value.text("name"), Operand::slot(graph, graph.slot_count++));
      Input input = input_of(value);
      if (!is_top) continue;
      model_->is_value_.push_back(!input.is_monad());
      if (!input.is_monad()) model_->inputs_.push_back(std::move(input));
    }
    graph.input_count = graph.slot_count;
    for (const MessageView& node : message.messages("node")) {
      const std::vector<std::string_view> outputs = node.texts("output");
      if (outputs.size() != 1)
        refuse("A node of the graph '", graph.name, "' has ", outputs.size(),
               " outputs instead of one.");
      enter(outputs[0], node.text("op_type") == "Constant"
                            ? Operand::constant(constant(node, outputs[0]))
                            : Operand::slot(graph, graph.slot_count++));
    }
  }

  Datum constant(const MessageView& node, std::string_view name) const {
    const std::vector<MessageView> attributes = node.messages("attribute");
    if (attributes.empty()) refuse("The constant '", name, "' has no value.");
    return values_.value(attributes[0]);
  }

  void resolve(const MessageView& message, Graph& graph) {
    for (const MessageView& stored : message.messages("node")) {
      if (stored.text("op_type") == "Constant") continue;
      Node node;
      node.name = stored.texts("output")[0];
      node.callee = callee(stored, node.name);
      node.function = node.callee.function();
      for (const std::string_view used : stored.texts("input"))
        node.operands.push_back(found(used, [&] {
          return platform::join("the node '", node.name, "' of the graph '", graph.name, "'");
        }));
      node.slot = table_.at(node.name).index;
      graph.nodes.emplace(node.slot, std::move(node));
    }
    for (const MessageView& value : message.messages("output"))
      graph.outputs.push_back(found(value.text("name"), [&] {
        return platform::join("the result of the graph '", graph.name, "'");
      }));
    if (graph.outputs.empty()) refuse("The graph '", graph.name, "' has no result.");
  }

  template <class Where>
  const Operand& found(std::string_view name, const Where& where) const {
    const auto operand = table_.find(std::string(name));
    if (operand == table_.end()) refuse("In ", where(), ", there is nothing called '", name, "'.");
    return operand->second;
  }

  Operand callee(const MessageView& node, const std::string& name) {
    std::string_view op_type = node.text("op_type");
    if (!op_type.starts_with(kReference)) {
      if (op_type.empty()) refuse("The node '", name, "' does not tell what it calls.");
      return primitive(op_type, node, false);
    }
    op_type.remove_prefix(kReference.size());
    for (const std::string_view kind : {"MetaFuncGraph", "ClassType"}) {
      if (!op_type.starts_with(kind) || !op_type.substr(kind.size()).starts_with("::")) continue;
      calls_classes_ = calls_classes_ || kind == "ClassType";
      return Operand::constant(Datum(std::shared_ptr<const op::Opaque>(
          built_in(kind, op_type.substr(kind.size() + 2), version_))));
    }
    const Operand& operand =
        found(op_type, [&] { return platform::join("the callee of the node '", name, "'"); });
    if (operand.kind == Operand::Kind::Parameter)
      refuse("The node '", name, "' calls the parameter '", op_type, "'.");
    return operand;
  }

  // Where parameters are written, reading one must not follow what is written later.
  void note_writing() {
    bool is_writing = false;
    for (const auto& primitive : primitives_) is_writing |= primitive->is_writing();
    if (!is_writing) return;
    for (const auto& primitive : primitives_) primitive->copy_what_is_read();
  }

  // What a network writes is its own, whoever holds the same content.
  void own_what_is_written() {
    const auto may_write = [](const auto& primitive) { return primitive->may_write(); };
    if (!calls_classes_ && std::ranges::none_of(primitives_, may_write)) return;
    for (Parameter& parameter : model_->parameters_) {
      if (!parameter.tensor.storage().may_be_known_otherwise()) continue;
      const tensor::Tensor own =
          tensor::Tensor::empty(parameter.tensor.shape(), parameter.tensor.dtype());
      tensor::copy_elements(parameter.tensor, own);
      parameter.tensor = own;
    }
  }

  // What is known of an output's type: of the node.
  static ResultPlan output_plan(const std::unordered_map<std::string_view, MessageView>& makers,
                                std::string_view name) {
    const auto maker = makers.find(name);
    if (maker == makers.end()) return {};
    for (const MessageView& attribute : maker->second.messages("attribute"))
      if (attribute.text("name") == "shape") return result_of(attribute);
    return {};
  }

  static ResultPlan result_plan(const MessageView& top) {
    std::unordered_map<std::string_view, MessageView> makers;
    for (const MessageView& node : top.messages("node")) makers[node.texts("output")[0]] = node;
    ResultPlan whole;
    for (const MessageView& value : top.messages("output"))
      whole.parts.push_back(output_plan(makers, value.text("name")));
    if (whole.parts.size() == 1) return whole.parts[0];
    whole.kind = ResultPlan::Kind::Parts;
    return whole;
  }

  MessageView message_;
  const ValueReader& values_;
  std::shared_ptr<Model> model_;
  Version version_;
  std::unordered_map<std::string, Operand> table_;  // everything that has a name
  std::vector<std::shared_ptr<Primitive>> primitives_;
  bool calls_classes_ = false;  // which make primitives when the network runs
};

std::shared_ptr<const Model> build(const MessageView& model,
                                   std::span<const StoredParameters> parameters,
                                   const ValueReader& values) {
  return Builder(model, values).build(parameters);
}

}  // namespace mycel::formats::mindir
