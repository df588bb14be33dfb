// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "formats/message/message_view.h"
#include "formats/model_bytes.h"
#include "platform/cipher/envelope.h"
#include "tensor/tensor.h"

namespace mycel::formats::mindir {

// What every mistake in a file ends in.
template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  platform::fail(platform::ErrorKind::Runtime, "Load MindIR failed. ", parts...);
}

// The bytes of a file, plain: mapped, or decrypted in memory.
class PlainFile {
 public:
  // An error for a wrong key or mode, and for an encrypted file without a key.
  PlainFile(const std::string& path, const platform::CipherKey& key);
  explicit PlainFile(std::string content) : content_(ModelBytes::in_memory(std::move(content))) {}

  std::string_view bytes() const { return content_.bytes(); }
  void copy(std::string_view part, char* target) const { content_.copy(part, target); }
  bool is_decrypted() const { return is_decrypted_; }

 private:
  ModelBytes content_;
  bool is_decrypted_ = false;
};

// The file's content is not what the key was for.
[[noreturn]] void refuse_decryption(std::string_view reason = "");

// Makes tensors from messages of one file: their data is in the message itself, or in another file
// beside it.
class TensorReader {
 public:
  // `folder`: data files must lie in it; none: the model came from memory.
  TensorReader(const PlainFile& file, std::optional<std::string> folder, platform::CipherKey key,
               TensorFilter filter = {})
      : file_(file), folder_(std::move(folder)), key_(std::move(key)), filter_(std::move(filter)) {}

  // `what` it is, for errors.
  tensor::Tensor tensor(const MessageView& message, const std::string& what);

 private:
  void copy_data(const MessageView& message, tensor::Tensor& target, const std::string& what);
  std::string checked_path(std::string_view location, const std::string& what) const;
  const PlainFile& opened(const std::string& path);

  const PlainFile& file_;
  std::optional<std::string> folder_;
  platform::CipherKey key_;
  TensorFilter filter_;
  std::map<std::string, PlainFile> others_;
  std::map<const PlainFile*, Taken> taken_;  // of the others
};

}  // namespace mycel::formats::mindir
