// SPDX-License-Identifier: Apache-2.0
#include "platform/cipher/envelope.h"

#include <gtest/gtest.h>

#include "platform/error/error.h"

namespace mycel::platform {
namespace {

const CipherKey kKeys[] = {{std::string(16, 'a'), "AES-GCM"},
                           {std::string(24, 'a'), "AES-GCM"},
                           {std::string(32, 'a'), "AES-CBC"},
                           {std::string(16, 'a'), "SM4-CBC"}};

TEST(Envelope, PlainTextComesBack) {
  for (const CipherKey& key : kKeys) {
    for (const std::size_t length : {0, 1, 15, 16, 17, 1000}) {
      const std::string plain(length, 'x');
      const std::string piece = encrypt_piece(plain, key);
      EXPECT_TRUE(starts_with_piece(piece));
      EXPECT_EQ(leading_piece_bytes(piece + "more"), piece.size());
      EXPECT_EQ(decrypt_piece(piece, key), plain);
      EXPECT_NE(piece, encrypt_piece(plain, key)) << "every piece has an initial vector of its own";
    }
  }
}

TEST(Envelope, CutPiecesAndOtherKeysAreRefused) {
  for (const CipherKey& key : kKeys) {
    const std::string piece = encrypt_piece("some text that is longer than a block", key);
    for (std::size_t length = 0; length < piece.size(); ++length) {
      EXPECT_EQ(leading_piece_bytes(piece.substr(0, length)), 0U);
      EXPECT_EQ(decrypt_piece(piece.substr(0, length), key), std::nullopt);
    }
    for (const CipherKey& other : kKeys) {
      if (other.mode == key.mode) continue;
      EXPECT_EQ(decrypt_piece(piece, other), std::nullopt);
    }
  }
  std::string changed = encrypt_piece("authenticated", kKeys[0]);
  changed.back() ^= 1;
  EXPECT_EQ(decrypt_piece(changed, kKeys[0]), std::nullopt);
}

TEST(Envelope, TextsOfAnyLengthArePiecesInARow) {
  for (const CipherKey& key : kKeys) {
    EXPECT_EQ(encrypt_pieces("", key), "");
    EXPECT_EQ(decrypt_pieces(encrypt_pieces("a text", key), key), "a text");
    const std::string two = encrypt_piece("one, ", key) + encrypt_piece("two", key);
    EXPECT_EQ(decrypt_pieces(two, key), "one, two");
    EXPECT_EQ(decrypt_pieces(two.substr(0, two.size() - 1), key), std::nullopt);
  }
}

TEST(Envelope, KeysMustSuitTheMode) {
  EXPECT_THROW(check_cipher({"short", "AES-GCM"}), Error);
  EXPECT_THROW(check_cipher({std::string(32, 'a'), "SM4-CBC"}), Error);
  EXPECT_THROW(check_cipher({std::string(16, 'a'), "DES"}), Error);
}

}  // namespace
}  // namespace mycel::platform
