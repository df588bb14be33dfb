// SPDX-License-Identifier: Apache-2.0
// Values and types as messages of MindIR files.
#pragma once

#include <span>
#include <string>

#include "formats/message/written_message.h"
#include "operator/datum.h"

namespace mycel::formats::mindir {

// Stands for the order of side effects; carries no value.
class Monad final : public op::Opaque {
 public:
  std::string_view kind() const override { return "UMonad"; }
};

const MessageSpec& node_spec();
const MessageSpec& attribute_spec();
const MessageSpec& primitive_spec();
const MessageSpec& tensor_spec();
const MessageSpec& value_info_spec();

WrittenMessage type_message(const op::TensorSpec& type);  // of a tensor
// An attribute with a value: a tensor, a number, a text, a type, None, a monad, a tuple of these.
WrittenMessage attribute_message(std::string name, const op::Datum& value);
// The attribute that tells the types of what a call returns.
WrittenMessage result_message(std::span<const op::TensorSpec> types, bool is_tuple);
// A text that tells a plain value from every other, 1 from 1.0 and from True.
std::string key_of(const op::Datum& value);

}  // namespace mycel::formats::mindir
