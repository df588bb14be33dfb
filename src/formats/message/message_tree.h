// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "formats/message/message_spec.h"
#include "platform/protobuf/message.h"

namespace mycel::formats {

// A message with its fields in the order of the file. Texts and bytes are views of what was
// decoded.
struct MessageTree {
  using Value = std::variant<std::int64_t, double, std::string_view, std::unique_ptr<MessageTree>>;
  struct Field {
    const FieldSpec* spec;
    Value value;
  };
  const MessageSpec* spec = nullptr;
  std::vector<Field> fields;
};

// Reads a message; fields that the specification does not have are passed over. An error of
// `source` for what is no such message, or is nested more deeply than any real one.
MessageTree decode_message(const MessageSpec& spec, std::string_view bytes,
                           const platform::MessageSource& source);

}  // namespace mycel::formats
