// SPDX-License-Identifier: Apache-2.0
#include "operator/define.h"

#include <algorithm>

namespace mycel::op {
namespace {

AttributeType type_of(const AttributeValue& value) {
  if (value.is_bool()) return AttributeType::Bool;
  if (value.is_int()) return AttributeType::Int;
  if (value.is_float()) return AttributeType::Float;
  if (value.is_text()) return AttributeType::Text;
  if (value.is_dtype()) return AttributeType::DType;
  if (value.is_floats()) return AttributeType::Floats;
  return AttributeType::Ints;
}

void add_all(std::vector<std::string>& list, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) list.emplace_back(name);
}

}  // namespace

Define& Define::names(const Names& names) {
  def_.primitive = names.primitive;
  def_.function = names.function;
  def_.method = names.method;
  return *this;
}
Define& Define::function_aliases(std::initializer_list<std::string_view> names) {
  add_all(def_.function_aliases, names);
  return *this;
}
Define& Define::primitive_aliases(std::initializer_list<std::string_view> names) {
  add_all(def_.primitive_aliases, names);
  return *this;
}
Define& Define::method_aliases(std::initializer_list<std::string_view> names) {
  add_all(def_.method_aliases, names);
  return *this;
}
Define& Define::doc(std::string_view text) {
  def_.doc = text;
  return *this;
}
Define& Define::numpy(std::string_view expression) {
  def_.numpy = expression;
  return *this;
}

Define& Define::input(std::string_view name, std::string_view doc, DTypeSet dtypes) {
  def_.parameters.push_back({true, static_cast<int>(def_.inputs.size())});
  def_.inputs.push_back(InputDef{std::string(name), std::string(doc), dtypes, false, false, false});
  return *this;
}
Define& Define::optional_input(std::string_view name, std::string_view doc, DTypeSet dtypes) {
  input(name, doc, dtypes);
  def_.inputs.back().optional = true;
  return *this;
}
Define& Define::variadic_input(std::string_view name, std::string_view doc, DTypeSet dtypes) {
  input(name, doc, dtypes);
  def_.inputs.back().variadic = true;
  return *this;
}
Define& Define::mask_input(std::string_view name, std::string_view doc) {
  input(name, doc, tensor::kAny);
  def_.inputs.back().is_mask = true;
  return *this;
}

AttributeDef& Define::add_attribute(std::string_view name, std::string_view doc, AttributeType type,
                                    AttributeOptions options) {
  def_.parameters.push_back({false, static_cast<int>(def_.attributes.size())});
  AttributeDef& added = def_.attributes.emplace_back();
  added.name = name;
  added.doc = doc;
  added.type = type;
  added.in_call = options.in_call;
  add_all(added.choices, options.choices);
  added.none_element = options.none_element;
  return added;
}
Define& Define::attribute(std::string_view name, std::string_view doc, AttributeValue initial,
                          AttributeOptions options) {
  const AttributeType type = type_of(initial);
  add_attribute(name, doc, type, options).initial = std::move(initial);
  return *this;
}
Define& Define::attribute(std::string_view name, std::string_view doc, Required required,
                          AttributeOptions options) {
  AttributeDef& added = add_attribute(name, doc, required.type, options);
  added.required = true;
  added.none_allowed = required.none_allowed;
  return *this;
}
Define& Define::attribute(std::string_view name, std::string_view doc, Optional optional,
                          AttributeOptions options) {
  add_attribute(name, doc, optional.type, options).none_allowed = true;
  return *this;
}
Define& Define::attribute(std::string_view name, std::string_view doc, Nullable nullable,
                          AttributeOptions options) {
  AttributeDef& added = add_attribute(name, doc, nullable.type, options);
  added.initial = std::move(nullable.initial);
  added.none_allowed = true;
  return *this;
}

Define& Define::output(std::string_view name, std::string_view doc) {
  def_.outputs.push_back(OutputDef{std::string(name), std::string(doc), -1, false});
  return *this;
}
Define& Define::variadic_output(std::string_view name, std::string_view doc) {
  def_.outputs.push_back(OutputDef{std::string(name), std::string(doc), -1, true});
  return *this;
}
Define& Define::in_place_output(std::string_view name, std::string_view doc, int input) {
  const bool variadic = def_.inputs[static_cast<std::size_t>(input)].variadic;
  def_.outputs.push_back(OutputDef{std::string(name), std::string(doc), input, variadic});
  def_.has_effects = true;
  return *this;
}

Define& Define::order(std::initializer_list<std::string_view> parameters) {
  std::vector<ParameterRef> ordered;
  for (const std::string_view name : parameters) {
    const int input_index = def_.find_input(name);
    const int attribute_index = def_.find_attribute(name);
    platform::require(input_index >= 0 || attribute_index >= 0, ErrorKind::Internal, "operator '",
                      def_.name, "' has no parameter '", name, "'");
    ordered.push_back(input_index >= 0 ? ParameterRef{true, input_index}
                                       : ParameterRef{false, attribute_index});
  }
  def_.parameters = std::move(ordered);
  return *this;
}

