// SPDX-License-Identifier: Apache-2.0
#include "platform/cipher/envelope.h"

#include <cstdint>
#include <cstring>
#include <memory>

#include <openssl/evp.h>
#include <openssl/rand.h>

#include "platform/error/error.h"

namespace mycel::platform {

namespace {

constexpr std::size_t kIvBytes = 16;
constexpr std::size_t kTagBytes = 16;
constexpr std::size_t kLengthsBytes = 24;  // of the two lengths and the IV that precede the text

struct Cipher {
  std::string_view mode;
  std::uint32_t magic;
  bool has_tag;
  std::size_t tag_bytes() const { return has_tag ? kTagBytes : 0; }
  std::size_t head_bytes() const { return 4 + tag_bytes() + 4 + kLengthsBytes; }
};
constexpr Cipher kCiphers[] = {
    {"AES-GCM", 0x7F3A5ED8, true}, {"AES-CBC", 0x7F3A5ED9, false}, {"SM4-CBC", 0x7F3A5EDA, false}};

const Cipher& cipher_named(const std::string& mode) {
  for (const Cipher& cipher : kCiphers)
    if (cipher.mode == mode) return cipher;
  fail(ErrorKind::Value, "the encryption mode must be AES-GCM, AES-CBC or SM4-CBC, but got ", mode);
}

const EVP_CIPHER* algorithm(const Cipher& cipher, std::size_t key_bytes) {
  if (cipher.mode == "SM4-CBC") return key_bytes == 16 ? EVP_sm4_cbc() : nullptr;
  if (key_bytes == 16) return cipher.has_tag ? EVP_aes_128_gcm() : EVP_aes_128_cbc();
  if (key_bytes == 24) return cipher.has_tag ? EVP_aes_192_gcm() : EVP_aes_192_cbc();
  if (key_bytes == 32) return cipher.has_tag ? EVP_aes_256_gcm() : EVP_aes_256_cbc();
  return nullptr;
}

const EVP_CIPHER* algorithm_for(const CipherKey& key) {
  const EVP_CIPHER* found = algorithm(cipher_named(key.mode), key.key.size());
  require(found != nullptr, ErrorKind::Runtime, "the key of ", key.key.size(),
          " characters does not suit ", key.mode, ": AES takes 16, 24 or 32, SM4 16");
  return found;
}

struct FreeCipher {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, FreeCipher>;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

void append_number(std::string& out, std::uint32_t value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

const Cipher* cipher_of(std::string_view bytes) {
  if (bytes.size() < 4) return nullptr;
  for (const Cipher& cipher : kCiphers)
    if (number_at(bytes, 0) == cipher.magic) return &cipher;
  return nullptr;
}

}  // namespace

void check_cipher(const CipherKey& key) { algorithm_for(key); }

std::string encrypt_piece(std::string_view plain, const CipherKey& key) {
  const Cipher& cipher = cipher_named(key.mode);
  const EVP_CIPHER* const found = algorithm_for(key);
  unsigned char iv[kIvBytes];
  std::string text(plain.size() + 2 * kIvBytes, '\0');
  auto* const out = reinterpret_cast<unsigned char*>(text.data());
  std::string tag(cipher.tag_bytes(), '\0');
  const CipherContext context(EVP_CIPHER_CTX_new());
  int length = 0;
  int rest = 0;
  // GCM takes the first twelve bytes of the IV, its customary length.
  bool good = RAND_bytes(iv, kIvBytes) == 1 && context != nullptr &&
              EVP_EncryptInit_ex(context.get(), found, nullptr, bytes_of(key.key), iv) == 1 &&
              EVP_EncryptUpdate(context.get(), out, &length, bytes_of(plain),
                                static_cast<int>(plain.size())) == 1 &&
              EVP_EncryptFinal_ex(context.get(), out + length, &rest) == 1;
  if (good && cipher.has_tag)
    good = EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, kTagBytes, tag.data()) == 1;
  require(good, ErrorKind::Runtime, "Failed to encrypt data with ", key.mode, ".");
  text.resize(static_cast<std::size_t>(length) + static_cast<std::size_t>(rest));
  std::string piece;
  piece.reserve(cipher.head_bytes() + text.size());
  append_number(piece, cipher.magic);
  piece += tag;
  append_number(piece, static_cast<std::uint32_t>(kLengthsBytes + text.size()));
  append_number(piece, static_cast<std::uint32_t>(kIvBytes));
  piece.append(reinterpret_cast<const char*>(iv), kIvBytes);
  append_number(piece, static_cast<std::uint32_t>(text.size()));
  piece += text;
  return piece;
}

std::optional<std::string> decrypt_piece(std::string_view piece, const CipherKey& key) {
  const Cipher& cipher = cipher_named(key.mode);
  const EVP_CIPHER* const found = algorithm_for(key);
  if (cipher_of(piece) != &cipher || leading_piece_bytes(piece) != piece.size())
    return std::nullopt;
  const std::size_t head = cipher.head_bytes();
  const std::string_view iv = piece.substr(head - 4 - kIvBytes, kIvBytes);
  const std::string_view text = piece.substr(head);
  std::string tag(piece.substr(4, cipher.tag_bytes()));
  std::string plain(text.size() + kIvBytes, '\0');
  auto* const out = reinterpret_cast<unsigned char*>(plain.data());
  const CipherContext context(EVP_CIPHER_CTX_new());
  int length = 0;
  int rest = 0;
  bool good =
      context != nullptr &&
      EVP_DecryptInit_ex(context.get(), found, nullptr, bytes_of(key.key), bytes_of(iv)) == 1 &&
      EVP_DecryptUpdate(context.get(), out, &length, bytes_of(text),
                        static_cast<int>(text.size())) == 1;
  if (good && cipher.has_tag)
    good = EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, kTagBytes, tag.data()) == 1;
  if (!good || EVP_DecryptFinal_ex(context.get(), out + length, &rest) != 1) return std::nullopt;
  plain.resize(static_cast<std::size_t>(length) + static_cast<std::size_t>(rest));
  return plain;
}

bool starts_with_piece(std::string_view bytes) { return cipher_of(bytes) != nullptr; }

std::size_t leading_piece_bytes(std::string_view bytes) {
  const Cipher* const cipher = cipher_of(bytes);
  if (cipher == nullptr || bytes.size() < cipher->head_bytes()) return 0;
  const std::size_t head = cipher->head_bytes();
  const std::size_t text = number_at(bytes, head - 4);
  const bool fits = text <= bytes.size() - head && text <= kCipherPieceBytes + kIvBytes &&
                    number_at(bytes, 4 + cipher->tag_bytes()) == kLengthsBytes + text &&
                    number_at(bytes, 8 + cipher->tag_bytes()) == kIvBytes;
  return fits ? head + text : 0;
}

std::string encrypt_pieces(std::string_view plain, const CipherKey& key) {
  check_cipher(key);
  std::string pieces;
  for (std::size_t start = 0; start < plain.size(); start += kCipherPieceBytes)
    pieces += encrypt_piece(plain.substr(start, kCipherPieceBytes), key);
  return pieces;
}

std::optional<std::string> decrypt_pieces(std::string_view pieces, const CipherKey& key) {
  check_cipher(key);
  std::string plain;
  while (!pieces.empty()) {
    const std::size_t size = leading_piece_bytes(pieces);
    const auto part = size > 0 ? decrypt_piece(pieces.substr(0, size), key) : std::nullopt;
    if (!part) return std::nullopt;
    plain += *part;
    pieces.remove_prefix(size);
  }
  return plain;
}

}  // namespace mycel::platform
