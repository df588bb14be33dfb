// SPDX-License-Identifier: Apache-2.0
#include "formats/safetensors/safetensors_writer.h"

#include <algorithm>

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

std::string_view content_of(const Tensor& tensor) {
  return tensor.size() == 0 ? std::string_view()
                            : std::string_view(tensor.data<const char>(), tensor.bytes());
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
    const std::optional<std::uint64_t> zeros =
        tensor.shape().empty() ? zeros_counted(tensor.dtype(), content_of(tensor)) : std::nullopt;
    sum = zeros ? platform::crc32(std::string(*zeros, '\0'), sum)
                : platform::crc32(content_of(tensor), sum);
  }
  return sum;
}

}  // namespace mycel::formats
