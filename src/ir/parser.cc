// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <unordered_map>

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
    skip_blanks();
    const std::size_t start = place_;
    while (place_ < text_.size() && is_word(text_[place_])) ++place_;
    if (place_ == start) fail("expected a name");
    return std::string(text_.substr(start, place_ - start));
  }
  std::string quoted(char quote) {
    expect(std::string_view(&quote, 1));
    const std::size_t end = text_.find(quote, place_);
    if (end == std::string_view::npos) fail("a text without end");
    std::string content(text_.substr(place_, end - place_));
    place_ = end + 1;
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
    auto result = std::make_unique<Graph>(in_.word());
    graph_ = result.get();
    in_.expect("(");
    arguments(graph_->body());
    in_.expect("{");
    region(graph_->body());
    return result;
  }

 private:
  TensorSpec type() {
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

  std::int64_t number_after_percent() {
    in_.expect("%");
    return in_.integer();
  }

  // Up to the closing bracket, which is read.
  void arguments(Region& region) {
    while (!in_.take(")")) {
      const std::int64_t id = number_after_percent();
      in_.expect(":");
      TensorSpec spec = type();
      std::string name;
      if (in_.peek() != ',' && in_.peek() != ')') name = in_.word();
      nodes_[id] = &graph_->add_argument(region, std::move(spec), std::move(name));
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

  std::vector<TensorSpec> types() {
    in_.expect(":");
    std::vector<TensorSpec> list{type()};
    while (in_.take(",")) list.push_back(type());
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
    inner_regions(node);
    return node;
  }

  Node& loop(Region& region) {
    in_.expect("(");
    Node& node = graph_->add_while(region, values());
    in_.expect(")");
    graph_->set_types(node, types());
    inner_regions(node);
    return node;
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
                                         : operation(region, name);
      nodes_[id] = &node;
    }
    region.set_results(values());
    in_.expect("}");
  }

  Reader in_;
  Graph* graph_ = nullptr;
  std::unordered_map<std::int64_t, Node*> nodes_;
};

}  // namespace

std::unique_ptr<Graph> parse(std::string_view text) { return Parser(text).graph(); }

}  // namespace mycel::ir
