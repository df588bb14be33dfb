// SPDX-License-Identifier: Apache-2.0
// Messages of gRPC in the bodies of HTTP/2, and texts in its headers.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "serving/gateway/grpc_call.h"

namespace mycel::serving {

enum class GrpcEncoding { Identity, Gzip, Deflate };

// Of the header grpc-encoding. Nothing: one we do not know.
std::optional<GrpcEncoding> read_encoding(std::string_view name);
// The names of all, for grpc-accept-encoding.
inline constexpr std::string_view kGrpcEncodings = "identity, deflate, gzip";

// Of the header grpc-timeout: digits and a unit. Nothing: it is none.
std::optional<Clock::duration> read_timeout(std::string_view text);

// A status text as the header grpc-message has it. Of a long one the beginning: clients take some
// kilobytes of headers, and see none of a status that has more.
std::string percent_encoded(std::string_view text);

// What stands before a message: whether it is compressed, and its length.
constexpr std::size_t kGrpcPrefixBytes = 5;
std::array<char, kGrpcPrefixBytes> grpc_prefix(std::size_t length);

// Takes a body apart as it comes.
class GrpcBody {
 public:
  explicit GrpcBody(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  void set_encoding(GrpcEncoding encoding) { encoding_ = encoding; }
  // Calls on_message with every message that is complete. What is wrong with the body, if something
  // is; then nothing more is to be read.
  std::optional<GrpcStatus> read(std::string_view bytes,
                                 const std::function<void(std::string)>& on_message);
  bool is_between_messages() const { return prefix_bytes_ == 0 && !is_in_message_; }
  // Nothing more is read.
  void drop() {
    message_ = {};
    is_in_message_ = false;
  }
  // Held of a message that is not complete.
  std::size_t held_bytes() const { return is_in_message_ ? message_.capacity() : 0; }

 private:
  std::optional<GrpcStatus> begin_message();
  std::optional<GrpcStatus> end_message(const std::function<void(std::string)>& on_message);

  const std::size_t most_bytes_;
  GrpcEncoding encoding_ = GrpcEncoding::Identity;
  std::array<unsigned char, kGrpcPrefixBytes> prefix_{};
  std::size_t prefix_bytes_ = 0;
  bool is_in_message_ = false;
  std::size_t length_ = 0;
  std::string message_;
};

}  // namespace mycel::serving
