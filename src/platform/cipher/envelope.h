// SPDX-License-Identifier: Apache-2.0
// Encryption of files piece by piece, in the layout that checkpoints, models and MindRecord share:
// magic number, tag (GCM), length of what follows, initial vector, cipher text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace mycel::platform {

struct CipherKey {
  std::string key;   // empty: not encrypted
  std::string mode;  // "AES-GCM", "AES-CBC", "SM4-CBC"
};

// How much plain text goes into one piece.
constexpr std::size_t kCipherPieceBytes = std::size_t{64} << 20;

// An error when the mode is unknown (ValueError) or the key has a length that does not suit it.
void check_cipher(const CipherKey& key);

std::string encrypt_piece(std::string_view plain, const CipherKey& key);
// Nothing: wrong key, wrong mode or damaged.
std::optional<std::string> decrypt_piece(std::string_view piece, const CipherKey& key);

// The same for texts of any length, as pieces one after the other.
std::string encrypt_pieces(std::string_view plain, const CipherKey& key);
std::optional<std::string> decrypt_pieces(std::string_view pieces, const CipherKey& key);

// Whether bytes begin like a piece of any mode.
bool starts_with_piece(std::string_view bytes);
// The bytes of the piece at the beginning; 0: there is none that is whole.
std::size_t leading_piece_bytes(std::string_view bytes);

}  // namespace mycel::platform
