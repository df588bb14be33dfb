// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/archive/zip_archive.h"
#include "formats/pickle/pickle_decoder.h"
#include "formats/torch/element_types.h"
#include "formats/torch/torch_call.h"
#include "platform/file/file.h"
#include "tensor/tensor.h"

namespace mycel::formats {

// A file of torch.save, in either of its two layouts, read without PyTorch and without running
// anything in it. The file stays mapped; a tensor is copied when it is asked for.
class TorchFile {
 public:
  // ValueError when it is no such file, is damaged, or names something that is not data.
  explicit TorchFile(const platform::Path& path);

  const PickleValue& root() const { return *root_; }

  // The tensor a call describes; ValueError when it lies outside its storage.
  tensor::Tensor tensor_of(const TorchCall& call) const;

 private:
  struct Storage {
    const TorchElement* element = nullptr;  // null: the tensor says it
    std::string_view bytes;
  };
  // One way to look at a storage.
  struct View {
    const TorchElement* element = nullptr;
    std::string_view bytes;
    std::int64_t offset = 0;
    std::vector<std::int64_t> sizes, strides;
  };
  void read_archive(std::string_view bytes);
  void read_sequence(std::string_view bytes);
  Storage storage_of(const PickleValue& persistent) const;
  View view_of(const TorchCall& call) const;

  std::string path_;
  platform::MappedFile mapped_;
  PickleDecoder decoder_;
  std::optional<ZipArchive> archive_;
  std::string folder_;                                               // inside the archive
  mutable std::unordered_map<std::string, std::string> unpacked_;    // entries that were packed
  std::unordered_map<std::string, std::string_view> storage_bytes_;  // of the old layout
  const PickleValue* root_ = nullptr;
  mutable std::uint64_t made_bytes_ = 0;  // of all tensors so far
};

}  // namespace mycel::formats
