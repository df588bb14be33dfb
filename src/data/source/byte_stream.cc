// SPDX-License-Identifier: Apache-2.0
#include "data/source/byte_stream.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include <zlib.h>

#include "data/source/files.h"

namespace mycel::data {

namespace {

constexpr std::size_t kBuffer = 64 * 1024;

class PlainStream : public ByteStream {
 public:
  explicit PlainStream(const std::string& path) : path_(path), file_(open_file(path)) {}

  std::size_t read(void* target, std::size_t bytes) override {
    auto* out = static_cast<char*>(target);
    std::size_t done = 0;
    while (done < bytes) {
      if (next_ == filled_ && !refill()) break;
      const std::size_t part = std::min(bytes - done, filled_ - next_);
      std::memcpy(out + done, buffer_.data() + next_, part);
      next_ += part;
      done += part;
    }
    return done;
  }
  std::uint64_t skip(std::uint64_t bytes) override {
    const std::uint64_t possible = std::min(bytes, bytes_left());
    const std::uint64_t buffered = std::min<std::uint64_t>(possible, filled_ - next_);
    next_ += static_cast<std::size_t>(buffered);
    position_ += possible - buffered;
    return possible;
  }
  std::uint64_t bytes_left() const override { return file_.size() - position_ + (filled_ - next_); }

 private:
  bool refill() {
    next_ = 0;
    filled_ = static_cast<std::size_t>(
        std::min<std::uint64_t>(kBuffer, file_.size() - std::min(position_, file_.size())));
    buffer_.resize(filled_);
    const auto done =
        file_.read_at(position_, {reinterpret_cast<std::byte*>(buffer_.data()), filled_});
    if (!done)
      platform::fail(ErrorKind::Runtime, "Invalid file, failed to read ", filled_,
                     " bytes at offset ", position_, " of file: ", path_, ": ",
                     done.error().message());
    position_ += filled_;
    return filled_ > 0;
  }

  std::string path_;
  platform::FileReader file_;
  std::string buffer_;
  std::size_t next_ = 0;
  std::size_t filled_ = 0;
  std::uint64_t position_ = 0;  // in the file, of the end of the buffer
};

class InflatedStream : public ByteStream {
 public:
  explicit InflatedStream(const std::string& path) : path_(path), packed_(path) {
    constexpr int kZlibOrGzip = 15 + 32;
    if (inflateInit2(&state_, kZlibOrGzip) != Z_OK)
      platform::fail(ErrorKind::Memory, "no memory to unpack ", path);
  }
  InflatedStream(const InflatedStream&) = delete;
  InflatedStream& operator=(const InflatedStream&) = delete;
  ~InflatedStream() override { inflateEnd(&state_); }

  std::size_t read(void* target, std::size_t bytes) override {
    std::size_t done = 0;
    while (done < bytes && !finished_) {
      const auto part = static_cast<uInt>(std::min<std::size_t>(bytes - done, 1U << 30));
      state_.next_out = static_cast<Bytef*>(target) + done;
      state_.avail_out = part;
      step();
      done += part - state_.avail_out;
    }
    return done;
  }
  std::uint64_t skip(std::uint64_t bytes) override {
    std::string ignored(kBuffer, '\0');
    std::uint64_t done = 0;
    while (done < bytes) {
      const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(kBuffer, bytes - done));
      const std::size_t got = read(ignored.data(), part);
      done += got;
      if (got < part) break;
    }
    return done;
  }
  std::uint64_t bytes_left() const override { return std::numeric_limits<std::uint64_t>::max(); }

 private:
  void step() {
    if (state_.avail_in == 0) {
      input_.resize(kBuffer);
      state_.avail_in = static_cast<uInt>(packed_.read(input_.data(), kBuffer));
      state_.next_in = reinterpret_cast<Bytef*>(input_.data());
      if (state_.avail_in == 0) {
        if (!between_members_) refuse("the packed data end early");
        finished_ = true;
        return;
      }
    }
    // gzip files may be several packed parts one after the other.
    if (between_members_ && started_ && inflateReset(&state_) != Z_OK) refuse("cannot go on");
    started_ = true;
    between_members_ = false;
    const int code = inflate(&state_, Z_NO_FLUSH);
    if (code == Z_STREAM_END) {
      between_members_ = true;
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      refuse(state_.msg != nullptr ? state_.msg : "the packed data are damaged");
    }
  }
  [[noreturn]] void refuse(std::string_view reason) const {
    platform::fail(ErrorKind::Runtime, "Invalid file, failed to unpack file: ", path_,
                   " near byte ", state_.total_in, ": ", reason);
  }

  std::string path_;
  PlainStream packed_;
  std::string input_;
  z_stream state_{};
  bool started_ = false;
  bool between_members_ = true;
  bool finished_ = false;
};

bool looks_packed(const std::string& path) {
  PlainStream stream(path);
  unsigned char head[2] = {0, 0};
  if (stream.read(head, 2) < 2) return false;
  const bool gzip = head[0] == 0x1F && head[1] == 0x8B;
  const bool zlib =
      (head[0] & 0x0F) == 8 && (head[0] >> 4) <= 7 && (head[0] * 256 + head[1]) % 31 == 0;
  return gzip || zlib;
}

}  // namespace

std::unique_ptr<ByteStream> open_byte_stream(const std::string& path, Packing packing) {
  if (packing == Packing::Deflate && looks_packed(path))
    return std::make_unique<InflatedStream>(path);
  return std::make_unique<PlainStream>(path);
}

}  // namespace mycel::data
