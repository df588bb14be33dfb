// SPDX-License-Identifier: Apache-2.0
#include "data/source/tf_example.h"

#include <cstring>

#include "platform/error/error.h"

namespace mycel::data {

namespace {

using platform::ErrorKind;

enum class Wire : std::uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

// Reads fields of one message; no read goes past its end.
class MessageReader {
 public:
  explicit MessageReader(std::string_view message) : message_(message) {}
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
    if (!ok) refuse(expected);
  }
  [[noreturn]] void refuse(std::string_view expected) const {
    platform::fail(ErrorKind::Runtime, "the record is not a tf.Example: expected ", expected,
                   " at byte ", at_, " of a message of ", message_.size(), " bytes");
  }
  std::string_view message_;
  std::size_t at_ = 0;
};

// Calls body(reader, field, wire) for each field; the body says whether it has taken the field.
template <class Body>
void for_fields(std::string_view message, Body body) {
  MessageReader reader(message);
  std::uint32_t field = 0;
  Wire wire = Wire::Varint;
  while (reader.next(field, wire))
    if (!body(reader, field, wire)) reader.skip(wire);
}

TfFeature parse_feature(std::string_view message) {
  TfFeature feature;
  for_fields(message, [&](MessageReader& reader, std::uint32_t field, Wire wire) {
    if (wire != Wire::Bytes || field > 3) return false;
    feature.kind = static_cast<TfFeature::Kind>(field);
    feature.list = reader.bytes();
    return true;
  });
  return feature;
}

std::pair<std::string_view, TfFeature> parse_entry(std::string_view message) {
  std::pair<std::string_view, TfFeature> entry;
  for_fields(message, [&](MessageReader& reader, std::uint32_t field, Wire wire) {
    if (wire != Wire::Bytes || field > 2) return false;
    if (field == 1) {
      entry.first = reader.bytes();
    } else {
      entry.second = parse_feature(reader.bytes());
    }
    return true;
  });
  return entry;
}

}  // namespace

TfExample::TfExample(std::string_view record) {
  for_fields(record, [&](MessageReader& example, std::uint32_t field, Wire wire) {
    if (field != 1 || wire != Wire::Bytes) return false;
    for_fields(example.bytes(), [&](MessageReader& features, std::uint32_t inner, Wire inner_wire) {
      if (inner != 1 || inner_wire != Wire::Bytes) return false;
      features_.push_back(parse_entry(features.bytes()));
      return true;
    });
    return true;
  });
}

const TfFeature* TfExample::find(std::string_view name) const {
  // Of entries with the same name the last one counts, as in every map of this encoding.
  for (auto entry = features_.rbegin(); entry != features_.rend(); ++entry)
    if (entry->first == name) return &entry->second;
  return nullptr;
}

std::vector<std::string_view> bytes_values(const TfFeature& feature) {
  std::vector<std::string_view> values;
  for_fields(feature.list, [&](MessageReader& reader, std::uint32_t field, Wire wire) {
    if (field != 1 || wire != Wire::Bytes) return false;
    values.push_back(reader.bytes());
    return true;
  });
  return values;
}

std::vector<float> float_values(const TfFeature& feature) {
  std::vector<float> values;
  for_fields(feature.list, [&](MessageReader& reader, std::uint32_t field, Wire wire) {
    if (field != 1 || (wire != Wire::Bytes && wire != Wire::Fixed32)) return false;
    if (wire == Wire::Fixed32) {
      values.push_back(reader.fixed32());
      return true;
    }
    const std::string_view packed = reader.bytes();
    platform::require(packed.size() % sizeof(float) == 0, ErrorKind::Runtime,
                      "the record is not a tf.Example: a list of floats of ", packed.size(),
                      " bytes");
    const std::size_t before = values.size();
    values.resize(before + packed.size() / sizeof(float));
    if (!packed.empty()) std::memcpy(values.data() + before, packed.data(), packed.size());
    return true;
  });
  return values;
}

std::vector<std::int64_t> int64_values(const TfFeature& feature) {
  std::vector<std::int64_t> values;
  for_fields(feature.list, [&](MessageReader& reader, std::uint32_t field, Wire wire) {
    if (field != 1 || (wire != Wire::Bytes && wire != Wire::Varint)) return false;
    if (wire == Wire::Varint) {
      values.push_back(static_cast<std::int64_t>(reader.varint()));
      return true;
    }
    MessageReader packed(reader.bytes());
    while (!packed.at_end()) values.push_back(static_cast<std::int64_t>(packed.varint()));
    return true;
  });
  return values;
}

}  // namespace mycel::data
