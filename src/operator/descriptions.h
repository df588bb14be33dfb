// SPDX-License-Identifier: Apache-2.0
// What the registry says of operators, in words for people: documentation, messages, tests.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "operator/op_def.h"
#include "platform/error/error.h"

namespace mycel::op {

std::string_view name_of(SampleInput::Kind kind);
std::string_view name_of(TypeRule rule);
// Names of the devices on which it runs.
std::vector<std::string> platforms_of(const OpDef& definition);
std::vector<tensor::DType> dtypes_in(DTypeSet set);
// The error for a value of a kind that an attribute cannot hold, wherever it comes from.
[[noreturn]] void refuse_kind(std::string_view op, const AttributeDef& attribute,
                              std::string_view given_kind);
// The name of a parameter of the operator's function, and the parameter of a name.
const std::string& parameter_name(const OpDef& definition, ParameterRef parameter);
std::optional<std::size_t> find_parameter(const OpDef& definition, std::string_view name);
// An error for a parameter that was not given, though it has to be.
[[noreturn]] void refuse_missing(const OpDef& definition, ParameterRef parameter);
// The error of a call, thrown again; one that is about an argument says whose it is, even where it
// comes from below operators.
[[noreturn]] void rethrow_named(const OpDef& definition, const platform::Error& error);
// An error for a text that is none of those an attribute may be.
void require_choice(std::string_view op, const AttributeDef& attribute, std::string_view given);

}  // namespace mycel::op
