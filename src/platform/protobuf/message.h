// SPDX-License-Identifier: Apache-2.0
// The encoding of Protocol Buffers: fields one after the other, each with its number and the kind
// of its bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "platform/error/error.h"

namespace mycel::platform {

enum class Wire : std::uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

// What a message is part of, for the error that it is not one.
struct MessageSource {
  ErrorKind kind;
  std::string_view mistake;  // "the record is not a tf.Example"
};

// Reads the fields of one message; no read goes past its end.
class MessageReader {
 public:
  MessageReader(std::string_view message, const MessageSource& source)
      : message_(message), source_(source) {}

  // False at the end. Then exactly one of varint(), bytes(), fixed32(), skip().
  bool next(std::uint32_t& field, Wire& wire) {
    if (at_ == message_.size()) return false;
    const std::uint64_t tag = varint();
    field = static_cast<std::uint32_t>(tag >> 3);
    wire = static_cast<Wire>(tag & 7);
    require(field > 0 && tag >> 32 == 0, "a field number");
    return true;
  }
  bool at_end() const { return at_ == message_.size(); }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      require(at_ < message_.size(), "more bytes of a number");
      const auto byte = static_cast<unsigned char>(message_[at_++]);
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    refuse("a number of at most ten bytes");
  }
  std::string_view bytes() { return take(varint()); }
  float fixed32() {
    float value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  double fixed64() {
    double value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  void skip(Wire wire) {
    switch (wire) {
      case Wire::Varint: varint(); return;
      case Wire::Fixed64: take(8); return;
      case Wire::Bytes: bytes(); return;
      case Wire::Fixed32: take(4); return;
    }
    refuse("a known kind of field");
  }

 private:
  std::string_view take(std::uint64_t length) {
    require(length <= message_.size() - at_, "a length within the message");
    const std::string_view part = message_.substr(at_, static_cast<std::size_t>(length));
    at_ += static_cast<std::size_t>(length);
    return part;
  }
  void require(bool ok, std::string_view expected) const {
    if (!ok) [[unlikely]]
      refuse(expected);
  }
  [[noreturn]] void refuse(std::string_view expected) const {
    fail(source_.kind, source_.mistake, ": expected ", expected, " at byte ", at_,
         " of a message of ", message_.size(), " bytes");
  }

  std::string_view message_;
  const MessageSource& source_;
  std::size_t at_ = 0;
};

// Calls body(reader, field, wire) for each field; the body says whether it has taken the field.
template <class Body>
void for_fields(std::string_view message, const MessageSource& source, Body body) {
  MessageReader reader(message, source);
  std::uint32_t field = 0;
  Wire wire = Wire::Varint;
  while (reader.next(field, wire))
    if (!body(reader, field, wire)) reader.skip(wire);
}

// Appends fields to a text.
class MessageWriter {
 public:
  explicit MessageWriter(std::string& out) : out_(out) {}

  void raw_varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_.push_back(static_cast<char>(value | 0x80));
    out_.push_back(static_cast<char>(value));
  }
  void varint(std::uint32_t field, std::uint64_t value) {
    tag(field, Wire::Varint);
    raw_varint(value);
  }
  void fixed32(std::uint32_t field, float value) {
    tag(field, Wire::Fixed32);
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void fixed64(std::uint32_t field, double value) {
    tag(field, Wire::Fixed64);
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  // The head of a field whose `length` bytes the caller appends or writes elsewhere.
  void bytes_head(std::uint32_t field, std::uint64_t length) {
    tag(field, Wire::Bytes);
    raw_varint(length);
  }
  void bytes(std::uint32_t field, std::string_view value) {
    bytes_head(field, value.size());
    out_.append(value);
  }

 private:
  void tag(std::uint32_t field, Wire wire) {
    raw_varint(std::uint64_t{field} << 3 | static_cast<std::uint64_t>(wire));
  }
  std::string& out_;
};

}  // namespace mycel::platform
