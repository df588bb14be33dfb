// SPDX-License-Identifier: Apache-2.0
#include "api/load_program.h"

#include <filesystem>
#include <fstream>

#include "api/boundary.h"
#include "api/mindir_program.h"
#include "api/onnx_program.h"
#include "api/shared_weights.h"
#include "eager/dispatch.h"
#include "platform/cipher/envelope.h"

namespace mycel::api {
namespace {

using mindspore::ModelType;

constexpr std::size_t kMagicBytes = 4;

platform::CipherKey cipher_of(const ModelKey& key) {
  return {std::string(key.key), std::string(key.mode)};
}

void require_plain(std::string_view first_bytes, const std::string& name) {
  require(!platform::starts_with_piece(first_bytes), mindspore::kMEInvalidInput, "the model '",
          name,
          "' seems to be encrypted, and no key is given (a Key of more than 32 bytes is empty)");
}

std::string first_bytes_of(const std::string& file) {
  std::string bytes(kMagicBytes, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(stream.gcount()));
  return bytes;
}

// Only MindIR files are ever encrypted as a whole.
void require_no_key(const ModelKey& key, const std::string& name) {
  require(key.key.empty(), mindspore::kMEInvalidInput, "the model '", name,
          "' is an ONNX model, which is never encrypted, but a key is given");
}

std::string decrypted(std::string_view bytes, const ModelKey& key) {
  std::optional<std::string> plain = platform::decrypt_pieces(bytes, cipher_of(key));
  require(plain.has_value(), mindspore::kMEInvalidInput,
          "the model in memory cannot be decrypted: the key or the mode is wrong, or it is "
          "damaged or not encrypted");
  return std::move(*plain);
}

tensor::Tensor shared(const tensor::Tensor& read) {
  return SharedWeights::of_process().shared(read);
}

}  // namespace

bool is_loadable(ModelType type) { return type == mindspore::kMindIR || type == mindspore::kONNX; }

std::shared_ptr<const ProgramSource> load_program(const std::string& file, ModelType type,
                                                  ModelKey key) {
  if (type == mindspore::kONNX) {
    require_no_key(key, file);
    return std::make_shared<OnnxProgram>(formats::onnx::Model::load(file, eager::emitter(), shared),
                                         file);
  }
  if (key.key.empty()) require_plain(first_bytes_of(file), file);
  return std::make_shared<MindirProgram>(
      formats::mindir::Model::load(file, cipher_of(key), eager::emitter(), shared), file);
}

std::shared_ptr<const ProgramSource> load_program(std::string_view bytes, ModelType type,
                                                  ModelKey key) {
  const std::string name = "in memory";
  if (type == mindspore::kONNX) {
    require_no_key(key, name);
    return std::make_shared<OnnxProgram>(
        formats::onnx::Model::read(std::string(bytes), std::nullopt, eager::emitter(), shared),
        name);
  }
  if (key.key.empty()) require_plain(bytes.substr(0, kMagicBytes), name);
  std::string content = key.key.empty() ? std::string(bytes) : decrypted(bytes, key);
  return std::make_shared<MindirProgram>(
      formats::mindir::Model::read(std::move(content), std::nullopt, eager::emitter(), shared),
      name);
}

}  // namespace mycel::api
