// SPDX-License-Identifier: Apache-2.0
// What the registry says of operators, in words for people: documentation, messages, tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "operator/op_def.h"

namespace mycel::op {

std::string_view name_of(SampleInput::Kind kind);
std::string_view name_of(TypeRule rule);
// Names of the devices on which it runs.
std::vector<std::string> platforms_of(const OpDef& definition);
std::vector<tensor::DType> dtypes_in(DTypeSet set);
// The error for a value of a kind that an attribute cannot hold, wherever it comes from.
[[noreturn]] void refuse_kind(std::string_view op, const AttributeDef& attribute,
                              std::string_view given_kind);
// An error for a text that is none of those an attribute may be.
void require_choice(std::string_view op, const AttributeDef& attribute, std::string_view given);

}  // namespace mycel::op
