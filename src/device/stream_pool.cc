// SPDX-License-Identifier: Apache-2.0
#include "device/stream_pool.h"

#include <algorithm>

#include "platform/error/error.h"

namespace mycel::device {
namespace {

constexpr std::size_t kGrainBytes = 512;
constexpr std::size_t kSmallBytes = std::size_t{1} << 20;    // up to here pieces share segments of
constexpr std::size_t kSmallSegment = std::size_t{2} << 20;  // this size,
constexpr std::size_t kMiddleBytes = std::size_t{10} << 20;  // up to here of
constexpr std::size_t kMiddleSegment = std::size_t{20} << 20;
constexpr std::size_t kLargeGrain = std::size_t{2} << 20;  // larger ones are segments themselves

std::size_t round_up(std::size_t bytes, std::size_t grain) {
  return (std::max<std::size_t>(bytes, 1) + grain - 1) / grain * grain;
}

std::size_t segment_bytes(std::size_t bytes) {
  if (bytes <= kSmallBytes) return kSmallSegment;
  return bytes <= kMiddleBytes ? kMiddleSegment : round_up(bytes, kLargeGrain);
}

// A small piece does not cut a large segment: what is left of it would fit nobody.
bool shares_segments(std::size_t asked, std::size_t segment) {
  return (asked <= kSmallBytes) == (segment <= kSmallSegment);
}

}  // namespace

std::size_t StreamPool::rounded(std::size_t bytes) { return round_up(bytes, kGrainBytes); }

Stream* StreamPool::stream_of(const Block& block) {
  return static_cast<const Piece*>(block.piece)->segment->stream;
}

Block StreamPool::allocate(std::size_t bytes, Stream& stream) {
  const std::size_t wanted = rounded(bytes);
  const std::lock_guard guard(mutex_);
  collect_passed(false);
  Piece* piece = find_free(wanted, stream);
  if (piece == nullptr) piece = take_over(wanted, stream);
  if (piece == nullptr) piece = new_segment(wanted, stream);
  if (piece == nullptr) {  // what other streams still use is the last there is
    collect_passed(true);
    piece = find_free(wanted, stream);
    drop_segments();
    if (piece == nullptr) piece = new_segment(wanted, stream);
  }
  if (piece == nullptr) return {};
  piece = hand_out(*piece, wanted);
  return {piece->data, piece->bytes, piece};
}

StreamPool::Piece* StreamPool::find_free(std::size_t bytes, Stream& stream) {
  FreePieces& pieces = free_[&stream];
  Piece asked;
  asked.bytes = bytes;
  for (auto place = pieces.lower_bound(&asked); place != pieces.end(); ++place) {
    Piece* const piece = *place;
    if (!shares_segments(bytes, piece->segment->bytes)) continue;
    pieces.erase(place);
    return piece;
  }
  return nullptr;
}

StreamPool::Piece* StreamPool::take_over(std::size_t bytes, Stream& stream) {
  for (auto& [owner, pieces] : free_) {
    if (owner == &stream) continue;
    for (Piece* piece : pieces) {
      Segment& segment = *piece->segment;
      if (piece->bytes != segment.bytes || piece->bytes < bytes ||
          !shares_segments(bytes, segment.bytes))
        continue;
      pieces.erase(piece);
      const std::unique_ptr<Event> event = take_event();
      event->record(*owner);
      event->wait(stream);
      segment.stream = &stream;
      return piece;
    }
  }
  return nullptr;
}

StreamPool::Piece* StreamPool::new_segment(std::size_t bytes, Stream& stream) {
  Backend& backend = backend_at(device_.backend);
  for (const std::size_t size : {segment_bytes(bytes), bytes}) {
    if (statistics_.limit != 0 && statistics_.reserved + size > statistics_.limit) continue;
    auto* const data = static_cast<char*>(backend.allocate(device_.index, size));
    if (data == nullptr) continue;
    auto segment = std::make_unique<Segment>();
    segment->stream = &stream;
    segment->data = data;
    segment->bytes = size;
    segment->first = std::make_unique<Piece>().release();
    segment->first->segment = segment.get();
    segment->first->data = data;
    segment->first->bytes = size;
    Piece* const piece = segment->first;
    segments_.emplace(data, std::move(segment));
    statistics_.reserved += size;
    statistics_.peak_reserved = std::max(statistics_.peak_reserved, statistics_.reserved);
    ++statistics_.backend_allocations;
    return piece;
  }
  return nullptr;
}

StreamPool::Piece* StreamPool::hand_out(Piece& piece, std::size_t bytes) {
  if (piece.bytes > bytes) {
    auto* const rest = std::make_unique<Piece>().release();
    rest->segment = piece.segment;
    rest->data = piece.data + bytes;
    rest->bytes = piece.bytes - bytes;
    rest->before = &piece;
    rest->after = piece.after;
    if (rest->after != nullptr) rest->after->before = rest;
    piece.after = rest;
    piece.bytes = bytes;
    rest->is_free = true;
    free_[piece.segment->stream].insert(rest);
  }
  piece.is_free = false;
  statistics_.in_use += piece.bytes;
  statistics_.peak_in_use = std::max(statistics_.peak_in_use, statistics_.in_use);
  ++statistics_.allocations;
  return &piece;
}

void StreamPool::release(const Block& block) {
  auto& piece = *static_cast<Piece*>(block.piece);
  const std::lock_guard guard(mutex_);
  statistics_.in_use -= piece.bytes;
  if (piece.users.empty()) return make_free(piece);
  for (Stream* user : piece.users) {
    piece.passed.push_back(take_event());
    piece.passed.back()->record(*user);
  }
  piece.users.clear();
  waiting_.push_back(&piece);
}

void StreamPool::note_use(const Block& block, Stream& stream) {
  auto& piece = *static_cast<Piece*>(block.piece);
  if (piece.segment->stream == &stream) return;  // cannot change while a piece of it is in use
  const std::lock_guard guard(mutex_);
  if (std::find(piece.users.begin(), piece.users.end(), &stream) == piece.users.end())
    piece.users.push_back(&stream);
}

void StreamPool::collect_passed(bool wait) {
  if (wait) {  // first of all: waiting may tell of an error, and then nothing has changed
    for (const Piece* piece : waiting_)
      for (const std::unique_ptr<Event>& event : piece->passed) event->synchronize();
  }
  std::erase_if(waiting_, [&](Piece* piece) {
    for (const std::unique_ptr<Event>& event : piece->passed)
      if (!event->is_done()) return false;
    for (std::unique_ptr<Event>& event : piece->passed) events_.push_back(std::move(event));
    piece->passed.clear();
    make_free(*piece);
    return true;
  });
}

// Takes the free piece behind `piece` into it.
StreamPool::Piece& StreamPool::join(Piece& piece) {
  Piece* const gone = piece.after;
  piece.bytes += gone->bytes;
  piece.after = gone->after;
  if (piece.after != nullptr) piece.after->before = &piece;
  const std::unique_ptr<Piece> owned(gone);
  return piece;
}

void StreamPool::make_free(Piece& released) {
  Piece* piece = &released;
  FreePieces& pieces = free_[piece->segment->stream];
  if (piece->after != nullptr && piece->after->is_free) {
    pieces.erase(piece->after);
    join(*piece);
  }
  if (piece->before != nullptr && piece->before->is_free) {
    piece = piece->before;
    pieces.erase(piece);
    join(*piece);
  }
  piece->is_free = true;
  pieces.insert(piece);
}

// The backend may give the memory to anybody, so nobody may still be at work on it.
void StreamPool::drop_segments() {
  Backend& backend = backend_at(device_.backend);
  for (auto& [stream, pieces] : free_) {
    const auto is_whole = [](const Piece* piece) { return piece->bytes == piece->segment->bytes; };
    if (std::any_of(pieces.begin(), pieces.end(), is_whole)) stream->synchronize();
    std::erase_if(pieces, [&](Piece* piece) {
      Segment& segment = *piece->segment;
      if (!is_whole(piece)) return false;
      const std::unique_ptr<Piece> owned(piece);
      backend.release(device_.index, segment.data, segment.bytes);
      statistics_.reserved -= segment.bytes;
      segments_.erase(segment.data);
      return true;
    });
  }
}

void StreamPool::drop_cached() {
  const std::lock_guard guard(mutex_);
  collect_passed(true);
  drop_segments();
}

// Work on the stream has been waited for, so that its memory is as good as the default stream's.
void StreamPool::forget(Stream& stream) {
  stream.synchronize();
  Stream& heir = backend_at(device_.backend).default_stream(device_.index);
  const std::lock_guard guard(mutex_);
  collect_passed(true);
  for (auto& [data, segment] : segments_) {
    if (segment->stream == &stream) segment->stream = &heir;
    for (Piece* piece = segment->first; piece != nullptr; piece = piece->after)
      std::erase(piece->users, &stream);
  }
  const auto found = free_.find(&stream);
  if (found == free_.end()) return;
  const FreePieces pieces = std::move(found->second);
  free_.erase(found);
  free_[&heir].insert(pieces.begin(), pieces.end());
}

std::unique_ptr<Event> StreamPool::take_event() {
  if (events_.empty()) return backend_at(device_.backend).create_event(device_.index);
  std::unique_ptr<Event> event = std::move(events_.back());
  events_.pop_back();
  return event;
}

MemoryStatistics StreamPool::statistics() const {
  const std::lock_guard guard(mutex_);
  return statistics_;
}

void StreamPool::reset_peaks() {
  const std::lock_guard guard(mutex_);
  statistics_.peak_in_use = statistics_.in_use;
  statistics_.peak_reserved = statistics_.reserved;
}

void StreamPool::set_limit(std::size_t bytes) {
  const std::lock_guard guard(mutex_);
  statistics_.limit = bytes;
}

void StreamPool::check() const {
  using platform::ErrorKind;
  using platform::require;
  const std::lock_guard guard(mutex_);
  std::size_t reserved = 0, in_use = 0, free_pieces = 0, listed = 0;
  for (const auto& [data, segment] : segments_) {
    reserved += segment->bytes;
    const char* end = segment->data;
    bool before_is_free = false;
    for (const Piece* piece = segment->first; piece != nullptr; piece = piece->after) {
      require(piece->data == end && piece->segment == segment.get(), ErrorKind::Internal,
              "pieces leave gaps");
      require(!(before_is_free && piece->is_free), ErrorKind::Internal,
              "free neighbours are not joined");
      const bool waits = std::find(waiting_.begin(), waiting_.end(), piece) != waiting_.end();
      if (!piece->is_free && !waits) in_use += piece->bytes;
      free_pieces += piece->is_free ? 1 : 0;
      before_is_free = piece->is_free;
      end += piece->bytes;
    }
    require(end == segment->data + segment->bytes, ErrorKind::Internal, "pieces end too early");
  }
  for (const auto& [stream, pieces] : free_) {
    listed += pieces.size();
    for (const Piece* piece : pieces)
      require(piece->is_free && piece->segment->stream == stream, ErrorKind::Internal,
              "a piece is listed for another stream");
  }
  require(listed == free_pieces && reserved == statistics_.reserved && in_use == statistics_.in_use,
          ErrorKind::Internal, "the counts of the pool are wrong");
}

}  // namespace mycel::device
