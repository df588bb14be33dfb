// SPDX-License-Identifier: Apache-2.0
#include "formats/safetensors/safetensors_writer.h"

#include <algorithm>
#include <cstring>

#include "formats/safetensors/element_types.h"
#include "platform/checksum/crc32.h"
#include "platform/error/error.h"
#include "platform/json/json.h"

namespace mycel::formats {

using platform::Json;
using tensor::Tensor;

namespace {

constexpr unsigned kOwnerReads = 0400;
constexpr std::size_t kAlignment = 8;
constexpr std::uint64_t kMostZeros = 1 << 20;  // of an integer that counts as zero bytes

std::string_view content_of(const Tensor& tensor) {
  return tensor.size() == 0 ? std::string_view()
                            : std::string_view(tensor.data<const char>(), tensor.bytes());
}

// The zero bytes an array counts as; -1: it counts as what it is.
std::int64_t zeros_of(const Tensor& tensor) {
  if (!tensor.shape().empty() || !tensor::is_integral(tensor.dtype())) return -1;
  const std::string_view bytes = content_of(tensor);
  const bool is_negative = tensor::is_signed_integer(tensor.dtype()) && (bytes.back() & 0x80) != 0;
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), bytes.size());
  return is_negative || value > kMostZeros ? -1 : static_cast<std::int64_t>(value);
}

void by_name(std::vector<NamedTensor>& tensors) {
  std::sort(tensors.begin(), tensors.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
}

std::string header_of(const std::vector<NamedTensor>& tensors,
                      const std::vector<std::pair<std::string, std::string>>& metadata) {
  Json::Object header;
  if (!metadata.empty()) {
    Json::Object texts;
    for (const auto& [name, value] : metadata) texts.emplace_back(name, value);
    header.emplace_back("__metadata__", std::move(texts));
  }
  std::int64_t place = 0;
  for (const NamedTensor& one : tensors) {
    Json::Array shape, places;
    for (const std::int64_t size : one.tensor.shape()) shape.emplace_back(size);
    places.emplace_back(place);
    place += static_cast<std::int64_t>(content_of(one.tensor).size());
    places.emplace_back(place);
    Json::Object described;
    described.emplace_back("dtype", std::string(safetensors_name(one.tensor.dtype())));
    described.emplace_back("shape", std::move(shape));
    described.emplace_back("data_offsets", std::move(places));
    header.emplace_back(one.name, std::move(described));
  }
  std::string text = Json(std::move(header)).text();
  text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  return text;
}

}  // namespace

void write_safetensors(const platform::Path& path, std::vector<NamedTensor> tensors,
                       const std::vector<std::pair<std::string, std::string>>& metadata) {
  by_name(tensors);
  for (std::size_t i = 1; i < tensors.size(); ++i)
    platform::require(tensors[i].name != tensors[i - 1].name, platform::ErrorKind::Value,
                      "Two parameters are called '", tensors[i].name, "'.");
  std::stable_sort(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) {
    return safetensors_rank(a.tensor.dtype()) < safetensors_rank(b.tensor.dtype());
  });
  const std::string header = header_of(tensors, metadata);
  const std::uint64_t length = header.size();
  platform::AtomicFile file = platform::AtomicFile::create(path, kOwnerReads).value();
  file.write(platform::Bytes(reinterpret_cast<const std::byte*>(&length), sizeof(length))).value();
  file.write(platform::as_bytes(header)).value();
  for (const NamedTensor& one : tensors)
    file.write(platform::as_bytes(content_of(one.tensor))).value();
  file.commit().value();
}

std::uint32_t safetensors_checksum(std::vector<NamedTensor> tensors) {
  by_name(tensors);
  std::uint32_t sum = 0;
  for (const NamedTensor& one : tensors) {
    sum = platform::crc32(one.name, sum);
    const Tensor& tensor = one.tensor;
    const std::int64_t zeros = zeros_of(tensor);
    sum = platform::crc32(
        zeros >= 0 ? std::string(static_cast<std::size_t>(zeros), '\0') : std::string(), sum);
    if (zeros < 0) sum = platform::crc32(content_of(tensor), sum);
  }
  return sum;
}

}  // namespace mycel::formats
