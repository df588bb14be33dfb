// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/file_content.h"
#include "platform/cipher/envelope.h"
#include "tensor/tensor.h"

namespace mycel::formats {

// An array as the file holds it: one or more slices that follow each other.
struct StoredArray {
  std::string type;  // "Float32", "str", ...
  std::vector<std::int64_t> dims;
  std::vector<std::string_view> slices;

  std::size_t bytes() const;
};

struct CheckpointEntry {
  std::string name;
  bool is_map = false;              // a map parameter
  std::vector<StoredArray> arrays;  // one; of a map parameter keys, values, status
};

// A checkpoint open for reading. Contents point into the file, which is mapped, not read: what
// nobody asks for costs nothing.
class CheckpointFile {
 public:
  // ValueError when the content is no checkpoint, damaged, or encrypted otherwise than stated.
  explicit CheckpointFile(const platform::Path& path, const platform::CipherKey& cipher = {});

  const std::vector<CheckpointEntry>& entries() const { return entries_; }
  const CheckpointEntry& entry(std::size_t number) const;  // IndexError if there is none
  bool has_checksum() const { return checksum_.has_value(); }
  // Whether the checksum fits the content; true where there is none.
  bool is_intact() const;
  void copy(const StoredArray& array, char* target) const;

  // The entry as a tensor; ValueError when its content does not fit its type and shape.
  tensor::Tensor tensor_of(const CheckpointEntry& entry) const;
  // The ValueError that the file is not what it should be.
  [[noreturn]] void refuse(std::string_view why) const;

 private:
  void decrypt(const platform::CipherKey& cipher);
  void read_decrypted_entries();
  void take_checksum();
  void read_entries();

  std::string path_;
  FileContent file_;
  std::string decrypted_;
  std::string_view bytes_;
  std::optional<std::uint32_t> checksum_;
  std::vector<CheckpointEntry> entries_;
};

}  // namespace mycel::formats
