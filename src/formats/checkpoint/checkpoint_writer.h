// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "platform/cipher/envelope.h"
#include "platform/file/file.h"

namespace mycel::formats {

struct CheckpointOptions {
  platform::CipherKey cipher;  // without a key: plain
  bool has_checksum = false;   // not together with a key
  // A larger array becomes several records, because other readers take records of 2 GiB at most.
  std::size_t record_bytes = std::size_t{512} << 20;
};

// An array to be written: `type` is "Float32" ... or "str", `content` the elements in C order.
struct WrittenArray {
  std::string_view type;
  std::vector<std::int64_t> dims;
  std::string_view content;
};

// Writes a checkpoint array by array. The file takes the place of an older one with commit(), and
// only then: whatever ends the program before, the older one is untouched.
class CheckpointWriter {
 public:
  explicit CheckpointWriter(const platform::Path& path, CheckpointOptions options = {});

  // `type`: "Float32" ... or "str". `content`: the elements in C order.
  void add(std::string_view name, std::string_view type, std::span<const std::int64_t> dims,
           std::string_view content);
  // Keys, values and states of a map parameter, which have as many rows as each other; their types
  // have the names they have in NumPy. A record holds whole rows.
  void add_map(std::string_view name, std::span<const WrittenArray> arrays);
  void commit();

 private:
  void add_map_rows(std::string_view name, std::span<const WrittenArray> arrays, std::int64_t first,
                    std::int64_t count);
  void put(std::string_view bytes);
  void write_piece();

  CheckpointOptions options_;
  platform::AtomicFile file_;
  std::string pending_;  // small records are collected; of encrypted files whole pieces
  std::uint32_t checksum_ = 0;
};

}  // namespace mycel::formats
