// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace mycel::formats {

// The fields of a kind of message, as the makers of a format publish them.
enum class FieldKind : std::uint8_t { Int, Bool, Float, Double, Text, Bytes, Message };

struct MessageSpec;

struct FieldSpec {
  std::uint32_t number;
  std::string_view name;
  FieldKind kind;
  bool is_repeated = false;
  const MessageSpec* message = nullptr;  // of a field of that kind
};

struct MessageSpec {
  std::string_view name;
  std::span<const FieldSpec> fields;  // by ascending number

  const FieldSpec* find(std::uint32_t number) const {
    for (const FieldSpec& field : fields) {
      if (field.number == number) return &field;
    }
    return nullptr;
  }
  const FieldSpec* find(std::string_view field_name) const {
    for (const FieldSpec& field : fields) {
      if (field.name == field_name) return &field;
    }
    return nullptr;
  }
  // Of the messages that a field holds.
  const MessageSpec& part(std::string_view field_name) const { return *find(field_name)->message; }
};

}  // namespace mycel::formats
