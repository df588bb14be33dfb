// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/file_content.h"
#include "formats/float8.h"
#include "platform/json/json.h"
#include "tensor/tensor.h"

namespace mycel::formats {

struct SafetensorsEntry {
  std::string name;
  tensor::DType dtype = tensor::DType::Float32;
  std::vector<std::int64_t> shape;
  Float8 small = Float8::No;  // eight bits, which become float32
  std::string_view content;   // in the mapped file
};

// A safetensors file open for reading. The file is mapped: what nobody asks for costs nothing.
class SafetensorsFile {
 public:
  // ValueError when it is no such file, is cut short, or arrays overlap, leave gaps or do not fit
  // their shapes.
  explicit SafetensorsFile(const platform::Path& path);

  const std::vector<SafetensorsEntry>& entries() const { return entries_; }  // sorted by name
  const SafetensorsEntry& entry(std::size_t number) const;  // IndexError if there is none
  const std::vector<std::pair<std::string, std::string>>& metadata() const { return metadata_; }
  tensor::Tensor tensor_of(const SafetensorsEntry& entry) const;
  // Over names and contents in the order of names. `like_others`: as safetensors_checksum has it.
  std::uint32_t checksum(bool like_others = false) const;

 private:
  void read_entry(const std::string& name, const platform::Json& described, std::string_view data);
  void read_metadata(const platform::Json& described);
  void check_places(std::string_view data) const;
  [[noreturn]] void refuse(std::string_view why) const;

  std::string path_;
  FileContent file_;
  std::vector<SafetensorsEntry> entries_;
  std::vector<std::pair<std::string, std::string>> metadata_;
};

}  // namespace mycel::formats
