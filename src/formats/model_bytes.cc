// SPDX-License-Identifier: Apache-2.0
#include "formats/model_bytes.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

namespace mycel::formats {

namespace fs = std::filesystem;

ModelBytes ModelBytes::of_file(const std::string& path) {
  ModelBytes made;
  made.mapped_.emplace(path);
  return made;
}

ModelBytes ModelBytes::in_memory(std::string content) {
  ModelBytes made;
  made.plain_ = std::move(content);
  return made;
}

void ModelBytes::copy(std::string_view part, char* target) const {
  if (mapped_) {
    mapped_->copy(part, target);
  } else if (!part.empty()) {
    std::memcpy(target, part.data(), part.size());
  }
}

DataFolder::DataFolder(const std::string& folder) {
  std::error_code problem;
  inside_ = fs::weakly_canonical(folder.empty() ? "." : folder, problem).string();
}

DataFolder::Place DataFolder::find(std::string_view location) const {
  const fs::path name(location);
  if (location.empty() || location.find('\0') != std::string_view::npos || name.is_absolute())
    return {Problem::NotAllowed, {}};
  std::error_code problem;
  const fs::path inside(inside_);
  const fs::path path = fs::weakly_canonical(inside / name, problem);
  const auto [end, rest] = std::mismatch(inside.begin(), inside.end(), path.begin(), path.end());
  if (end != inside.end()) return {Problem::Outside, {}};
  if (!fs::is_regular_file(path, problem)) return {Problem::Missing, {}};
  return {Problem::None, path.string()};
}

std::optional<std::size_t> array_bytes(const tensor::Shape& shape, tensor::DType dtype) {
  std::size_t bytes = tensor::size_of(dtype);
  for (const std::int64_t length : shape) {
    if (length != 0 && bytes > (std::size_t{1} << 62) / static_cast<std::size_t>(length))
      return std::nullopt;
    bytes *= static_cast<std::size_t>(length);
  }
  return bytes;
}

void clean_mask(tensor::Tensor& tensor) {
  auto* const bytes = static_cast<char*>(tensor.raw());
  std::transform(bytes, bytes + tensor.bytes(), bytes,
                 [](char byte) { return static_cast<char>(byte != 0); });
}

}  // namespace mycel::formats
