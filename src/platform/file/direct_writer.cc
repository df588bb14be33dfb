// SPDX-License-Identifier: Apache-2.0
#include "platform/file/direct_writer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace mycel::platform {
namespace {

constexpr std::size_t kBuffers = 2;
constexpr std::size_t kBufferBytes = std::size_t{4} << 20;

// Of the open file itself: another name for it would need the right to write, which files that
// become read-only do not give.
bool set_direct(int file, bool wanted) {
  const int flags = fcntl(file, F_GETFL);
  return flags >= 0 && fcntl(file, F_SETFL, wanted ? flags | O_DIRECT : flags & ~O_DIRECT) == 0;
}

// 0, or the error number.
int write_all(int file, const std::byte* bytes, std::size_t size, std::uint64_t offset) {
  while (size > 0) {
    const ssize_t put = pwrite(file, bytes, size, static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    bytes += put;
    size -= static_cast<std::size_t>(put);
    offset += static_cast<std::uint64_t>(put);
  }
  return 0;
}

}  // namespace

DirectWriter::DirectWriter(int file, std::uint64_t offset)
    : file_(file), offset_(offset), full_(kBuffers), empty_(kBuffers) {
  for (std::size_t i = 0; i < kBuffers; ++i) {
    auto* const memory = static_cast<std::byte*>(std::aligned_alloc(kBlockBytes, kBufferBytes));
    if (memory == nullptr) throw std::bad_alloc();
    empty_.push({std::unique_ptr<std::byte[], Free>(memory), 0, 0});
  }
  set_direct(file_, true);
  writer_ = Thread("file writer", [this](const std::stop_token& stop) {
    while (std::optional<Buffer> buffer = full_.pop(stop)) {
      if (failure_ == 0) write_direct(*buffer);
      buffer->size = 0;
      empty_.push(std::move(*buffer));
    }
  });
}

DirectWriter::~DirectWriter() {
  if (!is_settled_) set_direct(file_, false);
}

void DirectWriter::write_direct(const Buffer& buffer) {
  int failure = write_all(file_, buffer.memory.get(), buffer.size, buffer.offset);
  // File systems without direct writes, or with larger blocks, say so here at the latest.
  if (failure == EINVAL && set_direct(file_, false))
    failure = write_all(file_, buffer.memory.get(), buffer.size, buffer.offset);
  failure_ = failure;
}

void DirectWriter::send(Buffer buffer) {
  buffer.offset = offset_;
  offset_ += buffer.size;
  full_.push(std::move(buffer));
}

int DirectWriter::append(Bytes bytes) {
  while (!bytes.empty() && failure_ == 0) {
    if (!filling_) filling_ = empty_.pop();
    const std::size_t size = std::min(bytes.size(), kBufferBytes - filling_->size);
    std::memcpy(filling_->memory.get() + filling_->size, bytes.data(), size);
    filling_->size += size;
    bytes = bytes.subspan(size);
    if (filling_->size == kBufferBytes) {
      send(std::move(*filling_));
      filling_.reset();
    }
  }
  return failure_;
}

int DirectWriter::settle() {
  if (is_settled_) return failure_;
  is_settled_ = true;
  full_.close();
  writer_.join();
  set_direct(file_, false);
  // What is left is no whole buffer and need not be whole blocks.
  if (failure_ == 0 && filling_)
    failure_ = write_all(file_, filling_->memory.get(), filling_->size, offset_);
  filling_.reset();
  return failure_;
}

}  // namespace mycel::platform
