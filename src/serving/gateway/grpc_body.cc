// SPDX-License-Identifier: Apache-2.0
#include "serving/gateway/grpc_body.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <zlib.h>

#include "platform/error/error.h"

namespace mycel::serving {
namespace {

using platform::join;

constexpr std::size_t kMostTimeoutDigits = 8;
constexpr std::int64_t kLongestHours = 24 * 3650;  // a clock counts nanoseconds
constexpr std::size_t kInflateStep = 64 << 10;

// Nothing when it is damaged; more than `most` bytes are not made of it.
std::optional<std::string> inflated(const std::string& packed, GrpcEncoding encoding,
                                    std::size_t most) {
  constexpr int kGzipToo = 16;  // zlib's way to say it
  z_stream stream{};
  const int window = MAX_WBITS + (encoding == GrpcEncoding::Gzip ? kGzipToo : 0);
  if (inflateInit2(&stream, window) != Z_OK) return std::nullopt;
  std::string text;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));  // NOLINT: only read
  stream.avail_in = static_cast<uInt>(packed.size());
  int state = Z_OK;
  while (state == Z_OK && text.size() <= most) {
    const std::size_t done = text.size();
    text.resize(done + kInflateStep);
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + done);
    stream.avail_out = kInflateStep;
    state = inflate(&stream, Z_NO_FLUSH);
    text.resize(text.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (state != Z_STREAM_END && text.size() <= most) return std::nullopt;
  return text;
}

GrpcStatus too_large(std::size_t length, std::size_t most) {
  return {GrpcCode::ResourceExhausted,
          join("Received message larger than max (", length, " vs. ", most, ")")};
}

}  // namespace

std::optional<GrpcEncoding> read_encoding(std::string_view name) {
  if (name == "identity") return GrpcEncoding::Identity;
  if (name == "gzip") return GrpcEncoding::Gzip;
  if (name == "deflate") return GrpcEncoding::Deflate;
  return std::nullopt;
}

std::optional<Clock::duration> read_timeout(std::string_view text) {
  if (text.size() < 2 || text.size() > kMostTimeoutDigits + 1) return std::nullopt;
  std::int64_t count = 0;
  for (const char digit : text.substr(0, text.size() - 1)) {
    if (digit < '0' || digit > '9') return std::nullopt;
    count = count * 10 + (digit - '0');
  }
  switch (text.back()) {
    case 'H': return std::chrono::hours(std::min(count, kLongestHours));
    case 'M': return std::chrono::minutes(count);
    case 'S': return std::chrono::seconds(count);
    case 'm': return std::chrono::milliseconds(count);
    case 'u': return std::chrono::microseconds(count);
    case 'n': return std::chrono::nanoseconds(count);
    default: return std::nullopt;
  }
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  constexpr std::size_t kMostBytes = 4096;  // half of what gRPC's own clients take
  std::string encoded;
  std::size_t whole = 0;  // up to the letter that is being written
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool begins_letter = (byte & 0xC0) != 0x80;  // of UTF-8
    if (begins_letter) whole = encoded.size();
    if (encoded.size() > kMostBytes) return encoded.substr(0, whole) + "...";
    if (byte >= ' ' && byte <= '~' && byte != '%') {
      encoded += letter;
    } else {
      encoded += '%';
      encoded += kDigits[byte >> 4];
      encoded += kDigits[byte & 15];
    }
  }
  return encoded;
}

std::array<char, kGrpcPrefixBytes> grpc_prefix(std::size_t length) {
  const auto byte = [length](int shift) { return static_cast<char>(length >> shift & 0xff); };
  return {0, byte(24), byte(16), byte(8), byte(0)};
}

std::optional<GrpcStatus> GrpcBody::read(std::string_view bytes,
                                         const std::function<void(std::string)>& on_message) {
  while (!bytes.empty() || (is_in_message_ && message_.size() == length_)) {
    if (!is_in_message_) {
      prefix_[prefix_bytes_++] = static_cast<unsigned char>(bytes.front());
      bytes.remove_prefix(1);
      if (prefix_bytes_ < kGrpcPrefixBytes) continue;
      if (auto wrong = begin_message()) return wrong;
    }
    const std::size_t part = std::min(bytes.size(), length_ - message_.size());
    message_.append(bytes.substr(0, part));
    bytes.remove_prefix(part);
    if (message_.size() < length_) continue;
    if (auto wrong = end_message(on_message)) return wrong;
  }
  return std::nullopt;
}

std::optional<GrpcStatus> GrpcBody::begin_message() {
  prefix_bytes_ = 0;
  length_ = std::size_t{prefix_[1]} << 24 | std::size_t{prefix_[2]} << 16 |
            std::size_t{prefix_[3]} << 8 | prefix_[4];
  if (prefix_[0] > 1)
    return GrpcStatus{GrpcCode::Internal, "a message is neither compressed nor as it is"};
  if (length_ > most_bytes_) return too_large(length_, most_bytes_);
  if (prefix_[0] == 1 && encoding_ == GrpcEncoding::Identity)
    return GrpcStatus{GrpcCode::Internal,
                      "a message is compressed, but grpc-encoding says nothing"};
  is_in_message_ = true;
  message_.clear();
  return std::nullopt;
}

std::optional<GrpcStatus> GrpcBody::end_message(
    const std::function<void(std::string)>& on_message) {
  is_in_message_ = false;
  std::string message = std::exchange(message_, {});
  if (prefix_[0] == 1) {
    auto whole = inflated(message, encoding_, most_bytes_);
    if (!whole) return GrpcStatus{GrpcCode::Internal, "a compressed message is damaged"};
    if (whole->size() > most_bytes_) return too_large(whole->size(), most_bytes_);
    message = std::move(*whole);
  }
  on_message(std::move(message));
  return std::nullopt;
}

}  // namespace mycel::serving
