// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "device/pool.h"

namespace mycel::device {

// Memory of one device that runs work late. Segments come from the backend; pieces of them are
// handed out, split when they are larger than asked for, and joined with free neighbours.
//
// Every segment belongs to a stream. A piece that is given back may be handed out again for the
// same stream at once, since work there runs in order. Where other streams have used it, it stays
// away until they have passed the point of its release. A segment that is free as a whole may go to
// another stream, which then waits, on the device, for the one before. Thread-safe.
class StreamPool {
 public:
  explicit StreamPool(Device device) : device_(device) {}
  StreamPool(const StreamPool&) = delete;
  StreamPool& operator=(const StreamPool&) = delete;

  // Null data: neither the device nor the limit has room. Cached segments have been given back.
  Block allocate(std::size_t bytes, Stream& stream);
  void release(const Block& block);
  void note_use(const Block& block, Stream& stream);
  void forget(Stream& stream);
  void drop_cached();

  MemoryStatistics statistics() const;
  void reset_peaks();
  void set_limit(std::size_t bytes);

  // What `bytes` become: the size of the piece.
  static std::size_t rounded(std::size_t bytes);
  static Stream* stream_of(const Block& block);
  // Throws Internal when the lists contradict each other; for tests.
  void check() const;

  // Around a fork.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  struct Segment;
  struct Piece {
    Segment* segment = nullptr;
    char* data = nullptr;
    std::size_t bytes = 0;
    Piece* before = nullptr;  // neighbours in the segment
    Piece* after = nullptr;
    bool is_free = false;
    std::vector<Stream*> users;                  // other streams that work on it
    std::vector<std::unique_ptr<Event>> passed;  // what has to happen before it is free
  };
  struct Segment {
    std::atomic<Stream*> stream = nullptr;  // changes under the lock, is read without
    char* data = nullptr;
    std::size_t bytes = 0;
    Piece* first = nullptr;
  };
  struct BySize {
    bool operator()(const Piece* a, const Piece* b) const {
      return a->bytes != b->bytes ? a->bytes < b->bytes : a->data < b->data;
    }
  };
  using FreePieces = std::set<Piece*, BySize>;

  Piece* find_free(std::size_t bytes, Stream& stream);
  Piece* take_over(std::size_t bytes, Stream& stream);
  Piece* new_segment(std::size_t bytes, Stream& stream);
  Piece* hand_out(Piece& piece, std::size_t bytes);
  void collect_passed(bool wait);
  Piece& join(Piece& piece);
  void make_free(Piece& piece);
  void drop_segments();
  std::unique_ptr<Event> take_event();

  Device device_;
  mutable std::mutex mutex_;  // guards everything below
  std::map<char*, std::unique_ptr<Segment>> segments_;
  std::map<Stream*, FreePieces> free_;
  std::vector<Piece*> waiting_;  // released, but other streams have not passed yet
  std::vector<std::unique_ptr<Event>> events_;
  MemoryStatistics statistics_;
};

}  // namespace mycel::device
