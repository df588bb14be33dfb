// SPDX-License-Identifier: Apache-2.0
// What readers of model files share: bytes of a file, files beside it, sizes of arrays.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "formats/file_content.h"
#include "tensor/tensor.h"

namespace mycel::formats {

// The bytes of a model: of a mapped file, or in memory.
class ModelBytes {
 public:
  static ModelBytes of_file(const std::string& path);
  static ModelBytes in_memory(std::string content);

  std::string_view bytes() const { return mapped_ ? mapped_->bytes() : std::string_view(plain_); }
  void copy(std::string_view part, char* target) const;  // `part`: of bytes()

 private:
  std::optional<FileContent> mapped_;
  std::string plain_;
};

// Files that a model refers to must lie in its folder or below, also when there are links.
class DataFolder {
 public:
  explicit DataFolder(const std::string& folder);

  enum class Problem : std::uint8_t { None, NotAllowed, Outside, Missing };
  struct Place {
    Problem problem;
    std::string path;
  };
  Place find(std::string_view location) const;

 private:
  std::string inside_;
};

// Counts what tensors take of a data file: a small one must not become any number of large tensors.
class Taken {
 public:
  // False: it is more than any real model takes.
  bool add(std::size_t bytes, std::size_t of_file) {
    constexpr std::size_t kMostTimes = 16;
    bytes_ += bytes;
    return bytes_ / kMostTimes <= of_file;
  }

 private:
  std::size_t bytes_ = 0;
};

// What becomes of a tensor that was read, for whoever holds equal ones once: one of the same
// content, which nobody writes. Empty: it stays as it is.
using TensorFilter = std::function<tensor::Tensor(const tensor::Tensor&)>;

// Bytes of an array; none: more than there can be.
std::optional<std::size_t> array_bytes(const tensor::Shape& shape, tensor::DType dtype);

// Makes every byte of a mask 0 or 1, whatever another program has written.
void clean_mask(tensor::Tensor& tensor);

}  // namespace mycel::formats
