// SPDX-License-Identifier: Apache-2.0
#include "api/load_program.h"

#include <filesystem>
#include <fstream>

#include "api/boundary.h"
#include "api/mindir_program.h"
#include "eager/dispatch.h"
#include "platform/cipher/envelope.h"

namespace mycel::api {
namespace {

using formats::mindir::Model;

constexpr std::size_t kMagicBytes = 4;

platform::CipherKey cipher_of(const ModelKey& key) {
  return {std::string(key.key), std::string(key.mode)};
}

void require_plain(std::string_view first_bytes, const std::string& name) {
  require(!platform::starts_with_piece(first_bytes), mindspore::kMEInvalidInput, "the model '",
          name, "' seems to be encrypted; its key is needed to load it");
}

std::string first_bytes_of(const std::string& file) {
  std::string bytes(kMagicBytes, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(stream.gcount()));
  return bytes;
}

}  // namespace

std::shared_ptr<const ProgramSource> load_program(const std::string& file, ModelKey key) {
  if (key.key.empty()) require_plain(first_bytes_of(file), file);
  return std::make_shared<MindirProgram>(Model::load(file, cipher_of(key), eager::emitter()), file);
}

std::shared_ptr<const ProgramSource> load_program(std::string_view bytes, ModelKey key) {
  const std::string name = "in memory";
  std::string content;
  if (key.key.empty()) {
    require_plain(bytes.substr(0, kMagicBytes), name);
    content = bytes;
  } else {
    std::optional<std::string> plain = platform::decrypt_pieces(bytes, cipher_of(key));
    require(plain.has_value(), mindspore::kMEInvalidInput,
            "the model in memory cannot be decrypted: the key or the mode is wrong, or it is "
            "damaged or not encrypted");
    content = std::move(*plain);
  }
  return std::make_shared<MindirProgram>(
      Model::read(std::move(content), std::nullopt, eager::emitter()), name);
}

}  // namespace mycel::api
