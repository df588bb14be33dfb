// SPDX-License-Identifier: Apache-2.0
#include "formats/mindir/graph_writer.h"

#include <algorithm>

#include "formats/message/tensor_bytes.h"
#include "formats/mindir/types.h"
#include "formats/mindir/written_values.h"
#include "platform/error/error.h"

namespace mycel::formats::mindir {

using op::Datum;
using op::TensorSpec;
using op::mindir::NamedList;
using op::mindir::Symbol;
using platform::join;

namespace {

// Attributes belong to the primitive, as in the form that every release since 1.7 reads: later ones
// turn them into arguments where they have become such.
constexpr int kPrimitive = 1;
// It has all arguments in the call, types and texts among them as numbers.
constexpr int kFunction = 2;
constexpr std::string_view kFunctions[] = {"Cast"};

constexpr std::string_view kReference = "REF::";

const Datum& monad() {
  static const Datum value{std::shared_ptr<const op::Opaque>(std::make_shared<Monad>())};
  return value;
}

}  // namespace

std::string FileWriter::free(const std::string& name) {
  std::string free = name;
  while (!taken.insert(free).second) free = join(name, "_", number());
  return free;
}

const MessageSpec* GraphWriter::value_info() { return &value_info_spec(); }

// ---- values -------------------------------------------------------------------------------------

std::string GraphWriter::name_of(const Value& value) {
  if (above_ != nullptr && !names_.contains(value)) {
    passed_.push_back(above_->name_of(value));
    add_value(value);
  }
  return names_.at(value);
}

void GraphWriter::name_values(const std::vector<Value>& values, const Names& names) {
  for (std::size_t i = 0; i < names.size(); ++i) names_[values[i]] = names[i];
}

Symbol GraphWriter::symbol(const Value& value) {
  return {*this, name_of(value), value.type().dtype, value.type().shape};
}

void GraphWriter::add_input_message(const std::string& name, WrittenMessage type) {
  WrittenMessage& input = inputs_.emplace_back(value_info_spec());
  input.put("name", name).put("tensor", std::move(type));
}

void GraphWriter::add_input(const Value& argument, const std::string& name) {
  const std::string full = names_[argument] = file_.free(join(name_, ":", name));
  add_input_message(full, type_message(argument.type()));
}

// An input that stands for a value of other graphs.
void GraphWriter::add_value(const Value& value) { add_input(value, join("x", inputs_.size())); }

// ---- parameters ---------------------------------------------------------------------------------

void GraphWriter::add_parameter(Node& node) { names_[{&node, 0}] = parameter(node); }

// The name of a parameter in this graph; to a branch it is given as an input.
std::string GraphWriter::parameter(const Node& node) {
  if (const auto known = parameters_.find(&node); known != parameters_.end()) return known->second;
  if (above_ == nullptr) return new_weight(node);
  passed_.push_back(above_->parameter(node));
  return input_parameter(node);
}

std::string GraphWriter::new_weight(const Node& node) {
  const std::string full = parameters_[&node] = file_.free(join(name_, ":", node.name));
  WrittenMessage entry = type_message(node.types[0]);
  entry.put("name", full).put("ref_key", node.name).put("compression_type", 0);
  file_.weights.push_back({std::move(entry), node.tensor});
  return full;
}

std::string GraphWriter::input_parameter(const Node& node) {
  const std::string full = parameters_[&node] = file_.free(join(name_, ":", node.name));
  WrittenMessage type = type_message(node.types[0]);
  type.put("ref_key", node.name);
  add_input_message(full, std::move(type));
  return full;
}

std::string& GraphWriter::order() {
  if (order_.empty()) order_ = constant(monad());
  return order_;
}

void GraphWriter::load(Node& node) {
  const Value value{&node, 0};
  const std::string& name = loaded_[&node] = name_of(value);
  const std::string loaded = call("Load", {name, order()}, node.types, false, {});
  const WrittenMessage result = attribute_message("shape", monad());
  order_ = add_call("UpdateState", {order_, loaded}, &result, {});
  names_[value] = loaded;
}

void GraphWriter::store(const Node& parameter, const Value& value) {
  const std::string written = name_of(value);
  const std::string stored = call("Assign", {loaded_.at(&parameter), written, order()},
                                  parameter.types, false, {{"side_effect_mem", true}});
  const WrittenMessage result = attribute_message("shape", monad());
  order_ = add_call("UpdateState", {order_, stored}, &result, {});
}

void GraphWriter::set_results(const std::vector<Value>& values) {
  std::vector<TensorSpec> types;
  Names names;
  for (const Value& value : values) {
    types.push_back(value.type());
    names.push_back(name_of(value));
  }
  const bool is_tuple = names.size() != 1;
  std::string result = is_tuple ? tuple_of(names, types) : names[0];
  if (!order_.empty()) result = call("Depend", {result, order_}, types, is_tuple, {});
  output_.put("name", result);
  if (!is_tuple) output_.put("tensor", type_message(types[0]));
}

// ---- functions ----------------------------------------------------------------------------------

GraphWriter& GraphWriter::function(const std::string& suffix) {
  auto made = std::make_unique<GraphWriter>(file_, join(name_, "_", suffix), this);
  return *file_.functions.emplace_back(std::move(made));
}

GraphWriter& GraphWriter::loop_function(const std::string& suffix, const std::vector<Value>& values,
                                        const std::vector<const Node*>& parameters) {
  GraphWriter& made = function(suffix);
  for (const Value& value : values) made.add_value(value);
  for (const Node* parameter : parameters) made.input_parameter(*parameter);
  made.above_ = nullptr;
  return made;
}

GraphWriter::Names GraphWriter::given(const std::vector<Value>& values,
                                      const std::vector<const Node*>& parameters) {
  Names names;
  for (const Value& value : values) names.push_back(name_of(value));
  for (const Node* node : parameters) names.push_back(parameter(*node));
  return names;
}

GraphWriter::Names GraphWriter::call_function(const GraphWriter& function, Names inputs,
                                              std::span<const TensorSpec> types) {
  std::string made = call_by_name(function.name_, std::move(inputs), types);
  if (types.size() == 1) return {made};
  Names parts;
  for (std::size_t i = 0; i < types.size(); ++i) parts.push_back(part(made, i, types[i]));
  return parts;
}

// A call of a function, or of what was computed to be one.
std::string GraphWriter::call_by_name(const std::string& function, Names inputs,
                                      std::span<const TensorSpec> types) {
  const std::string name = join(name_, ":call:", file_.number());
  WrittenMessage& node = nodes_.emplace_back(node_spec());
  for (std::string& input : inputs) node.put("input", std::move(input));
  node.put("output", name).put("name", name).put("op_type", join(kReference, function));
  node.put("attribute", result_message(types, types.size() != 1));
  return name;
}

void GraphWriter::set_call(const GraphWriter& function, Names inputs,
                           std::span<const TensorSpec> types) {
  output_.put("name", call_by_name(function.name_, std::move(inputs), types));
}

void GraphWriter::set_choice(const std::string& condition, const Choice& first,
                             const Choice& second, std::span<const TensorSpec> types) {
  Names choices{condition};
  for (const Choice* one : {&first, &second}) {
    Names inputs{one->function.name_};
    inputs.insert(inputs.end(), one->inputs.begin(), one->inputs.end());
    choices.push_back(add_call("Partial", std::move(inputs), nullptr, {}));
  }
  const std::string chosen = add_call("Switch", std::move(choices), nullptr, {});
  output_.put("name", call_by_name(chosen, {}, types));
}

// ---- calls and constants ------------------------------------------------------------------------

std::string GraphWriter::call(std::string_view primitive, Names inputs,
                              std::span<const TensorSpec> types, bool is_tuple,
                              const NamedList& attributes) {
  const WrittenMessage result = result_message(types, is_tuple);
  return add_call(primitive, std::move(inputs), &result, attributes);
}

std::string GraphWriter::add_call(std::string_view kind, Names inputs, const WrittenMessage* result,
                                  const NamedList& attributes) {
  const std::string called = primitive(kind, attributes);
  const std::string name = join(name_, ":", kind, ":", file_.number());
  WrittenMessage& node = nodes_.emplace_back(node_spec());
  for (std::string& input : inputs) node.put("input", std::move(input));
  node.put("output", name).put("name", name).put("op_type", join(kReference, called));
  if (result != nullptr) node.put("attribute", *result);
  node.put("domain", join("Default/", kind, "-op", file_.count));
  return name;
}

std::string GraphWriter::primitive(std::string_view kind, const NamedList& attributes) {
  std::map<std::string_view, std::string> sorted;
  for (const auto& [name, value] : attributes) sorted[name] = key_of(value.datum);
  std::string key(kind);
  for (const auto& [name, value] : sorted) key += join(" ", name, "=", value);
  std::string& name = file_.primitives[key];
  if (!name.empty()) return name;
  name = join(kind, ":", file_.number());
  const bool is_function = std::count(std::begin(kFunctions), std::end(kFunctions), kind) > 0;
  WrittenMessage& entry = file_.primitive_entries.emplace_back(primitive_spec());
  entry.put("name", name).put("op_type", std::string(kind)).put("instance_name", std::string(kind));
  entry.put("prim_type", is_function ? kFunction : kPrimitive);
  for (const auto& [attribute, value] : attributes)
    entry.put("attribute", attribute_message(std::string(attribute), value.datum));
  return name;
}

std::string GraphWriter::constant(const Datum& value) {
  if (!value.is_tensor()) {
    std::string& name = constants_[key_of(value)];
    if (name.empty()) name = add_constant(value);
    return name;
  }
  const tensor::Tensor content = dense(value.tensor().tensor());
  std::string& name = tensors_.name_of(content);
  if (name.empty()) name = add_constant(Datum(op::Value(&file_.emitter, content)));
  return name;
}

std::string GraphWriter::add_constant(const Datum& value) {
  const std::string name = join("ValueNode_", file_.number());
  WrittenMessage& node = nodes_.emplace_back(node_spec());
  node.put("output", name).put("name", name).put("op_type", "Constant");
  node.put("attribute", attribute_message("value", value));
  return name;
}

std::int64_t GraphWriter::type_number(tensor::DType dtype) const { return argument_number(dtype); }

void GraphWriter::write_nodes(WrittenMessage& graph) const {
  graph.put_all("node", nodes_).put("name", name_);
}

void GraphWriter::write_ends(WrittenMessage& graph) const {
  graph.put_all("input", inputs_).put("output", output_);
}

}  // namespace mycel::formats::mindir
