// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <unordered_map>

#include "device/backend.h"
#include "ir/graph.h"
#include "operator/registry.h"
#include "platform/error/error.h"

namespace mycel::ir {
namespace {

using op::AttributeValue;
using op::DType;
using platform::ErrorKind;
using tensor::IntList;

DType dtype_named(std::string_view name) {
  for (int i = 0; i < tensor::kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (tensor::name_of(dtype) == name || tensor::python_name(dtype) == name) return dtype;
  }
  platform::fail(ErrorKind::Value, "there is no element type '", name, "'");
}

// Of the registry, or derived from one there: relu_gradient0.
const OpDef* operator_named(const std::string& name) {
  if (const OpDef* known = op::find_or_null(name)) return known;
  constexpr std::string_view kDerived = "_gradient";
  const std::size_t cut = name.rfind(kDerived);
  int input = 0;
  if (cut == std::string::npos) return nullptr;
  const char* number = name.data() + cut + kDerived.size();
  const char* end = name.data() + name.size();
  if (const auto read = std::from_chars(number, end, input); read.ptr != end || number == end)
    return nullptr;
  const OpDef* source = operator_named(name.substr(0, cut));
  const bool has = source != nullptr && source->is_elementwise() && input >= 0 &&
                   input < static_cast<int>(source->inputs.size());
  return has ? source->derived_gradient(input) : nullptr;
}

// Words, numbers and signs of the text form, with the line for messages.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool at_end() {
    skip_blanks();
    return place_ >= text_.size();
  }
  char peek() {
    skip_blanks();
    return place_ < text_.size() ? text_[place_] : '\0';
  }
  bool take(std::string_view sign) {
    skip_blanks();
    if (text_.substr(place_, sign.size()) != sign) return false;
    place_ += sign.size();
    return true;
  }
  // Without blanks before it: a '#' after a blank begins a comment.
  bool take_adjacent(char sign) {
    const bool there = place_ < text_.size() && text_[place_] == sign;
    if (there) ++place_;
    return there;
  }
  void expect(std::string_view sign) {
    if (!take(sign)) fail("expected '", sign, "'");
  }
  std::string word() {
    std::string found(read_while(is_word));
    if (found.empty()) fail("expected a name");
    return found;
  }
  // Not read; empty: something else comes.
  std::string next_word() {
    const std::size_t before = place_;
    std::string found(read_while(is_word));
    place_ = before;
    const bool is_name = !found.empty() && std::isdigit(static_cast<unsigned char>(found[0])) == 0;
    return is_name ? found : std::string();
  }
  SizeNumber unsigned_number() {
    const std::string digits(
        read_while([](char c) { return c == '.' || std::isdigit(static_cast<unsigned char>(c)); }));
    if (digits.find('.') != std::string::npos)
      return SizeNumber::of(std::strtod(digits.c_str(), nullptr));
    return SizeNumber::of(static_cast<std::int64_t>(std::atoll(digits.c_str())));
  }
  // Without the sign, which is not read.
  std::string up_to(char sign) {
    const std::size_t end = text_.find(sign, place_);
    if (end == std::string_view::npos) fail("a text without end");
    std::string content(text_.substr(place_, end - place_));
    place_ = end;
    return content;
  }
  std::string quoted(char quote) {
    expect(std::string_view(&quote, 1));
    std::string content = up_to(quote);
    ++place_;
    return content;
  }
  // An int, or a float when it is written as one.
  AttributeValue number() {
    skip_blanks();
    const std::size_t start = place_;
    while (place_ < text_.size() &&
           (is_word(text_[place_]) ||
            std::string_view("+-.").find(text_[place_]) != std::string_view::npos)) {
      ++place_;
    }
    const std::string digits(text_.substr(start, place_ - start));
    if (digits.empty()) fail("expected a number");
    if (digits.find_first_of(".einf") == std::string::npos)
      return AttributeValue(static_cast<std::int64_t>(std::atoll(digits.c_str())));
    return AttributeValue(std::strtod(digits.c_str(), nullptr));
  }
  std::int64_t integer() {
    const AttributeValue value = number();
    if (!value.is_int()) fail("expected an integer");
    return value.integer();
  }

  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    const auto line =
        1 + std::count(text_.begin(),
                       text_.begin() + static_cast<std::ptrdiff_t>(std::min(place_, text_.size())),
                       '\n');
    platform::fail(ErrorKind::Value, "graph text, line ", line, ": ", parts...);
  }

 private:
  static bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  }
  template <class Belongs>
  std::string_view read_while(const Belongs& belongs) {
    skip_blanks();
    const std::size_t start = place_;
    while (place_ < text_.size() && belongs(text_[place_])) ++place_;
    return text_.substr(start, place_ - start);
  }
  void skip_blanks() {
    while (place_ < text_.size()) {
      if (text_[place_] == '#') {
        while (place_ < text_.size() && text_[place_] != '\n') ++place_;
      } else if (std::isspace(static_cast<unsigned char>(text_[place_])) != 0) {
        ++place_;
      } else {
        return;
      }
    }
  }
  std::string_view text_;
  std::size_t place_ = 0;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : in_(text) {}

  std::unique_ptr<Graph> graph() {
    in_.expect("graph");
    in_.expect("@");
    auto result = std::make_unique<Graph>(in_.up_to('('));  // names may be of several words
    graph_ = result.get();
    in_.expect("(");
    arguments(graph_->body());
    if (in_.take("where ")) relations();
    if (in_.take("on ")) graph_->set_device(device());
    in_.expect("{");
    region(graph_->body());
    return result;
  }

 private:
  // A type with what more is known of the value.
  struct ValueType {
    TensorSpec spec;
    ValueFacts facts;
  };

  TensorSpec spec() {
    TensorSpec spec;
    spec.dtype = dtype_named(in_.word());
    in_.expect("(");
    while (!in_.take(")")) {
      spec.shape.push_back(in_.integer());
      in_.take(",");
    }
    spec.is_number = in_.take("number");
    return spec;
  }

  // `own`: of this argument of the graph, whose axes give new names their meaning.
  ValueType type(const std::size_t* own = nullptr) {
    ValueType type{spec(), {}};
    if (in_.take("[")) {
      while (!in_.take("]")) {
        const std::size_t axis = type.facts.sizes.size();
        if (own != nullptr) define_symbol(*own, axis);
        type.facts.sizes.push_back(in_.take("?") ? nullptr : size());
        in_.take(",");
      }
      if (type.facts.sizes.size() != type.spec.shape.size())
        in_.fail("a value has another number of sizes than of axes");
    }
    if (own == nullptr && in_.take("blocked")) type.facts.layout = Layout::Blocked;
    return type;
  }

  void define_symbol(std::size_t argument, std::size_t axis) {
    if (const std::string name = in_.next_word(); !name.empty())
      symbols_.try_emplace(name, argument, axis);
  }

  // ---- sizes: sums of products of numbers and symbols ----

  SizeRef size() {
    SizeRef left = product();
    for (;;) {
      const bool adds = in_.take("+");
      if (!adds && !in_.take("-")) return left;
      left = combined_size(adds ? SizeOperation::Add : SizeOperation::Subtract, left, product());
    }
  }

  SizeRef product() {
    SizeRef left = factor();
    for (;;) {
      std::optional<SizeOperation> sign;
      if (in_.take("*")) sign = SizeOperation::Multiply;
      if (!sign && in_.take("//")) sign = SizeOperation::FloorDivide;
      if (!sign && in_.take("/")) sign = SizeOperation::Divide;
      if (!sign && in_.take("%")) sign = SizeOperation::Modulo;
      if (!sign) return left;
      left = combined_size(*sign, left, factor());
    }
  }

  SizeRef factor() {
    if (in_.take("-")) return combined_size(SizeOperation::Negate, factor(), nullptr);
    if (in_.take("(")) {
      SizeRef inner = size();
      in_.expect(")");
      return inner;
    }
    if (std::isdigit(static_cast<unsigned char>(in_.peek())) != 0)
      return number_size(in_.unsigned_number());
    const std::string name = in_.word();
    const auto found = symbols_.find(name);
    if (found == symbols_.end()) in_.fail("there is no size '", name, "'");
    return length_of(found->second.first, found->second.second);
  }

  void relations() {
    std::vector<SizeRelation> found;
    do {
      SizeRef a = size();
      const SizeComparison how = comparison();
      found.push_back({std::move(a), how, size()});
    } while (in_.take(","));
    graph_->set_relations(std::move(found));
  }

  SizeComparison comparison() {
    using enum SizeComparison;
    for (const SizeComparison how : {LessEqual, Less, Equal, NotEqual, GreaterEqual, Greater}) {
      if (in_.take(sign_of(how))) return how;
    }
    in_.fail("expected a comparison");
  }

  device::Device device() {
    const std::string name = in_.word();
    if (device::find_backend(name) == nullptr) in_.fail("there is no device '", name, "'");
    return {device::reserve_backend(name), static_cast<std::uint8_t>(in_.integer())};
  }

  // What is behind the sign that begins it.
  Origin origin() {
    Origin found;
    if (in_.peek() != '"') {
      const std::string name = in_.word();
      const std::optional<Phase> phase = op::phase_named(name);
      if (!phase) in_.fail("there is no phase '", name, "'");
      found.phase = *phase;
    }
    while (in_.peek() == '"') {
      std::string text = in_.quoted('"');
      if (in_.take_adjacent(':')) {
        found.position = std::make_shared<const Position>(
            Position{std::move(text), static_cast<int>(in_.integer())});
      } else {
        found.cell = std::make_shared<const std::string>(std::move(text));
      }
    }
    return found;
  }

  std::int64_t number_after_percent() {
    in_.expect("%");
    return in_.integer();
  }

  // Up to the closing bracket, which is read.
  void arguments(Region& region) {
    while (!in_.take(")")) {
      const std::int64_t id = number_after_percent();
      in_.expect(":");
      const std::size_t number = region.arguments().size();
      ValueType given = type(&region == &graph_->body() ? &number : nullptr);
      std::string name;
      if (in_.peek() != ',' && in_.peek() != ')') name = in_.word();
      Node& node = graph_->add_argument(region, std::move(given.spec), std::move(name));
      if (given.facts.is_news()) node.set_facts(0, std::move(given.facts));
      nodes_[id] = &node;
      in_.take(",");
    }
  }

  Output value() {
    if (in_.take("none")) return {};
    const std::int64_t id = number_after_percent();
    const auto found = nodes_.find(id);
    if (found == nodes_.end()) in_.fail("%", id, " is not defined");
    const std::uint32_t index =
        in_.take_adjacent('#') ? static_cast<std::uint32_t>(in_.integer()) : 0;
    return {found->second, index};
  }

  // Up to one of the signs that end a list; none is read.
  std::vector<Output> values() {
    std::vector<Output> list;
    while (in_.peek() == '%' || in_.peek() == 'n') {
      list.push_back(value());
      if (!in_.take(",")) break;
    }
    return list;
  }

  AttributeValue attribute() {
    if (in_.take("True")) return AttributeValue(true);
    if (in_.take("False")) return AttributeValue(false);
    if (in_.take("None")) return {};
    if (in_.take("mindspore.")) return AttributeValue(dtype_named(in_.word()));
    if (in_.peek() == '\'') return AttributeValue(in_.quoted('\''));
    if (!in_.take("(")) return in_.number();
    IntList ints;
    std::vector<double> floats;
    while (!in_.take(")")) {
      const AttributeValue item = in_.number();
      if (item.is_int()) ints.push_back(item.integer());
      floats.push_back(item.real());
      in_.take(",");
    }
    return ints.size() == floats.size() ? AttributeValue(ints) : AttributeValue(floats);
  }

  AttributeList attributes(const OpDef& definition) {
    AttributeList list;
    for (const op::AttributeDef& known : definition.attributes) list.push_back(known.initial);
    if (!in_.take(";")) return list;
    do {
      const std::string name = in_.word();
      const int index = definition.find_attribute(name);
      if (index < 0) in_.fail("'", definition.name, "' has no attribute '", name, "'");
      in_.expect("=");
      list[static_cast<std::size_t>(index)] = attribute();
    } while (in_.take(","));
    return list;
  }

  // Also notes what they say of the values, for the node that is being read.
  std::vector<TensorSpec> types() {
    in_.expect(":");
    std::vector<TensorSpec> list;
    facts_.clear();
    do {
      ValueType one = type();
      list.push_back(std::move(one.spec));
      facts_.push_back(std::move(one.facts));
    } while (in_.take(","));
    return list;
  }

  Node& constant(Region& region) {
    in_.expect("[");
    std::vector<double> elements;
    const bool hidden = in_.take("...");
    while (!hidden && in_.peek() != ']') {
      elements.push_back(in_.number().real());
      in_.take(",");
    }
    in_.expect("]");
    const TensorSpec spec = types().front();
    Tensor tensor = Tensor::empty(spec.shape, spec.dtype);
    if (hidden) in_.fail("a constant whose elements were left out cannot be read back");
    if (static_cast<std::int64_t>(elements.size()) != tensor.size())
      in_.fail("the constant has another number of elements than its type");
    tensor::with_real_type(spec.dtype, [&]<class T>() {
      for (std::size_t i = 0; i < elements.size(); ++i)
        tensor.data<T>()[i] = static_cast<T>(elements[i]);
    });
    tensor.body().is_number = spec.is_number;
    return graph_->add_constant(region, std::move(tensor));
  }

  Node& parameter(Region& region) {
    std::string name = in_.quoted('"');
    const TensorSpec spec = types().front();
    return graph_->add_parameter(region, Tensor::empty(spec.shape, spec.dtype), std::move(name));
  }

  void take_facts(Node& node) {
    for (std::size_t i = 0; i < facts_.size(); ++i)
      if (facts_[i].is_news()) node.set_facts(i, std::move(facts_[i]));
    facts_.clear();
  }

  void inner_regions(Node& node) {
    for (const auto& inner : node.regions()) {
      in_.expect("{");
      in_.expect("(");
      arguments(*inner);
      region(*inner);
    }
  }

  Node& branch(Region& region) {
    in_.expect("(");
    Node& node = graph_->add_if(region, value());
    in_.expect(")");
    graph_->set_types(node, types());
    take_facts(node);
    inner_regions(node);
    return node;
  }

  Node& loop(Region& region) {
    in_.expect("(");
    Node& node = graph_->add_while(region, values());
    in_.expect(")");
    graph_->set_types(node, types());
    take_facts(node);
    inner_regions(node);
    return node;
  }

  Node& fused(Region& region) {
    std::string name = in_.quoted('"');
    in_.expect("(");
    std::vector<Output> operands = values();
    in_.expect(")");
    Node& node = graph_->add_fused(region, std::move(name), std::move(operands));
    graph_->set_types(node, types());
    take_facts(node);
    in_.expect("{");
    in_.expect("(");
    name_arguments(node.region(0));
    this->region(node.region(0));
    return node;
  }

  // Of a region that has them already.
  void name_arguments(const Region& region) {
    for (Node* argument : region.arguments()) {
      nodes_[number_after_percent()] = argument;
      in_.expect(":");
      type();
      in_.take(",");
    }
    in_.expect(")");
  }

  Node& operation(Region& region, const std::string& name) {
    const OpDef* definition = operator_named(name);
    if (definition == nullptr) in_.fail("there is no operator '", name, "'");
    in_.expect("(");
    std::vector<Output> operands = values();
    AttributeList list = attributes(*definition);
    in_.expect(")");
    return graph_->add_operator(region, *definition, std::move(operands), std::move(list), types());
  }

  // Up to the closing brace, which is read.
  void region(Region& region) {
    while (!in_.take("return")) {
      const std::int64_t id = number_after_percent();
      in_.expect("=");
      const std::string name = in_.word();
      Node& node = name == "constant"    ? constant(region)
                   : name == "parameter" ? parameter(region)
                   : name == "if"        ? branch(region)
                   : name == "while"     ? loop(region)
                   : name == "fused"     ? fused(region)
                                         : operation(region, name);
      take_facts(node);
      if (in_.take("@")) node.set_origin(origin());
      nodes_[id] = &node;
    }
    region.set_results(values());
    in_.expect("}");
  }

  Reader in_;
  Graph* graph_ = nullptr;
  std::unordered_map<std::int64_t, Node*> nodes_;
  std::unordered_map<std::string, std::pair<std::size_t, std::size_t>> symbols_;
  std::vector<ValueFacts> facts_;
};

}  // namespace

std::unique_ptr<Graph> parse(std::string_view text) { return Parser(text).graph(); }

}  // namespace mycel::ir
