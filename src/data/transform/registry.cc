// SPDX-License-Identifier: Apache-2.0
#include "data/transform/registry.h"

#include <map>

#include "platform/error/error.h"

namespace mycel::data {

namespace {

using platform::fail;

std::map<std::string, TransformSchema>& schemas() {
  static std::map<std::string, TransformSchema> all;
  return all;
}

void check_number(const ParameterSchema& parameter, double value) {
  const bool low_ok = parameter.low_is_open ? value > parameter.low : value >= parameter.low;
  if (low_ok && value <= parameter.high) return;
  fail(ErrorKind::Value, "Input ", parameter.name, " is not within the required interval of ",
       parameter.low_is_open ? "(" : "[", parameter.low, ", ", parameter.high, "].");
}

void check_range(const ParameterSchema& parameter, const Parameters::Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value))
    return check_number(parameter, static_cast<double>(*number));
  if (const auto* number = std::get_if<double>(&value)) return check_number(parameter, *number);
  if (const auto* list = std::get_if<Integers>(&value))
    for (const std::int64_t number : *list) check_number(parameter, static_cast<double>(number));
  if (const auto* list = std::get_if<Reals>(&value))
    for (const double number : *list) check_number(parameter, number);
}

}  // namespace

std::string_view name_of(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::Flag: return "flag";
    case ParameterKind::Integer: return "integer";
    case ParameterKind::Real: return "real";
    case ParameterKind::Text: return "text";
    case ParameterKind::Number: return "number";
    case ParameterKind::DataType: return "data_type";
    case ParameterKind::Size: return "size";
    case ParameterKind::Edge: return "edge";
    case ParameterKind::Interpolation: return "interpolation";
    case ParameterKind::Border: return "border";
    case ParameterKind::Padding: return "padding";
    case ParameterKind::Fill: return "fill";
    case ParameterKind::Interval: return "interval";
    case ParameterKind::Spread: return "spread";
    case ParameterKind::HueSpread: return "hue_spread";
    case ParameterKind::Degrees: return "degrees";
    case ParameterKind::Threshold: return "threshold";
    case ParameterKind::IntegerRange: return "integer_range";
    case ParameterKind::ShearRange: return "shear_range";
    case ParameterKind::ColourConversion: return "colour_conversion";
    case ParameterKind::Integers: return "integers";
    case ParameterKind::Reals: return "reals";
    case ParameterKind::Choice: return "choice";
  }
  return "?";
}

std::string_view name_of(InputLayout layout) {
  switch (layout) {
    case InputLayout::Any: return "any";
    case InputLayout::Encoded: return "encoded";
    case InputLayout::Image: return "image";
    case InputLayout::Video: return "video";
    case InputLayout::LabelledBatch: return "labelled_batch";
  }
  return "?";
}

bool TransformDefinition::make(TransformFactory factory) {
  schema_.make = factory;
  const std::string name = schema_.name;
  return schemas().emplace(name, std::move(schema_)).second;
}

const TransformSchema& transform_schema(const std::string& name) {
  const auto found = schemas().find(name);
  if (found == schemas().end())
    fail(ErrorKind::Internal, "there is no native transform '", name, "'");
  return found->second;
}

TransformPtr make_transform(const std::string& name, const Parameters& parameters) {
  const TransformSchema& schema = transform_schema(name);
  Parameters complete = parameters;
  for (const ParameterSchema& parameter : schema.parameters) {
    const auto given = parameters.all().find(parameter.name);
    if (given != parameters.all().end()) {
      check_range(parameter, given->second);
    } else if (parameter.fallback.has_value()) {
      complete.set(parameter.name, *parameter.fallback);
    } else {
      fail(ErrorKind::Type, name, " needs the argument '", parameter.name, "'");
    }
  }
  return schema.make(complete);
}

std::vector<std::string> transform_names() {
  std::vector<std::string> names;
  for (const auto& [name, schema] : schemas()) names.push_back(name);
  return names;
}

}  // namespace mycel::data
