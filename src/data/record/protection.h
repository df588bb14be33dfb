// SPDX-License-Identifier: Apache-2.0
// Whole-file encryption and hash check of MindRecord files: first hashed, then encrypted.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "data/record/row_codec.h"
#include "platform/file/file.h"

namespace mycel::data {

struct RecordProtection {
  std::string key;   // empty: not encrypted
  std::string mode;  // "AES-GCM", "AES-CBC", "SM4-CBC"
  std::string hash;  // "sha256", ..., "sha3_512"; empty: none; "checked": somebody else looks at it
};

// A file's plain bytes, without what protects them. Nothing is left behind where they were
// decrypted.
class PlainContent {
 public:
  // RuntimeError when the file is protected otherwise than stated, or damaged. `plain`: a file that
  // holds the decrypted bytes already, from a decoder of the user; may be empty.
  PlainContent(const platform::Path& file, const RecordProtection& protection,
               const platform::Path& plain);
  ByteView bytes() const { return bytes_; }
  ByteView digest() const { return digest_; }  // as stored; empty: not hashed
  // After the bytes were used: false, or an error, when they were not all the file's.
  bool is_whole() const { return mapped_->is_whole(); }
  platform::Result<platform::Done> check() const { return mapped_->check(); }

 private:
  void map(const platform::Path& file);
  void decrypt(const platform::Path& file, const RecordProtection& protection);
  void check_hash(const platform::Path& file, const std::string& mode);
  std::unique_ptr<platform::MappedFile> mapped_;
  ByteView bytes_;
  ByteView digest_;
};

// Adds the hash to a finished file that is not in place yet, `size` bytes long.
void append_hash(platform::AtomicFile& file, std::uint64_t size, const std::string& mode);

// The encrypted form of a finished file that is not in place yet.
platform::AtomicFile encrypted(const platform::AtomicFile& plain, const platform::Path& path,
                               const RecordProtection& protection);

}  // namespace mycel::data