Define& Define::infer(void (*function)(InferContext&)) {
  def_.infer = function;
  return *this;
}
Define& Define::gradient(void (*function)(GradientContext&)) {
  def_.gradient = function;
  def_.gradient_kind = GradientKind::Rule;
  return *this;
}
Define& Define::keeps(std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const int index = def_.find_input(name);
    if (index >= 0) {
      // A variadic input keeps every tensor of its list.
      const bool variadic = def_.inputs[static_cast<std::size_t>(index)].variadic;
      def_.kept_inputs |= variadic ? ~((1U << index) - 1U) : 1U << index;
      continue;
    }
    const auto output =
        std::find_if(def_.outputs.begin(), def_.outputs.end(),
                     [&](const OutputDef& candidate) { return candidate.name == name; });
    platform::require(output != def_.outputs.end(), ErrorKind::Internal, "operator '", def_.name,
                      "' has no '", name, "' to keep");
    def_.kept_outputs |= 1U << (output - def_.outputs.begin());
  }
  return *this;
}
Define& Define::not_differentiable() {
  def_.gradient_kind = GradientKind::None;
  return *this;
}
Define& Define::composite(void (*function)(CompositeContext&)) {
  def_.composite = function;
  def_.gradient_kind = GradientKind::Rule;
  return *this;
}
Define& Define::view(bool (*function)(ViewContext&)) {
  def_.view = function;
  return *this;
}
Define& Define::random() {
  def_.is_random = true;
  return *this;
}
Define& Define::effects() {
  def_.has_effects = true;
  return *this;
}
Define& Define::dynamic_outputs() {
  def_.dynamic_outputs = true;
  return *this;
}
Define& Define::internal() {
  def_.internal = true;
  return *this;
}

Define& Define::traits(const Traits& traits) {
  def_.traits = traits;
  return *this;
}

Expr Define::in(int index) const {
  return Expr::input(index, def_.inputs[static_cast<std::size_t>(index)].is_mask);
}
Expr Define::attr(std::string_view name) const {
  const int index = def_.find_attribute(name);
  platform::require(index >= 0, ErrorKind::Internal, "operator '", def_.name,
                    "' has no attribute '", name, "'");
  return Expr::attribute(index);
}
Define& Define::set_scalar(TypeRule rule, Expr formula) {
  def_.scalar = std::move(formula);
  def_.type_rule = rule;
  def_.infer = infer_elementwise;
  if (def_.gradient_kind == GradientKind::Undecided) def_.gradient_kind = GradientKind::Derived;
  return *this;
}
Define& Define::result(DType dtype) {
  def_.result_type = dtype;
  return *this;
}
Define& Define::real_result() {
  def_.real_result = true;
  return *this;
}

Define& Define::sample(std::string_view name, std::vector<SampleInput> inputs,
                       std::vector<std::pair<std::string, AttributeValue>> attributes) {
  def_.samples.push_back(Sample{std::string(name), std::move(inputs), std::move(attributes)});
  return *this;
}
Define& Define::sample_dtypes(DTypeSet dtypes) {
  def_.sample_dtypes = dtypes;
  return *this;
}

namespace {
SampleInput sample_input(SampleInput::Kind kind, Shape shape, double low = 0, double high = 1) {
  SampleInput input;
  input.kind = kind;
  input.shape = std::move(shape);
  input.low = low;
  input.high = high;
  return input;
}
}  // namespace

SampleInput normal(Shape shape) {
  return sample_input(SampleInput::Kind::Normal, std::move(shape));
}
SampleInput uniform(Shape shape, double low, double high) {
  return sample_input(SampleInput::Kind::Uniform, std::move(shape), low, high);
}
SampleInput positive(Shape shape) {
  return sample_input(SampleInput::Kind::Positive, std::move(shape), 0.1, 2);
}
SampleInput integers(Shape shape, std::int64_t low, std::int64_t high, DType dtype) {
  SampleInput input = sample_input(SampleInput::Kind::Integers, std::move(shape),
                                   static_cast<double>(low), static_cast<double>(high));
  input.dtype = dtype;
  return input;
}
SampleInput constant(Shape shape, double value) {
  return sample_input(SampleInput::Kind::Constant, std::move(shape), value, value);
}
SampleInput values(Shape shape, std::vector<double> values) {
  SampleInput input = sample_input(SampleInput::Kind::Values, std::move(shape));
  input.values = std::move(values);
  return input;
}
SampleInput mask(Shape shape) {
  SampleInput input = sample_input(SampleInput::Kind::Mask, std::move(shape));
  input.dtype = DType::Bool;
  return input;
}
SampleInput absent() { return sample_input(SampleInput::Kind::Absent, {}); }
SampleInput number(double value) {
  return sample_input(SampleInput::Kind::Number, {}, value, value);
}

}  // namespace mycel::op
