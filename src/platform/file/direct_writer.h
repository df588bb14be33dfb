// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>

#include "platform/file/file.h"
#include "platform/thread/bounded_queue.h"
#include "platform/thread/thread.h"

namespace mycel::platform {

// Writes a long run of bytes past the system's page cache, which would make room for every page of
// a file that nobody reads soon, at the cost of what others keep there. A thread writes one buffer
// while the caller fills the other. File systems that cannot do it get ordinary writes.
class DirectWriter {
 public:
  static constexpr std::uint64_t kBlockBytes = 4096;  // places and sizes of direct writes

  // From `offset` on, a multiple of kBlockBytes. The file must stay open, and nobody else may write
  // to it before settle().
  DirectWriter(int file, std::uint64_t offset);
  ~DirectWriter();
  DirectWriter(const DirectWriter&) = delete;
  DirectWriter& operator=(const DirectWriter&) = delete;

  // Both give the system's error number, 0 without one; append() may tell of an earlier write.
  int append(Bytes bytes);
  // Everything is in the file afterwards, and nothing can be appended any more.
  int settle();
  bool is_settled() const { return is_settled_; }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  struct Buffer {
    std::unique_ptr<std::byte[], Free> memory;
    std::size_t size = 0;
    std::uint64_t offset = 0;
  };
  void send(Buffer buffer);
  void write_direct(const Buffer& buffer);

  int file_;
  std::uint64_t offset_;  // of the next buffer
  std::optional<Buffer> filling_;
  BoundedQueue<Buffer> full_, empty_;
  std::atomic<int> failure_ = 0;  // the first error number
  bool is_settled_ = false;
  Thread writer_;
};

}  // namespace mycel::platform
