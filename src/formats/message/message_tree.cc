// SPDX-License-Identifier: Apache-2.0
#include "formats/message/message_tree.h"

#include <cstring>

#include "platform/error/error.h"

namespace mycel::formats {

using platform::MessageReader;
using platform::MessageSource;
using platform::Wire;

namespace {

constexpr int kDeepest = 100;

class Decoder {
 public:
  explicit Decoder(const MessageSource& source) : source_(source) {}

  MessageTree decode(const MessageSpec& spec, std::string_view bytes, int depth) {
    platform::require(depth < kDeepest, source_.kind, source_.mistake, ": it is nested too deeply");
    MessageTree tree;
    tree.spec = &spec;
    platform::for_fields(bytes, source_,
                         [&](MessageReader& reader, std::uint32_t number, Wire wire) {
                           const FieldSpec* field = spec.find(number);
                           return field != nullptr && take(tree, *field, reader, wire, depth);
                         });
    return tree;
  }

 private:
  // False: the bytes are of another kind than the field.
  bool take(MessageTree& tree, const FieldSpec& field, MessageReader& reader, Wire wire,
            int depth) {
    const auto add = [&](auto value) { tree.fields.push_back({&field, std::move(value)}); };
    const bool is_number = field.kind <= FieldKind::Double;
    if (is_number && wire == Wire::Bytes) {
      take_packed(tree, field, reader.bytes());
      return true;
    }
    if (wire != wire_of(field.kind)) return false;
    switch (field.kind) {
      case FieldKind::Int:
      case FieldKind::Bool: add(static_cast<std::int64_t>(reader.varint())); return true;
      case FieldKind::Float: add(static_cast<double>(reader.fixed32())); return true;
      case FieldKind::Double: add(reader.fixed64()); return true;
      case FieldKind::Text:
      case FieldKind::Bytes: add(reader.bytes()); return true;
      case FieldKind::Message:
        add(std::make_unique<MessageTree>(decode(*field.message, reader.bytes(), depth + 1)));
        return true;
    }
    return false;
  }

  static Wire wire_of(FieldKind kind) {
    switch (kind) {
      case FieldKind::Int:
      case FieldKind::Bool: return Wire::Varint;
      case FieldKind::Float: return Wire::Fixed32;
      case FieldKind::Double: return Wire::Fixed64;
      default: return Wire::Bytes;
    }
  }

  // Numbers of a repeated field that lie together.
  void take_packed(MessageTree& tree, const FieldSpec& field, std::string_view bytes) {
    MessageReader reader(bytes, source_);
    while (!reader.at_end()) {
      MessageTree::Value value;
      if (field.kind == FieldKind::Float)
        value = static_cast<double>(reader.fixed32());
      else if (field.kind == FieldKind::Double)
        value = reader.fixed64();
      else
        value = static_cast<std::int64_t>(reader.varint());
      tree.fields.push_back({&field, std::move(value)});
    }
  }

  const MessageSource& source_;
};

}  // namespace

MessageTree decode_message(const MessageSpec& spec, std::string_view bytes,
                           const MessageSource& source) {
  return Decoder(source).decode(spec, bytes, 0);
}

}  // namespace mycel::formats
