// SPDX-License-Identifier: Apache-2.0
#include "formats/safetensors/safetensors_file.h"

#include <algorithm>
#include <cstring>

#include "formats/safetensors/element_types.h"
#include "platform/checksum/crc32.h"
#include "platform/error/error.h"

namespace mycel::formats {

using platform::ErrorKind;
using platform::Json;
using tensor::Tensor;

namespace {

constexpr std::uint64_t kMostHeaderBytes = 100'000'000;  // the format's own limit
constexpr std::size_t kMostAxes = 64;

}  // namespace

SafetensorsFile::SafetensorsFile(const platform::Path& path) : path_(path.string()), file_(path) {
  const std::string_view bytes = file_.bytes();
  std::uint64_t length = 0;
  if (bytes.size() < sizeof(length)) refuse("it is too short for a header");
  std::memcpy(&length, bytes.data(), sizeof(length));
  if (length > kMostHeaderBytes || length > bytes.size() - sizeof(length))
    refuse(platform::join("its header would have ", length, " bytes"));
  const std::string_view data = bytes.substr(sizeof(length) + length);
  try {
    const Json header = platform::parse_json(bytes.substr(sizeof(length), length), "header");
    for (const auto& [name, described] : header.object()) {
      name == "__metadata__" ? read_metadata(described) : read_entry(name, described, data);
    }
  } catch (const platform::Error& error) {
    if (error.kind() == ErrorKind::Value) throw;
    refuse(error.what());
  }
  std::sort(entries_.begin(), entries_.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  for (std::size_t i = 1; i < entries_.size(); ++i) {
    if (entries_[i].name == entries_[i - 1].name)
      refuse(platform::join("two arrays are called '", entries_[i].name, "'"));
  }
  check_places(data);
}

void SafetensorsFile::read_metadata(const Json& described) {
  for (const auto& [name, value] : described.object()) metadata_.emplace_back(name, value.string());
}

void SafetensorsFile::read_entry(const std::string& name, const Json& described,
                                 std::string_view data) {
  SafetensorsEntry entry;
  entry.name = name;
  const std::string& type = described.at("dtype").string();
  if (type == "F8_E4M3") entry.small = Float8::E4M3;
  if (type == "F8_E5M2") entry.small = Float8::E5M2;
  const bool is_small = entry.small != Float8::No;
  const std::optional<tensor::DType> dtype =
      is_small ? tensor::DType::Float32 : dtype_of_safetensors(type);
  if (!dtype) refuse(platform::join("the array '", name, "' has the unknown type '", type, "'"));
  entry.dtype = *dtype;
  std::uint64_t bytes = is_small ? 1 : tensor::size_of(*dtype);
  bool is_sane = described.at("shape").array().size() <= kMostAxes;
  for (const Json& size : described.at("shape").array()) {
    entry.shape.push_back(size.integer());
    is_sane =
        is_sane && entry.shape.back() >= 0 &&
        !__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(entry.shape.back()), &bytes);
  }
  const Json::Array& places = described.at("data_offsets").array();
  const std::int64_t begin = places.size() == 2 ? places[0].integer() : -1;
  const std::int64_t end = places.size() == 2 ? places[1].integer() : -1;
  is_sane = is_sane && begin >= 0 && end >= begin &&
            static_cast<std::uint64_t>(end) <= data.size() &&
            static_cast<std::uint64_t>(end - begin) == bytes;
  if (!is_sane) refuse(platform::join("the array '", name, "' does not fit its place"));
  entry.content = data.substr(static_cast<std::size_t>(begin), bytes);
  entries_.push_back(std::move(entry));
}

void SafetensorsFile::check_places(std::string_view data) const {
  std::vector<std::string_view> contents;
  for (const SafetensorsEntry& entry : entries_) contents.push_back(entry.content);
  std::sort(contents.begin(), contents.end(), [](std::string_view a, std::string_view b) {
    return a.data() != b.data() ? a.data() < b.data() : a.size() < b.size();
  });
  const char* expected = data.data();
  for (const std::string_view content : contents) {
    if (content.data() != expected) refuse("arrays overlap, or leave gaps");
    expected += content.size();
  }
  if (expected != data.data() + data.size()) refuse("there is something after the arrays");
}

const SafetensorsEntry& SafetensorsFile::entry(std::size_t number) const {
  platform::require(number < entries_.size(), platform::ErrorKind::Index, "the file has no entry ",
                    number);
  return entries_[number];
}

Tensor SafetensorsFile::tensor_of(const SafetensorsEntry& entry) const {
  tensor::Shape shape;
  for (const std::int64_t size : entry.shape) shape.push_back(size);
  Tensor result = Tensor::empty(shape, entry.dtype);
  if (entry.small != Float8::No) {
    widen(entry.small, entry.content, result.data<float>());
    file_.check();
  } else if (!entry.content.empty()) {
    file_.copy(entry.content, result.data<char>());
  }
  return result;
}

std::uint32_t SafetensorsFile::checksum(bool like_others) const {
  std::uint32_t sum = 0;
  for (const SafetensorsEntry& entry : entries_) {
    sum = platform::crc32(entry.name, sum);
    const std::optional<std::uint64_t> zeros = like_others && entry.shape.empty()
                                                   ? zeros_counted(entry.dtype, entry.content)
                                                   : std::nullopt;
    sum = zeros ? platform::crc32(std::string(*zeros, '\0'), sum) : file_.crc32(entry.content, sum);
  }
  return sum;
}

void SafetensorsFile::refuse(std::string_view why) const {
  platform::fail(ErrorKind::Value, "'", path_, "' is no safetensors file, or is damaged: ", why,
                 ".");
}

}  // namespace mycel::formats
