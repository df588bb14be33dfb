// SPDX-License-Identifier: Apache-2.0
#include "operator/descriptions.h"

#include <algorithm>

#include "device/backend.h"
#include "platform/error/error.h"

namespace mycel::op {

std::string_view name_of(SampleInput::Kind kind) {
  using Kind = SampleInput::Kind;
  switch (kind) {
    case Kind::Normal: return "normal";
    case Kind::Uniform: return "uniform";
    case Kind::Positive: return "positive";
    case Kind::Integers: return "integers";
    case Kind::Constant: return "constant";
    case Kind::Values: return "values";
    case Kind::Mask: return "mask";
    case Kind::Absent: return "absent";
    case Kind::Number: return "number";
  }
  return "?";
}

std::string_view name_of(TypeRule rule) {
  switch (rule) {
    case TypeRule::Promote: return "promote";
    case TypeRule::PromoteFloat: return "promote to float";
    case TypeRule::Compare: return "compare";
    case TypeRule::First: return "first";
  }
  return "?";
}

std::vector<std::string> platforms_of(const OpDef& definition) {
  const bool is_composed =
      definition.composite != nullptr || definition.view != nullptr || definition.is_elementwise();
  std::vector<std::string> platforms;
  for (std::uint8_t i = 0; i < device::kMaxBackends; ++i) {
    const bool on_host = i == device::kHostBackend && is_composed;
    if (on_host || !definition.kernels[i].empty()) platforms.emplace_back(device::backend_name(i));
  }
  return platforms;
}

std::vector<tensor::DType> dtypes_in(DTypeSet set) {
  std::vector<tensor::DType> dtypes;
  for (int i = 0; i < tensor::kDTypeCount; ++i) {
    const auto dtype = static_cast<tensor::DType>(i);
    if (set.contains(dtype)) dtypes.push_back(dtype);
  }
  return dtypes;
}

void refuse_kind(std::string_view op, const AttributeDef& attribute, std::string_view given_kind) {
  platform::fail(platform::ErrorKind::Type, "For '", op, "', the '", attribute.name, "' must be ",
                 name_of(attribute.type), attribute.none_allowed ? " or None" : "", ", but got ",
                 given_kind, ".");
}

void require_choice(std::string_view op, const AttributeDef& attribute, std::string_view given) {
  const auto& choices = attribute.choices;
  if (choices.empty() || std::find(choices.begin(), choices.end(), given) != choices.end()) return;
  std::string list;
  for (const std::string& choice : choices)
    list += platform::join(list.empty() ? "'" : ", '", choice, "'");
  platform::fail(platform::ErrorKind::Value, "For '", op, "', the '", attribute.name,
                 "' must be one of [", list, "], but got '", given, "'.");
}

const std::string& parameter_name(const OpDef& definition, ParameterRef parameter) {
  const auto index = static_cast<std::size_t>(parameter.index);
  return parameter.is_input ? definition.inputs[index].name : definition.attributes[index].name;
}

std::optional<std::size_t> find_parameter(const OpDef& definition, std::string_view name) {
  for (std::size_t i = 0; i < definition.parameters.size(); ++i)
    if (parameter_name(definition, definition.parameters[i]) == name) return i;
  return std::nullopt;
}

void refuse_missing(const OpDef& definition, ParameterRef parameter) {
  platform::fail(platform::ErrorKind::Type, definition.shown_name(),
                 "() missing 1 required positional argument: '",
                 parameter_name(definition, parameter), "'");
}

void rethrow_named(const OpDef& definition, const platform::Error& error) {
  using platform::ErrorKind;
  const ErrorKind kind = error.kind();
  const bool is_argument =
      kind == ErrorKind::Type || kind == ErrorKind::Value || kind == ErrorKind::Index;
  if (!is_argument || error.message().starts_with("For ") ||
      error.message().find("() ") != std::string::npos)
    throw;
  platform::fail(kind, "For '", definition.shown_name(), "', ", error.message());
}

}  // namespace mycel::op
