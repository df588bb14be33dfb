// SPDX-License-Identifier: Apache-2.0
// Changes of messages for fuzzers: bytes changed anywhere break lengths and get no further than the
// decoder, these keep a message whole and change what it says. Not part of the library.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "platform/protobuf/message.h"

extern "C" std::size_t LLVMFuzzerMutate(unsigned char* data, std::size_t size, std::size_t most);

namespace mycel::platform {

class MessageChanger {
 public:
  // Changes a text by a few bytes.
  using TextChange = std::function<std::string(std::string)>;

  MessageChanger(unsigned seed, TextChange change_text)
      : random_(seed), change_text_(std::move(change_text)) {}

  // The message with one field changed, dropped, doubled or moved, at any depth.
  std::string changed(std::string_view message) {
    std::vector<Field> fields = fields_of(message);
    if (fields.empty()) return change_text_(std::string(message));
    Field& field = fields[below(fields.size())];
    if (field.wire == Wire::Bytes && below(8) != 0 && !fields_of(field.content).empty()) {
      field.content = changed(field.content);
      return encoded(fields);
    }
    switch (below(8)) {
      case 0: fields.erase(fields.begin() + (&field - fields.data())); break;
      case 1: {
        Field copy = field;
        fields.insert(fields.begin() + place(fields), std::move(copy));
        break;
      }
      case 2: std::swap(field, fields[below(fields.size())]); break;
      case 3: change_as_another(field, fields); break;
      default: change(field); break;
    }
    return encoded(fields);
  }

  // The first message with a field of the second, at any depth that both have.
  std::string crossed(std::string_view message, std::string_view other) {
    std::vector<Field> fields = fields_of(message), others = fields_of(other);
    if (fields.empty() || others.empty()) return std::string(message);
    Field& taken = others[below(others.size())];
    std::vector<Field*> alike;
    for (Field& field : fields)
      if (field.number == taken.number && field.wire == taken.wire) alike.push_back(&field);
    if (!alike.empty() && below(4) != 0) {
      Field& field = *alike[below(alike.size())];
      const bool is_deeper = field.wire == Wire::Bytes && !fields_of(field.content).empty() &&
                             !fields_of(taken.content).empty() && below(5) != 0;
      field.content = is_deeper ? crossed(field.content, taken.content) : taken.content;
      field.varint = taken.varint;
    } else {
      fields.insert(fields.begin() + place(fields), std::move(taken));
    }
    return encoded(fields);
  }

 private:
  struct Field {
    std::uint32_t number = 0;
    Wire wire = Wire::Varint;
    std::uint64_t varint = 0;
    std::string content;  // of fields that are no varint
  };

  std::size_t below(std::size_t count) { return random_() % count; }
  std::ptrdiff_t place(const std::vector<Field>& fields) {
    return static_cast<std::ptrdiff_t>(below(fields.size() + 1));
  }

  // Empty: it is no message.
  static std::vector<Field> fields_of(std::string_view message) {
    static const MessageSource nowhere{ErrorKind::Value, "no message"};
    std::vector<Field> fields;
    try {
      MessageReader reader(message, nowhere);
      Field field;
      while (reader.next(field.number, field.wire)) {
        switch (field.wire) {
          case Wire::Varint: field.varint = reader.varint(); break;
          case Wire::Bytes: field.content = reader.bytes(); break;
          case Wire::Fixed32: field.content = raw(reader.fixed32()); break;
          case Wire::Fixed64: field.content = raw(reader.fixed64()); break;
          default: return {};
        }
        fields.push_back(field);
      }
    } catch (const Error&) {
      return {};
    }
    return fields;
  }

  template <class Number>
  static std::string raw(Number number) {
    return {reinterpret_cast<const char*>(&number), sizeof number};
  }

  static std::string encoded(const std::vector<Field>& fields) {
    std::string message;
    MessageWriter writer(message);
    for (const Field& field : fields) {
      if (field.wire == Wire::Varint) {
        writer.varint(field.number, field.varint);
      } else if (field.wire == Wire::Bytes) {
        writer.bytes(field.number, field.content);
      } else {
        writer.raw_varint(std::uint64_t{field.number} << 3 |
                          static_cast<std::uint64_t>(field.wire));
        message += field.content;
      }
    }
    return message;
  }

  void change_as_another(Field& field, const std::vector<Field>& fields) {
    const Field& other = fields[below(fields.size())];
    if (other.wire != field.wire) return change(field);
    field.varint = other.varint;
    field.content = other.content;
  }

  void change(Field& field) {
    if (field.wire == Wire::Varint) {
      field.varint = changed_number(field.varint);
      return;
    }
    const std::size_t bytes = field.content.size();
    field.content = change_text_(std::move(field.content));
    if (field.wire != Wire::Bytes) field.content.resize(bytes);
  }

  std::uint64_t changed_number(std::uint64_t number) {
    switch (below(8)) {
      case 0: return number + 1;
      case 1: return number - 1;
      case 2: return 0 - number;
      case 3: return number * 2;
      case 4: return std::uint64_t{1} << below(64);
      case 5: return 0 - (std::uint64_t{1} << below(64));
      case 6: return number ^ std::uint64_t{1} << below(8);
      default: return below(48);
    }
  }

  std::minstd_rand random_;
  TextChange change_text_;
};

// What libFuzzer does to a text; it grows by a little at most.
inline std::string text_changed_by_fuzzer(std::string text) {
  const std::size_t size = text.size();
  text.resize(size + 16);
  text.resize(LLVMFuzzerMutate(reinterpret_cast<unsigned char*>(text.data()), size, text.size()));
  return text;
}

inline std::string_view bytes_of_fuzzer(const unsigned char* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// For LLVMFuzzerCustomMutator: up to three changes; now and then one of bytes anywhere.
inline std::size_t change_message(unsigned char* data, std::size_t size, std::size_t most,
                                  unsigned seed) {
  if (seed % 8 == 0) return LLVMFuzzerMutate(data, size, most);
  MessageChanger changer(seed, text_changed_by_fuzzer);
  std::string message(bytes_of_fuzzer(data, size));
  for (unsigned i = 0; i <= seed / 8 % 3; ++i) message = changer.changed(message);
  if (message.empty() || message.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::memcpy(data, message.data(), message.size());
  return message.size();
}

// For LLVMFuzzerCustomCrossOver.
inline std::size_t cross_messages(std::string_view first, std::string_view second,
                                  unsigned char* out, std::size_t most, unsigned seed) {
  MessageChanger changer(seed, text_changed_by_fuzzer);
  const std::string message = changer.crossed(first, second);
  if (message.size() > most) return 0;
  std::memcpy(out, message.data(), message.size());
  return message.size();
}

}  // namespace mycel::platform
