// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "formats/message/message_view.h"
#include "formats/model_bytes.h"
#include "tensor/tensor.h"

namespace mycel::formats::onnx {

// Makes tensors from messages of one file: raw bytes, typed fields, or a part of another file.
class TensorReader {
 public:
  // `name`: of the file, for errors; `folder`: data files must lie in it, none: the model came from
  // memory.
  TensorReader(const ModelBytes& content, std::string name, std::optional<std::string> folder,
               TensorFilter filter = {})
      : content_(content), name_(std::move(name)), filter_(std::move(filter)) {
    if (folder) folder_.emplace(*folder);
  }

  // The same tensor for the same message.
  tensor::Tensor tensor(const MessageView& message);

  const std::string& name() const { return name_; }
  // What every mistake in a file ends in.
  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    platform::fail(platform::ErrorKind::Value, name_, " cannot be read: ", parts..., ".");
  }

 private:
  struct Described;
  tensor::Tensor made(const MessageView& message);
  void take_bytes(const Described& described, const ModelBytes& source, std::string_view bytes,
                  tensor::Tensor& target) const;
  tensor::Tensor from_fields(const Described& described, const MessageView& message) const;
  tensor::Tensor from_file(const Described& described, const MessageView& message);
  const ModelBytes& opened(std::string_view location, std::string_view tensor);

  const ModelBytes& content_;
  std::string name_;
  TensorFilter filter_;
  std::optional<DataFolder> folder_;
  std::map<std::string, ModelBytes> others_;
  std::map<const ModelBytes*, Taken> taken_;  // of the others
  std::map<const void*, tensor::Tensor> known_;
};

}  // namespace mycel::formats::onnx
