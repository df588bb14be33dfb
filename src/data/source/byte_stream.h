// SPDX-License-Identifier: Apache-2.0
// A file read from front to back, unpacked on the way where it is packed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace mycel::data {

enum class Packing : std::uint8_t {
  None,
  Deflate,  // gzip or zlib, told apart by the first bytes; a file that is neither is read as it is
};

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Fewer bytes than wanted only at the end.
  virtual std::size_t read(void* target, std::size_t bytes) = 0;
  // How many bytes there were to pass over.
  virtual std::uint64_t skip(std::uint64_t bytes) = 0;
  // Most bytes that can still come; a packed stream does not know.
  virtual std::uint64_t bytes_left() const = 0;
};

// RuntimeError with path and reason, here and from the methods.
std::unique_ptr<ByteStream> open_byte_stream(const std::string& path, Packing packing);

}  // namespace mycel::data
