// SPDX-License-Identifier: Apache-2.0
#include "data/source/tf_example.h"

#include <cstring>
#include <utility>

#include "platform/error/error.h"
#include "platform/protobuf/message.h"

namespace mycel::data {

namespace {

using platform::ErrorKind;

using platform::MessageReader;
using platform::Wire;

constexpr platform::MessageSource kSource{ErrorKind::Runtime, "the record is not a tf.Example"};

template <class Body>
void for_fields(std::string_view message, Body body) {
  platform::for_fields(message, kSource, std::move(body));
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
    MessageReader packed(reader.bytes(), kSource);
    while (!packed.at_end()) values.push_back(static_cast<std::int64_t>(packed.varint()));
    return true;
  });
  return values;
}

}  // namespace mycel::data
